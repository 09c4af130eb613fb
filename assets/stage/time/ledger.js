// The token ledger: what became of every prompt token asked for. Pure; read off frames, kept for each step once it was asked for.
// A token's first fate counts, so that nothing is ever counted twice: reused when its request is let in, as the hit rate counts it; computed when its KV is written.
// What is computed a second time (after a preemption) is told apart, and so are the tokens of the answer.

const NOTHING = { reused: 0, computed: 0 };
/** The row that a block found will have: it is reused from the moment its request is let in. */
const FOUND = [null, "hit"];
const sumOf = (cells, name) => cells.reduce((sum, cell) => sum + (cell?.[name] ?? 0), 0);

/** How many prompt tokens lie in block `b`. */
const promptIn = (req, b, size) => Math.max(0, Math.min(size, req.num_prompt - b * size));

/** What block `b` of a request holds by now; `before`: what it held so far. */
function fateOf(before, [slot, how], frame, room) {
  if (how === "hit") return before.reused + before.computed >= room ? before : { ...before, reused: room - before.computed };
  const written = Math.min(frame.slots[slot].fill, room) - before.reused;
  return written > before.computed ? { ...before, computed: written } : before;
}

/** The cells of one request after a step; `old` cells stay as they were. Returns `old` itself when nothing new happened. */
function nextCells(old, req, frame, size) {
  let cells = old;
  const count = Math.max(req.btable.length, Math.ceil(req.reused / size));
  for (let b = 0; b < count; b++) {
    const before = cells[b] ?? NOTHING, row = req.btable[b] ?? (b * size < req.reused ? FOUND : null);
    const now = row ? fateOf(before, row, frame, promptIn(req, b, size)) : before;
    if (now === before) continue;
    if (cells === old) cells = old.slice();
    cells[b] = now;
  }
  return cells;
}

/** A run that begins in the middle: who was done by then has had its tokens, block by block. */
function startCells(req, frame, size) {
  const cells = nextCells([], req, frame, size);
  if (req.status !== "finished") return cells;
  return Array.from({ length: Math.ceil(req.num_prompt / size) }, (_, b) => {
    const room = promptIn(req, b, size);
    return b * size < req.hit ? { reused: room, computed: 0 } : { reused: 0, computed: room };
  });
}

/** Tokens that step `k` computed although they had been computed before. */
function repeated(run, k, grown) {
  const event = run.log.events[k - 1], { rid, slot, b } = event;
  if (event.op !== "compute" || !run.frames[k].reqs[rid]) return 0;
  const room = promptIn(run.frames[k].reqs[rid], b, run.log.meta.block_size);
  const fill = (at) => Math.min(run.frames[at].slots[slot].fill, room);
  return Math.max(0, fill(k) - fill(k - 1) - grown);
}

const SUMS = ["reused", "computed", "reserved", "waiting", "asked", "answer", "looked"];
const addUp = (rows) => Object.fromEntries(SUMS.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]));

/** A name that comes again stands for another request: what the first one asked for stays in the sums. */
function afterArrival(run, k, last, rid) {
  const size = run.log.meta.block_size, old = rowOf(run.frames[k - 1].reqs[rid], last.cells.get(rid) ?? [], size);
  return { ...last, cells: new Map(last.cells).set(rid, []), past: addUp([last.past, old]) };
}

function extend(run, states) {
  const k = states.length, size = run.log.meta.block_size, frame = run.frames[k], { op, rid } = run.log.events[k - 1], req = frame.reqs[rid];
  let last = states[k - 1];
  if (op === "arrive" && run.frames[k - 1].reqs[rid]) last = afterArrival(run, k, last, rid);
  if (!req) return states.push(last);
  const old = last.cells.get(rid) ?? [], cells = nextCells(old, req, frame, size);
  const again = repeated(run, k, sumOf(cells, "computed") - sumOf(old, "computed"));
  if (cells === old && !again && last.cells.has(rid)) return states.push(last);
  return states.push({ ...last, cells: new Map(last.cells).set(rid, cells), again: last.again + again });
}

const kept = new WeakMap();

function stateAt(run, k) {
  if (!kept.has(run)) {
    const [frame] = run.frames, size = run.log.meta.block_size;
    kept.set(run, [{ cells: new Map(Object.entries(frame.reqs).map(([rid, req]) => [rid, startCells(req, frame, size)])), again: 0, past: addUp([]) }]);
  }
  const states = kept.get(run);
  while (states.length <= k) extend(run, states);
  return states[k];
}

/** Prompt tokens of block `b` that are planned for and have their slot, but are not written. */
function reservedIn(req, b, size, cell) {
  if (!req.btable[b]) return 0;
  const planned = Math.min(promptIn(req, b, size), req.computed - b * size);
  return Math.max(0, planned - cell.reused - cell.computed);
}

function rowOf(req, cells, size) {
  const blocks = Array.from({ length: Math.ceil(req.num_prompt / size) }, (_, b) => {
    const cell = cells[b] ?? NOTHING, reserved = reservedIn(req, b, size, cell);
    return { reused: cell.reused, computed: cell.computed, reserved, waiting: promptIn(req, b, size) - cell.reused - cell.computed - reserved };
  });
  const sums = Object.fromEntries(["reused", "computed", "reserved", "waiting"].map((name) => [name, sumOf(blocks, name)]));
  const looked = req.status !== "waiting" && !req.skip_read ? req.num_prompt : 0;
  return { ...sums, asked: req.num_prompt, answer: req.num_tokens - req.num_prompt, looked, blocks, status: req.status };
}

/** The ledger of step `k`: rows by request, and their sums. reused + computed + reserved + waiting = asked, in each row and in all.
 * `looked`: prompt tokens of the requests that were looked up and let in, which is what the hit rate is of. */
export function ledgerAt(run, k) {
  const frame = run.frames[k], { cells, again, past } = stateAt(run, k), size = run.log.meta.block_size;
  const rows = new Map(Object.entries(frame.reqs).map(([rid, req]) => [rid, rowOf(req, cells.get(rid) ?? [], size)]));
  return { rows, ...addUp([past, ...rows.values()]), again, evicted: frame.totals.evicted };
}

const comingOf = (run) => run.log.events.filter(({ op }) => op === "arrive");

/** How many requests come in the run; how many prompt tokens they ask for in all. */
export const arrivalsOf = (run) => comingOf(run).length;
export const promptTotal = (run) => comingOf(run).reduce((sum, { args }) => sum + args.n, 0);

const lengths = new WeakMap();

/** How many prompt tokens each request of the run asks for, in order of arrival; those to come included. */
export function promptLengths(run) {
  if (!lengths.has(run)) {
    const known = Object.entries(run.frames[0].reqs).map(([rid, req]) => [rid, req.num_prompt]);
    const come = comingOf(run).map(({ rid, args }) => [rid, args.n]);
    lengths.set(run, [...known, ...come].reduce((most, [rid, n]) => most.set(rid, Math.max(n, most.get(rid) ?? 0)), new Map()));
  }
  return lengths.get(run);
}
