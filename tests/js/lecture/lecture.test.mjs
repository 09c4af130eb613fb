// A lecture's state, its layout, and what it may show when.
import assert from "node:assert/strict";
import test from "node:test";
import { buildDeck, drawDeck } from "../../../assets/lecture/deck.js";
import { deedOf } from "../../../assets/lecture/keys.js";
import { clockText, paceOf } from "../../../assets/lecture/pace.js";
import { playActs } from "../../../assets/lecture/play.js";
import { columnsFor, fitTokens, queueRow, runLayout } from "../../../assets/lecture/runlayout.js";
import { beatName, beatNow, beatsOf, darken, earlierVote, firstVotes, freshLecture, handsOf, press, raise, recallLecture, recount, sentenceOf } from "../../../assets/lecture/state.js";
import { fillHoles, pick, percentText } from "../../../assets/lecture/words.js";
import { installDocument, written } from "./fakedom.mjs";
import { STOPS } from "./script.mjs";

installDocument();

const at = (id, beat, from = freshLecture()) => ({ ...from, at: STOPS.findIndex((stop) => stop.id === id), beat: beatsOf(STOPS.find((stop) => stop.id === id)).indexOf(beat) });
const walk = (by, from = freshLecture()) => {
  const seen = [from];
  for (let state = from, next; (next = press(state, STOPS, by, 5)) !== state; state = next) seen.push(next);
  return seen;
};
const places = (states) => states.map((state) => `${STOPS[state.at].id}.${beatNow(state, STOPS)}`);

// -- state ------------------------------------------------------------------------------------------------

test("three beats, each one press; what asks nothing has no guess, a page only its look; back goes the same way", () => {
  const forward = places(walk(1));
  assert.deepEqual(forward.slice(0, 4), ["bet.look", "bet.guess", "bet.know", "same.look"]);
  assert.deepEqual(forward.filter((place) => /counter|sheet|page|saved/.test(place)), ["counter.look", "counter.know", "sheet.look", "page.look", "saved.look", "saved.know"]);
  assert.deepEqual(places(walk(-1, walk(1).at(-1))), [...forward].reverse());
});

test("hands count only while the question stands, never below nothing, and a press back keeps them", () => {
  let state = raise(at("same", "look"), STOPS, 0, 1);
  assert.deepEqual(state.hands, {});
  state = raise(raise(raise(at("same", "guess"), STOPS, 1, 1), STOPS, 2, -1), STOPS, 3, 1);
  assert.deepEqual(handsOf(state, STOPS[1]), [0, 1, 0]);
  const known = press(state, STOPS, 1, 9);
  assert.equal(raise(known, STOPS, 0, 1), known);
  assert.deepEqual(handsOf(press(press(known, STOPS, 1, 9), STOPS, -1, 9), STOPS[1]), [0, 1, 0]);
});

test("counted again, the first vote stays, and one in between goes; without hands there is nothing to count again", () => {
  const asked = at("same", "guess");
  assert.equal(recount(asked, STOPS), asked);
  let state = recount(raise(asked, STOPS, 0, 1), STOPS);
  assert.deepEqual([state.first.same, handsOf(state, STOPS[1])], [[1, 0, 0], [0, 0, 0]]);
  state = recount(raise(state, STOPS, 1, 1), STOPS);
  assert.deepEqual(state.first.same, [1, 0, 0]);
  assert.deepEqual(firstVotes({ ...state, at: STOPS.length - 1 }, STOPS).map(([stop, right, all]) => [stop.id, right, all]), [["same", 0, 1]]);
});

test("a bet that a later question comes back to stands above its count; a bet of another form does not", () => {
  const [one] = STOPS, again = { ...one, id: "after", bet_of: "bet", right: 2 }, stops = [...STOPS, again], state = { ...freshLecture(), hands: { bet: [1, 2, 3, 4] } };
  assert.deepEqual(earlierVote(state, stops, again), [1, 2, 3, 4]);
  assert.equal(earlierVote(state, stops, { ...again, options: again.options.slice(1) }), null);
  assert.equal(earlierVote(freshLecture(), stops, again), null);
});

test("a vote that was answered stays: back at its question the next hand begins a second one, and none is taken back from it", () => {
  let state = press(press(raise(at("same", "guess"), STOPS, 1, 1), STOPS, 1, 9), STOPS, -1, 9);
  assert.deepEqual(recallLecture(JSON.stringify(state), STOPS), state);
  assert.equal(raise(state, STOPS, 1, -1), state);
  state = raise(state, STOPS, 2, 1);
  assert.deepEqual([state.first.same, handsOf(state, STOPS[1])], [[0, 1, 0], [0, 0, 1]]);
  state = raise(state, STOPS, 2, 1);
  assert.deepEqual([state.first.same, handsOf(state, STOPS[1])], [[0, 1, 0], [0, 0, 2]]);
  const uncounted = press(press(at("same", "guess"), STOPS, 1, 9), STOPS, -1, 9);
  assert.deepEqual(raise(uncounted, STOPS, 0, 1).first, {});
});

test("where nobody was counted the sentence says nothing of hands, at the bet and where it comes back; a bet is not called known", () => {
  const empty = { en: "No hands.", zh: "没人举手。" }, stops = STOPS.map((stop) => ({ ...stop, know_empty: stop.id === "same" ? { en: "", zh: "" } : empty }));
  const said = (id, state) => sentenceOf(state, stops, stops.find((stop) => stop.id === id), "know").en, hands = { hands: { bet: [0, 1, 0, 0] } };
  for (const id of ["bet", "saved"]) assert.deepEqual([said(id, freshLecture()) === "No hands.", said(id, { ...freshLecture(), ...hands }) === "No hands."], [true, false], id);
  assert.notEqual(said("same", freshLecture()), "");
  assert.deepEqual([STOPS[0], STOPS[1]].map((stop) => beatName(stop, "know")), ["kept", "know"]);
});

test("on a dark screen a press brings the light back and goes nowhere", () => {
  const dark = darken(at("same", "guess"));
  assert.deepEqual(press(dark, STOPS, 1, 9), { ...dark, blank: false });
});

test("what a tab kept is taken as far as it fits the stops of now", () => {
  const state = { ...raise(at("same", "guess"), STOPS, 1, 1), began: 7, since: 9 };
  assert.deepEqual(recallLecture(JSON.stringify(state), STOPS), state);
  assert.deepEqual(recallLecture(JSON.stringify({ ...state, at: 99, beat: 9 }), STOPS.slice(0, 1)), { ...state, at: 0, beat: 2, hands: {} });
  for (const text of [null, "", "{", "3", "[]", '{"at":-1,"hands":{"same":[1,"x",2]},"first":7,"blank":1}']) assert.deepEqual(recallLecture(text, STOPS), freshLecture(), String(text));
});

test("two keys are enough; digits count by place, whatever sign Shift makes of them; the browser's own stay its own", () => {
  const key = (name, more = {}) => deedOf({ key: name, code: "", ...more });
  assert.deepEqual(["PageDown", "ArrowRight", " ", "Enter", "PageUp", "ArrowLeft"].map((name) => key(name)[1]), [1, 1, 1, 1, -1, -1]);
  assert.deepEqual([key("!", { code: "Digit1", shiftKey: true }), key("2", { code: "Numpad2" })], [["hand", [0, -1]], ["hand", [1, 1]]]);
  assert.deepEqual([key("b"), key("."), key("x"), key("PageDown", { ctrlKey: true })], [["dark"], ["dark"], null, null]);
  assert.deepEqual(["v", "PageDown", "ArrowRight"].map((name) => key(name)[0]), ["again", "turn", "go"]); // only the clicker's keys turn over a page
});

test("behind the plan by what is over the stop's end, ahead by what is left before its begin", () => {
  const stops = [{ minutes: 1 }, { minutes: 3 }], state = { at: 1, began: 0, since: 60_000 };
  assert.deepEqual([30_000, 120_000, 300_000].map((now) => paceOf(state, stops, now).slack), [-30_000, 0, 60_000]);
  assert.deepEqual([paceOf({ at: 0, began: null, since: null }, stops, 5).spent, clockText(65_000)], [0, "1:05"]);
});

test("a play can be landed, and then nothing is left of it", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const done = [], play = playActs([[1, () => done.push("a")], [2, () => done.push("b")]], false, () => done.push("end"));
  t.mock.timers.tick(420);
  assert.deepEqual([done, play.running()], [["a"], true]);
  play.land();
  t.mock.timers.tick(5000);
  assert.deepEqual([done, play.running()], [["a", "b", "end"], false]);
  const long = playActs(Array.from({ length: 20 }, () => [1, () => done.push("x")]), false, () => done.push("late"));
  t.mock.timers.tick(2000);
  assert.deepEqual([long.running(), done.at(-1)], [false, "late"]);
  playActs([[1, () => done.push("calm")]], true, () => assert.fail("nothing was played"));
});

test("holes and units", () => {
  assert.equal(fillHoles("{n} {n:hand|hands}", { n: 1 }) + fillHoles(" {n} {n:hand|hands}", { n: 2 }), "1 hand 2 hands");
  assert.deepEqual([pick({ en: "52 %", zh: "52%" }, "en"), percentText(52, "zh")], ["52\u00a0%", "52%"]);
});

// -- layout -----------------------------------------------------------------------------------------------

const WIDTH = 1776, HEIGHT = 424, words = ["interesting", "of", "noodles", ".", "a", "restaurants"];
const aLane = (n, tokens, tags) => ({ rid: "R" + n, tokens: Array.from({ length: tokens }, (_, i) => words[(i + n) % words.length]), size: 4, mark: [3], tags: tags ? Array(Math.ceil(tokens / 4)).fill("9c44") : null });
const overlaps = ([x, y, w, h], [X, Y, W, H]) => x < X + W - 0.01 && X < x + w - 0.01 && y < Y + H - 0.01 && Y < y + h - 0.01;

test("lanes, slots and queue in every number lie inside the picture, apart, with tokens of 28 and more", () => {
  for (const lanes of [0, 1, 2, 3]) for (const tokens of [3, 10, 16, 29, 36]) for (const tags of [false, true]) for (const slots of [0, 4, 8, 12, 16]) for (const queue of [0, 5, 12]) for (const note of [null, "one line"]) {
    if (!lanes && !slots && !queue) continue;
    if (lanes === 3 && tags && slots && queue && note) continue; // nobody can look at so much at once
    const ids = (n) => Array.from({ length: n }, (_, at) => at), scene = { lanes: ids(lanes).map((n) => aLane(n, tokens, tags)), slots: slots ? ids(slots).map((id) => ({ id })) : null, queue: queue ? ids(queue) : null, note };
    const L = runLayout(scene, WIDTH, HEIGHT), name = JSON.stringify({ lanes, tokens, tags, slots, queue, note });
    const rects = [...L.lanes.flatMap(({ label, blocks }) => [label, ...blocks.flatMap(({ rect, tag }) => [rect, tag])]), ...(L.slots ? [L.slots.label, ...L.slots.rects] : []), ...(L.queue ? [L.queue.label, ...L.queue.rects] : []), L.note].filter(Boolean);
    for (const [x, y, w, h] of rects) assert.ok(x >= 0 && y >= 0 && w > 30 && h >= 36 && x + w <= WIDTH + 0.01 && y + h <= HEIGHT + 0.01, `${name}: ${[x, y, w, h]}`);
    rects.forEach((one, j) => rects.slice(j + 1).forEach((two) => assert.ok(!overlaps(one, two), `${name}: ${one} and ${two}`)));
    assert.ok(L.size[0] >= 28);
    for (const { blocks } of L.lanes) for (const block of blocks) assert.ok(block.shown.some((token) => token), name);
  }
});

test("a short run stands on one line with every token; a long one leaves out what is not meant, never what is", () => {
  const short = runLayout({ lanes: [aLane(0, 15)] }, WIDTH, HEIGHT);
  assert.deepEqual(short.lanes[0].blocks.map(({ shown }) => shown.length), [4, 4, 4, 3]);
  assert.deepEqual(fitTokens(["wonderful", "noodles", "every", "night"], [2], 190, [28, 4]), [null, 2, null]);
  assert.deepEqual(fitTokens(["a", "b", "c"], [], 400, [28, 4]), [0, 1, 2]);
});

test("columns share what there is: even where it is enough, wider for who needs more, and never more than there is", () => {
  assert.deepEqual(columnsFor([10, 20], 100), [50, 50]);
  assert.deepEqual(columnsFor([10, 60, 20], 120), [20, 70, 30]);
  assert.deepEqual(columnsFor([10, 90, 80], 100), [10, 45, 45]);
});

test("slots stand in the columns of the blocks, more of them or fewer, so that a line from one to the other runs straight", () => {
  for (const [tokens, slots] of [[12, 4], [16, 3], [11, 5]]) {
    const L = runLayout({ lanes: [aLane(0, tokens)].map((lane) => ({ ...lane, tokens: lane.tokens.map(() => "ab") })), slots: Array.from({ length: slots }, (_, id) => ({ id })) }, WIDTH, HEIGHT);
    L.lanes[0].blocks.slice(0, slots).forEach(({ rect: [x, , w] }, b) => assert.deepEqual([L.slots.rects[b][0], L.slots.rects[b][2]], [x, w], `${tokens}/${slots} block ${b}`));
  }
});

test("who was taken keeps its place in the queue; who comes stands behind; where all moved the taken stand in front", () => {
  assert.deepEqual(queueRow({ queue: [4, 7, 6], queue_after: [7, 6] }), { taken: [4], row: [4, 7, 6] });
  assert.deepEqual(queueRow({ queue: [4, 7, 6], queue_after: [7, 6, 9] }), { taken: [4], row: [4, 7, 6, 9] });
  assert.deepEqual(queueRow({ queue: [4, 7, 6], queue_after: [6, 7] }), { taken: [4], row: [4, 6, 7] });
  assert.deepEqual(queueRow({ queue: [], queue_after: [5] }), { taken: [], row: [5] });
});

// -- nothing of the answer before it is told --------------------------------------------------------------

const look = (stops, lang) => ({ stops, langs: [lang], lang, say: (key) => key, ears: () => {} });
const voted = { ...freshLecture(), hands: Object.fromEntries(STOPS.map((stop) => [stop.id, stop.options.map((_, k) => k + 2)])), first: { stamp: [5, 3, 1] } };

function page(stops, state, lang) {
  const parts = buildDeck(), play = drawDeck(parts, { ...look(stops, lang), state }, { forward: false, calm: true });
  play.land();
  return written(parts.deck);
}

const other = { hit: "miss", miss: "hit", reserved: "hit" }, flip = (text) => text && [...text].reverse().join("");
const moved = (list) => (list ? [...list.slice(1), list[0]] : list);

/** The same scene with another answer: whatever is closed until it is told says something else. */
function answeredOtherwise(scene) {
  if (scene.kind === "run") {
    const lanes = scene.lanes.map((lane) => ({ ...lane, verdicts: lane.verdicts.map((one) => other[one] ?? one), tags: lane.tags_open || !lane.tags ? lane.tags : lane.tags.map(flip) }));
    const closed = (slot) => ({ ...slot, state: slot.state === "cached" ? "empty" : "cached", tag: "beef", ref: slot.ref + 1, rids: ["R5"] });
    return { ...scene, lanes, slots: scene.slots && !scene.slots_open ? scene.slots.map(closed) : scene.slots, slots_after: scene.slots_after?.map(closed) ?? null, links: scene.links.map(([lane, block, slot]) => [lane, block, 5 - slot]), queue: scene.queue_open ? scene.queue : moved(scene.queue), queue_after: moved(scene.queue_after), note: scene.note && "otherwise" };
  }
  if (scene.kind === "total") return { ...scene, computed_note: "x", rows: scene.rows.map((row) => ({ ...row, reused: row.tokens - row.reused, computed: row.reused })) };
  if (scene.kind === "count") return { ...scene, value: "7" };
  if (scene.kind === "curve") return { ...scene, points: scene.points.map(([x, y]) => [x, 100 - y]) };
  return scene;
}

const otherAnswers = STOPS.map((stop) => ({ ...stop, right: stop.right === null ? null : (stop.right + 1) % stop.options.length, know: stop.know.en ? { en: "Otherwise.", zh: "不是这样。" } : stop.know, truth: { en: "t", zh: "t" }, hear: { en: "h", zh: "h" }, point: { en: "p", zh: "p" },
  keep: stop.keep, scene: Object.fromEntries(Object.entries(stop.scene).map(([lang, scene]) => [lang, answeredOtherwise(scene)])) }));

test("look and guess are drawn alike whatever the answer is, in everything that stands in the page; know is not", () => {
  for (const lang of ["en", "zh"]) for (const stop of STOPS) for (const beat of beatsOf(stop)) {
    const state = at(stop.id, beat, voted), elsewhere = (stops) => stops.map((one) => (one.id === stop.id ? one : STOPS.find(({ id }) => id === one.id)));
    const [ours, theirs] = [page(STOPS, state, lang), page(elsewhere(otherAnswers), state, lang)];
    if (beat === "know") assert.notEqual(ours, theirs, stop.id);
    else assert.equal(ours, theirs, `${stop.id}.${beat}`);
  }
});

test("options stand in the page only once they are asked, and as what can be pressed only until it is told", () => {
  const drawn = (beat) => page(STOPS, at("same", beat, voted), "en");
  assert.doesNotMatch(drawn("look"), /memory was wiped/);
  assert.match(drawn("guess"), /<BUTTON [^>]*"op"/);
  assert.doesNotMatch(drawn("know"), /<BUTTON/);
});

test("once it is told, tally and truth stand together: the last count solid, the first hollow above it", () => {
  const told = page(STOPS, at("stamp", "know", voted), "en");
  assert.match(told, /0 of 16 tokens hit/);
  assert.equal(told.match(/"bar was"/g).length, 3);
  assert.equal(told.match(/"bar"/g).length, 3);
  assert.equal(told.match(/"op right"/g).length, 1);
  assert.equal(told.match(/"op wrong"/g).length, 2);
  assert.equal(page(STOPS, at("bet", "know", voted), "en").match(/op (right|wrong)/), null);
  assert.doesNotMatch(page(STOPS, at("stamp", "know"), "en"), /"bar"/);
});

test("the bet's hands come back on the axis of what was saved; the column the truth falls into is full", () => {
  const drawn = (beat) => page(STOPS, at("saved", beat, voted), "en"), columns = (text) => text.match(/"at column[^"]*"/g);
  assert.deepEqual(columns(drawn("look")), Array(4).fill('"at column"'));
  assert.deepEqual(columns(drawn("know")), ['"at column far"', '"at column far"', '"at column near"', '"at column far"']);
  assert.match(drawn("know"), /52\u00a0%/);
});

test("the slot that was taken stays in the queue's row, struck, with a line to where it is; the thick frame stays on the one that was asked for", () => {
  const told = page(STOPS, at("evict", "know", voted), "en"), chips = [...told.matchAll(/"at chip ([^"]*)"[^>]*>(#\d)/g)].map(([, cls, id]) => [id, cls.split(" ").filter((name) => ["head", "taken"].includes(name)).join("+")]);
  assert.deepEqual(chips, [["#4", "head+taken"], ["#5", ""], ["#3", ""], ["#2", ""], ["#1", ""]]);
  assert.equal(told.match(/<PATH \{"className":"taken"/g).length, 1);
});

test("of two votes each number has its word", () => {
  const told = page(STOPS, at("stamp", "know", voted), "en");
  assert.match(told, />before<.*>5<.*>now<.*>2</);
  assert.doesNotMatch(page(STOPS, at("same", "know", { ...voted, first: {} }), "en"), />before</);
  assert.match(page(STOPS, at("stamp", "guess", voted), "en"), />second</);
});

test("where nobody bet there is no axis for it", () => {
  assert.doesNotMatch(page(STOPS, at("saved", "know"), "en"), /at axis|>bet</);
});

test("a code to join stands there only while one looks, as a picture and never as markup", () => {
  const join = { url: "http://10.0.0.7:8501/sheet?lang=en", svg: "<svg onload='x'></svg>", local: false }, stops = STOPS.map((stop) => (["bet", "sheet"].includes(stop.id) ? { ...stop, join } : stop));
  for (const id of ["bet", "sheet"]) {
    const looked = page(stops, at(id, "look"), "en");
    assert.match(looked, />10\.0\.0\.7:8501\/sheet\?lang=en</);
    assert.match(looked, /src=data:image\/svg\+xml,%3Csvg/);
    assert.doesNotMatch(looked, /<svg|at block/);
  }
  assert.match(page(stops, at("bet", "guess"), "en"), /at block/);
  assert.doesNotMatch(page(stops, at("bet", "guess"), "en"), /10\.0\.0\.7/);
  assert.doesNotMatch(page([{ ...stops[0], join: { ...join, svg: "" } }], freshLecture(), "en"), /at code/);
});

test("what comes in turn stands there until the curve is told", () => {
  const orders = ["ramen", "udon", "soba"], stops = STOPS.map((stop) => (stop.id !== "cliff" ? stop : { ...stop, scene: { en: { ...stop.scene.en, orders, slots: 4 } } }));
  const drawn = (beat) => page(stops, at("cliff", beat), "en");
  for (const beat of ["look", "guess"]) assert.deepEqual([drawn(beat).match(/ramen|udon|soba/g), drawn(beat).match(/"at slot empty"/g).length], [orders, 4]);
  assert.doesNotMatch(drawn("know"), /ramen/);
});
