// What a frame means to the eye, where a step stands on the timeline, light or dark.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { luminance, themeOf } from "../../../../assets/stage/draw/theme.js";
import { stepToX, xToStep } from "../../../../assets/stage/draw/timeline.js";
import { blockViews, eventKeys, eventsOf, isPromised, shapeOf, slotKeys, slotView, spotOf, STATE_GLYPH } from "../../../../assets/stage/draw/view.js";
import { events, request, startFrame } from "../../sample.mjs";

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

test("a slot that is taken is reserved until something is written; then its cells tell what is planned", () => {
  const frame = busyFrame(), taken = { 6: { ref: 1, hash: OTHER, fill: 0, owners: ["R2"], last: 4 }, 7: { ref: 1, hash: null, fill: 1, owners: ["R2"], last: 4 } };
  Object.assign(frame.slots, taken);
  frame.reqs.R2 = request({ num_prompt: 7, num_tokens: 7, computed: 7, btable: [[6, "new"], [7, "new"]], hashes: [OTHER] });
  const look = (id, rid) => slotView(frame, id, rid, [], 4);
  assert.deepEqual([look("6", "R2").state, look("6", "R2").reserved], ["reserved", 4]);
  assert.deepEqual([look("7", "R2").state, look("7", "R2").reserved], ["computed", 2]);
  assert.deepEqual([look("6", "R0").state, look("6", "R0").reserved], ["others", 4]);
  assert.equal(look("3", "R2").reserved, 0);
  assert.deepEqual(blockViews(frame.reqs.R2, 4, undefined, frame.slots).map((view) => view.state), ["reserved", "new"]);
  assert.deepEqual([[6], [2, 6], [2], []].map((ids) => isPromised(frame, ids, 4)), [true, false, false, false]);
});

test("each state has a look of its own: what is missing in the glyph, border and pattern carry", () => {
  const glyphs = Object.values(STATE_GLYPH).filter(Boolean);
  assert.equal(new Set(glyphs).size, glyphs.length);
  assert.ok(STATE_GLYPH.reserved);
  const css = readFileSync(new URL("../../../../assets/stage/stage.css", import.meta.url), "utf8");
  const looks = ["cached", "dirty", "reserved", "reused", "computed", "others", "evicted"].map((state) => {
    const rule = new RegExp(`^\\[data-state=${state}\\]:is\\(\\.slot.*?\\{ (.*) \\}$`, "m").exec(css)?.[1];
    assert.ok(rule, state);
    return [/background: (.*?);/.exec(rule)[1], /border: (.*?);/.exec(rule)?.[1] ?? "2px dotted"].join(" | ");
  });
  assert.equal(new Set(looks).size, looks.length);
});

test("at level beat a step tells of its whole group: all slots that were evicted in it look so", () => {
  const frame = busyFrame(), told = events(["evict", "block", "R2", { slot: 3, tag: "9049" }], ["alloc", "micro", "R2", { slot: 3 }], ["evict", "block", "R2", { slot: 4, tag: "beef", beat: { from: 0, cap: "x", args: {} } }]);
  assert.deepEqual(eventsOf(told, 3, "beat").length, 3);
  assert.deepEqual(eventsOf(told, 3, "micro"), [told[2]]);
  assert.deepEqual([eventsOf(told, 0, "beat"), eventsOf(told, 2, "beat")], [[], [told[1]]]);
  assert.deepEqual(["3", "4", "5"].map((id) => slotView(frame, id, "R2", eventsOf(told, 3, "beat")).state), ["evicted", "evicted", "empty"]);
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
  const expected = { arrive: "lane", cut: "blk:2", hash: "tagof:2", probe: "tagof:2", match: "slot:5", miss: "blk:2", plan: "lane", touch: "slot:5",
    evict: "slot:5", alloc: "slot:5", compute: "slot:5", register: "row:9049", dup: "slot:5", append: "slot:5", free: "slot:5", done: "totals", wait: "lane", ttl: "slot:5" };
  for (const [op, spot] of Object.entries(expected)) assert.equal(spotOf({ op, ...base }), spot, op);
  assert.equal(spotOf(null), null);
});

test("at level beat the ring stands where the caption of the group speaks of", () => {
  const of = (op, cap, more = {}) => ({ op, slot: 5, b: 2, tag: "9049", beat: { cap, args: {}, from: 0 }, ...more });
  assert.equal(spotOf(of("done", "beat.done.back"), "beat"), "queue", "it says in which order slots join the queue");
  assert.equal(spotOf(of("free", "beat.free"), "beat"), "queue");
  assert.equal(spotOf(of("register", "beat.alloc.tags"), "beat"), "slot:5", "slots are reserved");
  assert.equal(spotOf(of("register", "beat.evict"), "beat"), "slot:5");
  assert.equal(spotOf(of("hash", "beat.arrive"), "beat"), "lane");
  assert.equal(spotOf(of("hash", "beat.hash"), "beat"), "tagof:2");
  assert.equal(spotOf(of("done", "beat.done.back"), "micro"), "totals", "step by step each speaks for itself");
});

test("timeline: a step and its place are each other's inverse", () => {
  for (const total of [1, 89, 5000]) for (const step of [0, 1, Math.floor(total / 2), total]) assert.equal(xToStep(stepToX(step, total, 1248), total, 1248), step);
});

test("light or dark follows the background", () => {
  assert.equal(luminance("#ffffff").toFixed(2), "1.00");
  assert.equal(luminance("rgb(0, 0, 0)"), 0);
  assert.equal(luminance("transparent"), null);
  assert.equal(themeOf("#0e1117", false), "dark");
  assert.equal(themeOf("rgb(255, 255, 255)", true), "light");
  assert.equal(themeOf("", true), "dark");
});
