// What panels work out before they draw.
import assert from "node:assert/strict";
import test from "node:test";
import { edgePoint } from "../../../../assets/stage/panels/links.js";

test("link lines leave a box at its edge", () => {
  assert.deepEqual(edgePoint({ x: 0, y: 0, w: 10, h: 10 }, { x: 100, y: 0, w: 10, h: 10 }), [10, 5]);
  assert.deepEqual(edgePoint({ x: 0, y: 0, w: 10, h: 10 }, { x: 0, y: 100, w: 10, h: 10 }), [5, 10]);
});
