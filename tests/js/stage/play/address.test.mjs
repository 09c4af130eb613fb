// The address bar, and a step that the page asks for.
import assert from "node:assert/strict";
import test from "node:test";
import { parseHash, stepToGo, writeHash } from "../../../../assets/stage/play/address.js";

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
