// The seven named parts: which step shows them best, and a light on one of them while the rest steps back.
import { rectIn } from "../draw/dom.js";

/** How much of the cache is to be seen: tags, a slot in use, a shared one, a queue with something cached in it, and most of all a request with hits in the lane. */
function tellingScore(frame, rid) {
  const slots = Object.values(frame.slots), req = frame.reqs[rid];
  const signs = [req, Object.keys(frame.table).length > 1, slots.some((slot) => slot.ref > 0), slots.some((slot) => slot.ref > 1),
    frame.queue.length > 1, frame.queue.some((id) => frame.slots[id].hash)];
  return signs.filter(Boolean).length + (req?.btable.length > 1 && req.hit > 0 ? 2 : 0);
}

/** The first step at which most of the seven parts can be seen; pure. */
export function tellingStep(events, frames) {
  let best = 0, most = 0, rid = null;
  frames.forEach((frame, k) => {
    rid = events[k - 1]?.rid ?? rid;
    const score = tellingScore(frame, rid);
    if (score > most) [best, most] = [k, score];
  });
  return best;
}

const ZONE_OF = { request: "A", tag: "A", table: "B", pool: "C", ref: "C", btable: "D", queue: "F" };

function nodesOf({ zones, blocks, slots: drawn, frame }, part) {
  const shown = (nodes) => nodes.filter((node) => node.getClientRects().length);
  if (part === "tag") return shown([...blocks.values()].map((cell) => cell.tag));
  if (part !== "ref") return shown([zones[ZONE_OF[part]]]);
  const slots = Object.entries(frame.slots).sort(([, one], [, other]) => other.ref - one.ref);
  return shown([drawn?.get(Number(slots[0]?.[0]))?.badge].filter(Boolean));
}

/** Rectangle around all nodes of the lit part, in stage units; null when it cannot be seen. The rest is dimmed. */
export function lightPart(stage) {
  const { part, root, zones } = stage;
  const nodes = part ? nodesOf(stage, part) : [];
  root.classList.toggle("parting", nodes.length > 0);
  for (const [name, zone] of Object.entries(zones)) zone.classList.toggle("part", nodes.length > 0 && name === ZONE_OF[part]);
  if (!nodes.length) return null;
  const boxes = nodes.map((node) => rectIn(node));
  const x = Math.min(...boxes.map((box) => box.x)), y = Math.min(...boxes.map((box) => box.y));
  return { x, y, w: Math.max(...boxes.map((box) => box.x + box.w)) - x, h: Math.max(...boxes.map((box) => box.y + box.h)) - y };
}

/** The page asks for another part, or for none: then the stage goes back to the step it was taken from. */
export function askPart(stage, part) {
  if (part === stage.partAsked) return;
  stage.partAsked = part;
  if (part && !stage.part) stage.partFrom = stage.k;
  if (part) stage.k = tellingStep(stage.events, stage.run.frames);
  else if (stage.part) stage.k = stage.partFrom;
  stage.part = part in ZONE_OF ? part : null;
}

/** Somebody presses a key or clicks: the light goes out, the step stays. */
export function leavePart(stage) {
  if (!stage.part) return false;
  stage.part = null;
  return true;
}
