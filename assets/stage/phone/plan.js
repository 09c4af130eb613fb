// What a phone shows of a step: which of the three zones, how much of a long row, where the ticks stand. Pure, no DOM.
import { PHONE_BELOW } from "../draw/layout.js";
import { LEVELS, nextStop } from "../time/steps.js";

export const REQUEST = 0, POOL = 1, QUEUE = 2;
const ZONE_OF_OP = { alloc: POOL, evict: POOL, ttl: POOL, register: POOL, dup: POOL, notstored: POOL, touch: POOL, reset: POOL, free: QUEUE, done: QUEUE };
const ZONE_OF_ASK = { lane: REQUEST, pool: QUEUE };
/** What becomes of the tags when blocks are given back is read off the hash table, not off the queue. */
const ZONE_OF_CHOICE = { free: REQUEST };

const zoneOfOp = (op) => ZONE_OF_OP[op] ?? REQUEST;

/** The zone that tells this step; a question that stands open before the event `asked` is answered where the thing stands that it asks for. */
export const phoneZone = (event, asked = null) => (asked ? ZONE_OF_ASK[asked.ask.kind] ?? ZONE_OF_CHOICE[asked.op] ?? zoneOfOp(asked.op) : zoneOfOp(event?.op));

/** May this choice be tapped now? A verdict is read before the next question stands. */
export const isChoice = ({ ask, feedback }, kind, choice) => !feedback && ask?.kind === kind && choice in ask.said;

/** How many slots stand in a row, and how much of each is drawn; more than 64 are a map, with those of this step whole above it. */
export function phonePool(count) {
  const [, cols, kind] = [[6, 3, "large"], [12, 3, "medium"], [24, 4, "medium"], [64, 6, "small"]].find(([most]) => count <= most) ?? [0, 6, "map"];
  return { cols, kind };
}

/** Up to so many blocks stand as rows with all their tokens; more are a list of one line each, with the block of this step whole above it. */
export const FEW_BLOCKS = 12;

/** The queue from head to tail; of a long one both ends, and what this step touches. */
export function phoneQueue(queue, touched = null, most = 24) {
  if (queue.length <= most) return queue.map((id, at) => ({ id, at }));
  const items = [];
  queue.forEach((id, at) => {
    if (at < most / 2 || at >= queue.length - most / 3 || id === touched) items.push({ id, at });
    else if (items.at(-1).fold) items.at(-1).fold++;
    else items.push({ fold: 1, at });
  });
  return items;
}

/** Cells in a row of the request in small: a block as long as there are four rows at most, otherwise as many whole blocks as fit. */
export function miniColumns(cells, size) {
  if (size <= 8 && cells <= 4 * size) return size;
  return size < 8 ? size * Math.floor(8 / size) : 8;
}

/** Neighbours of one state as one: [{state, count}]. */
export function runsOf(states) {
  const runs = [];
  for (const state of states) {
    if (runs.at(-1)?.state === state) runs.at(-1).count++;
    else runs.push({ state, count: 1 });
  }
  return runs;
}

/** Rows of a list that are in view, as [first, last), with a few more on both sides. */
export const rowsInView = (top, height, row, count, more = 4) =>
  [Math.max(0, Math.floor(top / row) - more), Math.min(count, Math.ceil((top + height) / row) + more)];

/** The block of request `rid` that was last spoken of up to step k; -1 when none was. */
export function blockSpoken(events, k, rid) {
  for (let j = k - 1; j >= 0; j--) {
    if (events[j].rid === rid && events[j].b != null) return events[j].b;
    if (events[j].rid === rid && events[j].op === "arrive") return -1;
  }
  return -1;
}

/** Steps at which a press stops at this level. */
export function stopsOf(events, level) {
  const stops = [];
  for (let k = 0; k < events.length;) stops.push((k = nextStop(events, k, level)));
  return stops;
}

/** One bar for each stop: past ones dark, those with a question boxed; what lies ahead has neither colour nor outcome. */
export function tickBars(stops, isAsked, k, width) {
  const step = width / Math.max(stops.length, 1), gap = step > 6 ? 4 : step > 3 ? 1 : 0;
  return stops.map((stop, at) => ({ x: at * step, w: step - gap, past: stop <= k, asked: isAsked(stops[at - 1] ?? 0, stop) }));
}

/** Phones begin with steps that belong together taken as one; a link may ask for another size. */
export const phoneLevel = (width) => (width < PHONE_BELOW && LEVELS.includes("beat") ? "beat" : null);

/** The newest rows of the tag board, and the one that is asked for. */
export function boardRows(table, hash, most = 6) {
  const rows = Object.entries(table), newest = rows.slice(-most), asked = rows.find(([one]) => one === hash);
  if (asked && !newest.includes(asked)) newest[0] = asked;
  return { rows: newest, more: rows.length - newest.length };
}
