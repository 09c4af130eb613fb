// Zone E: every prompt token asked for is one cell. reused + computed (+ reserved + waiting) = asked, at every step.
import { icon, keyed, make, place, setAttr, setKeys, setName, setText } from "./dom.js";
import { ledgerCells, rowWindow, titleHeight } from "./places.js";
import { ledgerAt, promptLengths, promptTotal } from "../time/ledger.js";
import { shapeOf } from "./view.js";
import { toldKey, toldTotals } from "./told.js";

const FATES = ["reused", "computed", "reserved", "waiting"];
/** Units: height of a cell; of a row at least and at most; of the sums below the rows. */
const SIZE = { wide: { cell: 22, row: 30, most: 40, sums: 84, line: 18, mark: 34, count: 76 }, large: { cell: 27, row: 38, most: 52, sums: 114, line: 10, mark: 52, count: 96 },
  fork: { cell: 18, row: 26, most: 30, sums: 64, line: 0, mark: 30, count: 76 } };

/** Fate of each prompt token, in their order. */
function fatesOf({ blocks }) {
  return blocks.flatMap((block) => FATES.flatMap((fate) => Array(block[fate]).fill(fate)));
}

function makeLedgerRow() {
  const mark = make("span", "mark"), cells = make("div", "cells"), count = make("span", "counts num");
  return Object.assign(make("div", "lrow", [mark, cells, count]), { mark, cells, count });
}

function drawCells(holder, fates, grid, height) {
  keyed(holder, fates.map((fate, at) => ({ fate, at })), ({ at }) => at, () => make("i", "cell"), (cell, { fate, at }) => {
    place(cell, grid.places[at], 0, grid.w, height);
    setAttr(cell, "data-fate", fate);
  });
}

/** Too many tokens for cells: a bar in proportion. */
function drawBar(holder, row, length, width, most, height) {
  const parts = row ? FATES.map((fate) => [fate, row[fate]]).filter(([, n]) => n) : [["come", length]];
  let x = 0;
  keyed(holder, parts, ([fate]) => fate, () => make("i", "cell bar"), (cell, [fate, n]) => {
    const w = (width * n) / most;
    place(cell, x, 0, w, height);
    setAttr(cell, "data-fate", fate);
    x += w;
  });
}

/** `8 + 3`, or why there is nothing to count yet. */
function countsOf({ t1 }, row) {
  if (row && row.reused + row.computed) return [["reused", String(row.reused)], ["", " + "], ["computed", String(row.computed)]];
  const word = row?.reserved ? "stage.state.reserved" : row ? "stage.ledger.wait" : "stage.ledger.come";
  return [["word", t1(word)]];
}

const setPieces = (holder, pieces) => keyed(holder, pieces.map(([fate, text], at) => ({ fate, text, at })), ({ at }) => at, () => make("span"), (span, { fate, text }) => {
  setAttr(span, "data-fate", fate || null);
  setText(span, text);
});

/** Rows around request `rid`: the ones before it stay as long as there is room. */
function shownRows(lengths, rid, fit) {
  const all = [...lengths.keys()], at = Math.max(0, all.indexOf(rid));
  const [first, last] = rowWindow(all.length, at, fit);
  return { shown: all.slice(first, last), first, last, total: all.length };
}

function drawRows(stage, zone, run, ledger, other, rid, [, , width, height]) {
  const { mode, order, bet, runB, t } = stage, size = SIZE[mode] ?? SIZE.wide, top = titleHeight(mode) + 2, lengths = promptLengths(run);
  const most = Math.max(1, ...lengths.values()), bars = !ledgerCells(most, run.log.meta.block_size, width - size.mark - size.count, mode), count = size.count + (bars ? 44 : 0);
  const room = height - top - size.sums - (bet && !runB ? size.line : 0), { shown, first, last, total } = shownRows(lengths, rid, Math.max(1, Math.floor(room / size.row)));
  const pitch = Math.min(size.most, room / Math.max(1, shown.length)), space = width - size.mark - count;
  const grid = bars ? null : ledgerCells(most, run.log.meta.block_size, space, mode);
  keyed(zone.body, shown.map((id, j) => ({ id, j })), ({ id }) => id + (grid ? "" : "|"), makeLedgerRow, (node, { id, j }) => {
    const row = ledger.rows.get(id), length = lengths.get(id), shape = shapeOf(id, order), differs = other && row && other.rows.get(id)?.reused !== row.reused;
    place(node, 0, top + j * pitch, width, size.cell);
    keyed(node.mark, [shape ?? id], (key) => key, () => (shape ? icon(shape) : make("b", "", id)), () => {});
    place(node.cells, size.mark, 0, space, size.cell);
    if (grid) drawCells(node.cells, row ? fatesOf(row) : Array(length).fill("come"), grid, size.cell);
    else drawBar(node.cells, row, length, space - 6, most, size.cell);
    setPieces(node.count, countsOf(stage, row));
    place(node.count, width - count, 0, count, size.cell);
    setAttr(node, "data-now", id === rid ? "1" : null);
    setAttr(node, "data-differs", differs ? "1" : null);
    setKeys(node, ["req:" + id]);
    setName(node, row ? t("stage.a11y.ledger", { req: id, ...row }) : id + ": " + t("stage.ledger.come"));
    setAttr(node, "role", "img");
  });
  setText(zone.aside, total > shown.length ? first + 1 + "–" + last + " / " + total : "");
  return top + shown.length * pitch;
}

/** Word by word, so that each number wears the colour of its cells: `8 reused + 11 computed = 19 asked`. */
function sumPieces({ t1 }, ledger) {
  const parts = FATES.filter((fate) => ledger[fate] || fate === "reused" || fate === "computed").map((fate) => [fate, t1("stage.ledger." + fate, { n: ledger[fate] })]);
  return [...parts.flatMap(([fate, text], at) => (at ? [["", " "], [fate, "+ " + text]] : [[fate, text]])), ["", " "], ["asked", "= " + t1("stage.ledger.asked", { n: ledger.asked })]];
}

const rateOf = ({ reused, looked }) => (looked ? Math.round((100 * reused) / looked) : 0);

/** What was bet before anything played; two runs side by side have no room for it. */
const betPieces = ({ bet, run, runB, t1 }) => (bet && !runB ? [t1("stage.bet." + bet.unit, { n: bet.n, total: promptTotal(run) })] : []);

/** What is counted apart: the bet, tokens of the answers, tokens computed again, blocks that had to go, and the hit rate with what it is of. */
function apartPieces(stage, ledger) {
  const { t1 } = stage;
  const n = (key, value) => (value ? [t1("stage.ledger." + key, { n: value })] : []);
  const rate = ledger.looked ? [t1("stage.ledger.rate", { rate: rateOf(ledger), hit: ledger.reused, n: ledger.looked })] : [];
  return [...betPieces(stage), [...n("answer", ledger.answer), ...n("again", ledger.again), ...n("evicted", ledger.evicted)].join(" · "), ...rate].filter(Boolean).map((text) => ["", text]);
}

function drawSums(stage, zone, ledger, other, y) {
  const box = (zone.sumsNode ??= zone.appendChild(make("div", "sums", [make("p", "sum num"), make("p", "apart num")])));
  place(box, 0, y);
  setPieces(box.firstChild, sumPieces(stage, ledger));
  setPieces(box.lastChild, apartPieces(stage, ledger));
  for (const span of box.firstChild.children) {
    const { fate } = span.dataset;
    setAttr(span, "data-differs", fate && other && other[fate] !== ledger[fate] ? "1" : null);
  }
}

/** `rid`: the request to stand around; `other`: the ledger of the other run, where there are two. */
export function drawLedger(stage, zone, run, k, rid, box, other) {
  const ledger = ledgerAt(run, k);
  setText(zone.titleNode, stage.t("stage.zone.E"));
  drawSums(stage, zone, ledger, other, drawRows(stage, zone, run, ledger, other, rid, box));
}

/** A run told by KV events has no requests: what follows from the events is counted in blocks. */
export function drawToldTotals({ run, t, tLines }, zone, frame) {
  const title = t(toldKey(run, "stage.zone.E"));
  const makeTotal = () => {
    const value = make("span", "big"), name = make("span", "note");
    return Object.assign(make("div", "total", [value, name]), { value, name });
  };
  setText(zone.titleNode, title);
  setName(zone, title);
  keyed(zone.body, toldTotals(frame), ([id]) => id, makeTotal, (node, [id, value, hue]) => {
    setText(node.value, String(value));
    setText(node.name, tLines("stage.total." + id));
    setAttr(node, "data-hue", hue);
  });
}
