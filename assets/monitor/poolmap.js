// The whole pool at one glance: one cell a slot (or a few), hue for the state, strength of the hue for the age.
import { sharpen } from "../stage/draw/dom.js";
import { luminance } from "../stage/draw/theme.js";

/** State of a slot: its letter, and the curve that counts it. */
export const LETTERS = [["u", "in_use"], ["c", "cached"], ["p", "partial"], ["k", "kept_out"], ["e", "empty"]];
const FLAT = { u: "others", p: "partial", k: "miss_soft" };
const OLDEST = 9, LEAST_RANGE = 3;
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** `part` of the way from one colour to the other. */
export function mixColours(from, to, part) {
  const [a, b] = [channels(from), channels(to)];
  return "rgb(" + a.map((value, j) => Math.round(value + (b[j] - value) * part)).join(",") + ")";
}

/** Cached just now: the full hue of a hit; cached longest of all: as pale as the ground allows. */
export function cellColour(letter, age, colours, oldest = OLDEST) {
  if (letter === "c") return mixColours(colours.hit, colours.cached, Math.min(age / oldest, 1));
  return colours[FLAT[letter] ?? "bg"];
}

/** The largest square cell with which all of them fit. */
export function cellGrid(count, width, height) {
  let cell = Math.max(1, Math.floor(Math.sqrt((width * height) / Math.max(count, 1))));
  while (cell > 1 && Math.floor(width / cell) * Math.floor(height / cell) < count) cell--;
  return { cell, cols: Math.max(1, Math.floor(width / cell)) };
}

/** Rows may be a little taller than wide, so that what the squares leave free at the foot is not a hole. */
const MOST_STRETCH = 1.4;
export const rowPitch = (count, { cell, cols }, height) => Math.min(height / Math.ceil(count / cols), cell * MOST_STRETCH);

export function drawMapCells(canvas, { letters, ages }, colours, width, height) {
  const grid = cellGrid(letters.length, width, height);
  const paint = sharpen(canvas, width, height);
  const oldest = [...ages].reduce((most, age, j) => (letters[j] === "c" ? Math.max(most, Number(age)) : most), LEAST_RANGE);
  const gap = grid.cell > 3 ? 1 : 0, side = grid.cell - gap, pitch = rowPitch(letters.length, grid, height), dark = luminance(colours.bg) < 0.4;
  for (let j = 0; j < letters.length; j++) {
    const x = (j % grid.cols) * grid.cell, row = Math.floor(j / grid.cols), y = Math.round(row * pitch), tall = Math.round((row + 1) * pitch) - y - gap;
    paint.fillStyle = cellColour(letters[j], Number(ages[j]), colours, oldest);
    paint.fillRect(x, y, side, tall);
    if (letters[j] === "u" && side > 4) {
      paint.fillStyle = colours.others_label;
      paint.fillRect(x + side / 2 - 1, y + tall / 2 - 1, 2, 2);
    } else if ("ke".includes(letters[j])) {
      paint.strokeStyle = letters[j] === "k" ? colours.miss_edge : dark ? colours.muted : colours.line;
      paint.globalAlpha = letters[j] === "e" ? 0.35 : 1;
      paint.strokeRect(x + 0.5, y + 0.5, side - 1, tall - 1);
      paint.globalAlpha = 1;
    }
  }
}
