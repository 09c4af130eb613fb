// The usage figure: its axes, which words have room, the window over a long session, slices of the overview.
import assert from "node:assert/strict";
import test from "node:test";
import { columnsOf, FIGURE, numberedTurns, pauseAxis, pauseParts, pauseTicks, shortCount, slicesOf, tokenTicks, windowAround, wordsThatFit } from "../../../assets/usage/scale.js";

test("token axes are round, begin at 0 and reach above the largest turn", () => {
  for (const most of [1, 7, 999, 1024, 45_220, 311_111, 5_749_000]) {
    const ticks = tokenTicks(most);
    assert.equal(ticks[0], 0);
    assert.ok(ticks.at(-1) >= most && ticks.at(-2) < most && ticks.length <= 6, most + ": " + ticks);
  }
  assert.deepEqual(tokenTicks(0), [0, 1]);
  assert.deepEqual([0, 950, 40_000, 1_500_000].map(shortCount), ["0", "950", "40k", "1.5M"]);
});

test("longer pauses stand higher, inside the axis; the time to live always has its line", () => {
  const axis = pauseAxis([null, 3, 42, 4440], [300, 3600]);
  const places = [3, 42, 300, 3600, 4440].map(axis.at);
  assert.deepEqual([...places].sort((a, b) => a - b), places);
  assert.ok(places[0] >= 0 && places.at(-1) < 1);
  assert.equal(axis.at(0), 0, "a pause of nothing lies on the ground");
  const ticks = pauseTicks(axis, [300, 3600], 104);
  assert.ok(ticks.includes(300) && ticks.includes(3600));
  for (let k = 1; k < ticks.length; k++) if (ticks[k] !== 300 && ticks[k] !== 3600) assert.ok((axis.at(ticks[k]) - axis.at(ticks[k - 1])) * 104 >= 17, ticks.join());
  assert.ok(pauseAxis([], []).most > 0, "no pauses, no lines: still an axis");
});

test("a pause in the unit that fits", () => {
  assert.deepEqual([0.4, 42, 60, 412, 2760, 4440, 90_000].map(pauseParts), [
    { unit: "s", n: "0.4" }, { unit: "s", n: "42" }, { unit: "min", n: "1" }, { unit: "min", n: "7" }, { unit: "min", n: "46" }, { unit: "h", n: "1.2" }, { unit: "d", n: "1" },
  ]);
});

test("columns stand side by side and end inside the figure", () => {
  for (const [first, last, width] of [[0, 1, 800], [0, 25, 800], [40, 100, 500]]) {
    const columns = columnsOf(first, last, width);
    assert.ok(columns.bar <= columns.room && columns.bar >= 2);
    assert.equal(columns.left(first), FIGURE.left);
    assert.ok(columns.left(last) <= width - FIGURE.right + 1e-6);
    assert.ok(columns.middle(first) - columns.bar / 2 >= FIGURE.left);
  }
});

test("the window holds the open turn, never leaves the session, and stays while it can", () => {
  assert.deepEqual(windowAround(3, 25), [0, 25]);
  assert.deepEqual(windowAround(2999, 3000), [2940, 3000]);
  assert.deepEqual(windowAround(0, 3000), [0, 60]);
  assert.deepEqual(windowAround(130, 3000, [100, 160]), [100, 160]);
  assert.deepEqual(windowAround(160, 3000, [100, 160]), [130, 190]);
  assert.deepEqual(windowAround(10, 100, [0, 3000]), [0, 60], "a window of another session");
});

test("slices of the overview lose no reset and no tallest turn", () => {
  const total = Array.from({ length: 1001 }, (_, k) => k), read = total.map((one) => one / 2), marked = new Set([0, 500, 1000]);
  const slices = slicesOf({ total, read }, marked, 200);
  assert.ok(slices.length <= 201);
  assert.equal(slices.filter((one) => one.reset).length, 3);
  assert.equal(Math.max(...slices.map((one) => one.total)), 1000);
  assert.equal(slices.reduce((sum, one) => sum + Math.min(one.size, 1001 - one.first), 0), 1001);
});

test("numbers under columns never touch; words beside dots never cover each other", () => {
  for (const room of [5, 13, 30, 90]) {
    const places = numberedTurns(2940, 3000, room);
    assert.equal(places[0], 2940);
    for (let k = 1; k < places.length; k++) assert.ok((places[k] - places[k - 1]) * room >= 38, room + ": " + places);
  }
  const words = [{ x: 0, wide: 40, weight: 1 }, { x: 20, wide: 40, weight: 9 }, { x: 61, wide: 40, weight: 2 }];
  assert.deepEqual(wordsThatFit(words).sort(), [1, 2]);
});
