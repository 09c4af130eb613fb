// What each key and button does. The names are those of keys.js and of the text keys stage.key.<action>.
import { findOp } from "../time/steps.js";
import { backward, forward, pausePlay, replayLast, seekTo, startPlay, takeAnswer } from "../play/player.js";
import { addHand, secondVote } from "../panels/quiz.js";
import { closeNewest, sendFork, toggleDrawer, undoFork } from "../panels/drawers.js";
import { drawScene } from "../play/scene.js";
import { drawTicks } from "../draw/timeline.js";
import { saveAddress } from "../play/address.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4];
const LANGS = ["zh", "en", "both"];

const jump = (ops, dir) => (S) => seekTo(S, findOp(S.run.log.events, S.k, ops, dir));
const step = (move, level) => (S) => (pausePlay(S), move(S, level));
const flip = (name) => (S) => {
  S.flags[name] = !S.flags[name];
  S.refresh();
};
const drawer = (name) => (S) => toggleDrawer(S, name);

function changeSpeed(S, dir) {
  const at = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(S.speed) + dir));
  S.speed = SPEEDS[at];
  drawScene(S);
}

function bookmark(S) {
  const on = !S.bookmarks.has(S.k);
  if (on) S.bookmarks.add(S.k);
  else S.bookmarks.delete(S.k);
  drawTicks(S);
  saveAddress(S);
  S.api.setTriggerValue?.("bookmark", { step: S.k, on, all: [...S.bookmarks].sort((a, b) => a - b) });
}

function nextLanguage(S) {
  S.lang = LANGS[(LANGS.indexOf(S.lang) + 1) % LANGS.length];
  S.langChosen = S.lang;
  S.refresh();
  S.api.setStateValue?.("lang", S.lang);
}

function previewTheme(S) {
  S.themeChoice = S.theme === "dark" ? "light" : "dark";
  S.refresh();
}

function fullScreen(S) {
  if (document.fullscreenElement) document.exitFullscreen();
  else S.root.requestFullscreen?.().catch(() => {});
}

function presenter(S) {
  S.flags.presenter = !S.flags.presenter;
  if (S.flags.presenter) ["log", "inspect", "table"].forEach((name) => toggleDrawer(S, name, false));
  if (S.flags.presenter !== Boolean(document.fullscreenElement)) fullScreen(S);
  S.refresh();
}

function pin(S) {
  const key = S.litKeys?.[0];
  if (!key) return;
  S.pin = S.pin === key ? null : key;
  S.afterPin();
}

function close(S) {
  if (S.flags.blank) return flip("blank")(S);
  if (closeNewest(S)) return;
  if (S.feedback) return void ((S.feedback = null), drawScene(S));
  S.pin = null;
  S.afterPin();
}

export const ACTIONS = {
  next: step(forward), back: step(backward), nextBlock: step(forward, "block"), backBlock: step(backward, "block"),
  nextRequest: step(forward, "request"), backRequest: step(backward, "request"),
  first: (S) => seekTo(S, 0), last: (S) => seekTo(S, S.run.log.events.length), play: startPlay,
  slower: (S) => changeSpeed(S, -1), faster: (S) => changeSpeed(S, 1), goto: drawer("goto"),
  nextMiss: jump(["miss"], 1), backMiss: jump(["miss"], -1), nextEvict: jump(["evict", "ttl"], 1), backEvict: jump(["evict", "ttl"], -1),
  bookmark, ask: flip("ask"), fork: drawer("fork"), sendFork, undoFork,
  answer: (S, digit) => takeAnswer(S, digit - 1), hand: (S, digit) => addHand(S, digit - 1),
  revote: secondVote, replay: replayLast, full: fullScreen, presenter, blank: flip("blank"), lang: nextLanguage, theme: previewTheme,
  code: flip("code"), noodle: flip("noodle"), table: drawer("table"), inspect: drawer("inspect"), log: drawer("log"), help: drawer("help"), pin, close,
};
