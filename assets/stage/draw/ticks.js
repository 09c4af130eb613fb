// What the timeline may show of each step: outcomes of what was seen, nothing of what lies ahead while questions are on. Pure, no DOM.

const KIND = { match: "hit", touch: "hit", miss: "miss", collision: "miss", compute: "miss", append: "miss", alloc: "reserved", evict: "evict", ttl: "evict",
  register: "tag", hash: "tag", dup: "tag", free: "free", arrive: "request", done: "request" };
/** Where many ticks share a place, the one that matters most is seen. */
export const RANK = ["ahead", "other", "request", "free", "tag", "reserved", "miss", "hit", "evict", "asked"];

export const tickKind = (event) => KIND[event.op] ?? "other";

/** One kind for each event at step k. While questions are on (`ask`), all ahead are alike; "asked": a question that was answered stood before it. */
export function ticksOf(events, k, { ask = false, asks } = {}) {
  return events.map((event, j) => {
    if (ask && j >= k) return "ahead";
    return ask && event.ask && asks?.has(j) ? "asked" : tickKind(event);
  });
}

/** As many columns as the track has pixels: where two ticks would lie on each other, only the weightier one is drawn. [event, kind] each, in order. */
export function thinTicks(ticks, most) {
  if (ticks.length <= most) return ticks.map((kind, j) => [j, kind]);
  const columns = new Map();
  ticks.forEach((kind, j) => {
    const at = Math.floor((j * most) / ticks.length), seen = columns.get(at);
    if (!seen || RANK.indexOf(kind) > RANK.indexOf(seen[1])) columns.set(at, [j, kind]);
  });
  return [...columns.values()];
}

/** Runs of steps of one request, [from, to, rid]; of what lies ahead nothing while questions are on: a band's length tells its outcome. */
export function bandsOf(events, k, ask) {
  const end = ask ? Math.min(k, events.length) : events.length, out = [];
  for (let j = 0; j < end; j++) {
    const last = out.at(-1);
    if (last && last[2] === events[j].rid) last[1] = j + 1;
    else out.push([j, j + 1, events[j].rid]);
  }
  return out;
}
