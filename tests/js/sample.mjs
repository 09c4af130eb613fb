// Shared by the tests: small frames, a tiny run written by hand, randomness that can be repeated.

export function startFrame(count) {
  const ids = Array.from({ length: count }, (_, j) => j + 1);
  const slots = Object.fromEntries(ids.map((id) => [String(id), { ref: 0, hash: null, fill: 0, owners: [], last: null }]));
  const totals = { requests: 0, queries: 0, hits: 0, computed: 0, stored: 0, evicted: 0, preempted: 0 };
  return { clock: 0, step: 0, version: "", slots, queue: ids, table: {}, reqs: {}, waiting: [], running: [], totals };
}

export const request = (extra = {}) => ({ status: "waiting", num_prompt: 6, num_tokens: 6, computed: 0, hit: 0, hashes: [], look: {}, btable: [],
  skip_read: false, salt: null, version: "", ...extra });

/** op/level/rid triples -> events; block and slot where given. */
export function events(...rows) {
  return rows.map(([op, level, rid, more = {}], i) => ({ i, ev: i, op, level, rid, t: 0, cap: op, args: {}, patch: [], ...more }));
}

export function deepFreeze(value) {
  if (value && typeof value === "object") Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

/** Small whole numbers below n, the same for the same seed. */
export function randomSource(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
