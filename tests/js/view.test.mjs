// What a frame means to the eye, and which steps count.
import assert from "node:assert/strict";
import test from "node:test";
import { alignSteps, askBetween, differenceSteps, findOp, nextStop, peakTable, prevStop, requestAt } from "../../assets/stage/steps.js";
import { blockViews, eventKeys, shapeOf, slotKeys, slotView, spotOf } from "../../assets/stage/view.js";
import { edgePoint } from "../../assets/stage/links.js";
import { stepToX, tickKind, xToStep } from "../../assets/stage/timeline.js";
import { events, request, startFrame } from "./sample.mjs";

const HASH = "9049aa00", OTHER = "5ae6bb11";

function busyFrame() {
  const frame = startFrame(5);
  Object.assign(frame.slots, { 1: { ref: 2, hash: HASH, fill: 4, owners: ["R0", "R1"], last: 3 }, 2: { ref: 1, hash: OTHER, fill: 4, owners: ["R1"], last: 3 },
    3: { ref: 0, hash: HASH, fill: 4, owners: [], last: 2 }, 4: { ref: 0, hash: null, fill: 2, owners: [], last: 1 } });
  frame.table = { [HASH]: [1, 3], [OTHER]: [2] };
  frame.reqs = { R0: request({ btable: [[1, "new"]], hashes: [HASH] }), R1: request({ btable: [[1, "hit"], [2, "new"]], hashes: [HASH, OTHER], look: { 0: "hit", 1: "miss" } }) };
  return frame;
}

test("provenance belongs to request and block: one slot, two views", () => {
  const frame = busyFrame();
  const state = (id, rid) => slotView(frame, id, rid, null).state;
  assert.deepEqual([state("1", "R0"), state("1", "R1"), state("1", "R9")], ["computed", "reused", "others"]);
  assert.deepEqual([state("2", "R0"), state("3", "R0"), state("4", "R0"), state("5", "R0")], ["others", "cached", "dirty", "empty"]);
  assert.equal(slotView(frame, "3", "R0", null).copyOf, 1);
  assert.equal(slotView(frame, "1", "R0", null).copyOf, 0);
});

test("an evicted slot shows its old tag for this step only", () => {
  const frame = startFrame(2), event = { op: "evict", slot: 2, tag: "9049" };
  assert.deepEqual([slotView(frame, "2", null, event).state, slotView(frame, "2", null, event).tag], ["evicted", "9049"]);
  assert.equal(slotView(frame, "1", null, event).state, "empty");
  assert.equal(slotView(frame, "2", null, null).state, "empty");
});

test("blocks of a request: hit, computed, missed, not looked up, not full", () => {
  const size = 4, looked = request({ num_tokens: 14, look: { 0: "hit", 1: "miss" }, hashes: [HASH, OTHER, "cc"] });
  assert.deepEqual(blockViews(looked, size).map((view) => view.state), ["hit", "miss", "skip", "skip"]);
  assert.deepEqual(blockViews(looked, size).map((view) => [view.full, view.size]), [[true, 4], [true, 4], [true, 4], [false, 2]]);
  const placed = { ...looked, btable: [[1, "hit"], [5, "new"], [6, "new"], [7, "new"]] };
  assert.deepEqual(blockViews(placed, size).map((view) => view.state), ["hit", "new", "new", "new"]);
});

test("link keys", () => {
  assert.deepEqual(slotKeys(busyFrame(), "1"), ["slot:1", "tag:9049", "req:R0", "blk:R0:0", "req:R1", "blk:R1:0"]);
  assert.deepEqual(eventKeys({ i: 3, slot: 5, tag: "9049", rid: "R1", b: 0 }), ["ev:3", "slot:5", "tag:9049", "req:R1", "blk:R1:0"]);
});

test("shapes: six of them, then letters only; other names by order of arrival", () => {
  assert.equal(shapeOf("R1", []), "triangle");
  assert.equal(shapeOf("R6", []), null);
  assert.equal(shapeOf("anna", ["ben", "anna"]), "triangle");
});

test("exactly one spotlight for every op that shows something", () => {
  const base = { slot: 5, b: 2, tag: "9049" };
  const expected = { arrive: "lane", cut: "blk:2", hash: "tagof:2", probe: "row:9049", match: "slot:5", miss: "blk:2", plan: "lane", touch: "slot:5",
    evict: "slot:5", alloc: "slot:5", compute: "slot:5", register: "row:9049", dup: "slot:5", append: "slot:5", free: "slot:5", done: "totals", wait: "lane", ttl: "slot:5" };
  for (const [op, spot] of Object.entries(expected)) assert.equal(spotOf({ op, ...base }), spot, op);
  assert.equal(spotOf(null), null);
});

const RUN = events(["arrive", "request", "R0"], ["hash", "micro", "R0"], ["probe", "micro", "R0"], ["miss", "block", "R0"], ["plan", "block", "R0"],
  ["alloc", "block", "R0"], ["compute", "micro", "R0"], ["done", "request", "R0"], ["arrive", "request", "R1"], ["miss", "block", "R1"]);

test("three step sizes, forward and back", () => {
  const walk = (level) => {
    const seen = [];
    for (let k = 0; k < RUN.length; ) seen.push((k = nextStop(RUN, k, level)));
    return seen;
  };
  assert.deepEqual(walk("micro"), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(walk("block"), [1, 4, 5, 6, 8, 9, 10]);
  assert.deepEqual(walk("request"), [1, 8, 9, 10]);
  for (const level of ["micro", "block", "request"]) {
    const stops = [0, ...walk(level)];
    for (let j = stops.length - 1; j > 0; j--) assert.equal(prevStop(RUN, stops[j], level), stops[j - 1], level + " from " + stops[j]);
  }
});

test("next and previous miss; stays when there is none", () => {
  assert.equal(findOp(RUN, 0, ["miss"], 1), 4);
  assert.equal(findOp(RUN, 4, ["miss"], 1), 10);
  assert.equal(findOp(RUN, 10, ["miss"], 1), 10);
  assert.equal(findOp(RUN, 10, ["miss"], -1), 4);
  assert.equal(findOp(RUN, 3, ["evict"], 1), 3);
});

test("an open question stops a step of any size, an answered one does not", () => {
  const run = RUN.map((event) => (event.i === 3 ? { ...event, ask: { id: "M3" } } : event));
  assert.equal(askBetween(run, 0, 8, () => false), 3);
  assert.equal(askBetween(run, 3, 4, () => false), 3);
  assert.equal(askBetween(run, 4, 8, () => false), -1);
  assert.equal(askBetween(run, 0, 8, () => true), -1);
});

test("the request in the lane, and its longest block table", () => {
  assert.equal(requestAt(RUN, 0), "R0");
  assert.equal(requestAt(RUN, 9), "R1");
  const tables = [[], [[1, "new"]], [[1, "new"], [2, "new"]], [[1, "new"]], []];
  const frames = tables.map((btable) => ({ reqs: { R0: request({ btable }) } }));
  assert.deepEqual(peakTable(frames, 4, "R0"), tables[2]);
  assert.deepEqual(peakTable(frames, 3, "R0"), tables[2]);
  assert.deepEqual(peakTable(frames, 1, "R0"), tables[1]);
  assert.deepEqual(peakTable([...frames, { reqs: { R0: request({ btable: [[7, "new"]] }) } }], 5, "R0"), [[7, "new"]]);
});

test("two runs line up at arrivals, plans and ends; differences are where the totals part", () => {
  const shorter = events(["arrive", "request", "R0"], ["plan", "block", "R0"], ["done", "request", "R0"], ["arrive", "request", "R1"], ["miss", "block", "R1"]);
  const aligned = alignSteps(RUN, shorter);
  assert.deepEqual([aligned[0], aligned[1], aligned[5], aligned[8], aligned[9], aligned[10]], [0, 1, 2, 3, 4, 5]);
  for (let k = 1; k < aligned.length; k++) assert.ok(aligned[k] >= aligned[k - 1]);
  assert.deepEqual([...alignSteps(RUN, RUN)], RUN.map((_, k) => k).concat(RUN.length));
  const framesA = [0, 0, 4, 4].map((hits) => ({ totals: { hits, computed: 0, evicted: 0 } }));
  const framesB = [0, 0, 0, 0].map((hits) => ({ totals: { hits, computed: 0, evicted: 0 } }));
  assert.deepEqual(differenceSteps(framesA, framesB, [0, 1, 2, 3]), [2]);
});

test("timeline: a step and its place are each other's inverse", () => {
  for (const total of [1, 89, 5000]) for (const step of [0, 1, Math.floor(total / 2), total]) assert.equal(xToStep(stepToX(step, total, 1248), total, 1248), step);
  assert.deepEqual(["match", "miss", "compute", "evict", "ttl", "register", "free"].map((op) => tickKind({ op })), ["hit", "miss", "miss", "evict", "evict", "register", "other"]);
});

test("link lines leave a box at its edge", () => {
  assert.deepEqual(edgePoint({ x: 0, y: 0, w: 10, h: 10 }, { x: 100, y: 0, w: 10, h: 10 }), [10, 5]);
  assert.deepEqual(edgePoint({ x: 0, y: 0, w: 10, h: 10 }, { x: 0, y: 100, w: 10, h: 10 }), [5, 10]);
});
