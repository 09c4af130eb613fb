// Each layer × token: how far the cached K or V lies from the true one. The columns are those of the triangle above.
import { make } from "../stage/draw/dom.js";
import { cellKind, edge } from "./geometry.js";
import { drawBorders, drawChanged, paper } from "./triangle.js";

export const LAYER_PIXELS = [5, 18];
const STRENGTH = { wrong1: 0.34, wrong2: 0.52, wrong3: 0.76, wrong4: 1 };

/** Ground and strength of a kind of cell. */
export function paintOf(kind, colours) {
  if (kind === "hit") return [colours.hit, 1];
  if (kind === "right") return [colours.cached, 1];
  return kind === "new" ? [colours.evict, 1] : [colours.miss, STRENGTH[kind]];
}

export function drawErrors(map, width, height) {
  const { data, part } = map, n = data.tokens.length, rows = data.errors[part], count = rows.length;
  const pen = paper(map.errors, width, height);
  pen.fillStyle = map.colours.bg;
  pen.fillRect(0, 0, width, height);
  rows.forEach((row, layer) => {
    const y = edge(layer, count, height), high = edge(layer + 1, count, height) - y;
    row.forEach((error, at) => {
      const x = edge(at, n, width), wide = edge(at + 1, n, width) - x;
      [pen.fillStyle, pen.globalAlpha] = paintOf(cellKind(error, at < data.hit), map.colours);
      pen.fillRect(x, y, wide, high);
    });
  });
  pen.globalAlpha = 1;
  drawBorders(pen, map, width, height);
  drawChanged(pen, map, width, height);
  const chosen = data.blocks[map.block];
  if (!chosen) return;
  const x = edge(chosen.first, n, width);
  pen.strokeStyle = map.colours.register_edge;
  pen.lineWidth = 2;
  pen.strokeRect(x + 1, 1, edge(chosen.stop, n, width) - x - 1, height - 2);
}

/** What the tints mean; those that do not occur are left out. */
export function errorLegend(map) {
  const { data, part } = map, found = new Set(data.errors[part].flatMap((row) => row.map((error, at) => cellKind(error, at < data.hit))));
  const kinds = ["hit", "right", "wrong1", "wrong2", "wrong3", "wrong4", "new"].filter((kind) => found.has(kind));
  return make("p", "legend", kinds.map((kind) => make("span", "key", [make("i", "swatch " + kind), map.t("prefill.map.legend." + kind)])));
}
