// Geometry: zones where the plan says, nothing on top of anything else, everything inside.
import assert from "node:assert/strict";
import test from "node:test";
import { FORK, LARGE, modeOf, planOf, WIDE } from "../../../../assets/stage/draw/layout.js";

const overlap = ([x, y, w, h], [x2, y2, w2, h2]) => x < x2 + w2 && x2 < x + w && y < y2 + h2 && y2 < y + h;

function assertApart(boxes) {
  boxes.forEach(([name, box], at) => boxes.slice(at + 1).forEach(([other, box2]) => assert.ok(!overlap(box, box2), name + " on " + other)));
}

const zonesOf = (plan, skip = []) => Object.entries(plan).filter(([name, box]) => Array.isArray(box) && !skip.includes(name));

test("three plans: the wide one below a page's bar, the large one on a screen of 16:9, two runs above each other", () => {
  assert.deepEqual([WIDE, LARGE, FORK].map(({ w, h }) => [w, h]), [[1280, 656], [1280, 720], [1280, 656]]);
  for (const name of ["head", ..."ABCDEFGH"]) assert.ok(WIDE[name], "wide has " + name);
  for (const name of "ACDEFGH") assert.ok(LARGE[name], "large has " + name);
  assert.ok(!LARGE.head && !LARGE.B);
  for (const name of ["head", "L", "C", "E", "L2", "C2", "E2", "G", "H"]) assert.ok(FORK[name], "two runs have " + name);
  for (const name of ["L", "C", "E"]) assert.deepEqual(FORK[name].slice(2), FORK[name + "2"].slice(2), "both runs have equal room for " + name);
});

for (const [name, plan] of [["wide", WIDE], ["large", LARGE], ["two runs", FORK]]) {
  test(name + ": zones stand apart and inside, the bench directly under the request, the ledger's place is the block table's too", () => {
    if (plan.D) assert.deepEqual(plan.D, plan.E);
    assertApart(zonesOf(plan, ["D"]));
    for (const [zone, [x, y, w, h]] of zonesOf(plan)) assert.ok(x >= 0 && y >= 0 && x + w <= plan.w && y + h <= plan.h, zone);
    if (plan.A) assert.ok(plan.G[1] - (plan.A[1] + plan.A[3]) < 10);
  });
}

test("the mode follows the width first, then what is shown", () => {
  assert.deepEqual([390, 699].map((width) => modeOf(width, { fork: true, large: true })), ["phone", "phone"]);
  assert.deepEqual([[false, false], [false, true], [true, false], [true, true]].map(([fork, large]) => modeOf(700, { fork, large })), ["wide", "large", "fork", "fork"]);
  assert.deepEqual(["wide", "large", "fork"].map(planOf), [WIDE, LARGE, FORK]);
});
