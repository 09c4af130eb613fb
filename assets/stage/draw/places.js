// Where slots, queue cards and table rows stand inside their zones. Pure: nothing here touches the DOM.

/** The presenter's letters are larger, and so is the line that a zone's title takes. */
export const titleHeight = (mode) => (mode === "large" ? 36 : 30);

/** [most slots, columns, rows, gap, name]: one row of cards with words, then two, three, four rows with ever less in a card. */
const KINDS = [[4, 4, 1, 14, "row"], [5, 5, 1, 10, "row"], [10, 5, 2, 8, "two"], [24, 8, 3, 6, "medium"], [48, 12, 4, 4, "small"], [64, 16, 4, 4, "small"]];
const WIDEST = 170, FOOT = 6;

/** Places of all slots in a zone of that size below its title. */
export function poolGrid(count, width, height, top) {
  const kind = KINDS.find(([most]) => count <= most);
  if (!kind) return { kind: "map", ...mapGrid(count, width, height, top) };
  const [, cols, rows, gap, name] = kind;
  const w = Math.min(WIDEST, Math.floor((width - (cols - 1) * gap) / cols)), h = Math.floor((height - top - FOOT - (rows - 1) * gap) / rows);
  return { kind: name, w, h, places: Array.from({ length: count }, (_, j) => [(j % cols) * (w + gap), top + Math.floor(j / cols) * (h + gap)]) };
}

/** Density map: the largest square cell with which all slots fit. */
export function mapGrid(count, width, height, top) {
  const room = height - top - FOOT;
  let cell = Math.floor(Math.sqrt((width * room) / count));
  while (cell > 1 && Math.floor(width / cell) * Math.floor(room / cell) < count) cell--;
  const cols = Math.floor(width / cell);
  return { cell, cols, x: 0, y: top, w: cols * cell, h: Math.ceil(count / cols) * cell };
}

/** [name, width of a card, gap]: id and tag side by side; one over the other; the id alone. */
const CARDS = { wide: [["wide", 106, 24], ["wide", 90, 16], ["tag", 46, 3], ["id", 36, 3]], large: [["wide", 124, 30], ["wide", 104, 18], ["tag", 54, 4], ["id", 42, 3]] };
export const QUEUE_ENDS = { wide: [52, 44], large: [68, 56] };

/** Queue cards from the front (left) to the back; `digits` of the longest id: the gap shrinks first, then the card, then the middle folds into one chip. */
export function queueLayout(count, width, mode, digits = 2) {
  const size = mode === "large" ? "large" : "wide", [head, tail] = QUEUE_ENDS[size], room = width - head - tail, more = Math.max(0, digits - 2) * (size === "large" ? 12 : 9);
  for (const [kind, least, gap] of CARDS[size]) {
    const w = least + more;
    if (count * (w + gap) - gap > room) continue;
    return { kind, w, gap, start: head, fold: null, places: Array.from({ length: count }, (_, j) => head + j * (w + gap)) };
  }
  const [kind, least, gap] = CARDS[size].at(-1), w = least + more, chip = w + (size === "large" ? 46 : 30), pitch = w + gap;
  const fit = Math.floor((room - chip) / pitch), front = Math.ceil(fit * 0.6), back = fit - front;
  const places = Array.from({ length: count }, (_, j) => {
    if (j < front) return head + j * pitch;
    return j >= count - back ? head + front * pitch + chip + (j - count + back) * pitch : null;
  });
  return { kind, w, gap, start: head, fold: { x: head + front * pitch, w: chip - gap, count: count - fit }, places };
}

/** Rows of the hash table: one column while they fit, then two. [rows in a column, columns, pitch]. */
export function tableGrid(count, height, top, mode) {
  const room = height - top - 4, pitches = mode === "large" ? [38, 30] : [34, 27];
  for (const pitch of pitches) if (count * pitch <= room) return { rows: Math.floor(room / pitch), cols: 1, pitch };
  const pitch = pitches[1];
  return { rows: Math.floor(room / pitch), cols: 2, pitch };
}

/** Rows that fit, as [first, last): the window slides so that row `at` is inside; without one it shows the newest. */
export function rowWindow(count, at, fit) {
  if (count <= fit) return [0, count];
  const first = at < 0 ? count - fit : Math.max(0, Math.min(count - fit, at - Math.floor(fit / 2)));
  return [first, first + fit];
}

const MOST_CELL = { wide: 22, large: 27, fork: 20 }, LEAST_CELL = 6;

/** Cells of a row of the ledger: x of each token's cell, grouped by block. Null where the tokens are too many for cells of their own. */
export function ledgerCells(most, size, width, mode) {
  const blocks = Math.ceil(most / size), between = most > 16 ? 3 : 5, pitch = Math.floor((width - (blocks - 1) * between) / most), gap = pitch > 12 ? 2 : 1;
  const w = Math.min(MOST_CELL[mode] ?? MOST_CELL.wide, pitch - gap);
  if (!(w >= LEAST_CELL)) return null;
  return { w, places: Array.from({ length: most }, (_, j) => j * (w + gap) + Math.floor(j / size) * between) };
}
