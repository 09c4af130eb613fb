// What-if: a second run of the same stream, drawn below the first; one scrubber moves both.
import { icon, make, makeButton, place, setAttr, setName, setText } from "../draw/dom.js";
import { alignSteps, differenceSteps, requestAt } from "../time/steps.js";
import { foldAll } from "../time/fold.js";
import { buildZone } from "../draw/build.js";
import { drawLedger } from "../draw/ledger.js";
import { ledgerAt } from "../time/ledger.js";
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
    make("p", "note", t("stage.fork.setup", { size: meta.block_size, count: Object.keys(run.log.init.slots).length })),
    make("p", "forkline", event ? caption(event) : ""));
}

function drawUndo({ t }, aside) {
  if (!aside.firstChild) aside.append(makeButton("btn", [icon("times")], { do: "undoFork" }));
  const label = t("stage.fork.undo");
  setName(aside.firstChild, label);
  setAttr(aside.firstChild, "title", label);
}

export function drawFork(stage) {
  const names = ["L", "L2", "C2", "E2"], { plan, extra, zones, run: runA, runB: run, t } = stage;
  if (!run || !plan.C2) return names.forEach((name) => extra[name]?.classList.add("off"));
  const zone = Object.fromEntries(names.map((name) => [name, extraZone(stage, name)]));
  const k = stage.aligned[stage.k], frame = run.frames[k], event = run.log.events[k - 1], rid = requestAt(run.log.events, k);
  drawLabel(stage, zone.L, "a", runA, stage.k, stage.rid);
  drawLabel(stage, zone.L2, "b", run, k, rid);
  drawUndo(stage, zone.L2.aside);
  for (const name of ["C2", "E2"]) setName(zone[name], t("stage.zone." + name[0]) + ", " + t("stage.fork.b"));
  drawPool(stage, zone.C2, run, frame, rid, event ? [event] : [], plan.C2);
  const [mine, other] = [ledgerAt(runA, stage.k), ledgerAt(run, k)];
  drawLedger(stage, zones.E, runA, stage.k, stage.rid, plan.E, other);
  drawLedger(stage, zone.E2, run, k, rid, plan.E2, mine);
}
