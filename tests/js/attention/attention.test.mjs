// Cells that neither overlap nor part, tints that keep their order, a triangle that is read as it was written.
import assert from "node:assert/strict";
import test from "node:test";
import { cellAt, cellKind, edge, errorWords, shareWords, stepPlace, tintOf, weightOf } from "../../../assets/attention/geometry.js";

test("cells cover the picture, each pixel in one of them", () => {
  for (const [count, length] of [[88, 615], [160, 340], [3, 100], [30, 150]]) {
    assert.deepEqual([edge(0, count, length), edge(count, count, length)], [0, length]);
    for (let at = 0; at < count; at++) {
      assert.ok(edge(at + 1, count, length) > edge(at, count, length));
      assert.equal(cellAt((at + 0.5) * (length / count), count, length), at);
    }
    assert.deepEqual([cellAt(-3, count, length), cellAt(length + 3, count, length)], [0, count - 1], "outside is the nearest");
  }
});

test("a lower triangle is written row by row", () => {
  let place = 0;
  for (let row = 0; row < 12; row++) for (let column = 0; column <= row; column++) assert.equal(stepPlace(row, column), place++);
  assert.deepEqual([weightOf(0), weightOf(255)], [0, 1]);
});

test("an error is exact, or one of four strengths; a new token is none of them", () => {
  assert.deepEqual([-1, 0, 1, 99, 100, 499, 500, 1999, 2000, 99_999].map(tintOf), ["new", 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  assert.deepEqual([[0, true], [0, false], [7, false], [-1, false]].map(([error, hit]) => cellKind(error, hit)), ["hit", "right", "wrong1", "new"]);
  assert.equal(cellKind(7, true), "wrong1", "a wrong cell is never drawn as a right one, reused or not");
});

test("numbers as people read them; an error is never 0 unless it is exact", () => {
  assert.deepEqual([1, 0.4321, 0.012, 0.0042, 0.0001].map(shareWords), ["100", "43", "1", "0.4", "0"]);
  assert.deepEqual([0, 3, 40, 987, 6712, 99_999].map(errorWords), ["0", "< 0.1", "0.4", "9.9", "67", "> 100"]);
});
