// Numbers as people read them: three digits that matter, the unit that fits. The same as ui/words/numbers.py.

/** 0.0123, 4.56, 12.3, 1,230. */
export function digits(value) {
  if (Number.isInteger(value)) return value.toLocaleString("en-US").replace("-", "−");
  const size = Math.abs(value), places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : Math.min(2 - Number(size.toExponential().split("e")[1]), 6);
  return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places }).replace("-", "−");
}

const UNITS = [[1, "ms", 1e3], [120, "s", 1], [7200, "min", 1 / 60], [Infinity, "h", 1 / 3600]];

/** A time in the unit that fits. */
export function seconds(value) {
  const [, unit, factor] = UNITS.find(([limit]) => Math.abs(value) < limit);
  return digits(value * factor) + " " + unit;
}

/** A share from 0 to 1 as a number of percent, one place behind the point. */
export const percent = (share) => (100 * share).toFixed(1);

/** On an axis: as short as the number is. */
export const short = (value) => String(+value.toPrecision(6));
