// Geometry in stage units. Pure: nothing here touches the DOM, so node's test runner can prove "no overlaps".

/** Zones of the wide stage (1280 x 720), of the stacked one (720 wide), and of two runs compared on either. */
export const WIDE = { w: 1280, h: 720, head: [8, 0, 1264, 40], A: [8, 44, 1264, 158], B: [8, 208, 216, 236], C: [230, 208, 560, 236],
  D: [796, 208, 214, 236], E: [1016, 208, 256, 236], F: [8, 450, 1264, 78], G: [8, 534, 940, 104], Q: [954, 534, 318, 104], H: [8, 644, 1264, 72] };
/** Stacked, words, question and keys come before the queue and the tables: what a step says is seen without scrolling. */
export const STACK = { w: 720, h: 1152, head: [8, 0, 704, 40], A: [8, 44, 704, 158], C: [8, 208, 704, 236], G: [8, 450, 704, 142],
  Q: [8, 598, 704, 104], H: [8, 708, 704, 114], F: [8, 828, 704, 78], D: [8, 912, 346, 236],
  tabs: [360, 912, 352, 28], B: [360, 942, 352, 206], E: [360, 942, 352, 206] };
export const FORK = { ...WIDE, A: null, B: null, F: null, C: [230, 44, 560, 236], E: [1016, 44, 256, 236], D: [796, 44, 214, 236],
  L: [8, 44, 216, 236], C2: [230, 288, 560, 236], D2: [796, 288, 214, 236], E2: [1016, 288, 256, 236], L2: [8, 288, 216, 236] };

export const FORK_STACK = { ...STACK, h: 1300, A: null, B: null, D: null, F: null, tabs: null, C: [8, 44, 704, 236], L: [8, 286, 346, 206], E: [360, 286, 352, 206],
  C2: [8, 498, 704, 236], L2: [8, 740, 346, 206], E2: [360, 740, 352, 206], G: [8, 952, 704, 112], Q: [8, 1070, 704, 104], H: [8, 1180, 704, 114] };

export const TITLE_H = 28;

/** Five layouts of the pool, by number of slots. */
export function poolGrid(count, width) {
  const kinds = [[10, 5, 2, 100, 84, "large"], [24, 8, 3, 62, 66, "medium"], [64, 16, 4, 31, 46, "small"]];
  const kind = kinds.find(([most]) => count <= most);
  if (!kind) return { kind: "map", ...mapGrid(count, width) };
  const [, cols, rows, w, h, name] = kind;
  const gapX = (width - cols * w) / (cols + 1);
  const gapY = (236 - TITLE_H - rows * h) / (rows + 1);
  const places = Array.from({ length: count }, (_, j) => [gapX + (j % cols) * (w + gapX), TITLE_H + gapY + Math.floor(j / cols) * (h + gapY)]);
  return { kind: name, w, h, places };
}

/** Density map: the largest square cell with which all slots fit. */
export function mapGrid(count, width) {
  const [w, h] = [width - 20, 236 - TITLE_H - 12];
  let cell = Math.floor(Math.sqrt((w * h) / count));
  while (cell > 1 && Math.floor(w / cell) * Math.floor(h / cell) < count) cell--;
  const cols = Math.floor(w / cell);
  return { cell, cols, x: 10, y: TITLE_H + 2, w: cols * cell, h: Math.ceil(count / cols) * cell };
}

/** Blocks drawn whole, and runs of equal state folded into chips, so that at most `most` things of full width stand in the lane. */
export function foldBlocks(states, spot, most = 8) {
  const n = states.length;
  if (n <= most) return states.map((state, b) => ({ b, count: 1, state }));
  const keep = new Set([0, n - 1]);
  const edge = states.findIndex((state, b) => b > 0 && state !== states[b - 1]);
  const wish = [spot, spot - 1, spot + 1, edge, edge - 1].filter((b) => b >= 0 && b < n);
  for (const b of wish) if (keep.size < most - 2) keep.add(b);
  const items = [];
  for (let b = 0; b < n; b++) {
    const last = items[items.length - 1];
    if (keep.has(b)) items.push({ b, count: 1, state: states[b] });
    else if (last && last.folded && last.state === states[b]) last.count++;
    else items.push({ b, count: 1, state: states[b], folded: true });
  }
  const whole = items.map((item) => (item.folded && item.count === 1 ? { ...item, folded: undefined } : item));
  return mergeChips(whole.filter((item) => !item.folded).length > most ? items : whole, most + 3);
}

/** Many short runs would still overflow the lane: neighbouring chips grow together until the row fits. */
function mergeChips(items, most) {
  while (items.length > most) {
    const at = items.findIndex((item, j) => j > 0 && item.folded && items[j - 1].folded);
    if (at < 0) return items;
    items[at - 1] = { ...items[at - 1], count: items[at - 1].count + items[at].count, state: "mixed" };
    items.splice(at, 1);
  }
  return items;
}

export const LINK_GAP = 22;
const CHIP_W = 76;

/** x and width of each lane item; `joined` closes the gaps (the strip before it is cut). */
export function laneLayout(items, width, joined) {
  const chips = items.filter((item) => item.folded).length;
  const wholes = items.length - chips;
  const room = width - 34 - chips * (CHIP_W + LINK_GAP);
  const w = Math.max(24, Math.min(148, room / Math.max(wholes, 1) - LINK_GAP));
  let x = 12;
  return items.map((item) => {
    const place = { ...item, x, w: item.folded ? CHIP_W : w };
    x += place.w + (joined ? 0 : LINK_GAP);
    return place;
  });
}

const CARD_W = 74;
export const CARD_H = 44;
const QUEUE_ENDS = 118;

/** Queue cards from HEAD (left) to TAIL: the gap shrinks first, then the card, then the middle folds into one chip. */
export function queueLayout(count, width) {
  const room = width - 2 * QUEUE_ENDS;
  const step = (w) => (count > 1 ? Math.min(w + 10, (room - w) / (count - 1)) : w);
  for (const w of [CARD_W, 52, 38]) {
    if (count * w + (count - 1) * 2 > room) continue;
    return { w, fold: null, places: Array.from({ length: count }, (_, j) => QUEUE_ENDS + j * step(w)) };
  }
  const fit = Math.floor((room - 60) / 40);
  const front = Math.ceil(fit * 0.6), back = fit - front;
  const places = Array.from({ length: count }, (_, j) => {
    if (j < front) return QUEUE_ENDS + j * 40;
    if (j >= count - back) return QUEUE_ENDS + room - (count - j) * 40;
    return null;
  });
  return { w: 38, fold: { x: QUEUE_ENDS + front * 40, count: count - fit }, places };
}

/** Rows of the hash table that fit, as [first, last): the window slides so that row `at` is inside. */
export function rowWindow(count, at, fit) {
  if (count <= fit) return [0, count];
  const first = at < 0 ? count - fit : Math.max(0, Math.min(count - fit, at - Math.floor(fit / 2)));
  return [first, first + fit];
}
