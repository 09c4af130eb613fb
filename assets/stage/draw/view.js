// What a frame means to the eye: state of a slot, state of a block, link keys, spotlight. Pure, no DOM.

/** Whose? Letter and shape, never hue. R0..R5 have shapes, the rest letters only. */
const SHAPES = ["circle", "triangle", "square", "diamond", "pentagon", "cross"];

export function shapeOf(rid, order) {
  const digits = /^R(\d+)$/.exec(rid);
  return SHAPES[digits ? Number(digits[1]) : order.indexOf(rid)] ?? null;
}

/** State of a slot from the point of view of the focused request: provenance belongs to (request, block). */
export function slotView(frame, id, rid, event) {
  const slot = frame.slots[id];
  const row = frame.reqs[rid]?.btable.find(([slotId]) => slotId === Number(id));
  const copies = slot.hash ? frame.table[slot.hash] ?? [] : [];
  const gone = event && (event.op === "evict" || event.op === "ttl") && event.slot === Number(id);
  const view = { id: Number(id), ref: slot.ref, fill: slot.fill, owners: slot.owners, last: slot.last,
    tag: slot.hash ? slot.hash.slice(0, 4) : "", copyOf: copies.length > 1 && copies[0] !== Number(id) ? copies[0] : 0 };
  if (gone) return { ...view, state: "evicted", tag: event.tag ?? "", ttl: event.op === "ttl" };
  if (slot.ref > 0) view.state = row ? (row[1] === "hit" ? "reused" : "computed") : "others";
  else if (slot.hash) view.state = "cached";
  else view.state = slot.fill > 0 ? "dirty" : "empty";
  return view;
}

export const STATE_GLYPH = { empty: null, cached: "ring", dirty: "void", reused: "check", computed: "plus",
  others: null, evicted: "times", duplicate: "copy" };

/** State of block `b` of a request: plain, hit, miss, new, skip (not looked up), or of a chain: stored (just now), told (before); `table` may hold rows freed meanwhile. */
function blockView(req, b, blockSize, table = req.btable) {
  const full = (b + 1) * blockSize <= req.num_tokens;
  const row = table[b];
  let state = req.look[b] ?? "plain";
  if (row) state = row[1];
  else if (state === "plain" && Object.entries(req.look).some(([j, seen]) => seen === "miss" && Number(j) < b)) state = "skip";
  return { b, state, full, size: Math.min(blockSize, req.num_tokens - b * blockSize),
    tag: b < req.hashes.length ? req.hashes[b].slice(0, 4) : "", slot: req.btable[b] ? row[0] : 0 };
}

export function blockViews(req, blockSize, table) {
  return Array.from({ length: Math.ceil(req.num_tokens / blockSize) }, (_, b) => blockView(req, b, blockSize, table));
}

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

/** The one spotlighted thing of a step, as the name of a drawn part: "lane", "blk:2", "tagof:2", "slot:5", "row:9049"... */
export function spotOf(event) {
  if (!event) return null;
  const { op, slot, b, tag } = event;
  if (SPOT_SLOT.has(op) && slot) return "slot:" + slot;
  if (op === "append") return slot ? "slot:" + slot : "blk:" + b;
  if (op === "cut" || op === "miss" || op === "collision") return b == null ? "lane" : "blk:" + b;
  if (op === "hash") return "tagof:" + b;
  if (op === "probe") return "row:" + tag;
  if (op === "register" || op === "dup" || op === "notstored") return op === "register" ? "row:" + tag : slot ? "slot:" + slot : "blk:" + b;
  if (op === "done" || op === "reset" || op === "version" || op === "policy" || op === "tick") return "totals";
  return SPOT_LANE.has(op) ? "lane" : null;
}

/** Line of the pseudocode (0-based) that an op stands for; -1 when none does. */
const CODE_LINES = { arrive: 0, cut: 1, hash: 2, probe: 3, miss: 4, collision: 4, match: 5, wait: 6, reject: 6, plan: 6, touch: 7,
  evict: 8, ttl: 8, alloc: 9, resume: 9, register: 10, dup: 10, notstored: 10, compute: 11, full: 12, append: 12, free: 13, done: 13, preempt: 13 };
export const NUM_CODE_LINES = 14;
export const codeLineOf = (event) => (event ? CODE_LINES[event.op] ?? -1 : -1);
