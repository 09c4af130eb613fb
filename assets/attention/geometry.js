// Where a cell lies and which one is under the pointer; which tint an error gets. Pure.

/** Edges of `count` cells over `length` pixels: whole pixels, so that neighbours neither overlap nor part. */
export const edge = (at, count, length) => Math.round((at * length) / count);

/** The cell at a pixel, kept inside. */
export const cellAt = (pixel, count, length) => Math.max(0, Math.min(count - 1, Math.floor((pixel / length) * count)));

/** Where the weight of (row, column) stands in a lower triangle that is written row by row. */
export const stepPlace = (row, column) => (row * (row + 1)) / 2 + column;

/** A weight travels as a step of its root, 0 … 255. */
export const weightOf = (step) => (step / 255) ** 2;

/** Errors travel in hundredths of a percent; -1: the token is new. Each tint begins behind a bound. */
export const BOUNDS = [0, 100, 500, 2000];
export const tintOf = (error) => (error < 0 ? "new" : BOUNDS.filter((bound, k) => (k ? error >= bound : error > bound)).length);

/** How a cell of the error map is drawn: reused as it is, right and yet not usable, wrong (1 … 4), or a new token. */
export function cellKind(error, hit) {
  const tint = tintOf(error);
  if (tint === "new") return "new";
  if (tint) return "wrong" + tint;
  return hit ? "hit" : "right";
}

/** The share as people read it: 12 %, and under 1 % with one place. */
export const shareWords = (share) => (share >= 0.995 ? "100" : share >= 0.01 ? String(Math.round(100 * share)) : share >= 0.0005 ? (100 * share).toFixed(1) : "0");

/** An error in hundredths of a percent as people read it. */
export const errorWords = (error) => (error > 10_000 ? "> 100" : error === 0 ? "0" : error < 10 ? "< 0.1" : error < 1000 ? (error / 100).toFixed(1) : String(Math.round(error / 100)));
