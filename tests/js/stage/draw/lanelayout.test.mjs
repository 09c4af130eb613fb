// The lane's geometry: nothing overlaps, nothing is outside, the active block stands whole, letters can be read.
import assert from "node:assert/strict";
import test from "node:test";
import { activeBlock, cellsOf, gridOf, laneItems, LANES, tagBox } from "../../../../assets/stage/draw/lanelayout.js";
import { events, randomSource } from "../../sample.mjs";

const SIZES = Array.from({ length: 64 }, (_, j) => j + 1);
const COUNTS = [1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 21, 39, 40, 41, 97, 160, 200];
const statesOf = (n, random, kinds = 3) => Array.from({ length: n }, (_, b) => ["hit", "miss", "skip", "computed", "reserved"][b < n / 2 ? 0 : random(kinds)]);

for (const [name, lane] of Object.entries(LANES)) {
  test(name + ": every block stands somewhere, in order, apart and inside; the active one is whole", () => {
    const random = randomSource(7);
    for (const size of SIZES) {
      for (const n of COUNTS) {
        const active = random(n), items = laneItems(statesOf(n, random, 5), active, size, lane);
        assert.deepEqual(items.flatMap((item) => Array.from({ length: item.count }, (_, j) => item.b + j)), Array.from({ length: n }, (_, b) => b));
        assert.ok(items.some((item) => item.kind === "whole" && item.b === active), `${n} blocks of ${size}: ${active} is not whole`);
        items.forEach((item, j) => {
          assert.ok(item.w > 0 && item.x >= lane.x - 1e-6 && item.x + item.w <= lane.x + lane.w + 1e-6, `${n} blocks of ${size}: item ${j} ends at ${item.x + item.w}`);
          if (j) assert.ok(item.x >= items[j - 1].x + items[j - 1].w + 9, "too near");
        });
      }
    }
  });

  test(name + ": a few blocks of four tokens look as in the drawing", () => {
    const items = laneItems(["hit", "miss", "skip"], 0, 4, lane);
    assert.deepEqual(items.map(({ x }) => x), name === "wide" ? [128, 502, 876] : [110, 500, 890]);
    assert.equal(items[0].w, name === "wide" ? 348 : 366);
    const cells = cellsOf(["You", " are", " a", "."], items[0].x, items[0].w, lane);
    assert.ok(cells.every(({ h, font }) => h >= 50 && font === lane.token));
  });

  test(name + ": cells lie inside their block, apart, and letters can be read", () => {
    const random = randomSource(5), words = ["", ".", " a", " cook", " teacher", "师", " unbelievably long"];
    for (const size of SIZES) {
      const [item] = laneItems(Array(40).fill("plain"), 0, size, lane), texts = Array.from({ length: size }, () => words[random(words.length)]);
      const cells = cellsOf(texts, item.x, item.w, lane);
      assert.equal(cells.length, size);
      cells.forEach(({ x, y, w, h, font }, j) => {
        assert.ok(x >= item.x && x + w <= item.x + item.w + 1e-6 && y >= lane.y && y + h <= lane.y + lane.h + 1e-6, `cell ${j} of ${size}`);
        assert.ok(font >= lane.least && font <= lane.token && font <= h + 1, `${font} in ${h}, size ${size}`);
        cells.slice(j + 1).forEach((other) => assert.ok(x + w <= other.x + 1e-6 || other.x + other.w <= x + 1e-6 || y + h <= other.y + 1e-6 || other.y + other.h <= y + 1e-6, `cells of ${size}`));
      });
      const { rows } = gridOf(size, lane);
      assert.ok(rows <= lane.rows);
    }
  });

  test(name + ": a tag and the entry beside it stay under their block", () => {
    for (const size of SIZES) {
      for (const n of [1, 3, 40]) {
        for (const { kind, x, w } of laneItems(Array(n).fill("plain"), 0, size, lane)) {
          if (kind !== "whole") continue;
          const tag = tagBox(x, w, lane);
          assert.ok(tag.x >= x + lane.side - 1e-6 && tag.x + tag.w <= x + w + 1e-6 && tag.w >= 54, `size ${size}, ${n} blocks: ${JSON.stringify(tag)} in ${x} ${w}`);
        }
      }
    }
  });
}

test("equal stubs fold, two of them do not; while one is to be chosen, none does", () => {
  const states = ["hit", ...Array(38).fill("plain"), "open"], folded = laneItems(states, 0, 4, LANES.wide);
  assert.deepEqual(folded.filter(({ count }) => count > 1).map(({ b, count, state }) => [b, count, state]), [[3, 36, "plain"]]);
  const asked = laneItems(Array(9).fill("plain"), 4, 4, LANES.wide, true);
  assert.equal(asked.length, 9);
  assert.ok(laneItems(Array(5).fill("plain"), 0, 4, LANES.wide).every(({ count }) => count === 1));
});

test("the parent of the active block stands beside it, and the window does not slide at every step", () => {
  const firstWhole = (active) => laneItems(Array(12).fill("plain"), active, 4, LANES.wide).filter(({ kind }) => kind === "whole").map(({ b }) => b);
  for (let active = 1; active < 12; active++) assert.ok(firstWhole(active).includes(active) && firstWhole(active).includes(active - 1), String(active));
  assert.deepEqual(firstWhole(1), firstWhole(0));
});

test("the active block is the newest one that a step of this request names", () => {
  const list = events(["arrive", "request", "R0"], ["cut", "micro", "R0", { b: 2 }], ["hash", "micro", "R0", { b: 0 }], ["hash", "micro", "R0", { b: 1 }], ["append", "block", "R1", { b: 5 }]);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((k) => activeBlock(list, k, "R0")), [0, 0, 0, 0, 1, 1]);
  assert.equal(activeBlock(list, 5, "R1"), 5);
});
