// What panels work out before they draw.
import assert from "node:assert/strict";
import test from "node:test";
import { edgePoint } from "../../../../assets/stage/panels/links.js";
import { tellingStep } from "../../../../assets/stage/panels/parts.js";
import { events, request, startFrame } from "../../sample.mjs";

test("the telling step is the first at which a shared hit, tags and a queue are all there", () => {
  const empty = startFrame(4), busy = startFrame(4), shared = startFrame(4);
  busy.reqs = { R0: request({ btable: [[1, "new"]] }) };
  busy.slots[1].ref = 1;
  shared.reqs = { R0: request({ btable: [[1, "new"]] }), R1: request({ btable: [[1, "hit"], [2, "new"]], hit: 4 }) };
  Object.assign(shared.slots[1], { ref: 2, hash: "aa" });
  shared.slots[3].hash = "bb";
  Object.assign(shared, { table: { aa: [1], bb: [3] }, queue: [3, 4] });
  const story = events(["alloc", "block", "R0"], ["alloc", "block", "R0"], ["tick", "request", null], ["alloc", "block", "R1"], ["done", "request", "R1"]);
  assert.equal(tellingStep(story, [empty, busy, shared, shared, shared, busy]), 4, "the request with hits stands in the lane");
  assert.equal(tellingStep(story, [empty, busy, busy]), 1);
  assert.equal(tellingStep([], [empty]), 0);
});

test("link lines leave a box at its edge", () => {
  assert.deepEqual(edgePoint({ x: 0, y: 0, w: 10, h: 10 }, { x: 100, y: 0, w: 10, h: 10 }), [10, 5]);
  assert.deepEqual(edgePoint({ x: 0, y: 0, w: 10, h: 10 }, { x: 0, y: 100, w: 10, h: 10 }), [5, 10]);
});
