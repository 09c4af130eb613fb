import assert from "node:assert/strict";
import test from "node:test";

import { buttonOfKey, wayTo } from "../../../assets/page/interview.js";

const button = (letter) => ({ querySelector: () => ({ textContent: letter }) });
const page = (...buttons) => ({ querySelectorAll: () => buttons });
const typed = (key, isTick, more = {}) => ({ key, target: { matches: () => isTick }, ...more });

test("a letter reaches its button while a tick has the focus, and only then", () => {
  const [k, a] = [button("K"), button("A")];
  assert.equal(buttonOfKey(page(k, a), typed("a", true)), a);
  assert.equal(buttonOfKey(page(k, a), typed("K", true)), k);
  assert.equal(buttonOfKey(page(k, a), typed("s", true)), null);
  assert.equal(buttonOfKey(page(k, a), typed("a", false)), null, "Streamlit hears it by itself");
  assert.equal(buttonOfKey(page(k, a), typed("a", true, { ctrlKey: true })), null);
  assert.equal(buttonOfKey(page(k, a), { key: "a", target: {} }), null);
});

test("what is new comes into sight, its beginning first", () => {
  assert.equal(wayTo(200, 600, 720), 0, "all of it is there");
  assert.equal(wayTo(500, 900, 720), 196, "down until its end is there");
  assert.equal(wayTo(500, 1900, 720), 430, "longer than the window: no further than its beginning");
  assert.equal(wayTo(-300, 200, 720), -370, "up");
});
