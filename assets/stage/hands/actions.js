// What each key and button does. The names are those of keys.js and of the text keys stage.key.<action>.
import { setText } from "../draw/dom.js";
import { askBetween, findOp } from "../time/steps.js";
import { backward, forward, pausePlay, replayLast, seekTo, startPlay, takeAnswer } from "../play/player.js";
import { addHand, mayAsk, nudgeQuestion, secondVote } from "../panels/quiz.js";
import { closeNewest, sendFork, toggleDrawer, undoFork } from "../panels/drawers.js";
import { closeMenu } from "../panels/menu.js";
import { drawScene } from "../play/scene.js";
import { drawTicks } from "../draw/timeline.js";
import { saveAddress } from "../play/address.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4];
const LANGS = ["zh", "en", "both"];

/** To the nearest such event; forwards no further than to the first question that is still open. */
const jump = (ops, dir) => (stage) => {
  const { events, k, asks } = stage, to = findOp(events, k, ops, dir);
  const open = mayAsk(stage) ? askBetween(events, k, to, (event) => asks.has(event.i)) : -1;
  if (open === k) return nudgeQuestion(stage);
  seekTo(stage, open < 0 ? to : open);
};
const step = (move, level) => (stage) => (pausePlay(stage), move(stage, level));
const flip = (name) => (stage) => {
  stage.flags[name] = !stage.flags[name];
  stage.refresh();
};
const drawer = (name) => (stage) => toggleDrawer(stage, name);

function changeSpeed(stage, dir) {
  const at = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(stage.speed) + dir));
  stage.speed = SPEEDS[at];
  setText(stage.live, stage.t("stage.speed", { speed: stage.speed }));
  drawScene(stage);
}

function bookmark(stage) {
  const { bookmarks, k } = stage;
  if (!bookmarks.delete(k)) bookmarks.add(k);
  drawTicks(stage);
  saveAddress(stage);
}

/** The nearest bookmark before or after this step; from the last one on to the first. */
const toBookmark = (dir) => (stage) => {
  const marks = [...stage.bookmarks].sort((a, b) => (a - b) * dir), { k } = stage;
  const to = marks.find((step) => (step - k) * dir > 0) ?? marks[0];
  if (to !== undefined) seekTo(stage, to);
};

function nextLanguage(stage) {
  stage.lang = LANGS[(LANGS.indexOf(stage.lang) + 1) % LANGS.length];
  stage.refresh();
  stage.api.setStateValue?.("lang", stage.lang);
}

function previewTheme(stage) {
  stage.themeChoice = stage.theme === "dark" ? "light" : "dark";
  stage.refresh();
}

function fullScreen({ root }) {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.().catch(() => {});
}

function presenter(stage) {
  stage.flags.presenter = !stage.flags.presenter;
  if (stage.flags.presenter) ["log", "inspect", "table"].forEach((name) => toggleDrawer(stage, name, false));
  if (stage.flags.presenter !== Boolean(document.fullscreenElement)) fullScreen(stage);
  stage.refresh();
}

function pin(stage) {
  const key = stage.litKeys?.[0];
  if (!key) return;
  stage.pin = stage.pin === key ? null : key;
  stage.afterPin();
}

function close(stage) {
  if (closeMenu(stage, true)) return;
  if (stage.flags.blank) return flip("blank")(stage);
  if (closeNewest(stage)) return;
  if (stage.feedback) return void ((stage.feedback = null), drawScene(stage));
  if (!stage.pin && stage.flags.presenter) return presenter(stage);
  stage.pin = null;
  stage.afterPin();
}

export const ACTIONS = {
  next: step(forward), back: step(backward), nextBlock: step(forward, "block"), backBlock: step(backward, "block"),
  nextRequest: step(forward, "request"), backRequest: step(backward, "request"),
  first: (stage) => seekTo(stage, 0), last: (stage) => seekTo(stage, stage.events.length), play: startPlay,
  slower: (stage) => changeSpeed(stage, -1), faster: (stage) => changeSpeed(stage, 1), goto: drawer("goto"),
  nextMiss: jump(["miss"], 1), backMiss: jump(["miss"], -1), nextEvict: jump(["evict", "ttl"], 1), backEvict: jump(["evict", "ttl"], -1),
  bookmark, nextBookmark: toBookmark(1), backBookmark: toBookmark(-1), btable: flip("btable"), ask: flip("ask"), fork: drawer("fork"), sendFork, undoFork,
  answer: (stage, digit) => takeAnswer(stage, digit - 1), hand: (stage, digit) => addHand(stage, digit - 1),
  revote: secondVote, replay: replayLast, full: fullScreen, presenter, blank: flip("blank"), lang: nextLanguage, theme: previewTheme,
  code: flip("code"), noodle: flip("noodle"), table: drawer("table"), inspect: drawer("inspect"), log: drawer("log"), help: drawer("help"), pin, close,
};
