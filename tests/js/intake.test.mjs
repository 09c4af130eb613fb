// What arrives from Python: packed logs, the seven parts, steps that a page asks for.
import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { stepToGo } from "../../assets/stage/address.js";
import { tellingStep } from "../../assets/stage/parts.js";
import { isPacked, unpackData, unpackLog } from "../../assets/stage/unpack.js";
import { events, request, startFrame } from "./sample.mjs";

const packed = (log) => ({ z: deflateSync(JSON.stringify(log)).toString("base64") });
const LOG = { meta: { title: "长 \u{1f35c} \ud800" }, events: Array.from({ length: 300 }, (_, i) => ({ i, op: "match" })) };

test("a packed log comes back as it was, a plain one is not touched", async () => {
  assert.ok(isPacked(packed(LOG)) && !isPacked(LOG) && !isPacked(null));
  assert.deepEqual(await unpackLog(packed(LOG)), LOG);
  assert.equal(await unpackLog(LOG), LOG);
  assert.equal(await unpackLog(null), null);
});

test("both logs are unpacked, the rest of the payload stays", async () => {
  const data = { rev: "1", flags: { part: "ref" }, a: packed(LOG), b: packed({ events: [] }) };
  assert.deepEqual(await unpackData(data), { rev: "1", flags: { part: "ref" }, a: LOG, b: { events: [] } });
  assert.deepEqual(await unpackData({ a: LOG, b: null }), { a: LOG, b: null });
});

test("a damaged log is an error, not an empty stage", async () => {
  await assert.rejects(unpackLog({ z: packed(LOG).z.slice(0, 40) }));
});

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

test("a step that the page asks for is obeyed once per token", () => {
  assert.equal(stepToGo(["one", 17]), 17);
  assert.equal(stepToGo(["one", 17]), null);
  assert.equal(stepToGo(["two", 0]), 0);
  assert.equal(stepToGo(undefined), null);
});
