// Which steps count at which level, where to jump, and how two logs line up. Pure.
// Step k shows the state after k events; the event it tells about is events[k - 1]; step 0 tells about none.

export const LEVELS = ["micro", "beat", "block", "request"];

/** A beat is a group of steps that belong together: at its level only the last one of a group is a stop. */
function isStop(event, level) {
  if (level === "beat") return !event.inner;
  return LEVELS.indexOf(event.level) >= LEVELS.indexOf(level);
}

/** The next stop after `k` at this level, or the last step. */
export function nextStop(events, k, level) {
  for (let j = k + 1; j < events.length; j++) if (isStop(events[j - 1], level)) return j;
  return events.length;
}

export function prevStop(events, k, level) {
  for (let j = k - 1; j > 0; j--) if (isStop(events[j - 1], level)) return j;
  return 0;
}

/** Which press of how many at this level leads to step `k`; between two stops it is still the one before. */
export function pressAt(events, k, level) {
  let at = 0, all = 0;
  for (let j = 0; j < events.length; all++) if ((j = nextStop(events, j, level)) <= k) at++;
  return { at, all };
}

/** The nearest step in direction `dir` whose op is one of `ops`; stays at `k` when there is none. */
export function findOp(events, k, ops, dir) {
  for (let j = k + dir; j > 0 && j <= events.length; j += dir) if (ops.includes(events[j - 1].op)) return j;
  return k;
}

/** A question stands before events[j]; the first open one that a move from `k` to `to` would run over, or -1. */
export function askBetween(events, k, to, isDone) {
  for (let j = k; j < to; j++) if (events[j].ask && !isDone(events[j])) return j;
  return -1;
}

/** What brings a request into the lane: it comes, or it is looked up and let in. Answers, frees and book entries of others leave it alone. */
const TAKES_LANE = new Set(["arrive", "cut", "chain", "probe", "match", "miss", "collision", "plan", "wait", "reject", "resume"]);
const TAKES_NO_LANE = new Set(["evict", "ttl"]);

function lanesOf(events) {
  const lanes = [events.find((event) => event.rid)?.rid ?? null], gone = new Set();
  let held = null;
  for (const { op, rid } of events) {
    const takes = rid && (held === null || TAKES_LANE.has(op) || (gone.has(held) && !TAKES_NO_LANE.has(op)));
    if (takes) held = rid;
    if (op === "done" || op === "reject") gone.add(rid);
    else if (op === "arrive") gone.delete(rid); // a name may come again
    lanes.push(held ?? lanes[0]);
  }
  return lanes;
}

const lanesByLog = new WeakMap();

/** Request in the lane: one point of view, held until another request is looked up, or this one is done and another goes on. */
export function requestAt(events, k) {
  if (!lanesByLog.has(events)) lanesByLog.set(events, lanesOf(events));
  return lanesByLog.get(events)[k];
}

/** The longest block table the request had since it last began to take blocks (freed rows stay visible, struck). */
export function peakTable(frames, k, rid) {
  const length = (j) => frames[j].reqs[rid]?.btable.length ?? 0;
  let best = k;
  for (let j = k - 1; j >= 0 && length(j) >= length(best); j--) if (length(j) > length(best)) best = j;
  return frames[best].reqs[rid]?.btable ?? [];
}

const mileKey = (event, seen) => {
  const key = event.level + " " + event.op + " " + event.rid;
  seen.set(key, (seen.get(key) ?? 0) + 1);
  return key + " " + seen.get(key);
};

/** For each step of A the step of B that tells the same part of the story (arrivals, ends, plans line up). */
export function alignSteps(eventsA, eventsB) {
  const isMile = (event) => event.level === "request" || event.op === "plan";
  const seenB = new Map(), places = new Map();
  eventsB.forEach((event, j) => isMile(event) && places.set(mileKey(event, seenB), j + 1));
  const miles = [[0, 0]], seenA = new Map();
  eventsA.forEach((event, i) => {
    const at = isMile(event) ? places.get(mileKey(event, seenA)) : undefined;
    if (at > miles[miles.length - 1][1]) miles.push([i + 1, at]);
  });
  miles.push([eventsA.length, eventsB.length]);
  const aligned = new Int32Array(eventsA.length + 1);
  for (let m = 0; m + 1 < miles.length; m++) {
    const [a, b] = miles[m], [a2, b2] = miles[m + 1];
    for (let k = a; k <= a2; k++) aligned[k] = k === a2 ? b2 : Math.min(b + k - a, Math.max(b, b2 - 1));
  }
  return aligned;
}

/** Steps of A at which the totals of the two runs drift further apart or closer together. */
export function differenceSteps(framesA, framesB, aligned) {
  const gap = (k) => ["hits", "computed", "evicted"].map((name) => framesA[k].totals[name] - framesB[aligned[k]].totals[name]).join();
  const out = [];
  for (let k = 1; k < framesA.length; k++) if (gap(k) !== gap(k - 1)) out.push(k);
  return out;
}
