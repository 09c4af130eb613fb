import assert from "node:assert/strict";
import test from "node:test";
import { betOf, fallenOf, guessesOf, ranOf } from "../../../../assets/stage/panels/endcard.js";

const ask = (id, fell) => ({ ask: { id, fell, args: { req: "R0" } }, args: {} });
const EVENTS = [ask("empty", { 0: "unsent" }), {}, ask("until", { 0: "all", 2: "zero" }), ask("free", {})];

test("guesses come in the order of the run; only a wrong one has a belief behind it", () => {
  const guesses = guessesOf(EVENTS, new Map([[2, { choice: 2, right: false }], [0, { choice: -1, right: true }], [3, { shown: true }]]));
  assert.deepEqual(guesses.map(({ ask: { id }, right, shown, belief }) => [id, right, shown, belief]),
    [["empty", true, false, null], ["until", false, false, "zero"], ["free", undefined, true, null]]);
  assert.equal(fallenOf(guesses), "zero");
});

test("the first wrong guess that has a belief decides; all right: none fell", () => {
  const first = guessesOf(EVENTS, new Map([[3, { choice: 1, right: false }], [0, { choice: 0, right: false }], [2, { choice: 0, right: false }]]));
  assert.equal(fallenOf(first), "unsent");
  assert.equal(fallenOf(guessesOf(EVENTS, new Map([[3, { choice: 1, right: false }]]))), null);
  assert.equal(fallenOf([]), null);
});

test("each request by what became of its prompt: answer tokens are no part of it", () => {
  const frame = { reqs: { R0: { hit: 0, computed: 19, num_prompt: 15 }, R1: { hit: 8, computed: 16, num_prompt: 14 }, R2: { hit: 4, computed: 4, num_prompt: 9 } } };
  assert.deepEqual(ranOf(frame, ["R0", "R1", "R2", "R3"]), [
    { rid: "R0", reused: 0, computed: 15, asked: 15 }, { rid: "R1", reused: 8, computed: 6, asked: 14 }, { rid: "R2", reused: 4, computed: 0, asked: 9 }]);
});

test("the bet in tokens or per cent, and how far it was off; no bet is no bet", () => {
  const frame = { totals: { hits: 8, queries: 33 } };
  assert.deepEqual(betOf(frame, { n: 16, unit: "tokens" }), { hits: 8, queries: 33, bet: 16, unit: "tokens", share: 16 / 33, rate: 24.2, off: 8 });
  assert.equal(betOf(frame, { n: 50, unit: "percent" }).share, 0.5);
  assert.equal(betOf(frame, { n: 0, unit: "tokens" }).share, 0);
  assert.equal(betOf(frame).share, null);
  assert.equal(betOf({ totals: { hits: 0, queries: 0 } }, { n: 10, unit: "tokens" }).rate, 0);
});
