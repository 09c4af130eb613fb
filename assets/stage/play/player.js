// Moving through time: step, seek, play. A question that is still open stands in the way of every forward step.
import { setAttr } from "../draw/dom.js";
import { askBetween, nextStop, prevStop } from "../time/steps.js";
import { drawScene } from "./scene.js";
import { animateStep, durationOf, finishMotion, captureBefore } from "./motion.js";
import { tellSeen } from "./seen.js";
import { saveAddress } from "./address.js";
import { answerQuestion, choiceOfDigit, choiceOfThing, isAsking, isOpen, mayAsk, nudgeQuestion, showAnswer } from "../panels/quiz.js";
import { tellBet } from "../panels/bet.js";
import { announce, sayNow } from "../panels/live.js";

/** Shows step k; with `animate` the event that led to it is played on top of the finished drawing. */
function goTo(stage, k, animate = false) {
  const { events, k: from } = stage, to = Math.max(0, Math.min(events.length, k));
  finishMotion(stage);
  restMouse(stage);
  tellBet(stage);
  if (to !== from && events[to - 1]?.rid !== stage.event?.rid) stage.focus = null;
  if (to !== from && !stage.revealing) stage.feedback = null;
  if (to !== from) stage.nudged = null;
  const before = animate && to > from ? captureBefore(stage) : null;
  stage.k = to;
  drawScene(stage);
  tellSeen(stage);
  if (before) animateStep(stage, before);
  saveAddress(stage);
}

/** A mouse that merely lies on the stage must not light things up while steps go by. */
function restMouse(stage) {
  stage.mouseRests = true;
  setAttr(stage.root, "data-moved", null);
  if (!stage.pin && stage.litKeys?.length) stage.onStep();
}

/** The first question between this step and that one that is still open, or -1; `from` may leave out the one that stands here. */
function openBefore(stage, to, from = stage.k) {
  return mayAsk(stage) ? askBetween(stage.events, from, to, (event) => !isOpen(stage, event)) : -1;
}

/** The last verdict goes before the next question stands; an open question holds every way forward. True where it does. */
function holds(stage) {
  if (!isAsking(stage)) return false;
  if (stage.feedback) {
    stage.feedback = null;
    drawScene(stage);
  } else nudgeQuestion(stage, drawScene);
  return true;
}

export function forward(stage, level = stage.level) {
  if (holds(stage)) return;
  const { events, k } = stage, to = nextStop(events, k, level), stop = openBefore(stage, to, k + 1);
  if (k === events.length) return sayNow(stage, stage.t("stage.live.last"));
  goTo(stage, stop >= 0 ? stop : to, true);
}

export function backward(stage, level = stage.level) {
  pausePlay(stage);
  if (stage.k === 0) return sayNow(stage, stage.t("stage.live.first"));
  goTo(stage, prevStop(stage.events, stage.k, level));
  if (stage.k === 0) announce(stage, stage.t("stage.live.first"));
}

/** To another step by key or button: forwards no further than to the first open question. */
export function leapTo(stage, to) {
  pausePlay(stage);
  if (to > stage.k && holds(stage)) return;
  const stop = openBefore(stage, to);
  if (to === stage.k) sayNow(stage, stage.t(to && to === stage.events.length ? "stage.live.last" : "stage.live.none"));
  if (to !== stage.k) goTo(stage, stop >= 0 ? stop : to);
}

/** Anywhere, by hand: questions that are passed stay open, and nothing is told of them. */
export function seekTo(stage, k) {
  pausePlay(stage);
  if (k !== stage.k) goTo(stage, k);
}

export function pausePlay(stage) {
  clearTimeout(stage.playTimer);
  stage.endReplay?.();
  stage.goesOn = false;
  if (!stage.playing) return;
  stage.playing = false;
  stage.onPlay();
}

const REST_MS = 420, READ_MS = 2400;
const afterMotion = (stage, tick) => (stage.playTimer = setTimeout(tick, (durationOf(stage.event, stage.level) + REST_MS) / stage.speed));

export function startPlay(stage) {
  if (stage.playing) return pausePlay(stage);
  if (stage.k >= stage.events.length) goTo(stage, 0);
  stage.playing = true;
  stage.onPlay();
  const tick = () => {
    if (!stage.playing) return;
    const asking = isAsking(stage);
    if (asking || stage.k >= stage.events.length) return void (pausePlay(stage), (stage.goesOn = asking));
    forward(stage);
    afterMotion(stage, tick);
  };
  tick();
}

/** The steps that decide, at half speed: from the question to where one sees why. */
export function replayDeciding(stage) {
  const { speed, goesOn, feedback, k } = stage;
  if (!feedback) return;
  pausePlay(stage);
  const [from, to] = feedback.ask.shows, open = openBefore(stage, to, Math.min(from + 1, to)), end = Math.max(k, open < 0 ? to : open);
  feedback.again = true;
  stage.endReplay = () => {
    Object.assign(stage, { speed, revealing: false, endReplay: null });
    if (stage.feedback) stage.feedback.again = false;
    drawScene(stage);
  };
  stage.revealing = true;
  goTo(stage, from);
  stage.speed = speed / 2;
  const tick = () => {
    if (stage.k < end) goTo(stage, stage.k + 1, true);
    if (stage.k < end) return void afterMotion(stage, tick);
    stage.endReplay();
    if (goesOn) stage.playTimer = setTimeout(() => startPlay(stage), READ_MS);
  };
  stage.playTimer = setTimeout(tick, 300);
}

/** The outcome is one step away, or one press where steps belong together; its verdict stays with it. */
function reveal(stage) {
  const { events, k, level } = stage, to = nextStop(events, k, level === "micro" ? level : "beat"), stop = openBefore(stage, to, k + 1);
  stage.revealing = true;
  goTo(stage, stop >= 0 ? stop : to, true);
  stage.revealing = false;
}

/** A block or slot that was clicked, as its link keys; a choice; or {digit}. True where it was taken for an answer. A run that was playing goes on after it. */
export function takeAnswer(stage, given) {
  if (!isAsking(stage)) return false;
  const { ask } = stage.events[stage.k], { goesOn } = stage;
  const choice = Array.isArray(given) ? choiceOfThing(ask, given) : given.digit !== undefined ? choiceOfDigit(ask, given.digit) : given;
  if (choice === null) return false;
  if (stage.feedback) return holds(stage);
  if (!answerQuestion(stage, choice)) return false;
  reveal(stage);
  if (!goesOn) return true;
  stage.goesOn = true;
  const { right } = stage.feedback;
  stage.playTimer = setTimeout(() => (right ? startPlay(stage) : replayDeciding(stage)), READ_MS);
  return true;
}

/** No guess: the answer is shown, and counts as shown. */
export function showMe(stage) {
  if (!isAsking(stage) || stage.feedback) return void (isAsking(stage) && holds(stage));
  pausePlay(stage);
  showAnswer(stage);
  reveal(stage);
}
