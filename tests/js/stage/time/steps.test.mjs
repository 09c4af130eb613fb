// Which steps count at which level, and how two runs line up.
import assert from "node:assert/strict";
import test from "node:test";
import { alignSteps, askBetween, differenceSteps, findOp, nextStop, peakTable, pressAt, prevStop, requestAt } from "../../../../assets/stage/time/steps.js";
import { events, request } from "../../sample.mjs";

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

test("at the level of beats a group is one stop, forward and back, whatever level its steps have", () => {
  const run = RUN.map((event) => ([1, 3, 4, 8].includes(event.i) ? { ...event, inner: true } : event));
  const walk = [];
  for (let k = 0; k < run.length; ) walk.push((k = nextStop(run, k, "beat")));
  assert.deepEqual(walk, [1, 3, 6, 7, 8, 10]);
  assert.deepEqual([10, 8, 7, 6, 3, 1].map((k) => prevStop(run, k, "beat")), [8, 7, 6, 3, 1, 0]);
  assert.deepEqual([nextStop(run, 4, "beat"), prevStop(run, 5, "beat")], [6, 3], "from inside a group, where a finer level led");
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

test("one point of view: the lane changes hands at a look-up, and not with every token that others answer", () => {
  const run = events(["arrive", "request", "R0"], ["append", "block", "R0"], ["arrive", "request", "R1"], ["register", "micro", "R0"], ["probe", "micro", "R1"],
    ["compute", "micro", "R0"], ["compute", "micro", "R1"], ["append", "block", "R0"], ["append", "block", "R1"], ["free", "block", "R0"], ["done", "request", "R0"],
    ["append", "block", "R1"], ["done", "request", "R1"]);
  assert.deepEqual(run.map((_, j) => requestAt(run, j + 1)), ["R0", "R0", ...Array(11).fill("R1")]);
});

test("when the request in the lane is done, the lane follows the next one that does something, and stays there", () => {
  const run = events(["arrive", "request", "R0"], ["arrive", "request", "R1"], ["append", "block", "R0"], ["done", "request", "R1"], ["evict", "block", "R0"],
    ["append", "block", "R0"], ["arrive", "request", "R1"], ["append", "block", "R0"]);
  assert.deepEqual(run.map((_, j) => requestAt(run, j + 1)), ["R0", "R1", "R1", "R1", "R1", "R0", "R1", "R1"]);
});

test("a piece of a run that begins in the middle of an answer shows who answers", () => {
  const run = events(["append", "block", "R4"], ["append", "block", "R5"], ["tick", "request", undefined]);
  assert.deepEqual([0, 1, 2, 3].map((k) => requestAt(run, k)), ["R4", "R4", "R4", "R4"]);
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

test("presses are counted in stops: a group of steps is one, and between two stops one is still at the first", () => {
  const events = [{ level: "request" }, { level: "micro", inner: true }, { level: "micro", inner: true }, { level: "micro" }, { level: "request" }];
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((k) => pressAt(events, k, "beat").at), [0, 1, 1, 1, 2, 3]);
  assert.equal(pressAt(events, 0, "beat").all, 3);
  assert.deepEqual(pressAt(events, 5, "micro"), { at: 5, all: 5 });
  assert.deepEqual(pressAt(events.slice(0, 4), 4, "request"), { at: 2, all: 2 });
});
