// The browser keeps its own choices of fields until Python says that it heard them.
import assert from "node:assert/strict";
import test from "node:test";

import { chosen, unheard, withOwn } from "../../../assets/page/fields.js";

const NONE = { of: "a", last: 0, picks: [] };
const rows = [{ path: "x", role: "", proposed: false }, { path: "y", role: "time", proposed: true }];
const roles = (own) => withOwn(rows, own).map((row) => row.role);

test("an answer that is older than a choice does not take it back", () => {
  const first = chosen(NONE, "x", "prompt", 100), both = chosen(first, "y", "", 150);
  assert.deepEqual(both.picks, [[100, "x", "prompt"], [150, "y", ""]], "all that was not heard is told again");
  const late = unheard(both, { of: "a", heard: 100 });
  assert.deepEqual(late.picks, [[150, "y", ""]]);
  assert.deepEqual(roles(late), ["", ""], "Python says what x is, the person what y is");
  assert.deepEqual(roles(unheard(both, { of: "a", heard: 0 })), ["prompt", ""]);
  assert.deepEqual(roles(unheard(both, { of: "a", heard: 150 })), ["", "time"]);
});

test("of one field the last choice counts, and it is no proposal", () => {
  const twice = chosen(chosen(NONE, "y", "id", 1), "y", "tenant", 2);
  assert.deepEqual(withOwn(rows, twice)[1], { path: "y", role: "tenant", proposed: false });
});

test("each choice has a higher number than any before, also when the clock stands still or goes back", () => {
  const told = unheard(NONE, { of: "a", heard: 900 });
  assert.deepEqual(chosen(chosen(told, "x", "id", 7), "x", "", 7).picks.map(([n]) => n), [901, 902]);
});

test("choices of other files are not carried over", () => {
  assert.deepEqual(unheard(chosen(NONE, "x", "id", 5), { of: "b", heard: 0 }), { of: "b", last: 5, picks: [] });
});
