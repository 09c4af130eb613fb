// Blocks and tokens of the lane: reserved is not computed, known is not stored.
import assert from "node:assert/strict";
import test from "node:test";
import { laneViews } from "../../../../assets/stage/draw/laneview.js";
import { request, startFrame } from "../../sample.mjs";

const HASHES = ["aaaa1", "bbbb2", "cccc3"];
function frameWith(req, slots = {}, table = {}) {
  const frame = startFrame(4);
  for (const [id, part] of Object.entries(slots)) Object.assign(frame.slots[id], part);
  return { ...frame, table, reqs: { R0: req } };
}
const views = (req, slots, table, peak = req.btable) => laneViews(frameWith(req, slots, table), req, 2, peak);
const states = (list) => list.map(({ state }) => state);

test("before anything: plain blocks, the last one may be open, tags as far as they are made", () => {
  const list = views(request({ num_prompt: 5, num_tokens: 5, hashes: HASHES.slice(0, 1) }));
  assert.deepEqual(list.map(({ b, state, full, size, tag }) => [b, state, full, size, tag]), [[0, "plain", true, 2, "aaaa"], [1, "plain", true, 2, ""], [2, "plain", false, 1, ""]]);
  assert.deepEqual(list.map(({ tokens }) => tokens), [["", ""], ["", ""], [""]]);
});

test("after a miss the rest is not looked up", () => {
  assert.deepEqual(states(views(request({ look: { 0: "hit", 1: "miss" }, hashes: HASHES }))), ["hit", "miss", "skip"]);
});

test("reused, computed and reserved tokens; what is not scheduled yet waits", () => {
  const req = request({ status: "running", num_prompt: 8, num_tokens: 8, hit: 2, computed: 6, hashes: HASHES, btable: [[1, "hit"], [2, "new"], [3, "new"], [4, "new"]], look: { 0: "hit", 1: "miss" } });
  const list = views(req, { 1: { fill: 2 }, 2: { fill: 1 }, 3: { fill: 0 }, 4: { fill: 0 } });
  assert.deepEqual(states(list), ["hit", "computed", "reserved", "reserved"]);
  assert.deepEqual(list.map(({ tokens }) => tokens), [["reused", "reused"], ["computed", "reserved"], ["reserved", "reserved"], ["", ""]]);
});

test("answers are answers, whatever is written of them", () => {
  const req = request({ status: "running", num_prompt: 3, num_tokens: 5, computed: 4, hashes: HASHES.slice(0, 2), btable: [[1, "new"], [2, "new"]] });
  const list = views(req, { 1: { fill: 2 }, 2: { fill: 2 } }, { aaaa1: [1], bbbb2: [2] });
  assert.deepEqual(list.map(({ tokens }) => tokens), [["computed", "computed"], ["computed", "answer"], ["answer"]]);
});

test("a block that the last token fills is hashed and never stored: its tag is loose", () => {
  const req = request({ status: "running", num_prompt: 3, num_tokens: 4, computed: 3, hashes: HASHES.slice(0, 2), btable: [[1, "new"], [2, "new"]] });
  const list = views(req, { 1: { fill: 2 }, 2: { fill: 1 } }, { aaaa1: [1] });
  assert.deepEqual(list.map(({ loose }) => loose), [false, true]);
});

test("a tag is not loose while its block is about to be stored, nor where another slot's copy is not its own", () => {
  const req = request({ status: "running", num_prompt: 4, num_tokens: 4, computed: 4, hashes: HASHES.slice(0, 2), btable: [[1, "new"], [2, "new"]] });
  assert.deepEqual(views(req, {}, {}).map(({ loose }) => loose), [false, false]);
  assert.deepEqual(views(req, { 1: { fill: 2 } }, { aaaa1: [3] }).map(({ loose }) => loose), [true, false]);
});

test("rows that were given back stay seen; a preempted request begins anew", () => {
  const done = request({ status: "finished", hashes: HASHES, btable: [] }), peak = [[1, "hit"], [2, "new"], [3, "new"]];
  assert.deepEqual(views(done, {}, {}, peak).map(({ state, freed, slot }) => [state, freed, slot]), [["hit", true, 1], ["computed", true, 2], ["computed", true, 3]]);
  assert.deepEqual(states(views({ ...done, status: "preempted" }, {}, {}, peak)), ["plain", "plain", "plain"]);
});

test("a chain that KV events told of keeps their words", () => {
  const req = request({ status: "told", hashes: HASHES, btable: [[1, "told"], [2, "stored"]] });
  assert.deepEqual(states(views(req)), ["told", "stored", "plain"]);
});
