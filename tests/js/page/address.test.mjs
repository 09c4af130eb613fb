// What every page tells the browser about its address, without a browser.
import assert from "node:assert/strict";
import test from "node:test";
import { askAgainAfterGap, onePageOneEntry } from "../../../assets/page/address.js";

/** A window whose history is a list of addresses. */
function fakeWindow(start) {
  const entries = [start], location = { get href() { return entries.at(-1); }, get pathname() { return new URL(entries.at(-1)).pathname; }, get search() { return new URL(entries.at(-1)).search; } };
  const put = (url) => new URL(url, location.href).href;
  const history = { state: null, pushState: (state, unused, url) => entries.push(put(url)), replaceState: (state, unused, url) => (entries[entries.length - 1] = put(url)) };
  return { entries, history, location };
}

test("a new query of the same page takes the old one's place; another page is a new entry", () => {
  const page = fakeWindow("http://here/ch01");
  onePageOneEntry(page);
  onePageOneEntry(page); // the text runs anew on every page
  page.history.pushState({}, "", "/ch01?lang=en");
  page.history.pushState({}, "", "/ch02");
  page.history.pushState({}, "", "/ch02?lang=en#step=3");
  assert.deepEqual(page.entries, ["http://here/ch01?lang=en", "http://here/ch02?lang=en#step=3"]);
});

test("another page begins at its top, a new query of the same one stays where it is", () => {
  const page = fakeWindow("http://here/ch01"), scrolled = [];
  page.document = { querySelector: () => ({ scrollTo: (...place) => scrolled.push([page.location.pathname, ...place]) }) };
  onePageOneEntry(page);
  page.history.pushState({}, "", "/ch01?bets=01a7.5r000");
  page.history.pushState({}, "", "/ch02");
  assert.deepEqual(scrolled, [["/ch02", 0, 0]]);
});

test("the menu of a phone closes when another page is chosen, and only then", () => {
  for (const [innerWidth, closed] of [[390, 1], [1280, 0]]) {
    const page = fakeWindow("http://here/ch01");
    let clicks = 0;
    Object.assign(page, { innerWidth, document: { querySelector: (what) => (what.includes("Collapse") ? { click: () => (clicks += 1) } : null) } });
    onePageOneEntry(page);
    page.history.pushState({}, "", "/ch01?lang=en");
    page.history.pushState({}, "", "/ch02");
    assert.equal(clicks, closed);
  }
});

test("after a gap in the connection the page is asked for once more, and its address is what it was", () => {
  const page = fakeWindow("http://here/execute?s=P1#step=20"), app = { dataset: { testConnectionState: "CONNECTED" } };
  let changed, heard = [];
  Object.assign(page, { document: { querySelector: () => app }, dispatchEvent: (event) => heard.push([event.type, page.location.href]) });
  globalThis.MutationObserver = class { constructor(call) { changed = call; } observe() {} disconnect() {} };
  globalThis.PopStateEvent = class { constructor(type) { this.type = type; } };
  askAgainAfterGap(page);
  for (const state of ["CONNECTED", "PINGING_SERVER", "CONNECTING", "CONNECTED", "CONNECTED"]) {
    app.dataset.testConnectionState = state;
    changed();
  }
  assert.deepEqual(heard, [["popstate", "http://here/execute?s=P1"]]);
  assert.deepEqual(page.entries, ["http://here/execute?s=P1#step=20"]);
});
