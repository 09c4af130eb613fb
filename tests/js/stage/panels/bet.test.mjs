import assert from "node:assert/strict";
import test from "node:test";
import { betAt, betByKey, betSaid, betTokens, isBetting, takeBet } from "../../../../assets/stage/panels/bet.js";

const run = { log: { meta: {}, init: { slots: {} }, events: [{ op: "arrive", args: { n: 11 } }, { op: "cut", args: {} }, { op: "arrive", args: { n: 22 } }] } };
const stageOf = (more = {}) => ({ k: 0, ask: null, flags: { ask: true }, runB: null, hidden: new Set(), data: { flags: { card: { bet: null, unit: "tokens" } } }, run, betTimer: 0, t: (key, args) => key + JSON.stringify(args ?? {}), ...more });

test("a click on a cell counts it with all before it; left of the first is none, right of the last is all", () => {
  assert.deepEqual([-5, 0, 1, 10, 10.5, 329, 330, 400].map((x) => betAt(x, 330, 33)), [0, 0, 1, 1, 2, 33, 33, 33]);
});

test("arrows by one, page keys by a tenth, never past the ends; other keys are not the bar's", () => {
  assert.deepEqual(["ArrowRight", "ArrowLeft", "PageUp", "End", "Home"].map((key) => betByKey(key, null, 33)), [1, 0, 3, 33, 0]);
  assert.deepEqual(["ArrowUp", "PageUp", "ArrowDown"].map((key) => betByKey(key, 33, 33)), [33, 33, 32]);
  assert.equal(betByKey("n", 3, 33), undefined);
});

test("asked at step 0 alone, where questions are on and the run has a card at its end", () => {
  assert.equal(isBetting(stageOf()), true);
  for (const more of [{ k: 1 }, { flags: { ask: false } }, { runB: {} }, { data: { flags: {} } }, { hidden: new Set(["quiz"]) }, { ask: {} },
    { run: { log: { ...run.log, meta: { told: "kv_events" } } } }, { run: { log: { ...run.log, events: [] } } }]) assert.equal(isBetting(stageOf(more)), false, JSON.stringify(more));
});

test("nothing is set beforehand; tokens and a share of old links are kept as they were told", () => {
  assert.match(betSaid(stageOf({ bet: null })), /^stage\.bet\.open/);
  assert.equal(betSaid(stageOf({ bet: { n: 16, unit: "tokens" } })), 'stage.bet.tokens{"n":16,"total":33}');
  assert.equal(betSaid(stageOf({ bet: { n: 40, unit: "percent" } })), 'stage.bet.percent{"n":40,"total":33}');
  assert.deepEqual([betTokens(null, 33), betTokens({ n: 0, unit: "tokens" }, 33), betTokens({ n: 50, unit: "percent" }, 33)], [null, 0, 16.5]);
});

test("what Python knows is taken, unless a newer bet is on its way there; another run takes its own", () => {
  const card = { bet: 5, unit: "tokens" }, stage = stageOf({ data: { flags: { card } }, bet: { n: 7, unit: "tokens" }, betTimer: 1 });
  takeBet(stage, false);
  assert.equal(stage.bet.n, 7);
  takeBet(stage, true);
  assert.deepEqual([stage.bet, stage.betTimer], [{ n: 5, unit: "tokens" }, 0]);
  takeBet(Object.assign(stage, { data: { flags: { card: { bet: null, unit: "tokens" } } } }), false);
  assert.equal(stage.bet, null);
});
