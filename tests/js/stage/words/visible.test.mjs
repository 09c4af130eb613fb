// Nothing in a text stays invisible: the vectors that Python is held to as well.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { visibleDiff, visiblePieces } from "../../../../assets/stage/words/visible.js";

const { pieces, diffs } = JSON.parse(readFileSync(new URL("../../../data/visible.json", import.meta.url), "utf8"));
const KINDS = ["text", "space", "newline", "tab", "nbsp", "cr", "invisible", "lookalike"];

test("there are enough vectors, and every kind is among them", () => {
  assert.ok(pieces.length >= 30);
  assert.deepEqual([...new Set(pieces.flatMap((one) => one.pieces.map(([, kind]) => kind)))].sort(), [...KINDS].sort());
});

for (const { name, text, pieces: wanted } of pieces) test("pieces: " + name, () => assert.deepEqual(visiblePieces(text), wanted));

for (const { name, a, b, of_a: one, of_b: two } of diffs) test("diff: " + name, () => assert.deepEqual(visibleDiff(a, b), [one, two]));

test("two texts that differ never look the same", () => {
  const look = (list) => JSON.stringify(list);
  for (const { text: a } of pieces) for (const { text: b } of pieces) if (a !== b) assert.notEqual(look(visibleDiff(a, b)[0]), look(visibleDiff(a, b)[1]));
});
