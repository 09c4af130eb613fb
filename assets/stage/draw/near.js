// A near miss, seen where it happens: the stored tokens stand under those that are asked.
import { keyed, make, place, setAttr, setText } from "./dom.js";
import { cellsOf, gridOf, tagBox } from "./lanelayout.js";
import { drawDiffering, drawVisible } from "./tokens.js";

const NEARBY = 5;

/** The stored tokens that have room in one row, from the first different one's surroundings; [first, after the last). */
function shownRange(diff, size, lane) {
  if (gridOf(size, lane).rows === 1) return [0, diff.stored.length];
  const first = Math.max(0, Math.min(diff.first - 1, diff.stored.length - NEARBY));
  return [first, Math.min(diff.stored.length, first + NEARBY)];
}

function drawStored(node, { stored, mine, at }) {
  const same = stored === mine, word = (node.word ??= node.appendChild(make("span", "ntext")));
  setText(node.sign, same ? "=" : "≠");
  setAttr(node, "data-same", same ? "1" : "0");
  if (same || mine === undefined) drawVisible(word, stored);
  else drawDiffering(word, stored, mine);
  return at;
}

function makeStored() {
  const sign = make("b", "", ""), node = make("div", "stored tok", [sign]);
  return Object.assign(node, { sign });
}

/** What decides how wide a cell is: the longer one of the two tokens that stand in it, one under the other. */
export const widerTexts = ({ mine, stored }) => mine.map((text, j) => ((stored[j] ?? "").length > text.length ? stored[j] : text));

/** Returns the block under which they stand, or -1. `who`: the mark of the request that stored them. */
export function drawNear(stage, holder, items, lane, who) {
  const { event, rid, run, t1 } = stage, diff = event?.op === "miss" && event.rid === rid ? event.args?.diff : null;
  const item = diff && items.find(({ kind, b, count }) => kind === "whole" && b === diff.block && count === 1);
  holder.classList.toggle("off", !item);
  if (!item) return -1;
  const size = run.log.meta.block_size, [first, end] = shownRange(diff, size, lane), rows = gridOf(size, lane).rows;
  const few = end - first, slim = (item.w - 20) / few, tag = tagBox(item.x, item.w, lane), right = tag.x + tag.w + 8;
  const cells = rows === 1 ? cellsOf(diff.stored, item.x, item.w, lane, widerTexts(diff)) : Array.from({ length: few }, (_, j) => ({ x: item.x + 10 + j * slim, w: slim - 4, font: lane.token * 0.75 }));
  const note = (holder.note ??= holder.appendChild(make("div", "nearnote"))), row = (holder.row ??= holder.appendChild(make("div")));
  const free = item.x + item.w - right;
  note.replaceChildren(...(free > 80 * (lane.least / 13) || !who ? [t1("stage.diff.stored")] : []), ...(who ? [who] : []), ...(rows > 1 ? [`${first + 1}–${end}`] : []));
  if (free > 60) place(note, right, lane.tagY, item.x + item.w - right, lane.tagH);
  else place(note, item.x, lane.tagY, tag.x - item.x - 4, lane.tagH);
  const list = diff.stored.slice(first, end).map((stored, j) => ({ stored, mine: diff.mine[first + j], j, at: first + j }));
  keyed(row, list, ({ at }) => at, makeStored, (node, one) => {
    const { x, w, font } = cells[one.j];
    place(node, x, lane.mill[0] + 5, w, lane.near);
    node.style.fontSize = Math.max(lane.least, Math.min(font - 4, lane.token * 0.75)) + "px";
    drawStored(node, one);
  });
  return item.b;
}
