// Where things stand in the figure of a session: columns, token axis, pause axis, the window over a long session. Pure.

export const MOST_COLUMNS = 60;
export const FIGURE = { left: 56, right: 10, glyphs: 30, bars: 176, gap: 50, pauses: 104, foot: 26 };
const SECONDS = [1, 10, 60, 300, 3600, 86400, 604800, 2592000];
const LEAST_PAUSE = 1, TICK_PX = 17;

/** Round values from 0 for a token axis: three or four steps, the last at or above `most`. */
export function tokenTicks(most) {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most / 3)), step = [1, 2, 5, 10].map((one) => one * power).find((one) => most / one <= 4);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, k) => k * step);
}

/** 40000 as 40k, 1500000 as 1.5M: never with more than one place behind the point. */
export function shortCount(value) {
  const [scale, unit] = value >= 1e6 ? [1e6, "M"] : value >= 1e3 ? [1e3, "k"] : [1, ""];
  return String(+(value / scale).toFixed(1)) + unit;
}

/** The log axis of pauses: `at(seconds)` is 0 at the bottom and 1 at the top, which lies above the longest one and the TTL lines. */
export function pauseAxis(pauses, ttls) {
  const known = pauses.filter((one) => one > 0), most = Math.max(60, ...known, ...ttls) * 1.6, least = Math.max(LEAST_PAUSE, Math.min(10, ...known));
  const span = Math.log10(most) - Math.log10(least);
  return { least, most, at: (s) => Math.max(0, Math.min(1, (Math.log10(Math.max(s, least)) - Math.log10(least)) / span)) };
}

/** Which lines of the pause axis have room for their words: the TTLs always, others where no words stand close by, nor the band's. */
export function pauseTicks(axis, ttls, height, band = null) {
  const kept = [...ttls], named = band ? [band.from, Math.sqrt(band.from * band.to), band.to] : [];
  for (const s of SECONDS) {
    if (named.some((one) => Math.abs(axis.at(one) - axis.at(s)) * height < TICK_PX)) continue;
    const free = (other) => Math.abs(axis.at(other) - axis.at(s)) * height >= TICK_PX;
    if (s >= axis.least && s <= axis.most && kept.every((one) => one !== s && free(one))) kept.push(s);
  }
  return kept.sort((a, b) => a - b);
}

/** A pause in the unit that fits: its number and the unit's name. */
export function pauseParts(s) {
  const [unit, size] = s < 60 ? ["s", 1] : s < 3600 ? ["min", 60] : s < 86400 ? ["h", 3600] : ["d", 86400];
  const value = s / size;
  return { unit, n: String(value >= 10 || unit === "min" || Number.isInteger(value) ? Math.round(value) : +value.toFixed(1)) };
}

/** The columns of the turns `first` to `last` (not included) in a figure of that width. */
export function columnsOf(first, last, width) {
  const room = (width - FIGURE.left - FIGURE.right) / Math.max(last - first, 1), bar = Math.max(2, Math.min(40, room * 0.7));
  return { room, bar, left: (at) => FIGURE.left + (at - first) * room, middle: (at) => FIGURE.left + (at - first + 0.5) * room };
}

/** The window of at most that many turns around `at`; one that already holds it stays. */
export function windowAround(at, count, held = null, most = MOST_COLUMNS) {
  if (count <= most) return [0, count];
  if (held && at >= held[0] && at < held[1] && held[1] <= count && held[1] - held[0] === most) return held;
  const first = Math.max(0, Math.min(count - most, at - Math.floor(most / 2)));
  return [first, first + most];
}

/** A long session in `num` slices: of each the largest total with what was read of it, and whether a reset is in it. */
export function slicesOf(turns, marked, num) {
  const count = turns.total.length, size = Math.max(1, Math.ceil(count / num));
  return Array.from({ length: Math.ceil(count / size) }, (_, k) => {
    let best = k * size, reset = false;
    for (let at = k * size; at < Math.min(count, (k + 1) * size); at++) {
      if (turns.total[at] > turns.total[best]) best = at;
      reset ||= marked.has(at);
    }
    return { first: k * size, size, total: turns.total[best], read: turns.read[best], reset };
  });
}

/** Which turns have room for their number under their columns: the first, then round ones. */
export function numberedTurns(first, last, room) {
  const step = [1, 2, 5, 10, 20, 50, 100].find((one) => one * room >= 40) ?? 100;
  return Array.from({ length: last - first }, (_, k) => first + k).filter((at) => at === first || ((at + 1) % step === 0 && (at - first) * room >= 40));
}

/** Words at these places, each `wide`, none over another: which of them are written. The strong ones first. */
export function wordsThatFit(words) {
  const taken = [];
  return words.map((one, k) => ({ ...one, k })).sort((a, b) => b.weight - a.weight || a.k - b.k).filter((one) => {
    const free = taken.every(([from, to]) => one.x + one.wide < from || one.x > to);
    if (free) taken.push([one.x, one.x + one.wide]);
    return free;
  }).map((one) => one.k);
}
