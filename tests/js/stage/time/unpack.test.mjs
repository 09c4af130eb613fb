// Logs that arrive packed.
import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { isPacked, readData, unpackData, unpackLog } from "../../../../assets/stage/time/unpack.js";

const packed = (log) => ({ z: deflateSync(JSON.stringify(log)).toString("base64") });
const LOG = { meta: { title: "长 \u{1f35c} \ud800" }, events: Array.from({ length: 300 }, (_, i) => ({ i, op: "match" })) };

test("a packed log comes back as it was, a plain one is not touched", async () => {
  assert.ok(isPacked(packed(LOG)) && !isPacked(LOG) && !isPacked(null));
  assert.deepEqual(await unpackLog(packed(LOG)), LOG);
  assert.equal(await unpackLog(LOG), LOG);
  assert.equal(await unpackLog(null), null);
});

test("both logs are unpacked, the rest of the payload stays", async () => {
  const data = { rev: "1", flags: { part: "ref" }, a: packed(LOG), b: packed({ events: [] }) };
  assert.deepEqual(await unpackData(data), { rev: "1", flags: { part: "ref" }, a: LOG, b: { events: [] } });
  assert.deepEqual(await unpackData({ a: LOG, b: null }), { a: LOG, b: null });
});

test("a damaged log is an error, not an empty stage", async () => {
  await assert.rejects(unpackLog({ z: packed(LOG).z.slice(0, 40) }));
});

test("bytes get the words that the loader brought; a plain value has its own", () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ rev: "1", lang: "zh" }));
  assert.deepEqual(readData({ data: bytes, text: { en: {} } }), { rev: "1", lang: "zh", text: { en: {} } });
  const whole = { rev: "2", text: { zh: {} } };
  assert.equal(readData({ data: whole }), whole);
});
