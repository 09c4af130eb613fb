import assert from "node:assert/strict";
import test from "node:test";
import { addHand, askArgs, choiceOfDigit, choiceOfThing, choicesOf, isAsking, NONE_HITS } from "../../../../assets/stage/panels/quiz.js";

const said = (...choices) => Object.fromEntries(choices.map((choice) => [choice, "stage.said.x"]));
const LANE = { kind: "lane", rid: "R1", said: said(-1, 0, 1, 2), answers: [1], args: { near: 2 } };
const POOL = { kind: "pool", rid: "R1", said: said(1, 2, 3, 10), answers: [3] };
const CHOICE = { kind: "choice", rid: "R1", said: said(0, 1), options: ["a", "b"], answers: [0] };

const stageOf = (ask, more = {}) => ({ flags: { ask: true }, runB: null, hidden: new Set(), k: 0, events: [{ i: 0, ask, args: { block: 0 } }], asks: new Map(), votes: new Map(), ...more });

test("all that has a sentence can be chosen, none first, in order", () => {
  assert.deepEqual(choicesOf(LANE), [-1, 0, 1, 2]);
  assert.deepEqual(choicesOf(POOL), [1, 2, 3, 10]);
});

test("digits: a block and a slot have their own numbers, block 0 is 0, options count from 1", () => {
  assert.deepEqual([0, 1, 2].map((digit) => choiceOfDigit(LANE, digit)), [0, 1, 2]);
  assert.equal(choiceOfDigit(POOL, 3), 3);
  assert.equal(choiceOfDigit(POOL, 1), null, "it may be the beginning of #10");
  assert.equal(choiceOfDigit(CHOICE, 1), 0);
});

test("a click on a thing: a block of the asked request alone, or a slot; a question with options is answered by its buttons", () => {
  assert.equal(choiceOfThing(LANE, ["blk:R1:2", "tag:9503"]), 2);
  assert.equal(choiceOfThing(LANE, ["blk:R0:2"]), null);
  assert.equal(choiceOfThing(POOL, ["slot:10", "blk:R0:1"]), 10);
  assert.equal(choiceOfThing(POOL, ["tag:9503"]), null);
  assert.equal(choiceOfThing(CHOICE, ["slot:1"]), null);
});

test("a question stands open until it is answered, and only where questions are on", () => {
  assert.equal(isAsking(stageOf(LANE)), true);
  assert.equal(isAsking(stageOf(LANE, { asks: new Map([[0, { right: true }]]) })), false);
  assert.equal(isAsking(stageOf(LANE, { flags: { ask: false } })), false);
  assert.equal(isAsking(stageOf(LANE, { runB: {} })), false);
  assert.equal(isAsking(stageOf(LANE, { hidden: new Set(["quiz"]) })), false);
  assert.equal(isAsking(stageOf(undefined)), false);
  assert.equal(isAsking(stageOf(LANE, { k: 1 })), false);
  for (const [ask, name, open] of [[LANE, "lane", false], [POOL, "lane", true], [POOL, "pool", false], [CHOICE, "pool", true], [CHOICE, "story", false]]) {
    assert.equal(isAsking(stageOf(ask, { hidden: new Set([name]) })), open, ask.kind + " without " + name);
  }
});

test("words may name what the step knows, and what the question knows", () => {
  assert.deepEqual(askArgs({ ask: LANE, args: { block: 0, near: 1 } }), { block: 0, near: 2 });
});

test("hands are counted by choice and round; what cannot be chosen is no vote", () => {
  const stage = stageOf(LANE);
  for (const choice of [NONE_HITS, 1, 1]) assert.equal(addHand(stage, choice), true);
  assert.equal(addHand(stage, 9), false);
  assert.deepEqual(stage.votes.get(0), [[1, 0, 2]]);
  stage.votes.get(0).push([]);
  addHand(stage, 2);
  assert.deepEqual(stage.votes.get(0), [[1, 0, 2], [0, 0, 0, 1]]);
  assert.equal(addHand(stageOf(LANE, { asks: new Map([[0, {}]]) }), 1), false);
});
