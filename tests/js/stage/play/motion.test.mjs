// How long a step moves: a beat's chips start one after another, and many of them still end in time.
import assert from "node:assert/strict";
import test from "node:test";
import { durationOf } from "../../../../assets/stage/play/motion.js";

const last = (op, from, i) => ({ op, i, beat: { from, cap: "x", args: {} } });

test("one travelling chip takes 520 ms, each further one of a beat 170 ms more, and none makes it longer than 2.4 s", () => {
  assert.equal(durationOf({ op: "alloc", i: 8 }, "micro"), 520);
  assert.equal(durationOf(last("free", 6, 8), "beat"), 520 + 2 * 170);
  assert.equal(durationOf(last("free", 6, 8), "micro"), 520);
  assert.ok(Math.abs(durationOf(last("compute", 0, 99), "beat") - 2400) < 1e-6);
  assert.ok(durationOf({ op: "done", i: 3 }, "micro") < 520);
  assert.equal(durationOf(null, "beat"), 0);
});
