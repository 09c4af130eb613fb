// What was saved, as one bar on an axis from 0 to 100 %, and what the room had bet on the same axis.
import { make, place } from "../stage/draw/dom.js";
import { fillHoles, percentText, pick } from "./words.js";
import { firstVotes, handsOf, total } from "./state.js";
import { put, requestName } from "./run.js";
import { LABEL_W } from "./runlayout.js";

const X = LABEL_W + 14, BAR_Y = 78, BAR_H = 80, BAR_GAP = 4, COLUMNS_H = 96, VOTES_PER_ROW = 3;

const cellRoom = (rows, width) => ({ w: Math.min(70, width / Math.max(...rows.map(({ tokens }) => tokens))), h: Math.min(74, 222 / rows.length) });

/** One cell a token, row by row: nothing says yet what became of it. */
function plainCells(rows, width) {
  const { w, h } = cellRoom(rows, width);
  return rows.map(({ tokens }, r) => Array.from({ length: tokens }, (_, k) => put("cell", [X + k * w, r * h, w - Math.min(10, w / 6), h - 14])));
}

/** Reused ones first, then those that had to be computed. */
function sortCells(rows, cells, width) {
  const mine = cells.map((list, r) => [list.slice(0, rows[r].reused), list.slice(rows[r].reused)]), all = [0, 1].map((k) => mine.flatMap((row) => row[k])), unit = width / (all[0].length + all[1].length);
  all.flat().forEach((cell, at) => place(cell, X + at * unit, BAR_Y, unit - Math.min(BAR_GAP, unit / 5), BAR_H));
}

function paintCells(rows, cells) {
  cells.forEach((list, r) => list.forEach((cell, k) => cell.classList.add(k < rows[r].reused ? "reused" : "computed")));
}

/** The room's bet: one column an option, on the part of the axis that it stands for. */
function betColumns(counts, y, width, { say, lang }) {
  const n = counts.length, w = width / n, most = Math.max(1, ...counts);
  const columns = counts.map((count, k) => put("column", [X + k * w + 24, y + COLUMNS_H - 6 - (90 * count) / most, w - 48, 6 + (90 * count) / most], [make("b", "num", String(count))]));
  const ends = counts.map((_, k) => put("end", [X + k * w, y + COLUMNS_H + 10, w, 40], [`${Math.round((100 * k) / n)}–${percentText(Math.round((100 * (k + 1)) / n), lang)}`]));
  return { columns, nodes: [put("name", [0, y, LABEL_W, COLUMNS_H], [make("small", "", say("bet"))]), put("axis", [X, y + COLUMNS_H, width, 4]), ...columns, ...ends] };
}

function drawVotes(votes, y, lang) {
  const w = 1776 / VOTES_PER_ROW;
  return votes.map(([stop, right, all], at) => {
    const bar = make("span", "share", [make("i")]), row = Math.floor(at / VOTES_PER_ROW), node = put("vote", [(at % VOTES_PER_ROW) * w, y + row * 78, w - 36, 74], [make("span", "tx", [make("span", "", pick(stop.title, lang)), make("b", "num", ` ${right} / ${all}`)]), bar]);
    bar.firstChild.style.width = (100 * right) / all + "%";
    return node;
  });
}

/** {node, acts}; `look` has the lecture's state, its stops, the stop, words and language. */
export function totalPicture(scene, width, height, look) {
  const { rows } = scene, { state, stops, stop, say, lang } = look, wide = width - X, cells = plainCells(rows, wide), floor = make("div", "total"), bettor = stops.find(({ id }) => id === stop.bet_of);
  const num = { tokens: total(rows.map((row) => row.tokens)), reused: total(rows.map((row) => row.reused)) }, percent = (100 * num.reused) / num.tokens, line = X + (wide * percent) / 100;
  const names = rows.map(({ rid }, r) => put("name", [0, r * cellRoom(rows, wide).h, LABEL_W, cellRoom(rows, wide).h - 14], [requestName(rid)])), betY = 300, votes = firstVotes(state, stops);
  const bets = bettor && total(handsOf(state, bettor)) ? betColumns(handsOf(state, bettor), betY, wide, look) : null, voteY = bets ? 500 : 340, room = Math.max(0, Math.floor((height - voteY - 40) / 78)) * VOTES_PER_ROW;
  floor.append(...names, ...cells.flat(), ...(bets?.nodes ?? []));
  const shown = votes.slice(-room);
  if (room && shown.length) floor.append(put("caption", [0, voteY, width, 40], [say("votes")]), ...drawVotes(shown, voteY + 46, lang));
  const label = (cls, x, w, big, words) => floor.append(put("sum arr " + cls, [x, 0, w, BAR_Y], [make("b", "num", String(big)), " " + words]));
  const note = scene.computed_note ? (lang === "zh" ? "：" : ": ") + fillHoles(scene.computed_note) : "";
  const acts = [
    [1, () => paintCells(rows, cells)],
    [2, () => (names.forEach((node) => node.remove()), sortCells(rows, cells, wide))],
    [1.5, () => (label("blue", X, Math.max(line - X, 300), num.reused, say("reused")), label("amber", Math.max(line, X + 300), width - Math.max(line, X + 300), num.tokens - num.reused, say("computed") + note))],
    [1, () => {
      const n = bets?.columns.length ?? 0, near = Math.min(n - 1, Math.floor((percent / 100) * n));
      bets?.columns.forEach((column, k) => column.classList.add(k === near ? "near" : "far"));
      const left = percent > 15;
      floor.append(put("truth arr", [line, BAR_Y + BAR_H + 4, 0, (bets ? betY + COLUMNS_H + 4 : BAR_Y + BAR_H + 90) - BAR_Y - BAR_H - 4], [make("b", left ? "num before" : "num", percentText(Math.round(percent), lang))]));
    }],
  ];
  return { node: floor, acts };
}
