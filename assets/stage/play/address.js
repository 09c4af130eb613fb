// Step, level and pin in the address bar: `#step=23&lvl=block&pin=slot:5`, written without a rerun; what others keep there stays.
import { LEVELS } from "../time/steps.js";

const OURS = ["step", "lvl", "pin", "bm"];

export function parseHash(hash) {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  const step = found.get("step");
  return {
    step: step !== null && /^\d+$/.test(step) ? Number(step) : null,
    level: LEVELS.includes(found.get("lvl")) ? found.get("lvl") : null,
    pin: /^(slot|tag|req|blk|ev):[\w:.-]+$/.test(found.get("pin") ?? "") ? found.get("pin") : null,
    bookmarks: (found.get("bm") ?? "").split(",").filter((part) => /^\d+$/.test(part)).map(Number),
  };
}

/** `usual`: the level that the page gives; only another one is written down. */
export function writeHash(hash, { step, level, usual = "micro", pin, bookmarks }) {
  const others = hash.replace(/^#/, "").split("&").filter((part) => part && !OURS.includes(part.split("=")[0]));
  const ours = ["step=" + step];
  if (level !== usual) ours.push("lvl=" + level);
  if (pin) ours.push("pin=" + pin);
  if (bookmarks.length) ours.push("bm=" + bookmarks.join(","));
  return "#" + [...others, ...ours].join("&");
}

/** A page may ask for one step (`go`: [token, step]); each token is obeyed once, so that later reruns leave the step alone. */
const obeyed = new Set();
export function stepToGo(go) {
  if (!go || obeyed.has(go[0])) return null;
  obeyed.add(go[0]);
  return go[1];
}

/** Writing the address costs a good part of a frame, so it waits until the step's motion is over; only the step one rests on matters. */
export function saveAddress(stage, ms = 650) {
  clearTimeout(stage.addressTimer);
  stage.addressTimer = setTimeout(() => {
    const state = { step: stage.k, level: stage.level, usual: stage.data.flags?.level, pin: stage.pin, bookmarks: [...stage.bookmarks].sort((a, b) => a - b) };
    history.replaceState(history.state, "", location.pathname + location.search + writeHash(location.hash, state));
  }, ms);
}

/** The page rewrites the query when an answer or a change joins the link, and our part is lost with it: put it back. */
export function keepAddress(stage) {
  const path = location.pathname, entries = globalThis.navigation; // not in every browser: there the late writing after new data helps
  const onEntry = () => {
    if (location.pathname === path && !location.hash) saveAddress(stage);
  };
  entries?.addEventListener("currententrychange", onEntry);
  return () => (clearTimeout(stage.addressTimer), entries?.removeEventListener("currententrychange", onEntry));
}

/** The step of each run, for who comes back to it from another page of ours: there the address is without its step. An address that was opened anew says what it says. */
const places = new Map(), MOST_PLACES = 20;

export function rememberStep({ data, story, k }) {
  if (!data.flags?.whole) return;
  places.delete(story);
  places.set(story, k);
  if (places.size > MOST_PLACES) places.delete(places.keys().next().value);
}

/** Where a run was left, or null; a page that asks for a step of its own gets that. */
export const stepBefore = ({ whole, step }, story) => (whole && !step ? (places.get(story) ?? null) : null);
