// The address bar, and a step that the page asks for.
import assert from "node:assert/strict";
import test from "node:test";
import { parseHash, rememberStep, stepBefore, stepToGo, writeHash } from "../../../../assets/stage/play/address.js";

test("the address bar: read, write, leave other people's parameters alone", () => {
  assert.deepEqual(parseHash("#step=23&lvl=block&pin=slot:5"), { step: 23, level: "block", pin: "slot:5", bookmarks: [] });
  assert.deepEqual(parseHash("#step=-1&lvl=x&pin=<b>"), { step: null, level: null, pin: null, bookmarks: [] });
  assert.equal(writeHash("#own=abc&step=1&view=notes", { step: 4, level: "micro", pin: null, bookmarks: [] }), "#own=abc&view=notes&step=4");
  assert.equal(writeHash("", { step: 4, level: "beat", usual: "beat", pin: null, bookmarks: [] }), "#step=4");
  assert.deepEqual(parseHash(writeHash("", { step: 4, level: "micro", usual: "beat", pin: null, bookmarks: [] })).level, "micro");
  const state = { step: 9, level: "request", pin: "blk:R1:2", bookmarks: [3, 8] };
  assert.deepEqual(parseHash(writeHash("", state)), state);
});

test("a step that the page asks for is obeyed once per token", () => {
  assert.equal(stepToGo(["one", 17]), 17);
  assert.equal(stepToGo(["one", 17]), null);
  assert.equal(stepToGo(["two", 0]), 0);
  assert.equal(stepToGo(undefined), null);
});

test("the step of a run is remembered for who comes back, only where the stage is all of the page", () => {
  const at = (story, k, whole = true) => rememberStep({ data: { flags: { whole } }, story, k });
  at("P1", 20), at("P0", 98), at("P1", 21), at("chapter", 5, false);
  assert.equal(stepBefore({ whole: true, step: 0 }, "P1"), 21);
  assert.equal(stepBefore({ whole: true }, "P0"), 98);
  assert.equal(stepBefore({ whole: true, step: 7 }, "P0"), null, "a page that asks for a step gets it");
  assert.equal(stepBefore({ whole: false, step: 0 }, "P0"), null);
  assert.equal(stepBefore({ whole: true }, "chapter"), null);
  for (let n = 0; n < 20; n++) at("other " + n, n);
  assert.equal(stepBefore({ whole: true }, "P0"), null, "the oldest is let go");
});
