// More than 64 slots: one picture, same looks as far as a cell of a few units can carry them; a slot used long ago is paler.
import { iconPath, make, place, setName, sharpen } from "./dom.js";
import { STATE_GLYPH } from "./view.js";

const CELL_FILL = { cached: "cached", reused: "hit", computed: "miss", evicted: "evict_soft" };
const CELL_EDGE = { cached: "hit_edge", reused: "hit_edge", computed: "miss_edge", reserved: "miss_edge", evicted: "evict_edge", others: "others_edge" };
const CELL_DASH = { cached: [3, 2], reserved: [3, 2], empty: [1, 2], dirty: [1, 2] };
const CELL_INK = { reused: "hit_label", computed: "miss_label", reserved: "miss_edge", evicted: "evict_edge", cached: "cached_label" };

const ageOf = (frame, { state, last }) => (state === "cached" ? Math.max(0.35, 1 - (frame.clock - (last ?? 0)) / Math.max(frame.clock, 1)) : 1);

function paintGlyph(paint, name, x, y, side, colour) {
  const path = new Path2D(iconPath(name)), zoom = (side * 0.6) / 16;
  paint.save();
  paint.translate(x + side * 0.2, y + side * 0.2);
  paint.scale(zoom, zoom);
  paint.strokeStyle = paint.fillStyle = colour;
  paint.lineWidth = 2.4;
  if (name === "dots") paint.fill(path);
  else paint.stroke(path);
  paint.restore();
}

function paintCell(paint, view, x, y, side, colours, age) {
  const { state } = view, fill = CELL_FILL[state];
  paint.globalAlpha = age;
  paint.fillStyle = fill ? colours[fill] : colours.bg;
  paint.fillRect(x, y, side, side);
  if (state === "others") (paint.globalAlpha = 0.12), (paint.fillStyle = colours.others_edge), paint.fillRect(x, y, side, side);
  paint.globalAlpha = 1;
  if (side < 6) return;
  paint.strokeStyle = colours[CELL_EDGE[state] ?? "line"];
  paint.lineWidth = side < 12 || !CELL_EDGE[state] || state === "cached" ? 1 : 2;
  paint.setLineDash(CELL_DASH[state] ?? []);
  paint.strokeRect(x + 1, y + 1, side - 2, side - 2);
  paint.setLineDash([]);
  if (side >= 13 && STATE_GLYPH[state]) paintGlyph(paint, STATE_GLYPH[state], x, y, side, colours[CELL_INK[state] ?? "line"]);
}

/** `grid`: null takes the picture away. */
export function drawMap({ scale, colours, t }, zone, frame, views, grid, told) {
  if (!grid) return zone.mapNode?.remove();
  const canvas = (zone.mapNode ??= make("canvas", "map"));
  if (!canvas.isConnected) zone.body.append(canvas);
  const paint = sharpen(canvas, grid.w, grid.h, scale), counts = {}, gap = grid.cell > 4 ? 1 : 0, side = grid.cell - gap;
  const now = new Set(told.map(({ slot }) => slot));
  place(canvas, grid.x, grid.y, grid.w, grid.h);
  canvas.mapGrid = { ...grid, ids: views.map(({ id }) => String(id)) };
  canvas.setAttribute("role", "img");
  views.forEach((view, at) => {
    const x = (at % grid.cols) * grid.cell, y = Math.floor(at / grid.cols) * grid.cell;
    counts[view.state] = (counts[view.state] ?? 0) + 1;
    paintCell(paint, view, x, y, side, colours, ageOf(frame, view));
    if (!now.has(view.id)) return;
    paint.strokeStyle = colours.ink;
    paint.lineWidth = 3;
    paint.strokeRect(x + 1, y + 1, side - 2, side - 2);
  });
  setName(canvas, Object.entries(counts).map(([state, n]) => t("stage.state." + state) + " " + n).join(", "));
}
