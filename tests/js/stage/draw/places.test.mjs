// Slots, queue cards, table rows and ledger cells inside the zones of each plan: nothing on top of anything else, everything inside.
import assert from "node:assert/strict";
import test from "node:test";
import { FORK, LARGE, WIDE } from "../../../../assets/stage/draw/layout.js";
import { ledgerCells, mapGrid, poolGrid, queueLayout, QUEUE_ENDS, rowWindow, tableGrid, titleHeight } from "../../../../assets/stage/draw/places.js";

const overlap = ([x, y, w, h], [x2, y2, w2, h2]) => x < x2 + w2 && x2 < x + w && y < y2 + h2 && y2 < y + h;
const PLANS = [["wide", WIDE], ["large", LARGE], ["fork", FORK]];

function assertApart(boxes) {
  boxes.forEach((box, at) => boxes.slice(at + 1).forEach((box2) => assert.ok(!overlap(box, box2), box + " on " + box2)));
}

test("six pool layouts: one row of cards with words, then ever smaller ones, then a picture", () => {
  const kinds = [[1, "row"], [4, "row"], [5, "row"], [6, "two"], [10, "two"], [11, "medium"], [24, "medium"], [25, "small"], [64, "small"], [65, "map"], [4096, "map"]];
  for (const [count, kind] of kinds) assert.equal(poolGrid(count, WIDE.C[2], WIDE.C[3], 30).kind, kind, String(count));
  const { w, h } = poolGrid(4, WIDE.C[2], WIDE.C[3], 30);
  assert.ok(w >= 134 && h >= 108, "large cards are as large as drawn");
});

for (const [mode, { C }] of PLANS) {
  test(mode + ": slots stand apart and inside", () => {
    for (const count of [1, 4, 5, 7, 10, 11, 24, 40, 64]) {
      const { places, w, h } = poolGrid(count, C[2], C[3], titleHeight(mode));
      assert.equal(places.length, count);
      assertApart(places.map(([x, y]) => [x, y, w, h]));
      for (const [x, y] of places) assert.ok(x >= 0 && x + w <= C[2] && y >= titleHeight(mode) && y + h <= C[3], count + " slots");
      assert.ok(w >= 32 && h >= 24, count + " slots can be read");
    }
  });

  test(mode + ": the picture of a large pool has a cell for every slot", () => {
    for (const count of [65, 300, 1000, 4096]) {
      const { cell, cols, x, y, w, h } = mapGrid(count, C[2], C[3], titleHeight(mode));
      assert.ok(cell >= 1 && cols * Math.floor(h / cell) >= count && x + w <= C[2] && y + h <= C[3], String(count));
    }
  });
}

for (const [mode, { F }] of [["wide", WIDE], ["large", LARGE]]) {
  test(mode + ": queue cards never lie on each other, and the front stays at the left", () => {
    for (const count of [0, 1, 4, 5, 10, 13, 14, 20, 24, 28, 64, 300]) {
      const { w, places, fold, start } = queueLayout(count, F[2], mode, String(count).length);
      const shown = places.filter((x) => x !== null);
      assert.equal(places.length, count);
      for (let j = 1; j < shown.length; j++) assert.ok(shown[j] - shown[j - 1] >= w, `${count}: card ${j}`);
      if (fold) assert.equal(fold.count + shown.length, count);
      if (shown.length) assert.ok(shown[0] === start && shown.at(-1) + w <= F[2] - QUEUE_ENDS[mode][1], `${count} cards end at ${shown.at(-1) + w}`);
    }
  });
}

test("four free slots have room for their tags beside the number, ten below it", () => {
  assert.deepEqual([4, 10, 14].map((count) => queueLayout(count, WIDE.F[2], "wide").kind), ["wide", "tag", "id"]);
});

test("table rows: one column while they fit, then two; the window follows the asked row", () => {
  assert.deepEqual([4, 7, 8].map((count) => tableGrid(count, WIDE.B[3], 30, "wide").cols), [1, 1, 2]);
  for (const count of [1, 5, 7, 20]) {
    const { rows, pitch } = tableGrid(count, WIDE.B[3], 30, "wide");
    assert.ok(30 + rows * pitch <= WIDE.B[3]);
  }
  assert.deepEqual(rowWindow(5, 3, 14), [0, 5]);
  for (const at of [0, 9, 20, 39]) {
    const [first, last] = rowWindow(40, at, 14);
    assert.ok(first <= at && at < last && last - first === 14);
  }
  assert.deepEqual(rowWindow(40, -1, 14), [26, 40]);
});

test("ledger cells: one a token, grouped by block, inside the room; none where they would be too narrow", () => {
  for (const [most, size] of [[1, 4], [11, 4], [15, 4], [29, 4], [33, 16]]) {
    const { w, places } = ledgerCells(most, size, 262, "wide");
    assert.ok(w >= 6 && places.at(-1) + w <= 262, most + " tokens");
    for (let j = 1; j < most; j++) assert.ok(places[j] >= places[j - 1] + w);
    if (most > size) assert.ok(places[size] - places[size - 1] > places[1] - places[0], "a gap between blocks");
  }
  assert.equal(ledgerCells(11, 4, 262, "wide").w, 22 > Math.floor((262 - 10) / 11) - 2 ? Math.floor((262 - 10) / 11) - 2 : 22);
  assert.equal(ledgerCells(640, 16, 262, "wide"), null);
});
