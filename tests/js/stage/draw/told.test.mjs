// A run drawn from KV events: other words where an engine's would claim too much, other totals, other states of blocks.
import assert from "node:assert/strict";
import test from "node:test";
import { toldKey, toldTotals } from "../../../../assets/stage/draw/told.js";
import { blockViews, slotView, spotOf } from "../../../../assets/stage/draw/view.js";
import { request, startFrame } from "../../sample.mjs";

const stage = (meta) => ({ log: { meta } });

test("words change only where a stream is drawn", () => {
  assert.equal(toldKey(stage({}), "stage.zone.A"), "stage.zone.A");
  assert.equal(toldKey(stage({ told: "kv_events" }), "stage.zone.A"), "stage.zone.A.kv_events");
});

test("totals are those of the events, and what is cached is counted from the slots", () => {
  const frame = startFrame(3);
  Object.assign(frame.slots[2], { hash: "aa" });
  frame.totals = { ...frame.totals, stored: 5, evicted: 4, hits: 99 };
  assert.deepEqual(toldTotals(frame).map(([name, value]) => [name, value]), [["stored", 5], ["removed", 4], ["shown", 1]]);
});

test("a chain's blocks are stored just now or told before; a slot without holders is cached, never idle in a queue", () => {
  const chain = request({ num_tokens: 8, look: { 0: "told", 1: "stored" }, hashes: ["aa", "bb"] });
  assert.deepEqual(blockViews(chain, 4).map((view) => [view.state, view.full, view.tag]), [["told", true, "aa"], ["stored", true, "bb"]]);
  const frame = startFrame(2);
  Object.assign(frame.slots[1], { hash: "aa", fill: 4 });
  frame.table = { aa: [1] };
  assert.equal(slotView(frame, "1", "C1", null).state, "cached");
  assert.equal(spotOf({ op: "chain", rid: "C1", b: 0 }), "lane");
  assert.equal(spotOf({ op: "evict", tag: "aa" }), null);
});
