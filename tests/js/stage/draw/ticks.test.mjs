// The timeline: outcomes of what was seen; of what lies ahead nothing, as long as questions are on.
import assert from "node:assert/strict";
import test from "node:test";
import { bandsOf, RANK, thinTicks, tickKind, ticksOf } from "../../../../assets/stage/draw/ticks.js";

const OPS = ["arrive", "cut", "hash", "probe", "match", "miss", "touch", "evict", "alloc", "compute"];
const ten = OPS.map((op, i) => ({ i, op, rid: i < 6 ? "R0" : "R1", ...(op === "match" && { ask: { id: "hit" } }) }));
const many = Array.from({ length: 5000 }, (_, i) => ({ ...ten[i % 10], i, rid: "R" + Math.floor(i / 50) }));

test("each outcome has a kind, and every kind a rank", () => {
  const kinds = ["match", "miss", "compute", "evict", "ttl", "register", "alloc", "free", "probe"].map((op) => tickKind({ op }));
  assert.deepEqual(kinds, ["hit", "miss", "miss", "evict", "evict", "tag", "reserved", "free", "other"]);
  for (const op of [...OPS, "free", "done", "no such op"]) assert.ok(RANK.includes(tickKind({ op })), op);
});

for (const [name, events] of [["10", ten], ["5,000", many]]) {
  test(name + " steps: what lies ahead is all alike while questions are on, at the open question too", () => {
    for (const k of [0, 4, Math.floor(events.length / 2), events.length]) {
      const ticks = ticksOf(events, k, { ask: true, asks: new Map() });
      assert.equal(ticks.length, events.length);
      assert.deepEqual([...new Set(ticks.slice(k))], k < events.length ? ["ahead"] : []);
      assert.ok(!ticks.slice(0, k).includes("ahead"));
      assert.deepEqual(ticks.slice(0, k), ticksOf(events, events.length).slice(0, k));
    }
  });

  test(name + " steps: no outcome of what lies ahead can be told from the drawing", () => {
    const k = 4, other = events.map((event, j) => (j < k ? event : { i: j, op: "evict", rid: "R9" }));
    const drawn = (log) => [thinTicks(ticksOf(log, k, { ask: true, asks: new Map() }), 1196), bandsOf(log, k, true)];
    assert.deepEqual(drawn(other), drawn(events));
    assert.notDeepEqual(ticksOf(other, k), ticksOf(events, k), "with questions off the future may be seen");
  });
}

test("a question that was answered leaves its mark, one that was not yet asked leaves none", () => {
  assert.equal(ticksOf(ten, 5, { ask: true, asks: new Map([[4, {}]]) })[4], "asked");
  assert.equal(ticksOf(ten, 4, { ask: true, asks: new Map([[4, {}]]) })[4], "ahead");
  assert.equal(ticksOf(ten, 5, { ask: false, asks: new Map([[4, {}]]) })[4], "hit");
});

test("where ticks would lie on each other the weightier one is drawn, in order, and each column once", () => {
  const ticks = ticksOf(many, many.length), thin = thinTicks(ticks, 1000);
  assert.equal(thin.length, 1000);
  for (const [j, kind] of thin) {
    assert.equal(ticks[j], kind);
    const column = ticks.slice(Math.floor(j / 5) * 5, Math.floor(j / 5) * 5 + 5);
    assert.equal(RANK.indexOf(kind), Math.max(...column.map((one) => RANK.indexOf(one))));
  }
  assert.deepEqual(thinTicks(["hit", "miss"], 1000), [[0, "hit"], [1, "miss"]]);
});

test("bands follow the requests, and end at this step while questions are on", () => {
  assert.deepEqual(bandsOf(ten, 3, false), [[0, 6, "R0"], [6, 10, "R1"]]);
  assert.deepEqual(bandsOf(ten, 8, true), [[0, 6, "R0"], [6, 8, "R1"]]);
  assert.deepEqual(bandsOf(ten, 0, true), []);
});

test("5,000 steps are sorted out in a fraction of a frame", () => {
  const start = performance.now();
  for (let round = 0; round < 20; round++) thinTicks(ticksOf(many, 2500, { ask: true, asks: new Map() }), 1196);
  assert.ok((performance.now() - start) / 20 < 12, "milliseconds");
});
