// What a frame means to the eye: state of a slot, state of a block, link keys, spotlight. Pure, no DOM.

/** Whose? Letter and shape, never hue. R0..R5 have shapes, the rest letters only. */
const SHAPES = ["circle", "triangle", "square", "diamond", "pentagon", "cross"];

export function shapeOf(rid, order) {
  const digits = /^R(\d+)$/.exec(rid);
  return SHAPES[digits ? Number(digits[1]) : order.indexOf(rid)] ?? null;
}

/** The events that a step tells of: at level "beat" all of its group, otherwise one. */
export function eventsOf(events, k, level) {
  const from = level === "beat" ? events[k - 1]?.beat?.from ?? k - 1 : k - 1;
  return events.slice(Math.max(0, from), k);
}

/** Tokens of a block for which its holders have planned: the written ones and those still to come. */
function plannedFill(frame, slot, id, size) {
  const planned = slot.owners.map((rid) => {
    const req = frame.reqs[rid], b = req?.btable.findIndex(([slotId]) => slotId === id) ?? -1;
    return b < 0 ? 0 : Math.min(size, req.computed - b * size);
  });
  return Math.max(slot.fill, 0, ...planned);
}

const isGone = ({ op }) => op === "evict" || op === "ttl";

/** State of a slot from the point of view of the focused request: provenance belongs to (request, block). `told`: the event, or events, that led here;
 * `size`: tokens of a block, for who wants to know how many cells are `reserved`: planned and not written. */
export function slotView(frame, id, rid, told, size = 0) {
  const slot = frame.slots[id], number = Number(id);
  const row = frame.reqs[rid]?.btable.find(([slotId]) => slotId === number);
  const copies = slot.hash ? frame.table[slot.hash] ?? [] : [];
  const gone = [told ?? []].flat().find((event) => isGone(event) && event.slot === number);
  const view = { id: number, ref: slot.ref, fill: slot.fill, owners: slot.owners, last: slot.last, reserved: size && slot.ref ? plannedFill(frame, slot, number, size) - slot.fill : 0,
    tag: slot.hash ? slot.hash.slice(0, 4) : "", copyOf: copies.length > 1 && copies[0] !== number ? copies[0] : 0 };
  if (slot.ref > 0) view.state = row ? slotState(row[1], slot.fill) : "others";
  else if (slot.hash) view.state = "cached";
  else view.state = slot.fill > 0 ? "dirty" : "empty";
  return gone ? { ...view, state: "evicted", now: view.state, tag: gone.tag ?? "", fresh: view.tag, ttl: gone.op === "ttl" } : view;
}

/** A slot that is taken is not computed before something is written into it. */
const slotState = (how, fill) => (how === "hit" ? "reused" : fill > 0 ? "computed" : "reserved");

export const STATE_GLYPH = { empty: null, cached: "ring", dirty: "void", reserved: "dots", reused: "check", computed: "plus",
  others: null, evicted: "times", duplicate: "copy" };

/** State of block `b` of a request: plain, hit, miss, reserved (taken, nothing written), new, skip (not looked up), or of a chain: stored (just now), told (before);
 * `table` may hold rows freed meanwhile. Without `slots` nothing is known of what is written. */
function blockView(req, b, blockSize, table, slots) {
  const full = (b + 1) * blockSize <= req.num_tokens;
  const row = table[b], mine = req.btable[b];
  let state = req.look[b] ?? "plain";
  if (row) state = mine && mine[1] === "new" && slots?.[mine[0]]?.fill === 0 ? "reserved" : row[1];
  else if (state === "plain" && Object.entries(req.look).some(([j, seen]) => seen === "miss" && Number(j) < b)) state = "skip";
  return { b, state, full, size: Math.min(blockSize, req.num_tokens - b * blockSize),
    tag: b < req.hashes.length ? req.hashes[b].slice(0, 4) : "", slot: mine ? row[0] : 0 };
}

export function blockViews(req, blockSize, table = req.btable, slots = null) {
  return Array.from({ length: Math.ceil(req.num_tokens / blockSize) }, (_, b) => blockView(req, b, blockSize, table, slots));
}

/** A tag can stand in the table before the KV of its block is written: none of its slots is full yet. */
export const isPromised = (frame, ids, size) => ids.length > 0 && ids.every((id) => frame.slots[id].ref > 0 && frame.slots[id].fill < size);

/** Link keys of a slot, a block, a tag row and an event: things that share one light up together. */
export function slotKeys(frame, id) {
  const slot = frame.slots[id];
  const keys = ["slot:" + id];
  if (slot.hash) keys.push("tag:" + slot.hash.slice(0, 4));
  for (const rid of slot.owners) {
    keys.push("req:" + rid);
    const b = frame.reqs[rid]?.btable.findIndex(([slotId]) => slotId === Number(id)) ?? -1;
    if (b >= 0) keys.push("blk:" + rid + ":" + b);
  }
  return keys;
}

export function blockKeys(rid, view) {
  const keys = ["blk:" + rid + ":" + view.b, "req:" + rid];
  if (view.tag) keys.push("tag:" + view.tag);
  if (view.slot) keys.push("slot:" + view.slot);
  return keys;
}

export function eventKeys(event) {
  const keys = ["ev:" + event.i];
  if (event.slot) keys.push("slot:" + event.slot);
  if (event.tag) keys.push("tag:" + event.tag);
  if (event.rid) keys.push("req:" + event.rid);
  if (event.rid && event.b != null) keys.push("blk:" + event.rid + ":" + event.b);
  return keys;
}

const SPOT_SLOT = new Set(["match", "touch", "evict", "alloc", "compute", "free", "ttl", "full"]);
const SPOT_LANE = new Set(["arrive", "chain", "plan", "wait", "reject", "preempt", "resume"]);

/** Groups whose caption speaks of another thing than their last step does. */
const SPOT_OF_BEAT = { done: "queue", free: "queue", arrive: "lane", alloc: "slot", evict: "slot" };

/** The one spotlighted thing of a step, at level "beat" of its group, as the name of a drawn part: "lane", "blk:2", "tagof:2", "slot:5", "row:9049"... */
export function spotOf(event, level) {
  if (!event) return null;
  const { op, slot, b, tag, beat } = event, group = level === "beat" && beat ? SPOT_OF_BEAT[/^beat\.(\w+)/.exec(beat.cap)?.[1]] : null;
  if (group) return group === "slot" && slot ? "slot:" + slot : group;
  if (SPOT_SLOT.has(op) && slot) return "slot:" + slot;
  if (op === "append") return slot ? "slot:" + slot : "blk:" + b;
  if (op === "cut" || op === "miss" || op === "collision") return b == null ? "lane" : "blk:" + b;
  if (op === "hash") return "tagof:" + b;
  if (op === "probe") return "tagof:" + b; // the row would tell whether it hits
  if (op === "register" || op === "dup" || op === "notstored") return op === "register" ? "row:" + tag : slot ? "slot:" + slot : "blk:" + b;
  if (op === "done" || op === "reset" || op === "version" || op === "policy" || op === "tick") return "totals";
  return SPOT_LANE.has(op) ? "lane" : null;
}

/** Line of the pseudocode (0-based) that an op stands for; -1 when none does. */
const CODE_LINES = { arrive: 0, cut: 1, hash: 2, probe: 3, miss: 4, collision: 4, match: 5, wait: 6, reject: 6, plan: 6, touch: 7,
  evict: 8, ttl: 8, alloc: 9, resume: 9, register: 10, dup: 10, notstored: 10, compute: 11, full: 12, append: 12, free: 13, done: 13, preempt: 13 };
export const NUM_CODE_LINES = 14;
export const codeLineOf = (event) => (event ? CODE_LINES[event.op] ?? -1 : -1);
