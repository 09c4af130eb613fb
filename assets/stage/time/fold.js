// Patches -> frames. Pure, and free of any cache logic: a patch says what to set, delete or move, never why.
// Frames share everything a patch did not touch, so 5,000 of them cost little more than one.

const LINES = new Set(["queue", "waiting", "running"]), MOVES = new Set(["out", "back", "at"]);

const rowsOf = new WeakMap();

/** An object whose copy costs no more than an array's, with hundreds of keys too: its members lie in a list of [key, value], newest last. */
function makeRecord(rows) {
  const record = new Proxy({ rows }, RECORD);
  rowsOf.set(record, rows);
  return record;
}

function rowAt(rows, key) {
  let at = rows.length - 1;
  while (at >= 0 && rows[at][0] !== key) at--;
  return at;
}

const FEW = 64;

/** Reading: a large record gets an index when somebody first asks it for something; changing it drops the index. */
function readRow(target, key) {
  const { rows } = target;
  if (rows.length <= FEW) return rows[rowAt(rows, key)]?.[1];
  target.index ??= new Map(rows);
  return target.index.get(key);
}

const RECORD = {
  get: readRow,
  has: ({ rows }, key) => rowAt(rows, key) >= 0,
  ownKeys: ({ rows }) => rows.map(([key]) => key),
  getOwnPropertyDescriptor({ rows }, key) {
    const at = rowAt(rows, key);
    return at < 0 ? undefined : { value: rows[at][1], writable: true, enumerable: true, configurable: true };
  },
  set(target, key, value) {
    const { rows } = target, at = rowAt(rows, key);
    target.index = null;
    rows[at < 0 ? rows.length : at] = [key, value];
    return true;
  },
  deleteProperty(target, key) {
    const { rows } = target, at = rowAt(rows, key);
    target.index = null;
    if (at >= 0) rows.splice(at, 1);
    return true;
  },
};

function copyOf(value) {
  if (Array.isArray(value)) return value.slice();
  const rows = rowsOf.get(value);
  return rows ? makeRecord(rows.slice()) : { ...value };
}

/** What folding itself reads, once per change: no index is worth that. */
function memberOf(node, key) {
  const rows = rowsOf.get(node);
  return rows ? rows[rowAt(rows, key)]?.[1] : node[key];
}

/** A copy of `value` that may be changed; objects copied earlier in the same fold step are handed out again. */
function ownCopy(value, owned) {
  if (owned.has(value)) return value;
  const copy = copyOf(value);
  owned.add(copy);
  return copy;
}

function moveInLine(line, move, value) {
  if (move === "back") return void line.push(value);
  if (move === "at") return void line.splice(value[0], 0, value[1]);
  const at = line.indexOf(value);
  if (at >= 0) line.splice(at, 1);
}

function applyOne(frame, patch, owned) {
  const [path, value] = patch;
  const isMove = path.length === 2 && LINES.has(path[0]) && MOVES.has(path[1]);
  const last = isMove ? 1 : path.length - 1;
  let node = frame;
  for (let depth = 0; depth < last; depth++) {
    const key = path[depth];
    node = node[key] = ownCopy(memberOf(node, key) ?? {}, owned);
  }
  if (isMove) return moveInLine(node, path[1], value);
  const key = path[last];
  if (patch.length > 1) node[key] = value;
  else if (Array.isArray(node)) node.splice(key, 1);
  else delete node[key];
}

/** The frame after one event's patches; `frame` itself stays as it was. */
export function applyPatches(frame, patches) {
  if (!patches || !patches.length) return frame;
  const owned = new Set();
  const next = ownCopy(frame, owned);
  for (const patch of patches) applyOne(next, patch, owned);
  return next;
}

/** Slots as an array with a hole at 0 (the null block): keys and order stay, a copy costs a tenth of an object's. */
function slotsAsArray(slots) {
  const array = [];
  for (const [id, slot] of Object.entries(slots)) array[id] = slot;
  return array;
}

/** frames[k] = the state after the first k events; frames[0] is the initial state. */
export function foldAll(init, events) {
  const frames = new Array(events.length + 1);
  frames[0] = { ...init, slots: slotsAsArray(init.slots), reqs: makeRecord(Object.entries(init.reqs)), table: makeRecord(Object.entries(init.table)) };
  for (let k = 0; k < events.length; k++) frames[k + 1] = applyPatches(frames[k], events[k].patch);
  return frames;
}
