// What a phone shows of a step: zone, windows, sizes, ticks, strokes of a finger.
import assert from "node:assert/strict";
import test from "node:test";
import { blockSpoken, boardRows, isChoice, miniColumns, phonePool, phoneQueue, phoneZone, POOL, QUEUE, REQUEST, rowsInView, runsOf, stopsOf, tickBars } from "../../../../assets/stage/phone/plan.js";
import { swipeOf } from "../../../../assets/stage/phone/swipe.js";
import { scrollFor } from "../../../../assets/stage/phone/scroll.js";
import { nextWord } from "../../../../assets/stage/phone/foot.js";
import { events, randomSource } from "../../sample.mjs";

test("each step is told in one of three zones", () => {
  const zones = { arrive: REQUEST, cut: REQUEST, hash: REQUEST, probe: REQUEST, match: REQUEST, miss: REQUEST, compute: REQUEST, append: REQUEST, plan: REQUEST,
    alloc: POOL, evict: POOL, register: POOL, touch: POOL, free: QUEUE, done: QUEUE };
  for (const [op, zone] of Object.entries(zones)) assert.equal(phoneZone({ op }), zone, op);
  assert.equal(phoneZone(null), REQUEST);
});

test("an open question is answered where the thing stands that it asks for, whatever was told last", () => {
  const before = (op, kind) => phoneZone({ op: "free" }, { op, ask: { kind } });
  assert.equal(before("hash", "lane"), REQUEST);
  assert.equal(before("alloc", "pool"), QUEUE);
  assert.equal(before("touch", "choice"), POOL);
  assert.equal(before("free", "choice"), REQUEST, "which tags go is read off the hash table");
  assert.equal(before("free", "pool"), QUEUE);
  assert.equal(before("append", "choice"), REQUEST);
});

test("every slot has its cell as long as a finger can hit it", () => {
  for (const [count, cols, kind] of [[1, 3, "large"], [6, 3, "large"], [7, 3, "medium"], [24, 4, "medium"], [64, 6, "small"], [65, 6, "map"], [4096, 6, "map"]]) {
    assert.deepEqual(phonePool(count), { cols, kind }, String(count));
    assert.ok((360 - 32 - (cols - 1) * 10) / cols >= 44, "44 pixels each on a screen of 360");
  }
});

test("a long queue shows both ends, what is touched, and how many stand between", () => {
  const random = randomSource(7);
  for (let round = 0; round < 200; round++) {
    const length = random(300), queue = Array.from({ length }, (_, j) => j + 1), touched = length ? queue[random(length)] : null;
    const items = phoneQueue(queue, touched);
    assert.equal(items.reduce((sum, { fold }) => sum + (fold ?? 1), 0), length);
    assert.ok(items.length <= 24 + 3);
    if (!length) continue;
    assert.equal(items[0].id, 1);
    assert.equal(items.at(-1).id, length);
    assert.ok(items.some(({ id }) => id === touched));
    for (const { id, at } of items) if (id) assert.equal(queue[at], id);
  }
});

test("the map's bar is in true proportion", () => {
  assert.deepEqual(runsOf(["hit", "hit", "new", "hit"]), [{ state: "hit", count: 2 }, { state: "new", count: 1 }, { state: "hit", count: 1 }]);
  assert.deepEqual(runsOf([]), []);
});

test("rows in view: never outside the list, and all that is seen", () => {
  assert.deepEqual(rowsInView(0, 400, 56, 160), [0, 12]);
  assert.deepEqual(rowsInView(160 * 56 - 400, 400, 56, 160), [148, 160]);
  assert.deepEqual(rowsInView(0, 400, 56, 3), [0, 3]);
});

test("the block spoken of last is one of this request, since it came", () => {
  const log = events(["arrive", "request", "R0"], ["hash", "micro", "R0", { b: 2 }], ["plan", "micro", "R0"], ["arrive", "request", "R1"], ["cut", "micro", "R1"]);
  assert.equal(blockSpoken(log, 1, "R0"), -1);
  assert.equal(blockSpoken(log, 3, "R0"), 2);
  assert.equal(blockSpoken(log, 5, "R0"), 2);
  assert.equal(blockSpoken(log, 5, "R1"), -1);
});

test("one bar for each stop; what lies ahead says only that something will be asked", () => {
  const log = events(["arrive", "request", "R0"], ["hash", "micro", "R0"], ["miss", "block", "R0", { ask: {} }], ["done", "request", "R0"]);
  const stops = stopsOf(log, "block");
  assert.deepEqual(stops, [1, 3, 4]);
  const bars = tickBars(stops, (from, to) => log.slice(from, to).some((event) => event.ask), 1, 300);
  assert.deepEqual(bars.map(({ past, asked }) => [past, asked]), [[true, false], [false, true], [false, false]]);
  assert.ok(bars.every(({ x, w }) => w > 0 && x + w <= 300));
  assert.deepEqual(Object.keys(bars[2]).sort(), ["asked", "past", "w", "x"]);
  assert.ok(tickBars(stopsOf(Array.from({ length: 5000 }, () => log[0]), "micro"), () => false, 0, 358).every(({ w }) => w > 0));
});

test("the tag board shows the newest tags, and the one that is asked for", () => {
  const table = Object.fromEntries(Array.from({ length: 10 }, (_, j) => ["h" + j, [j]]));
  assert.deepEqual(boardRows(table, null).rows.map(([hash]) => hash), ["h4", "h5", "h6", "h7", "h8", "h9"]);
  const asked = boardRows(table, "h1");
  assert.ok(asked.rows.some(([hash]) => hash === "h1"));
  assert.equal(asked.rows.length + asked.more, 10);
});

test("a stroke counts from 56 pixels on, and only when it goes across", () => {
  assert.equal(swipeOf(-56, 10), "next");
  assert.equal(swipeOf(56, -10), "back");
  assert.equal(swipeOf(-55, 0), null);
  assert.equal(swipeOf(-80, 80), null);
});

test("the large button says what it does now", () => {
  const at = (k, ask = null) => nextWord({ k, events: [1, 2, 3], ask });
  assert.deepEqual([at(0), at(1), at(3), at(1, {}), at(0, {})], ["begin", "next", "done", "guess", "guess"]);
});

test("the request in small: rows are whole blocks, four at most", () => {
  for (const [cells, size, cols] of [[15, 4, 4], [18, 4, 8], [24, 1, 8], [24, 3, 6], [16, 16, 8], [5, 2, 2], [24, 8, 8]]) {
    assert.equal(miniColumns(cells, size), cols, cells + " of " + size);
    assert.ok(Math.ceil(cells / cols) <= 4);
  }
});

test("only what the question asks for can be tapped, and nothing while a verdict is read", () => {
  const ask = { kind: "lane", said: { "-1": "a", 0: "b" } };
  assert.equal(isChoice({ ask }, "lane", 0), true);
  assert.equal(isChoice({ ask }, "lane", 1), false);
  assert.equal(isChoice({ ask }, "pool", 0), false);
  assert.equal(isChoice({ ask, feedback: {} }, "lane", 0), false);
  assert.ok(!isChoice({ ask: null }, "lane", 0));
});

test("a zone is scrolled so that the row of the step is whole in sight, and no row is cut at the upper edge", () => {
  const rows = [[40, 80], [130, 80], [220, 80], [310, 80]];
  assert.equal(scrollFor(rows, rows[0], 300), 0);
  assert.equal(scrollFor(rows, rows[3], 400), 0);
  for (const room of [120, 200, 260, 300, 380]) for (const lead of [0, 28]) for (const row of rows) {
    const top = scrollFor(rows, row, room, lead);
    if (row[1] + 14 > room - lead) continue;
    assert.ok(row[0] >= top && row[0] + row[1] <= top + room, `${row} in ${room}`);
    assert.ok(top === 0 || rows.some(([one]) => one === top + lead + 6), "an edge of a row");
  }
});
