// The foot of the phone's stage: one bar for each stop, back and next. What lies ahead is grey; a question only says that it is there.
import { icon, make, makeButton, setAttr, setName, setText, sharpen } from "../draw/dom.js";
import { stopsOf, tickBars } from "./plan.js";

const TICKS_H = 14;

export function buildPhoneFoot() {
  const ticks = make("canvas", "pticks"), word = make("span"), back = makeButton("pback", [icon("left")], { do: "back" }), next = makeButton("pnext", [word, icon("right")], { do: "next" });
  ticks.setAttribute("aria-hidden", "true");
  return Object.assign(make("footer", "pfootbar", [ticks, make("div", "pbtns", [back, next])]), { ticks, back, next, word });
}

function stopsNow({ events, level }, foot) {
  if (foot.stopsFor !== events || foot.stopsLevel !== level) Object.assign(foot, { stopsFor: events, stopsLevel: level, stops: stopsOf(events, level) });
  return foot.stops;
}

function drawTickBars(stage, foot) {
  const { events, k, colours, flags, plan } = stage, width = plan.w - 32, paint = sharpen(foot.ticks, width, TICKS_H);
  const isAsked = (from, to) => flags.ask && events.slice(from, to).some((event) => event.ask);
  for (const { x, w, past, asked } of tickBars(stopsNow(stage, foot), isAsked, k, width)) {
    paint.fillStyle = past ? colours.ink : colours.line;
    paint.globalAlpha = past || asked ? 1 : 0.4;
    if (!asked || past) paint.fillRect(x, asked ? 2 : 4, w, asked ? 10 : 6);
    paint.lineWidth = 2;
    paint.strokeStyle = past ? colours.ink : colours.line;
    if (asked && !past) paint.strokeRect(x + 1, 3, Math.max(w - 2, 1), 8);
  }
}

/** What the large button does now, as the name of a word. */
export const nextWord = ({ k, events, ask, feedback }) => (ask && !feedback ? "guess" : k === 0 ? "begin" : k >= events.length ? "done" : "next");

export function drawPhoneFoot(stage, foot) {
  const { k, t } = stage, word = nextWord(stage);
  drawTickBars(stage, foot);
  setText(foot.word, t("stage.phone." + word));
  foot.next.dataset.word = word;
  setAttr(foot.next, "aria-disabled", word === "done" ? "true" : null); // one tap too many must not throw the run away
  setName(foot.back, t("stage.phone.back"));
  setAttr(foot.back, "disabled", k === 0 ? "" : null);
}
