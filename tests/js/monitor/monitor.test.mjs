// The monitor: what it keeps of the messages, how it moves between two of them, its scales.
import assert from "node:assert/strict";
import test from "node:test";
import { binsBefore, emptyBuffer, nextHead, roundStep, roundTop, takeBins, valueAt } from "../../../assets/monitor/buffer.js";
import { emptyOwed, hearMessage, pressPlay, tellNow } from "../../../assets/monitor/tell.js";
import { digits, seconds } from "../../../assets/monitor/figures.js";
import { heatCounts } from "../../../assets/monitor/heat.js";
import { cellColour, cellGrid, mixColours } from "../../../assets/monitor/poolmap.js";
import { placeWord, recentValues, STRIPS, stripValues, tickText, timeAxis, valueAxis, valueText } from "../../../assets/monitor/strips.js";

const message = (start, values, more = {}) => ({ generation: 0, bin_s: 1, start, end_s: values.map((_, j) => start + j + 1), curves: { hit_rate_total: values }, flags: [], ...more });

test("bins join what is there; an overlap is no trouble", () => {
  const buffer = emptyBuffer("a");
  assert.ok(takeBins(buffer, message(0, [0.1, 0.2])));
  assert.ok(takeBins(buffer, message(1, [0.25, 0.3])));
  assert.deepEqual([buffer.ends, buffer.curves.hit_rate_total], [[1, 2, 3], [0.1, 0.25, 0.3]]);
});

test("a hole is noticed and nothing is taken", () => {
  const buffer = emptyBuffer("a");
  takeBins(buffer, message(0, [0.1]));
  assert.equal(takeBins(buffer, message(5, [0.9])), false);
  assert.deepEqual(buffer.ends, [1]);
  assert.equal(takeBins(emptyBuffer("b"), message(3, [0.9])), false);
});

test("merged bins replace everything; a part of them is not enough", () => {
  const buffer = emptyBuffer("a");
  takeBins(buffer, message(0, [0.1, 0.2, 0.3]));
  assert.equal(takeBins(buffer, message(1, [0.5], { generation: 1, bin_s: 2 })), false);
  assert.ok(takeBins(buffer, message(0, [0.4], { generation: 1, bin_s: 2, end_s: [2] })));
  assert.deepEqual([buffer.ends, buffer.width, buffer.curves.hit_rate_total], [[2], 2, [0.4]]);
});

test("the head runs to the newest sample in one tick, evenly, and waits there", () => {
  let head = { at: 10, since: 0 };
  const seen = [];
  for (let j = 0; j < 12; j++) seen.push((head = nextHead(head, 14, 100, 1000)).at);
  assert.ok(Math.abs(seen[0] - 10.4) < 1e-9 && Math.abs(seen[4] - 12) < 1e-9);
  assert.equal(seen[9], 14);
  assert.equal(seen[11], 14);
  assert.equal(nextHead({ at: 20, since: 0 }, 14, 100, 1000).at, 14, "a run that began anew");
  for (let j = 1; j < 12; j++) assert.ok(seen[j] >= seen[j - 1]);
});

test("which bins are over, and the last value that says something", () => {
  assert.deepEqual([0, 0.9, 1, 2.5, 9].map((at) => binsBefore([1, 2, 3], at)), [0, 0, 1, 2, 3]);
  assert.equal(valueAt([0.1, null, 0.3, null], 2), 0.1);
  assert.equal(valueAt([0.1, null, 0.3, null], 4), 0.3);
  assert.equal(valueAt([null], 1), null);
  assert.equal(valueAt(undefined, 3), null);
});

test("round axes", () => {
  assert.deepEqual([roundStep(100, 8), roundStep(60, 8), roundStep(1000, 4)], [20, 10, 500]);
  for (const most of [0.3, 1, 7, 42, 614, 9999]) {
    const top = roundTop(most);
    assert.ok(top >= most * 0.999 && top <= most * 2, most + " -> " + top);
  }
  assert.equal(roundTop(0), 1);
});

const zh = (n) => n + "%";
const bufferOf = (curves) => ({ ends: [1, 2, 3], width: 1, curves, flags: [] });

test("value axes: shares to 1, times in decades, always from low to high", () => {
  const [hit, , evict, ttft] = STRIPS;
  const share = valueAxis(hit, bufferOf({}), 3, 20, 100);
  assert.deepEqual([share.y(0), share.y(1), share.y(0.5)], [100, 20, 60]);
  const rate = valueAxis(evict, bufferOf({ evicted_per_s: [0, 614, 3] }), 3, 20, 100);
  assert.ok(rate.y(614) >= 20 && rate.y(614) < rate.y(3));
  const time = valueAxis(ttft, bufferOf({ ttft_p50_with: [0.03, null, 4] }), 3, 20, 100);
  assert.deepEqual(time.ticks, [0.01, 0.1, 1, 10]);
  assert.deepEqual([time.y(0.01), time.y(10)], [100, 20]);
  assert.deepEqual([tickText(hit, 0.5, zh), tickText(ttft, 0.03), tickText(ttft, 4), tickText(evict, 1200)], ["50%", "30 ms", "4 s", "1200"]);
  assert.deepEqual([valueText(hit, 0.4149, zh), valueText(ttft, 0.149), valueText(evict, 12.34)], ["41.5%", "149 ms", "12.3"]);
});

test("the time axis begins with a minute and grows with the run", () => {
  const buffer = bufferOf({});
  assert.equal(timeAxis(buffer, 5, 40, 640).end, 60);
  const later = timeAxis(buffer, 300, 40, 640);
  assert.deepEqual([later.x(0), later.x(300), later.x(900)], [40, 640, 640]);
});

test("a word stands in the head of the first strip that has room", () => {
  const heads = [{ top: 0, free: 60 }, { top: 80, free: 90 }];
  assert.deepEqual(placeWord(heads, 70, 50, 500), { left: 70, top: 0 });
  assert.deepEqual(placeWord(heads, 100, 50, 500), { left: 100, top: 80 }, "the first head is taken up to 126");
  assert.equal(placeWord(heads, 110, 50, 500), null);
  assert.deepEqual(placeWord(heads, 490, 50, 500), { left: 450, top: 0 }, "nothing stands out at the right");
});

test("numbers beside the strips are those of the moment shown", () => {
  const values = stripValues(bufferOf({ in_use: [0.1, 0.2, 0.3], queue_with: [1, null, 5] }), 2);
  assert.deepEqual(values, { in_use: 0.2, queue_with: 1 });
  const alone = stripValues(bufferOf({ hit_rate: [0.1, null, 0.3] }), 2);
  assert.deepEqual(recentValues({ whole: false, with: { n: 2, p50: 0.1, p95: 0.2, per_s: 1 }, without: { n: 0, p50: null, p95: null, per_s: 0 } }),
    { ttft_p50_with: 0.1, ttft_p95_with: 0.2, ttft_p50_without: null, ttft_p95_without: null });
  assert.equal(alone.hit_rate, null, "in the newest bin nobody was let in; an older rate would be another bin's");
});

test("the density map: every slot has a cell, age fades the hue", () => {
  for (const count of [10, 64, 256, 1024, 2048, 4096]) {
    const { cell, cols } = cellGrid(count, 280, 260);
    assert.ok(Math.ceil(count / cols) * cell <= 260 && cols * cell <= 280, count + " cells of " + cell);
  }
  const colours = { hit: "#000000", cached: "#ffffff", others: "#111111", bg: "#eeeeee" };
  assert.equal(mixColours("#000000", "#ffffff", 0.5), "rgb(128,128,128)");
  const shades = [0, 2, 4].map((age) => cellColour("c", age, colours, 4));
  assert.deepEqual(shades, ["rgb(0,0,0)", "rgb(128,128,128)", "rgb(255,255,255)"]);
  assert.deepEqual([cellColour("u", 3, colours), cellColour("e", 0, colours)], ["#111111", "#eeeeee"]);
});

test("heat travels as one letter a bin", () => {
  assert.deepEqual(heatCounts("0a9z"), [0, 10, 9, 35]);
});

test("what is open is told at once, again every few seconds, and never after its answer", () => {
  const owed = emptyOwed(), told = [];
  const wait = (ms) => { for (let j = 0; j < ms; j += 100) { const one = tellNow(owed, 100); if (one) told.push(one); } return told.splice(0); };
  assert.deepEqual(wait(10_000), [], "nothing is open");
  hearMessage(owed, 0, false);
  assert.deepEqual(wait(100), [{ press: 0, playing: null, lacks: true }]);
  hearMessage(owed, 0, false);
  assert.deepEqual(wait(2900), [], "a message refused meanwhile is not another question");
  assert.equal(wait(6000).length, 2, "the same words once more: the answer was lost");
  hearMessage(owed, 0, true);
  assert.deepEqual(wait(10_000), []);
});

test("a press is told until a message knows its number; one sent before it does not undo it", () => {
  const owed = emptyOwed();
  pressPlay(owed, false, 1000);
  hearMessage(owed, 0, false);
  assert.deepEqual(tellNow(owed, 0), { press: 1000, playing: false, lacks: true }, "both in one: neither can push out the other");
  pressPlay(owed, true, 1000);
  assert.deepEqual(tellNow(owed, 0), { press: 1001, playing: true, lacks: true }, "two in one millisecond are two");
  hearMessage(owed, 1000, true);
  assert.equal(owed.playing, true, "the first of two was heard");
  hearMessage(owed, 1001, true);
  assert.deepEqual([owed.playing, tellNow(owed, 10_000)], [null, null]);
});

test("numbers have three digits that matter, whatever their size", () => {
  // The same table as in tests/unit/ui/monitor/test_figures.py.
  const table = [[0.149, "149 ms"], [0.0123, "12.3 ms"], [0.99949, "999 ms"], [1.234, "1.23 s"], [12.34, "12.3 s"], [119.6, "120 s"], [200.5, "3.34 min"], [9000.5, "2.50 h"]];
  for (const [value, text] of table) assert.equal(seconds(value), text);
  const plain = [[0.0123, "0.0123"], [4.567, "4.57"], [45.67, "45.7"], [1234.6, "1,235"], [12, "12"], [1200, "1,200"], [0, "0"]];
  for (const [value, text] of plain) assert.equal(digits(value), text);
});
