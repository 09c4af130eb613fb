// Templates and keys: the small languages the stage speaks.
import assert from "node:assert/strict";
import test from "node:test";
import { ACTIONS } from "../../../../assets/stage/hands/actions.js";
import { HELP_ROWS, keyAction, MENU } from "../../../../assets/stage/words/keys.js";
import { captionOf, chipKeys, formatText, labelText, parseTemplate, plainText, toldAt } from "../../../../assets/stage/words/narrate.js";

test("holes, plurals, strong words", () => {
  assert.equal(formatText("{n} {n:token|tokens} left", { n: 1 }), "1 token left");
  assert.equal(formatText("{n} {n:token|tokens} left", { n: 0 }), "0 tokens left");
  assert.equal(formatText("第 {n} 个", { n: 3 }), "第 3 个");
  assert.equal(formatText("{missing}.", {}), ".");
  const pieces = parseTemplate("**HIT**: {block} is in {slot}", { block: 0, slot: 5 });
  assert.deepEqual(pieces.map(({ kind, text, strong }) => [kind, text, strong]),
    [["text", "HIT", true], ["text", ": ", false], ["chip", "0", false], ["text", " is in ", false], ["chip", "#5", false]]);
});

test("arguments are text, never templates or markup", () => {
  const pieces = parseTemplate("says {token}", { token: "<img src=x onerror=alert(1)> {n} **x**" });
  assert.deepEqual(pieces.map((piece) => piece.text), ["says ", "<img src=x onerror=alert(1)> {n} **x**"]);
});

const TEXT = { en: { "cap.match.what": "HIT {slot}", "cap.match.why": "", "stage.x": "blocks" }, zh: { "cap.match.what": "命中 {slot}", "cap.match.why": "", "stage.x": "块" } };

test("both languages: Chinese first, English beneath; equal words once", () => {
  const entries = captionOf(TEXT, "both", { cap: "match", op: "match", args: { slot: 2 } });
  assert.deepEqual(entries.map((entry) => [entry.lang, plainText(entry.what), entry.why.length]), [["zh", "命中 #2", 0], ["en", "HIT #2", 0]]);
  assert.equal(labelText(TEXT, "both", "stage.x"), "块 · blocks");
  assert.equal(labelText(TEXT, "en", "stage.x"), "blocks");
  assert.equal(labelText({ en: { k: "OK" }, zh: { k: "OK" } }, "both", "k"), "OK");
});

test("a caption variant without words falls back to its op, a missing key shows itself", () => {
  const [entry] = captionOf(TEXT, "en", { cap: "match.odd", op: "match", args: { slot: 1 } });
  assert.equal(plainText(entry.what), "HIT #1");
  assert.equal(labelText(TEXT, "en", "stage.none"), "stage.none");
});

test("chips carry the keys of what they name", () => {
  const event = { rid: "R1", b: 2 };
  assert.deepEqual(chipKeys({ name: "req", value: "R1" }, event), ["req:R1"]);
  assert.deepEqual(chipKeys({ name: "slot", value: 5 }, event), ["slot:5"]);
  assert.deepEqual(chipKeys({ name: "block", value: 2 }, event), ["blk:R1:2"]);
  assert.deepEqual(chipKeys({ name: "parent", value: "5ae6" }, event), ["tag:5ae6"]);
});

test("the key map of the plan", () => {
  const plan = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", "]": "nextRequest", "[": "backRequest", Home: "first", End: "last",
    " ": "play", "-": "slower", "=": "faster", g: "goto", n: "nextMiss", N: "backMiss", e: "nextEvict", E: "backEvict", m: "bookmark", w: "fork", q: "ask",
    j: "nextBookmark", J: "backBookmark", k: "btable", x: "none", Enter: "pin", Escape: "close", f: "full", p: "presenter", ".": "blank", b: "blank", l: "lang", d: "code", a: "noodle", t: "theme", "?": "help", h: "help", v: "table" };
  for (const [key, action] of Object.entries(plan)) assert.deepEqual(keyAction({ key }), { action, stop: true }, key);
  assert.equal(keyAction({ key: "ArrowRight", shiftKey: true }).action, "nextBlock");
  assert.equal(keyAction({ key: "ArrowLeft", shiftKey: true }).action, "backBlock");
});

test("digits answer, with Shift they raise hands, whatever the keyboard prints", () => {
  assert.deepEqual(keyAction({ key: "2", code: "Digit2" }), { action: "answer", digit: 2, stop: true });
  assert.deepEqual(keyAction({ key: "@", code: "Digit2", shiftKey: true }), { action: "hand", digit: 2, stop: true });
  assert.equal(keyAction({ key: "X", code: "KeyX", shiftKey: true }).action, "handNone");
  for (const digit of [0, 5, 9]) assert.deepEqual(keyAction({ key: String(digit), code: "Digit" + digit }), { action: "answer", digit, stop: true });
});

test("r and c are swallowed, the browser's own combinations are left alone", () => {
  for (const key of ["r", "c", "R", "C"]) assert.deepEqual(keyAction({ key }), { action: null, stop: true });
  for (const mod of ["ctrlKey", "metaKey", "altKey"]) assert.equal(keyAction({ key: "r", [mod]: true }).stop, false);
  assert.equal(keyAction({ key: "Tab" }).stop, false);
});

test("every key in the help card has an action behind it", () => {
  for (const [keys, action] of HELP_ROWS) assert.ok(keys && action);
  assert.equal(new Set(HELP_ROWS.map(([, action]) => action)).size, HELP_ROWS.length);
});

test("a list is joined by what its template says; things in it are chips, an ellipsis is not", () => {
  const pieces = parseTemplate("Slots {slots*, } of {reqs*、}.", { slots: [1, 2, "…", 7], reqs: ["R0"] });
  assert.equal(plainText(pieces), "Slots #1, #2, …, #7 of R0.");
  const chips = pieces.filter((piece) => piece.kind === "chip").map(({ name, text, value }) => [name, text, value]);
  assert.deepEqual(chips, [["slot", "#1", 1], ["slot", "#2", 2], ["slot", "#7", 7], ["req", "R0", "R0"]]);
  assert.equal(formatText("lets go of {slots*, then }", { slots: [3, 2, 1] }), "lets go of #3, then #2, then #1");
  assert.equal(formatText("{slots*, }.", {}), ".");
});

test("the last step of a beat speaks for all of it, at the level of beats alone", () => {
  const event = { op: "alloc", cap: "alloc", rid: "R0", args: { slot: 3 }, beat: { cap: "beat.alloc", args: { slots: [1, 2, 3] }, from: 7 } };
  assert.deepEqual([toldAt(event, "beat").cap, toldAt(event, "beat").args.slots, toldAt(event, "beat").rid], ["beat.alloc", [1, 2, 3], "R0"]);
  assert.equal(toldAt(event, "micro"), event);
  assert.equal(toldAt(null, "beat"), null);
});

test("every entry of the menu, and every row of the help card that names a key, does something; the key beside an entry does what it says", () => {
  const entries = MENU.flatMap(([, list]) => list);
  assert.equal(new Set(entries.map(([action]) => action)).size, entries.length);
  for (const [action, key] of entries) assert.equal(keyAction({ key }).action, action, key);
  for (const [action] of [...entries, ...HELP_ROWS.map(([, one]) => [one])]) if (action !== "focus") assert.ok(action in ACTIONS, action);
});

test("a list's name without its star is a mere number", () => {
  assert.equal(formatText("{slots} slots: {slots*, }", { slots: [4] }), "4 slots: #4");
  assert.equal(formatText("block size {size}, {slots} slots", { size: 4, slots: 10 }), "block size 4, 10 slots");
});

test("where no frame can be drawn around it, a token stands in quotes", () => {
  assert.equal(formatText("{req} answers {word}.", { req: "R0", word: "Yes." }), "R0 answers “Yes.”.");
});
