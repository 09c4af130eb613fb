// What a film's recorder decides and writes, without a browser.
import assert from "node:assert/strict";
import test from "node:test";
import { formatOf, isSeen, withLength } from "../../../assets/page/film.js";

const browser = (...types) => ({ MediaRecorder: { isTypeSupported: (type) => types.some((one) => type.startsWith(one)) }, HTMLCanvasElement: { prototype: { captureStream() {} } } });

test("what slides play is recorded where the browser can, else WebM, else nothing", () => {
  assert.deepEqual(formatOf(browser("video/mp4", "video/webm")), ["video/mp4;codecs=avc1.640028", "mp4"]);
  assert.deepEqual(formatOf(browser("video/webm")), ["video/webm;codecs=vp9", "webm"]);
  assert.equal(formatOf(browser()), undefined);
  assert.equal(formatOf({ HTMLCanvasElement: browser("video/webm").HTMLCanvasElement }), undefined);
});

test("a group is seen from a picture until before another, as often as it says", () => {
  const spans = [[0, 2], [5, 6]];
  assert.deepEqual([0, 1, 2, 4, 5, 6].map((picture) => isSeen(spans, picture)), [true, true, false, false, true, false]);
});

test("the length goes into a WebM's Info, and nothing else changes", () => {
  const info = [0x2a, 0xd7, 0xb1, 0x83, 0x0f, 0x42, 0x40]; // TimecodeScale 1,000,000: lengths are in ms
  for (const size of [[0x87], [0x01, 0, 0, 0, 0, 0, 0, 7]]) {
    const before = [0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x01, 255, 255, 255, 255, 255, 255, 255], after = [0x16, 0x54, 0xae, 0x6b, 0x80];
    const made = withLength(Uint8Array.from([...before, 0x15, 0x49, 0xa9, 0x66, ...size, ...info, ...after]), 1234.5);
    const length = new DataView(new ArrayBuffer(8));
    length.setFloat64(0, 1234.5);
    assert.deepEqual([...made], [...before, 0x15, 0x49, 0xa9, 0x66, 0x10, 0, 0, 18, 0x44, 0x89, 0x88, ...new Uint8Array(length.buffer), ...info, ...after]);
    assert.deepEqual(withLength(made, 99), made); // it says so already
  }
  const other = Uint8Array.from([0, 0, 0, 24, 0x66, 0x74, 0x79, 0x70, 0x15, 0x49, 0xa9, 0x66, 0x81, 0]);
  assert.equal(withLength(other, 5), other); // an MP4
});
