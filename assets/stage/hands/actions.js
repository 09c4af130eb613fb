// What each key and button does. The names are those of keys.js and of the text keys stage.key.<action>.
import { findOp } from "../time/steps.js";
import { backward, forward, leapTo, pausePlay, replayDeciding, seekTo, showMe, startPlay, takeAnswer } from "../play/player.js";
import { sayNow } from "../panels/live.js";
import { chooseRun, closeCard } from "../panels/endcard.js";
import { addHand, choiceOfDigit, NONE_HITS, secondVote } from "../panels/quiz.js";
import { closeNewest, sendFork, toggleDrawer, undoFork } from "../panels/drawers.js";
import { closeMenu } from "../panels/menu.js";
import { drawScene } from "../play/scene.js";
import { drawTicks } from "../draw/timeline.js";
import { saveAddress } from "../play/address.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4];
const LANGS = ["zh", "en", "both"];

/** To the nearest such event; forwards no further than to the first question that is still open. */
const jump = (ops, dir) => (stage) => leapTo(stage, findOp(stage.events, stage.k, ops, dir));
const step = (move, level) => (stage) => (pausePlay(stage), move(stage, level));
const flip = (name) => (stage) => {
  stage.flags[name] = !stage.flags[name];
  stage.refresh();
};
const drawer = (name) => (stage) => toggleDrawer(stage, name);

function changeSpeed(stage, dir) {
  const at = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(stage.speed) + dir));
  stage.speed = SPEEDS[at];
  drawScene(stage);
  sayNow(stage, stage.t("stage.speed", { speed: stage.speed }));
}

function bookmark(stage) {
  const { bookmarks, k } = stage, gone = bookmarks.delete(k);
  if (!gone) bookmarks.add(k);
  sayNow(stage, stage.t(gone ? "stage.live.unmarked" : "stage.live.marked", { step: k }));
  drawTicks(stage);
  saveAddress(stage);
}

/** The nearest bookmark before or after this step; from the last one on to the first. */
const toBookmark = (dir) => (stage) => {
  const marks = [...stage.bookmarks].sort((a, b) => (a - b) * dir), { k } = stage;
  const to = marks.find((step) => (step - k) * dir > 0) ?? marks[0];
  if (to !== undefined) seekTo(stage, to);
};

const vote = (count) => (stage, choice) => (count(stage, choice), drawScene(stage));
const handOf = (stage, digit) => stage.ask && addHand(stage, choiceOfDigit(stage.ask, digit));

/** The run once more from its beginning, asked anew; the first answers stay where they are recorded. */
function runAgain(stage) {
  Object.assign(stage, { asks: new Map(), votes: new Map(), feedback: null });
  seekTo(stage, 0);
}

function nextLanguage(stage) {
  stage.lang = LANGS[(LANGS.indexOf(stage.lang) + 1) % LANGS.length];
  stage.refresh();
  stage.api.setTriggerValue?.("lang", stage.lang);
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
  if (stage.card && !stage.card.hidden) return closeCard(stage);
  if (!stage.pin && stage.flags.presenter) return presenter(stage);
  stage.pin = null;
  stage.afterPin();
}

const putBack = (stage) => ((stage.edit = null), drawScene(stage));

export const ACTIONS = {
  next: step(forward), back: step(backward), nextBlock: step(forward, "block"), backBlock: step(backward, "block"),
  nextRequest: step(forward, "request"), backRequest: step(backward, "request"),
  first: (stage) => seekTo(stage, 0), last: (stage) => leapTo(stage, stage.events.length), play: startPlay,
  slower: (stage) => changeSpeed(stage, -1), faster: (stage) => changeSpeed(stage, 1), goto: drawer("goto"),
  nextMiss: jump(["miss"], 1), backMiss: jump(["miss"], -1), nextEvict: jump(["evict", "ttl"], 1), backEvict: jump(["evict", "ttl"], -1),
  bookmark, nextBookmark: toBookmark(1), backBookmark: toBookmark(-1), btable: flip("btable"), ask: flip("ask"), fork: drawer("fork"), sendFork, undoFork,
  answer: (stage, digit) => takeAnswer(stage, { digit }), none: (stage) => takeAnswer(stage, NONE_HITS), hand: vote(handOf), handNone: vote((stage) => addHand(stage, NONE_HITS)),
  reveal: showMe, revote: vote(secondVote), replay: replayDeciding, again: runAgain, run: chooseRun, look: closeCard, full: fullScreen, presenter, blank: flip("blank"), lang: nextLanguage, theme: previewTheme,
  code: flip("code"), noodle: flip("noodle"), table: drawer("table"), inspect: drawer("inspect"), putBack, log: drawer("log"), help: drawer("help"), pin, close,
};
