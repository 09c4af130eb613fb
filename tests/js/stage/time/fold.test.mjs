// Patches make frames: forward only, sharing what did not change, and the same as doing it the slow way.
import assert from "node:assert/strict";
import test from "node:test";
import { applyPatches, foldAll } from "../../../../assets/stage/time/fold.js";
import { deepFreeze, randomSource, startFrame } from "../../sample.mjs";

/** The obvious way: copy everything, then change the copy. */
function slowly(frame, patches) {
  const next = structuredClone(frame);
  for (const [path, value] of structuredClone(patches)) applySlow(next, path, value, patches);
  return next;
}

function applySlow(next, path, value) {
  const [first, move] = path;
  if (first === "queue" && typeof move === "string") {
    if (move === "out") next.queue = next.queue.filter((id) => id !== value);
    if (move === "back") next.queue = [...next.queue, value];
    if (move === "at") next.queue = [...next.queue.slice(0, value[0]), value[1], ...next.queue.slice(value[0])];
    return;
  }
  let node = next;
  for (const key of path.slice(0, -1)) node = node[key];
  if (value === undefined) delete node[path.at(-1)];
  else node[path.at(-1)] = value;
}

test("set, append and delete", () => {
  const frame = deepFreeze(startFrame(3));
  const next = applyPatches(frame, [[["clock"], 7], [["slots", "2", "ref"], 1], [["waiting", 0], "R0"], [["table", "ab"], [2]]]);
  assert.equal(next.clock, 7);
  assert.equal(next.slots["2"].ref, 1);
  assert.deepEqual(next.waiting, ["R0"]);
  assert.deepEqual(applyPatches(next, [[["table", "ab"]]]).table, {});
  assert.deepEqual(applyPatches(next, [[["waiting", 0]]]).waiting, []);
  assert.deepEqual(frame, startFrame(3));
});

test("moves in a line: out, back, at", () => {
  const frame = deepFreeze(startFrame(4));
  const queue = (...patches) => applyPatches(frame, patches).queue;
  assert.deepEqual(queue([["queue", "out"], 2]), [1, 3, 4]);
  assert.deepEqual(queue([["queue", "out"], 1], [["queue", "back"], 1]), [2, 3, 4, 1]);
  assert.deepEqual(queue([["queue", "out"], 4], [["queue", "at"], [0, 4]]), [4, 1, 2, 3]);
  assert.deepEqual(queue([["queue", "out"], 4], [["queue", "at"], [2, 4]]), [1, 2, 4, 3]);
  assert.deepEqual(queue([["queue"], [9]]), [9]);
  const waiting = applyPatches(frame, [[["waiting", "back"], "B"], [["waiting", "at"], [0, "out"]]]);
  assert.deepEqual(waiting.waiting, ["out", "B"]);
  assert.deepEqual(applyPatches(waiting, [[["waiting", "out"], "out"], [["reqs", "out"], {}]]).waiting, ["B"]);
});

test("what a patch does not touch is shared", () => {
  const frame = deepFreeze(startFrame(5));
  const next = applyPatches(frame, [[["slots", "2", "ref"], 1]]);
  assert.notEqual(next.slots, frame.slots);
  assert.equal(next.slots["1"], frame.slots["1"]);
  assert.equal(next.queue, frame.queue);
  assert.equal(applyPatches(frame, []), frame);
});

function randomPatches(random, frame) {
  const id = 1 + random(6), inQueue = frame.queue.includes(id);
  const patches = [[["slots", String(id), "ref"], inQueue ? 1 : 0], [["clock"], frame.clock + 1]];
  if (inQueue) patches.push([["queue", "out"], id]);
  else patches.push(random(2) ? [["queue", "back"], id] : [["queue", "at"], [random(frame.queue.length + 1), id]]);
  const hash = "h" + random(4);
  if (frame.table[hash] && random(2)) patches.push([["table", hash]]);
  else patches.push([["table", hash], [id]]);
  if (frame.waiting.length < 3) patches.push([["waiting", frame.waiting.length], "R" + id]);
  else patches.push([["waiting"], []]);
  return patches;
}

test("1,000 random events: equal to the slow way, and going back gives the very frame that was left", () => {
  const random = randomSource(7), events = [];
  let slow = startFrame(6);
  const slowFrames = [slow];
  for (let k = 0; k < 1000; k++) {
    const patch = randomPatches(random, slow);
    events.push({ patch });
    slowFrames.push((slow = slowly(slow, patch)));
  }
  const init = deepFreeze(startFrame(6)), frames = foldAll(init, deepFreeze(events));
  assert.equal(frames.length, events.length + 1);
  const plain = (frame) => ({ ...frame, slots: { ...frame.slots } });
  frames.forEach((frame, k) => assert.deepEqual(plain(frame), slowFrames[k]));
  const again = foldAll(init, events);
  for (const k of [0, 1, 499, 1000]) assert.deepEqual(again[k], frames[k]);
});

test("requests and tags behave as plain objects do, in order of insertion", () => {
  const init = { ...startFrame(2), table: { aa: [1] }, reqs: { R0: { hit: 0 } } };
  const patches = [[["table", "bb"], [2]], [["table", "aa"]], [["table", "aa"], [2]], [["reqs", "R1"], { hit: 4 }], [["reqs", "R0", "hit"], 8]];
  const frames = foldAll(deepFreeze(init), patches.map((patch) => ({ patch: [patch] })));
  const last = frames.at(-1);
  assert.deepEqual(Object.entries(last.table), [["bb", [2]], ["aa", [2]]]);
  assert.deepEqual([Object.keys(last.reqs), last.reqs.R0.hit, "R1" in last.reqs, last.reqs.R2], [["R0", "R1"], 8, true, undefined]);
  assert.deepEqual([frames[0].reqs.R0.hit, Object.keys(frames[1].table), Object.keys(frames[2].table)], [0, ["aa", "bb"], ["bb"]]);
  assert.deepEqual(JSON.parse(JSON.stringify(last.reqs)), { R0: { hit: 8 }, R1: { hit: 4 } });
});
