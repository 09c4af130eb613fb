// Where lanes, slots and queue stand in a picture, in units. Pure: every rectangle is [x, y, width, height].
import { SMALLEST, textWidth } from "./fit.js";

export const LABEL_W = 150;
const LEFT = LABEL_W + 14, GAP = 26, TIGHT = 12, CHIP_GAP = 7, PAD = 12, MARKER = "…";
/** Heights: at best, at least. A pair of rows that belong together stands close. */
const ROW_HEIGHTS = { lane: [98, 42], tags: [52, 36], brace: [44, 36], slots: [96, 44], tall: [116, 72], queue: [84, 44], note: [52, 36] };
const APART = [24, 8], FAR = [76, 8], CLOSE = [10, 4];
/** How large tokens are drawn, and the room on both sides of each: the first that fits is taken. */
const SIZES = [[34, 12], [34, 7], [32, 6], [30, 5], [SMALLEST, 4]];

const blocksOf = ({ tokens, size }) => Array.from({ length: Math.ceil(tokens.length / size) }, (_, b) => tokens.slice(b * size, (b + 1) * size));
const sum = (list) => list.reduce((all, one) => all + one, 0);

const chipWidth = (token, [px, pad]) => textWidth(token, px) + 2 * pad + 2;
const blockWidth = (tokens, size) => sum(tokens.map((token) => chipWidth(token, size))) + CHIP_GAP * (tokens.length - 1) + 2 * PAD;

/** Columns wide enough for what stands in them; where that is too much, the widest give way. */
export function columnsFor(needs, width) {
  const even = width / needs.length;
  if (Math.max(...needs) <= even) return needs.map(() => even);
  const spare = (width - sum(needs)) / needs.length;
  if (spare >= 0) return needs.map((need) => need + spare);
  let left = width, columns = needs.map(() => null);
  while (columns.includes(null)) { // the narrow ones take what they need, the others share the rest
    const share = left / columns.filter((one) => one === null).length, small = needs.findIndex((need, at) => columns[at] === null && need <= share);
    if (small < 0) return columns.map((one) => one ?? share);
    columns[small] = needs[small];
    left -= needs[small];
  }
  return columns;
}

/** The tokens of a block that there is room for, [index, text]; null stands for those left out. Marked ones stay, then the first ones. */
export function fitTokens(tokens, marked, room, size) {
  const width = (shown) => sum(shown.map((at) => chipWidth(at === null ? MARKER : tokens[at], size) + CHIP_GAP)) - CHIP_GAP + 2 * PAD;
  const withGaps = (kept) => tokens.flatMap((_, at) => (kept.has(at) ? [at] : at === 0 || kept.has(at - 1) ? [null] : []));
  const kept = new Set(tokens.keys());
  if (width([...kept]) <= room) return [...kept];
  kept.clear();
  const wanted = [...tokens.keys()].sort((a, b) => marked.includes(b) - marked.includes(a) || a - b);
  for (const at of wanted) if (width(withGaps(new Set([...kept, at]))) <= room) kept.add(at);
  return kept.size ? withGaps(kept) : [wanted[0]]; // one that is too long by itself is cut where it is drawn
}

/** Lanes on one line or two, tokens as large as they go in. */
function setLines(lanes, lines, width, least = 0) {
  const all = lanes.map(blocksOf), most = Math.max(...all.map((list) => list.length)), per = Math.max(least, Math.ceil(most / lines)), gap = per > 4 ? TIGHT : GAP, room = width - gap * (per - 1);
  for (const size of SIZES) {
    const needs = Array.from({ length: per }, (_, c) => Math.max(0, ...all.flatMap((list) => list.filter((_, b) => b % per === c).map((tokens) => blockWidth(tokens, size)))));
    const whole = sum(needs) <= room;
    if (whole || size === SIZES.at(-1)) return { all, lines, per, gap, size, whole, columns: columnsFor(needs, room) };
  }
}

function rowList({ lanes = [], slots, queue, note, brace, links }, lines) {
  const rows = [], place = lanes.length > 1 ? lanes.length - 1 : lanes.length; // slots stand above the request that looks for them
  const addSlots = () => slots && rows.push({ kind: slots.length > 7 ? "tall" : "slots", name: "slots", gap: APART });
  lanes.forEach((lane, at) => {
    if (at === place) addSlots();
    const last = at === lanes.length - 1, above = Boolean(brace && last);
    if (above) rows.push({ kind: "brace", gap: APART });
    const used = Math.ceil(lane.tokens.length / lane.size);
    for (let line = 0; line < lines && (line === 0 || used > line * Math.ceil(used / lines)); line++) {
      rows.push({ kind: "lane", at, line, gap: line ? CLOSE : above ? CLOSE : APART });
      if (lane.tags) rows.push({ kind: "tags", at, line, gap: CLOSE });
    }
  });
  if (place >= lanes.length) addSlots();
  if (queue) rows.push({ kind: "queue", gap: lanes.length ? APART : FAR });
  if (note) rows.push({ kind: "note", gap: CLOSE });
  return rows;
}

/** y and height of each row: as high as there is room, the whole centred. */
function stackRows(rows, height) {
  const sizes = rows.map(({ kind, gap }, at) => [ROW_HEIGHTS[kind], at ? gap : [0, 0]]), at = (k) => sum(sizes.map(([row, gap]) => row[k] + gap[k]));
  const [best, least] = [at(0), at(1)], share = best <= height ? 1 : least >= height ? 0 : (height - least) / (best - least), mix = ([most, min]) => min + share * (most - min);
  let y = Math.max(0, (height - (least + share * (best - least))) / 2);
  const placed = rows.map((row, n) => {
    const [size, gap] = sizes[n].map(mix);
    y += gap;
    const found = { ...row, y, h: size };
    y += size;
    return found;
  });
  return { placed, fits: least <= height };
}

const lefts = (widths, gap) => widths.map((_, at) => LEFT + sum(widths.slice(0, at)) + gap * at);
const evenly = (n, width, gap) => Array(n).fill((width - gap * (n - 1)) / n);

function layLanes(scene, set, placed) {
  const { all, per, gap, columns, size } = set, xs = lefts(columns, gap);
  return scene.lanes.map((lane, at) => {
    const lines = placed.filter((row) => row.kind === "lane" && row.at === at), tags = placed.filter((row) => row.kind === "tags" && row.at === at);
    const blocks = all[at].map((tokens, b) => {
      const row = lines[Math.floor(b / per)], c = b % per, tag = tags[Math.floor(b / per)], marked = (lane.mark ?? []).map((one) => one - b * lane.size);
      return { rect: [xs[c], row.y, columns[c], row.h], tag: tag ? [xs[c], tag.y, columns[c], tag.h] : null, open: tokens.length < lane.size, last: b === all[at].length - 1 || c === per - 1,
        shown: fitTokens(tokens, marked, columns[c], size).map((i) => (i === null ? null : { text: tokens[i], marked: marked.includes(i) })) };
    });
    return { label: [0, lines[0].y, LABEL_W, lines[0].h], blocks };
  });
}

const ALIGNED_W = 210, MOST_COLUMNS = 6;

/** Slots in the columns of the blocks, so that lines between them run straight, where there are as many columns and none is narrow; otherwise side by side. */
function laySlots(scene, set, row, width) {
  const n = scene.slots.length, gap = n > 6 ? TIGHT : GAP, same = set && set.lines === 1 && set.per >= n && Math.min(...set.columns) >= ALIGNED_W;
  const widths = same ? set.columns.slice(0, n) : evenly(n, width, gap), xs = lefts(widths, same ? set.gap : gap);
  return { label: [0, row.y, LABEL_W, row.h], tall: row.kind === "tall", rects: widths.map((w, at) => [xs[at], row.y, w, row.h]) };
}

const TAIL_W = 210;

/** The queue as it was, and who came behind: those who were taken keep their place. Where the others changed theirs too, the taken stand in front of the new row. */
export function queueRow({ queue, queue_after: after }) {
  const now = after ?? queue, taken = queue.filter((id) => !now.includes(id)), stays = queue.filter((id) => now.includes(id)), isSame = stays.every((id, at) => id === now[at]);
  return { taken, row: isSame ? [...queue, ...now.slice(stays.length)] : [...taken, ...now] };
}

/** Room for as many as stand in it at any time. */
function layQueue(scene, row, width) {
  const n = Math.max(1, queueRow(scene).row.length), w = Math.min(120, evenly(n, width - TAIL_W, GAP)[0]);
  return { label: [0, row.y, LABEL_W, row.h], rects: evenly(n, 0, 0).map((_, at) => [LEFT + at * (w + GAP), row.y, w, row.h]), tail: [LEFT + n * (w + GAP), row.y, TAIL_W, row.h] };
}

/** Everything of a run's picture. Two lines where one is too short, if there is height for them. */
export function runLayout(scene, width, height) {
  const room = width - LEFT, lanes = scene.lanes ?? [], slotted = scene.slots?.length <= MOST_COLUMNS ? scene.slots.length : 0;
  const options = lanes.length ? [...(slotted ? [setLines(lanes, 1, room, slotted)] : []), ...[1, 2].map((lines) => setLines(lanes, lines, room))] : [null];
  const tries = options.map((set) => ({ set, ...stackRows(rowList(scene, set?.lines ?? 1), height) }));
  const { set, placed } = tries.find(({ set: one, fits }) => fits && (one?.whole ?? true)) ?? tries.findLast(({ fits }) => fits) ?? tries[0];
  const rowOf = (name) => placed.find((row) => (row.name ?? row.kind) === name), slots = rowOf("slots"), queue = rowOf("queue"), note = rowOf("note"), brace = rowOf("brace");
  const laid = set ? layLanes(scene, set, placed) : [], over = brace ? scene.brace.slice(0, 2).map((b) => laid.at(-1).blocks[b]?.rect ?? laid.at(-1).blocks.at(-1).rect) : null;
  return { lanes: laid, size: set?.size ?? SIZES[0], slots: slots ? laySlots(scene, set, slots, room) : null, queue: queue ? layQueue(scene, queue, room) : null,
    note: note ? [LEFT, note.y, room, note.h] : null, brace: over ? [over[0][0], brace.y, over[1][0] + over[1][2] - over[0][0], brace.h] : null };
}
