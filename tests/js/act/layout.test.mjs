// The act's layout and what is worked out from two beats.
import assert from "node:assert/strict";
import test from "node:test";
import { ACT_SMALL, actLayout } from "../../../assets/act/layout.js";
import { flightsBetween } from "../../../assets/act/view.js";
import { newSheet } from "../../../assets/act/paint.js";
import { addBelow } from "../../../assets/act/below.js";
import { addRow } from "../../../assets/act/rows.js";

const WIDTHS = [320, 390, 620, 899, 900, 1280, 1920];
const inside = ([x, y, w, h], [X, Y, W, H]) => x >= X && y >= Y && x + w <= X + W + 0.01 && y + h <= Y + H + 0.01;
const apart = ([x, y, w, h], [X, Y, W, H]) => x + w <= X || X + W <= x || y + h <= Y || Y + H <= y;

test("everything stands on the floor, and zones do not cover each other", () => {
  for (const width of WIDTHS) for (const tall of [false, true]) for (const last of [false, true]) {
    const L = actLayout(width, tall, last);
    const rows = [0, 1].flatMap((r) => [0, 1].map((b) => L.block(r, b))), tags = [0, 1].flatMap((r) => [0, 1].map((b) => L.tag(r, b))), slots = [0, 1, 2, 3].map((s) => L.slot(s));
    const paths = [0, 1, 2, 3].map((at) => L.path?.(at)), below = last ? paths : [...slots, L.words, L.dots]; // the path takes the place of all else
    const zones = [L.head, ...rows, ...tags, L.bench, ...below].filter(Boolean);
    for (const zone of zones) assert.ok(inside(zone, [0, 0, L.W, last ? L.end : L.H]), `${width}: ${zone}`);
    zones.forEach((one, j) => zones.slice(j + 1).forEach((two) => assert.ok(apart(one, two), `${width}: ${one} and ${two}`)));
    for (const r of [0, 1]) for (let i = 0; i < 8; i++) assert.ok(inside(L.cell(r, i), L.block(r, i >> 2)), `${width}: token ${r}.${i}`);
    for (const button of [L.next, L.back, L.keep, L.cap]) assert.ok(inside(button, L.bench), `${width}: ${button}`);
    assert.ok(apart(L.next, L.back) && apart(L.next, L.cap) && apart(L.next, L.keep));
  }
});

test("a narrow screen has letters of 16 and targets of 44", () => {
  for (const width of WIDTHS.filter((one) => one < ACT_SMALL)) {
    const L = actLayout(width, false);
    assert.ok(Math.min(...Object.values(L.fs)) >= 16);
    for (const [, , w, h] of [L.cell(0, 0), L.next, L.back, L.keep]) assert.ok(w >= 44 && h >= 44, `${width}: ${w} x ${h}`);
  }
  assert.ok(Math.min(...Object.values(actLayout(1280, false).fs)) >= 12);
});

const request = (blocks, slots, tokens) => ({ on: "now", cut: true, tags: ["aaaa", "bbbb"], blocks, slots, tokens });

test("what was computed goes into its slot, what is reused comes out of it, what stays as it was does not move", () => {
  const none = request(["", ""], [0, 0], []), first = request(["computed", "reserved"], [1, 2], []), second = request(["hit", ""], [1, 0], []);
  const before = { reqs: [request(["reserved", "reserved"], [1, 2], []), none] };
  assert.deepEqual(flightsBetween(before, { reqs: [first, none] }), [["block0.0", "slot1", "KV", "computed"]]);
  assert.deepEqual(flightsBetween({ reqs: [first, none] }, { reqs: [first, second] }), [["slot1", "block1.0", "KV", "reused"]]);
});

/** An act that stands on one beat, without a page. */
function standing(beat, more = {}) {
  const data = { pieces: [["a", " b", "c", "d", "e", "f", "g", "h"], ["a", " b", "c", "d", "e", "f", "x", "h"]], alike: [1, 1, 1, 1, 1, 1, 0, 1].map(Boolean), beats: [beat], size: 4, path: [], variants: [] };
  return { L: actLayout(1280, false), beat, data, i: 0, edit: null, t: (key) => key, t1: (key) => key, guess: null, chosen: null, ...more };
}

test("with the bet open, tokens of the second request are buttons, tags read ?, and nothing tells them apart", () => {
  const asked = { ...request(["", ""], [0, 0], Array(8).fill("")), tags: [] }, beat = { name: "bet", ask: { rid: "R1" }, words: [], reqs: [request(["computed", "computed"], [1, 2], Array(8).fill("computed")), asked], args: {}, slots: [] };
  const sheet = newSheet(), act = standing(beat, { open: true });
  addRow(act, sheet, 1);
  const tokens = sheet.list.filter(({ key }) => key.startsWith("tok1"));
  assert.deepEqual(tokens.map(({ act: deed }) => deed), [0, 1, 2, 3, 4, 5, 6, 7].map((at) => "answer:" + at));
  assert.equal(new Set(tokens.map(({ cls }) => cls)).size, 1);
  assert.deepEqual(sheet.list.filter(({ key }) => key.startsWith("tag1")).map(({ kids }) => kids), [["?"], ["?"]]);
  assert.deepEqual(sheet.list.filter(({ key }) => key.startsWith("side")), []);
});

test("a token put in place changes its tag and those behind it; the old ones stand struck beside them", () => {
  const beat = { name: "tag", words: [], reqs: [{ ...request(["", ""], [0, 0], Array(8).fill("")), tags: ["aaaa", "bbbb"] }], args: {}, slots: [] };
  const act = standing(beat, { editable: true, edit: { at: 5, v: 0 } }), sheet = newSheet();
  act.data.variants = Array.from({ length: 8 }, () => [{ text: "z", tags: ["aaaa", "cccc"], hit: 4 }]);
  addRow(act, sheet, 0);
  const of = (key) => sheet.list.find((node) => node.key === key);
  assert.match(of("tag0.0").cls, /same/);
  assert.match(of("tag0.1").cls, /diff/);
  assert.deepEqual([of("tag0.1").kids, of("side0.1").kids], [["cccc"], [["s", "", "bbbb"]]]);
  assert.match(of("tok0.5").cls, /changed/);
  assert.equal(sheet.list.filter(({ act: deed }) => deed?.startsWith("edit:")).length, 8);
});

test("looking back is a triangle: row i has i + 1 cells, and a reused row is seen apart", () => {
  const reused = request(["hit", "computed"], [1, 3], ["reused", "reused", "computed"]), beat = { name: "rest", words: [], reqs: [{ ...reused, answer: "x" }, reused], args: { looks: 6, saved: 3 }, slots: [{ id: 1, state: "hit", tag: "aaaa", fill: 4 }] };
  const sheet = newSheet();
  addBelow(standing(beat), sheet);
  const [triangle] = sheet.list.find(({ key }) => key === "looks").kids;
  assert.deepEqual(triangle.slice(2).map((row) => row.slice(2).map(([, state]) => state)), [["reused"], ["reused", "reused"], ["computed", "computed", "computed"]]);
});
