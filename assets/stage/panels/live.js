// The live region: what one sees happen is said as well, one polite message at a time.
import { setText } from "../draw/dom.js";

/** While keys rain down only the last message is spoken. */
export function announce(stage, message) {
  clearTimeout(stage.liveTimer);
  stage.liveTimer = setTimeout(() => setText(stage.live, message), 150);
}

/** Said at once: a key or button did something that the step does not tell. An equal message is said again. */
export function sayNow(stage, message) {
  clearTimeout(stage.liveTimer);
  setText(stage.live, stage.live.textContent === message ? message + "\u00a0" : message);
}

/** What a second run has become, beside the run as it was. */
export function sayFork(stage) {
  const { run, runB, flags, t } = stage, last = ({ frames }) => frames.at(-1).totals;
  if (!runB) return announce(stage, t("stage.live.unfork"));
  if (flags.ask) return announce(stage, t("stage.live.fork.asking")); // its sum would answer questions that are still to come
  announce(stage, t("stage.live.fork", { a: last(run).hits, b: last(runB).hits, total: last(runB).queries }));
}
