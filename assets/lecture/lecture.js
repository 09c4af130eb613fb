// One window for the projector, one for the lecturer's laptop: the same script, one drawn, one with its notes.
import { focusOn, make, setAttr } from "../stage/draw/dom.js";
import { wearSheet } from "../stage/draw/sheet.js";
import { applyTheme, themeNow } from "../stage/draw/theme.js";
import { readData } from "../stage/time/unpack.js";
import { keepText, openWire, recallText } from "./channel.js";
import { buildDeck, drawDeck, fitDeck } from "./deck.js";
import { measureLike } from "./fit.js";
import { hearKeys } from "./keys.js";
import { drawNotes, wireNotes } from "./notes.js";
import { drawTally } from "./options.js";
import { darken, freshLecture, handsOf, raise, recallLecture, recount, press } from "./state.js";
import { sayer } from "./words.js";

const lectures = new WeakMap();

/** What a press does to the state; the notes send the same from their window. */
const DEEDS = {
  go: (state, stops, by) => press(state, stops, by, Date.now()),
  turn: (state, stops, by) => press(state, stops, by, Date.now()),
  hand: (state, stops, [option, by]) => raise(state, stops, option, by),
  again: (state, stops) => recount(state, stops),
  dark: (state) => darken(state),
  anew: () => freshLecture(),
};

/** Only a count changed: nothing else is drawn again, so a hand is seen to rise. */
const onlyHands = (before, now) => Object.keys(now).every((name) => name === "hands" || now[name] === before[name]);

function drawLecture(lecture, forward = false) {
  const { data, state } = lecture;
  lecture.play?.stop();
  lecture.play = drawDeck(lecture.parts, { state, stops: data.stops, langs: data.langs, lang: data.langs[0], say: lecture.say, ears: (frame) => hearKeys(frame, lecture.deed, true) }, { forward, calm: lecture.calm, ended: () => tellNotes(lecture) });
  lecture.parts.deck.toggleAttribute("data-dark", state.blank);
}

function tellNotes(lecture) {
  if (!lecture.left) lecture.wire?.tell({ deck: lecture.id, state: lecture.state, playing: Boolean(lecture.play?.running()) });
}

/** One deed, from here or from the notes: during the play a press forward only lands it. */
function doDeed(lecture, deed, what) {
  const { state: before, play, data: { stops } } = lecture;
  if (deed === "turn" && !before.blank && play?.turn?.(what)) return;
  if (deed === "turn") deed = "go";
  if (deed === "go" && what > 0 && !before.blank && play?.running()) return play.land();
  const state = (lecture.state = DEEDS[deed](before, stops, what));
  if (state === before) return;
  const moved = state.at !== before.at || state.beat !== before.beat;
  if (deed === "hand" && onlyHands(before, state)) drawTally([...lecture.parts.deck.querySelectorAll(".op")][what[0]], handsOf(state, stops[state.at])[what[0]]);
  else if (moved || deed !== "dark") drawLecture(lecture, deed === "go" && what > 0 && moved);
  lecture.parts.deck.toggleAttribute("data-dark", state.blank);
  keepText(lecture.data.key, JSON.stringify(state));
  tellNotes(lecture);
}

/** Hands by the mouse too: a click counts one, with Shift or the other button it takes one back. */
function wireHands(lecture) {
  const count = (event, by) => {
    const option = event.composedPath().find((node) => node.dataset?.n !== undefined);
    if (!option) return;
    event.preventDefault();
    lecture.deed("hand", [Number(option.dataset.n), by]);
    if (event.detail) focusOn(lecture.root);
  };
  lecture.parts.deck.addEventListener("click", (event) => count(event, event.shiftKey ? -1 : 1));
  lecture.parts.deck.addEventListener("contextmenu", (event) => count(event, -1));
}

/** The page may change its theme, or the window its size, without calling us. */
function watchPage(lecture) {
  const check = () => {
    if (!lecture.data || themeNow(lecture) === lecture.theme) return;
    applyTheme(lecture.root, lecture.data.palette, (lecture.theme = themeNow(lecture)));
  };
  const watcher = new MutationObserver(check), media = matchMedia("(prefers-color-scheme: dark)"), onSize = () => lecture.parts && fitDeck(lecture.parts.deck, innerWidth, innerHeight);
  for (const node of [document.documentElement, document.body]) watcher.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme"] });
  media.addEventListener("change", check);
  addEventListener("resize", onSize);
  lecture.undo.push(() => (watcher.disconnect(), media.removeEventListener("change", check), removeEventListener("resize", onSize)));
}

function createLecture(host, css, notes) {
  const root = make("div", notes ? "lecture notes" : "lecture"), lecture = { host, root, undo: [], id: crypto.randomUUID?.() ?? String(Math.random()), data: null, state: null, wire: null };
  root.tabIndex = -1;
  host.append(root);
  if (notes) wireNotes(lecture);
  else {
    lecture.parts = buildDeck();
    root.append(lecture.parts.deck);
    lecture.deed = (deed, what) => lecture.state && doDeed(lecture, deed, what);
    wireHands(lecture);
    const leave = () => ((lecture.left = true), lecture.wire?.tell({ deck: lecture.id, gone: true })), back = () => ((lecture.left = false), tellNotes(lecture)); // one that goes may still be asked
    addEventListener("pagehide", leave);
    addEventListener("pageshow", back);
    lecture.undo.push(() => (removeEventListener("pagehide", leave), removeEventListener("pageshow", back)), leave);
  }
  lecture.undo.push(hearKeys(window, (...what) => lecture.deed(...what)));
  watchPage(lecture);
  wearSheet(lecture, css, "lecture.css", import.meta.url, () => ((lecture.dressed = true), revealLecture(lecture)));
  document.fonts?.ready.then(() => lecture.dressed && revealLecture(lecture)); // widths were measured with what was there
  return lecture;
}

/** First paint, once the sheet and the script are there. */
function revealLecture(lecture) {
  if (!lecture.dressed || !lecture.data) return;
  lecture.root.style.visibility = "";
  if (lecture.parts) (measureLike(lecture.root), fitDeck(lecture.parts.deck, innerWidth, innerHeight), lecture.play?.running() || drawLecture(lecture));
  else drawNotes(lecture);
  setAttr(lecture.root, "data-ready", "1");
}

/** Another script is another lecture, with counts of its own; the same one goes on where it stands. */
function openScript(lecture, data) {
  lecture.wire?.close();
  lecture.state = data.notes ? null : recallLecture(recallText(data.key), data.stops);
  lecture.wire = openWire(data.key, data.notes ? lecture.hear : (said) => {
    if (said.hello) tellNotes(lecture);
    else if (said.to === lecture.id && said.deed in DEEDS) lecture.deed(said.deed, said.with);
  });
  if (data.notes) lecture.wire.tell({ hello: true });
  else tellNotes(lecture);
}

function showScript(lecture, data) {
  const other = lecture.data?.key !== data.key;
  if (!other && lecture.state) lecture.state = recallLecture(JSON.stringify(lecture.state), data.stops); // stops may have been edited
  Object.assign(lecture, { data, say: sayer(data.text, data.langs[0]), calm: matchMedia("(prefers-reduced-motion: reduce)").matches });
  lecture.theme = themeNow(lecture);
  applyTheme(lecture.root, data.palette, lecture.theme);
  lecture.root.lang = data.langs[0];
  if (other) openScript(lecture, data);
  revealLecture(lecture);
}

export function mountLecture(component) {
  const { parentElement: host } = component, data = readData(component);
  let lecture = lectures.get(host);
  if (!lecture) lectures.set(host, (lecture = createLecture(host, component.css, data.notes)));
  showScript(lecture, data);
  return () => {
    lecture.play?.stop();
    for (const undo of lecture.undo) undo();
    lecture.wire?.close();
    lecture.root.remove();
    lectures.delete(host);
  };
}

export default mountLecture;
