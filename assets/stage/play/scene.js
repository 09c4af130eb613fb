// Draws step k in full. Idempotent and without memory of earlier steps: any step may follow any other.
import { focusOn, isShown, rectIn } from "../draw/dom.js";
import { peakTable, requestAt } from "../time/steps.js";
import { eventsOf, spotOf } from "../draw/view.js";
import { drawHead, drawLane } from "../draw/lane.js";
import { drawPool } from "../draw/pool.js";
import { drawQueue } from "../draw/queue.js";
import { drawBlockTable, drawCode, drawHashTable } from "../draw/tables.js";
import { drawLedger, drawToldTotals } from "../draw/ledger.js";
import { drawStory, fitStory } from "../panels/story.js";
import { drawControls } from "../draw/controls.js";
import { drawPlayhead } from "../draw/timeline.js";
import { isAsking } from "../panels/quiz.js";
import { drawEndCard } from "../panels/endcard.js";
import { drawFork } from "../panels/fork.js";
import { refreshDrawers } from "../panels/drawers.js";
import { showPin } from "../panels/links.js";
import { drawUntold } from "../draw/told.js";
import { drawPhone } from "../phone/phone.js";

export function drawScene(stage) {
  const { run, events, k, plan, host } = stage, held = host.activeElement;
  stage.frame = run.frames[k];
  stage.event = events[k - 1] ?? null;
  stage.ask = isAsking(stage) ? events[k].ask : null;
  stage.rid = asksLane(stage.ask) ? stage.ask.rid : stage.focus ?? requestAt(events, k); // a question about the lane holds it
  stage.seen = Math.max(stage.seen, k);
  stage.turned = isTurned(stage);
  if (stage.edit && stage.edit.k !== k) stage.edit = null;
  const { frame, event, rid, zones } = stage;
  stage.peak = rid ? peakTable(run.frames, k, rid) : [];
  if (drawPhone(stage)) return void (refreshDrawers(stage), keepHeld(stage, held));
  drawHead(stage);
  if (plan.A) Object.assign(stage, drawLane(stage, frame, rid, event));
  drawFloor(stage, frame, rid, event);
  drawUntold(stage);
  drawFork(stage);
  drawStory(stage, event);
  drawEndCard(stage);
  drawPlayhead(stage);
  drawControls(stage);
  moveSpot(stage);
  refreshDrawers(stage);
  fitStory(stage);
  if (stage.pin) showPin(stage);
  keepHeld(stage, held);
}

/** Only who asks how far a request will hit puts it into the lane: what other questions are about is seen from where one stands. */
const asksLane = (ask) => ask?.kind === "lane" || ask?.question === "stage.ask.some";

/** Has the point of view just changed? */
function isTurned({ rid, focus, events, k }) {
  const before = k > 0 ? focus ?? requestAt(events, k - 1) : rid;
  return Boolean(before && before !== rid);
}

/** What had the focus keeps it; when it is gone, the stage has it. */
function keepHeld({ host, root }, held) {
  if (held && host.activeElement !== held) focusOn(held.isConnected ? held : root);
}

/** What lies under the bench: tables, slots, queue, ledger. */
function drawFloor(stage, frame, rid, event) {
  const { zones, plan, run, k, events, level } = stage, told = eventsOf(events, k, level);
  if (plan.B) stage.rowByTag = drawHashTable(stage, frame, told);
  if (plan.C) stage.slots = drawPool(stage, zones.C, run, frame, rid, told, plan.C);
  if (plan.D) stage.drows = drawBlockTable(stage, zones.D, run, k, rid, plan.D);
  if (plan.E && run.log.meta.told) drawToldTotals(stage, zones.E, frame);
  else if (plan.E && !stage.runB) drawLedger(stage, zones.E, run, k, rid, plan.E);
  drawCode(stage, zones.E, event);
  if (plan.F) stage.cards = drawQueue(stage, frame);
}

/** The drawn node of a spotlight or motion name; undefined when it is folded away or hidden. */
export function partOf({ zones, blocks, slots, cards, drows, rowByTag }, name) {
  const [kind, id] = name.split(":");
  const cell = blocks?.get(Number(id));
  if (kind === "lane") return zones.A.whoNode;
  if (kind === "totals") return zones.E;
  if (kind === "queue") return zones.F;
  if (kind === "blk") return cell?.node;
  if (kind === "tagof") return cell?.tag;
  if (kind === "slot") return slots?.get(Number(id));
  if (kind === "card") return cards?.get(Number(id));
  if (kind === "drow") return drows?.get(Number(id));
  if (kind === "row") return rowByTag?.get(id);
  return undefined;
}

/** One yellow ring inside a dark ring, around the one thing this step is about. */
function moveSpot(stage) {
  const { ring, zones, event } = stage;
  const name = stage.ask ? null : spotOf(event, stage.level); // under an open question nothing is pointed at
  const node = name ? partOf(stage, name) : undefined;
  const shown = isShown(node);
  stage.spotNode?.classList.remove("spotted");
  stage.spotNode = shown ? node : null;
  stage.spotNode?.classList.add("spotted");
  ring.classList.toggle("off", !shown);
  for (const zone of Object.values(zones)) zone.classList.toggle("near", shown && zone.contains(node));
  if (!shown) return;
  const box = rectIn(node);
  Object.assign(ring.style, { transform: `translate(${box.x - 4}px,${box.y - 4}px)`, width: box.w + 8 + "px", height: box.h + 8 + "px" });
}
