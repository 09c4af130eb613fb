// What-if: a second run of the same stream, drawn below the first; one scrubber moves both.
import { icon, make, makeButton, place, setAttr, setName, setText } from "../draw/dom.js";
import { alignSteps, differenceSteps, requestAt } from "../time/steps.js";
import { foldAll } from "../time/fold.js";
import { buildZone } from "../draw/build.js";
import { drawBlockTable, drawTotals } from "../draw/tables.js";
import { drawPool } from "../draw/pool.js";
import { requestMark } from "../draw/lane.js";

/** Second run, or none: folds B, lines its steps up with A's, finds where the totals part. */
export function takeSecondRun(stage) {
  const log = stage.data.b;
  stage.runB = log ? { log, frames: foldAll(log.init, log.events) } : null;
  stage.aligned = log ? alignSteps(stage.events, log.events) : null;
  stage.diffs = log ? differenceSteps(stage.run.frames, stage.runB.frames, stage.aligned) : [];
}

function extraZone({ extra, floor, zones, plan }, name) {
  if (!extra[name]) {
    extra[name] = buildZone(name[0], name);
    floor.insertBefore(extra[name], zones.F);
  }
  const zone = extra[name], spot = plan[name];
  zone.classList.toggle("off", !spot);
  if (spot) place(zone, ...spot);
  return zone;
}

function drawLabel({ t, order, caption }, zone, letter, run, k, rid) {
  const { meta, events } = run.log, event = events[k - 1];
  setText(zone.titleNode, t("stage.fork." + letter));
  zone.body.replaceChildren(
    make("p", "note", [...(rid ? [requestMark(order, rid), " "] : []), t("stage.count", { step: k, total: events.length })]),
    make("p", "note", t("stage.fork.setup", { size: meta.block_size, slots: Object.keys(run.log.init.slots).length })),
    make("p", "forkline", event ? caption(event) : ""));
}

function drawUndo({ t }, aside) {
  if (!aside.firstChild) aside.append(makeButton("btn", [icon("times")], { do: "undoFork" }));
  const label = t("stage.fork.undo");
  setName(aside.firstChild, label);
  setAttr(aside.firstChild, "title", label);
}

const numbersOf = ({ totals }) => ({ reused: totals.hits, computed: totals.computed, evicted: totals.evicted });

export function drawFork(stage) {
  const names = ["L", "L2", "C2", "D2", "E2"], { plan, extra, zones, frame: frameA, t } = stage;
  if (!stage.runB || !plan.C2) return names.forEach((name) => extra[name]?.classList.add("off"));
  const zone = Object.fromEntries(names.map((name) => [name, extraZone(stage, name)]));
  const k = stage.aligned[stage.k], { runB: run } = stage, frame = run.frames[k], event = run.log.events[k - 1] ?? null;
  const rid = requestAt(run.log.events, k);
  drawLabel(stage, zone.L, "a", stage.run, stage.k, stage.rid);
  drawLabel(stage, zone.L2, "b", run, k, rid);
  drawUndo(stage, zone.L2.aside);
  setText(zone.C2.titleNode, t("stage.zone.C"));
  setText(zone.E2.titleNode, t("stage.zone.E"));
  drawPool(stage, zone.C2, run, frame, rid, event, plan.C2[2]);
  if (plan.D2) drawBlockTable(stage, zone.D2, run, k, rid, plan.D2[2]);
  drawTotals(stage, zones.E, frameA, numbersOf(frame));
  drawTotals(stage, zone.E2, frame, numbersOf(frameA));
}
