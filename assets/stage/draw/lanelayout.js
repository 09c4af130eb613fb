// Geometry of the request lane in units of its zone, and which of a request's blocks stand whole in it. Pure.

/** Two sizes of the lane. x, w: where blocks stand; y, h: their boxes; mill: the hash machine's top and foot; rows: how many rows of tokens a box holds at most;
 * cell, slim: pitch of a token's cell, and where there are many of them; least: the smallest letters; stub: a block that is not shown whole. */
export const LANES = {
  wide: { x: 128, w: 1120, y: 24, h: 72, labelY: 0, mill: [96, 132], tagY: 134, tagH: 32, tagW: 118, gap: 26, pad: 12, extra: 0, cell: 82, slim: 66, rows: 4, token: 22, least: 12, stub: 46, who: [32, 24], start: [36, 104, 74, 26], side: 58, near: 28 },
  large: { x: 110, w: 1146, y: 40, h: 82, labelY: 10, mill: [122, 154], tagY: 156, tagH: 40, tagW: 140, gap: 24, pad: 9, extra: 2, cell: 88, slim: 88, rows: 3, token: 26, least: 19, stub: 62, who: [24, 38], start: [18, 126, 84, 30], side: 72, near: 28 },
};

const STUB_GAP = 10, SHRINK = 0.72, UNFOLDED = 8;

/** Columns and rows of a whole block's tokens. */
export function gridOf(size, lane) {
  const few = size <= 4 ? 1 : size <= 8 ? 2 : size <= 16 ? Math.min(3, lane.rows - (lane.rows > 3 ? 2 : 0)) : Math.min(size <= 48 ? 3 : 4, lane.rows);
  return { cols: Math.ceil(size / few), rows: few };
}

/** Below this a tag and the entry beside it find no room. */
const leastOf = (lane) => lane.side + lane.tagW * 0.47;

/** Width of a whole block at its best, and how many of them fit side by side. */
function bestOf(size, lane) {
  const { cols, rows } = gridOf(size, lane), pitch = rows === 1 || size <= 8 ? lane.cell : lane.slim;
  const w = Math.min(lane.w, Math.max(2 * lane.pad + cols * pitch - 4, leastOf(lane) + 6));
  return { w, most: Math.max(1, Math.floor((lane.w + lane.gap) / (0.93 * w + lane.gap))) };
}

/** The first block of a window of `whole` blocks around `active`: its parent stands beside it, and the window moves page by page. */
function windowAt(active, whole, count) {
  if (whole < 2 || active < 1) return Math.min(Math.max(active, 0), count - whole);
  return Math.min(Math.floor((active - 1) / (whole - 1)) * (whole - 1), count - whole);
}

/** Blocks as items: whole ones, stubs, and runs of three and more equal stubs folded into one. */
function itemsOf(states, first, whole, mayFold) {
  const items = [];
  states.forEach((state, b) => {
    const last = items.at(-1);
    if (b >= first && b < first + whole) items.push({ kind: "whole", b, count: 1, state });
    else if (mayFold && last?.kind === "stub" && last.state === state) last.count++;
    else items.push({ kind: "stub", b, count: 1, state });
  });
  return items.flatMap((item) => (item.count === 2 ? [{ ...item, count: 1 }, { ...item, b: item.b + 1, count: 1 }] : [item]));
}

/** Many short runs would overflow the lane: neighbouring stubs grow together until no more than `most` are left. */
function mergeStubs(items, most) {
  const isStub = (item) => item?.kind === "stub";
  for (let left = items.filter(isStub).length; left > most; left--) {
    let at = -1; // of all pairs of neighbours the smallest one
    items.forEach((item, j) => {
      const size = (i) => items[i - 1].count + items[i].count;
      if (j && isStub(item) && isStub(items[j - 1]) && (at < 0 || size(j) < size(at))) at = j;
    });
    if (at < 0) return;
    const [one, two] = [items[at - 1], items[at]];
    items.splice(at - 1, 2, { ...one, count: one.count + two.count, state: one.state === two.state ? one.state : "mixed" });
  }
}

function fit(states, active, size, lane, whole, mayFold) {
  const best = bestOf(size, lane), items = itemsOf(states, windowAt(active, whole, states.length), whole, mayFold);
  const room = (stubs) => (lane.w - stubs * (lane.stub + STUB_GAP) - (whole - 1) * lane.gap) / whole;
  if (whole === 1) mergeStubs(items, Math.max(2, Math.floor((lane.w - best.w * SHRINK) / (lane.stub + STUB_GAP))));
  const w = Math.min(best.w, room(items.filter((item) => item.kind === "stub").length));
  return w >= Math.max(best.w * SHRINK, leastOf(lane)) || whole === 1 ? { items, w } : null;
}

/** Where the blocks of a request stand: [{ kind: "whole" | "stub", b, count, state, x, w }] in order. `states` of all blocks, the `active` one is whole;
 * while one of them is to be chosen none is folded. */
export function laneItems(states, active, size, lane, asked = false) {
  if (!states.length) return [];
  const at = Math.max(0, Math.min(states.length - 1, active));
  let found = null;
  for (let whole = Math.min(bestOf(size, lane).most, states.length); !found; whole--) found = fit(states, at, size, lane, whole, !asked && states.length > UNFOLDED);
  let x = lane.x, before = null;
  return found.items.map((item) => {
    const w = item.kind === "whole" ? found.w : lane.stub;
    if (before) x += before === "whole" && item.kind === "whole" ? lane.gap : STUB_GAP;
    before = item.kind;
    const place = { ...item, x, w };
    x += w;
    return place;
  });
}

/** About how wide a text is, in widths of an "m": no measuring in the page. */
const widthOf = (text) => [...text].reduce((sum, char) => sum + (/[\u1100-\uffff]/.test(char) || char.length > 1 ? 1 : /[A-Zmw@%]/.test(char) ? 0.68 : /[.,:;'!|ijl]/.test(char) ? 0.3 : 0.54), 0);

/** Letters as large as the cell holds, down to six tenths; what is still too long is cut. */
function lettersOf(text, w, most, least) {
  const room = (w - 7) / Math.max(1, widthOf(text) * 1.06);
  return Math.max(Math.min(least, most), Math.floor(2 * Math.max(most * 0.6, Math.min(most, room))) / 2);
}

/** In one row a short token leaves room to a long one. */
function widthsOf(texts, room, lane) {
  const gap = 4, free = room - gap * (texts.length - 1), even = free / texts.length, slack = lane.token / 2;
  const wanted = texts.map((text) => Math.max(even * 0.55, widthOf(text) * lane.token + slack)), sum = wanted.reduce((a, b) => a + b, 0);
  if (wanted.every((w) => w <= even)) return texts.map(() => even);
  return wanted.map((w) => (sum > free ? (w * free) / sum : w + (free - sum) / texts.length));
}

/** Cells of a whole block at (x, w): [{ x, y, w, h, font }] for each of its `size` places; `texts`: what stands in them ("" in an empty one); `wider`: what decides how wide they are. */
export function cellsOf(texts, x, w, lane, wider = texts) {
  const { cols, rows } = gridOf(texts.length, lane), padY = rows === 1 ? lane.pad - 1 + lane.extra : 5, gapY = rows > 3 ? 1 : 3;
  const left = x + Math.min(lane.pad, w * 0.06), room = w - 2 * Math.min(lane.pad, w * 0.06), h = (lane.h - 2 * padY - gapY * (rows - 1)) / rows;
  const most = Math.min(lane.token, Math.max(lane.least, h * (rows > 2 ? 0.84 : 0.56)));
  const widths = rows === 1 ? widthsOf(wider, room, lane) : texts.map(() => (room - 4 * (cols - 1)) / cols);
  let at = left;
  return texts.map((text, j) => {
    const row = Math.floor(j / cols);
    if (j % cols === 0) at = left;
    const cell = { x: at, y: lane.y + padY + row * (h + gapY), w: widths[j], h, font: lettersOf(text, widths[j], most, lane.least) };
    at += widths[j] + 4;
    return cell;
  });
}

/** Under a whole block: the tag in its middle, or, where that leaves no room for the entry beside it, at its right. */
export function tagBox(x, w, lane) {
  const tagW = Math.min(lane.tagW, Math.max(lane.tagW * 0.47, w - lane.side));
  return { x: x + Math.min(w - tagW, Math.max((w - tagW) / 2, lane.side)), w: tagW };
}

/** The same for a block that is not full: words instead of a tag. */
export function wordBox(x, w, lane) {
  const left = Math.max(lane.side + 6, (w - lane.tagW * 1.5) / 2);
  return { x: x + left, w: Math.min(lane.tagW * 1.5, w - left) };
}

/** The block that a step is about: the newest one named of this request; before any, its first. */
export function activeBlock(events, k, rid) {
  for (let j = k - 1; j >= 0; j--) {
    const { rid: whose, b, op } = events[j];
    if (whose !== rid) continue;
    if (op === "arrive" || op === "cut") return 0;
    if (b != null) return b;
  }
  return 0;
}
