// One head's attention: a row for each token, a column for each token it may look at. Nothing lies ahead of a token.
import { edge, stepPlace } from "./geometry.js";

/** A canvas of so many CSS pixels, sharp on every screen. */
export function paper(canvas, width, height) {
  const dense = Math.min(3, globalThis.devicePixelRatio || 1), pen = canvas.getContext("2d");
  canvas.width = Math.round(width * dense);
  canvas.height = Math.round(height * dense);
  Object.assign(canvas.style, { width: width + "px", height: height + "px" });
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/** Lines between blocks, the same in both pictures. */
export function drawBorders(pen, map, width, height, { rows = false } = {}) {
  const { blocks, tokens } = map.data, n = tokens.length;
  pen.fillStyle = map.colours.line;
  for (const { first } of blocks.slice(1)) {
    const x = edge(first, n, width), y = edge(first, n, height);
    pen.globalAlpha = 0.55;
    pen.fillRect(x, rows ? y : 0, 1, rows ? height - y : height);
    if (rows) pen.fillRect(0, y, x, 1);
  }
  pen.globalAlpha = 1;
}

/** The changed word: a mark over its columns. */
export function drawChanged(pen, map, width, height, top = 0) {
  const { changed: [first, stop], tokens } = map.data, n = tokens.length;
  if (stop <= first) return;
  const x = edge(first, n, width), wide = Math.max(3, edge(stop, n, width) - x);
  pen.strokeStyle = map.colours.evict_edge;
  pen.lineWidth = 2;
  pen.strokeRect(x, top + 1, wide, height - top - 2);
}

export function drawTriangle(map, width, height) {
  const { tokens, blocks, errors } = map.data, n = tokens.length, steps = map.steps, chosen = errors && blocks[map.block]; // who reads it would answer an open bet
  const pen = paper(map.triangle, width, height);
  pen.fillStyle = map.colours.surface;
  for (let row = 0; row < n; row++) pen.fillRect(0, edge(row, n, height), edge(row + 1, n, width), edge(row + 1, n, height) - edge(row, n, height));
  if (chosen) { // the rows that read the chosen block, lit as a whole
    pen.fillStyle = map.colours.register_soft;
    for (let row = chosen.first; row < n; row++) pen.fillRect(0, edge(row, n, height), edge(row + 1, n, width), edge(row + 1, n, height) - edge(row, n, height));
  }
  for (let row = 0; row < n && steps; row++) {
    const y = edge(row, n, height), high = edge(row + 1, n, height) - y;
    for (let column = 0; column <= row; column++) {
      const step = steps[stepPlace(row, column)], own = chosen && column >= chosen.first && column < chosen.stop;
      if (!step) continue;
      pen.fillStyle = own ? map.colours.register : map.colours.ink;
      pen.globalAlpha = (step / 255) * (chosen && !own ? 0.45 : 1);
      const x = edge(column, n, width);
      pen.fillRect(x, y, edge(column + 1, n, width) - x, high);
    }
  }
  pen.globalAlpha = 1;
  drawBorders(pen, map, width, height, { rows: true });
  if (chosen) {
    const x = edge(chosen.first, n, width), y = edge(chosen.first, n, height);
    pen.strokeStyle = map.colours.register_edge;
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, y + 1, edge(chosen.stop, n, width) - x - 1, height - y - 2);
  }
  drawChanged(pen, map, width, height, edge(map.data.changed[0], n, height));
}
