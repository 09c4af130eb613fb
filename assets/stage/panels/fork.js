// What-if: a second run of the same stream, drawn below the first; one scrubber moves both.
import { icon, make, place, setAttr, setText } from "../draw/dom.js";
import { captionLine } from "../words/narrate.js";
import { alignSteps, differenceSteps, requestAt } from "../time/steps.js";
import { foldAll } from "../time/fold.js";
import { drawBlockTable, drawTotals } from "../draw/tables.js";
import { drawPool } from "../draw/pool.js";
import { requestMark } from "../draw/lane.js";

/** Offered when the payload names no choices of its own (`forks`: [[change, values | "text"], ...]). */
const DEFAULTS = [["block_size", [2, 4, 8, 16]], ["slots", [4, 6, 8, 10, 16, 24]], ["queue_rule", ["vllm", "all_to_back"]], ["ttl", [0, 5, 20]],
  ["admit_after", [1, 2]], ["timestamp", ["first", "last"]], ["swap", ["documents"]], ["prompt", "text"]];

export const forkChoices = (S) => S.data.forks ?? DEFAULTS;

/** Second run, or none: folds B, lines its steps up with A's, finds where the totals part. */
export function takeSecondRun(S) {
  const log = S.data.b;
  S.runB = log ? { log, frames: foldAll(log.init, log.events) } : null;
  S.aligned = log ? alignSteps(S.run.log.events, log.events) : null;
  S.diffs = log ? differenceSteps(S.run.frames, S.runB.frames, S.aligned) : [];
}

function extraZone(S, name) {
  if (!S.extra[name]) {
    const title = make("h3", "ztitle"), aside = make("div", "zaside"), body = make("div", "zbody");
    S.extra[name] = Object.assign(make("section", "zone z" + name[0], [title, aside, body]), { titleNode: title, aside, body });
    S.stage.insertBefore(S.extra[name], S.zones.F);
  }
  const zone = S.extra[name], spot = S.plan[name];
  zone.classList.toggle("off", !spot);
  if (spot) place(zone, ...spot);
  return zone;
}

function drawLabel(S, zone, letter, run, k, rid) {
  const { meta, events } = run.log, event = events[k - 1];
  setText(zone.titleNode, S.t("stage.fork." + letter));
  zone.body.replaceChildren(
    make("p", "note", [...(rid ? [requestMark(S, rid), " "] : []), S.t("stage.count", { step: k, total: events.length })]),
    make("p", "note", S.t("stage.fork.setup", { size: meta.block_size, slots: Object.keys(run.log.init.slots).length })),
    make("p", "forkline", event ? captionLine(S.data.text, S.lang, event) : ""));
}

function drawUndo(S, aside) {
  if (!aside.firstChild) {
    const button = make("button", "btn", [icon("times")]);
    button.type = "button";
    button.dataset.do = "undoFork";
    aside.append(button);
  }
  const label = S.t("stage.fork.undo");
  setAttr(aside.firstChild, "aria-label", label);
  setAttr(aside.firstChild, "title", label);
}

const numbersOf = ({ totals }) => ({ reused: totals.hits, computed: totals.computed, evicted: totals.evicted });

export function drawFork(S) {
  const names = ["L", "L2", "C2", "D2", "E2"];
  if (!S.runB || !S.plan.C2) return names.forEach((name) => S.extra[name]?.classList.add("off"));
  const zone = Object.fromEntries(names.map((name) => [name, extraZone(S, name)]));
  const k = S.aligned[S.k], { runB: run } = S, frame = run.frames[k], event = run.log.events[k - 1] ?? null;
  const rid = requestAt(run.log.events, k);
  drawLabel(S, zone.L, "a", S.run, S.k, S.rid);
  drawLabel(S, zone.L2, "b", run, k, rid);
  drawUndo(S, zone.L2.aside);
  setText(zone.C2.titleNode, S.t("stage.zone.C"));
  setText(zone.E2.titleNode, S.t("stage.zone.E"));
  drawPool(S, zone.C2, run, frame, rid, event, S.plan.C2[2]);
  if (S.plan.D2) drawBlockTable(S, zone.D2, run, k, rid, S.plan.D2[2]);
  drawTotals(S, S.zones.E, S.frame, numbersOf(frame));
  drawTotals(S, zone.E2, frame, numbersOf(S.frame));
}
