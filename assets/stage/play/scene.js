// Draws step k in full. Idempotent and without memory of earlier steps: any step may follow any other.
import { isShown, rectIn, setAttr } from "../draw/dom.js";
import { peakTable, requestAt } from "../time/steps.js";
import { spotOf } from "../draw/view.js";
import { drawHead, drawLane } from "../draw/lane.js";
import { drawPool, drawQueue } from "../draw/pool.js";
import { drawBlockTable, drawCode, drawHashTable, drawTotals } from "../draw/tables.js";
import { drawRecent, drawStory, fitStory } from "../panels/story.js";
import { drawPlayhead } from "../draw/timeline.js";
import { drawQuestion, isAsking } from "../panels/quiz.js";
import { drawFork } from "../panels/fork.js";
import { refreshDrawers } from "../panels/drawers.js";
import { showPin } from "../panels/links.js";
import { drawUntold } from "../draw/told.js";
import { lightPart } from "../panels/parts.js";

export function drawScene(S) {
  const { run, k } = S, held = S.host.activeElement;
  S.frame = run.frames[k];
  S.event = run.log.events[k - 1] ?? null;
  S.rid = S.focus ?? requestAt(run.log.events, k);
  const { frame, event, rid, zones } = S;
  S.peak = rid ? peakTable(run.frames, k, rid) : [];
  drawHead(S, event);
  if (S.plan.A) drawLane(S, frame, rid, event);
  if (S.plan.B) drawHashTable(S, frame, event);
  S.slots = drawPool(S, zones.C, run, frame, rid, event, S.plan.C[2]);
  if (S.plan.D) S.drows = drawBlockTable(S, zones.D, run, k, rid, S.plan.D[2]);
  if (S.flags.code && !S.runB) drawCode(S, zones.E, event);
  else drawTotals(S, zones.E, frame);
  if (S.plan.F) drawQueue(S, frame);
  drawUntold(S);
  drawFork(S);
  drawStory(S, event);
  if (isAsking(S) || S.feedback) drawQuestion(S);
  else drawRecent(S);
  setAttr(zones.Q, "data-asking", isAsking(S) || S.feedback ? "1" : null);
  setAttr(zones.G, "data-asking", isAsking(S) || S.feedback ? "1" : null);
  drawPlayhead(S);
  moveSpot(S);
  refreshDrawers(S);
  fitStory(S);
  if (S.pin) showPin(S);
  if (held && S.host.activeElement !== held) (held.isConnected ? held : S.root).focus({ preventScroll: true });
}

/** The drawn node of a spotlight or motion name; undefined when it is folded away or hidden. */
export function partOf(S, name) {
  const [kind, id] = name.split(":");
  const cell = S.blocks?.get(Number(id));
  if (kind === "lane") return S.zones.A;
  if (kind === "totals") return S.zones.E;
  if (kind === "blk") return cell?.node;
  if (kind === "tagof") return cell?.tag;
  if (kind === "slot") return S.slots?.get(Number(id));
  if (kind === "card") return S.cards?.get(Number(id));
  if (kind === "drow") return S.drows?.get(Number(id));
  if (kind === "row") return S.rowByTag?.get(id);
  return undefined;
}

/** One yellow ring inside a dark ring, around the one thing this step is about. */
export function moveSpot(S) {
  const part = lightPart(S), name = part ? null : spotOf(S.event);
  const node = name ? partOf(S, name) : undefined;
  const shown = isShown(node);
  S.spotNode?.classList.remove("spotted");
  S.spotNode = shown ? node : null;
  S.spotNode?.classList.add("spotted");
  S.ring.classList.toggle("off", !shown && !part);
  for (const zone of Object.values(S.zones)) zone.classList.toggle("near", shown && zone.contains(node));
  if (!shown && !part) return;
  const box = part ?? rectIn(S, node);
  Object.assign(S.ring.style, { transform: `translate(${box.x - 4}px,${box.y - 4}px)`, width: box.w + 8 + "px", height: box.h + 8 + "px" });
}
