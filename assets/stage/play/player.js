// Moving through time: step, seek, play. A question that is still open stands in the way of every forward step.
import { askBetween, nextStop, prevStop } from "../time/steps.js";
import { drawScene } from "./scene.js";
import { animateStep, durationOf, finishMotion, captureBefore } from "./motion.js";
import { saveAddress } from "./address.js";
import { answerQuestion, isAsking, mayAsk, nudgeQuestion, skipQuestion } from "../panels/quiz.js";

/** Shows step k; with `animate` the event that led to it is played on top of the finished drawing. */
function goTo(stage, k, animate = false) {
  const { events, k: from } = stage, to = Math.max(0, Math.min(events.length, k));
  finishMotion(stage);
  restMouse(stage);
  if (to !== from && events[to - 1]?.rid !== stage.event?.rid) stage.focus = null;
  if (to !== from && !stage.revealing) stage.feedback = null;
  if (to !== from) stage.nudged = false;
  const before = animate && to > from ? captureBefore(stage) : null;
  stage.k = to;
  drawScene(stage);
  if (before) animateStep(stage, before);
  saveAddress(stage);
}

/** A mouse that merely lies on the stage must not light things up while steps go by. */
function restMouse(stage) {
  stage.mouseRests = true;
  if (!stage.pin && stage.litKeys?.length) stage.onStep();
}

export function forward(stage, level = stage.level) {
  if (isAsking(stage)) {
    if (!stage.nudged) return nudgeQuestion(stage);
    skipQuestion(stage);
  }
  const { events, k, asks } = stage, to = nextStop(events, k, level);
  const stop = mayAsk(stage) ? askBetween(events, k + 1, to, (event) => asks.has(event.i)) : -1;
  goTo(stage, stop >= 0 ? stop : to, true);
}

export function backward(stage, level = stage.level) {
  pausePlay(stage);
  goTo(stage, prevStop(stage.events, stage.k, level));
}

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

/** The last three steps once more, at half speed. */
export function replayLast(stage) {
  const { k: end, speed, goesOn } = stage;
  pausePlay(stage);
  stage.endReplay = () => {
    Object.assign(stage, { speed, revealing: false, endReplay: null });
    if (stage.feedback) stage.feedback.again = false;
    drawScene(stage);
  };
  stage.revealing = true;
  goTo(stage, Math.max(0, end - 3));
  stage.speed = 0.5;
  const tick = () => {
    if (stage.k < end) goTo(stage, stage.k + 1, true);
    if (stage.k < end) return void afterMotion(stage, tick);
    stage.endReplay();
    if (goesOn) stage.playTimer = setTimeout(() => startPlay(stage), READ_MS);
  };
  stage.playTimer = setTimeout(tick, 300);
}

/** Answer and see; after a wrong answer see it again, slowly. A run that was playing goes on after that. Returns true when it was an answer. */
export function takeAnswer(stage, choice) {
  const { goesOn } = stage;
  if (!answerQuestion(stage, choice, () => forward(stage, "micro"))) return false;
  stage.goesOn = goesOn;
  const { right } = stage.feedback;
  if (right && !goesOn) return true;
  stage.playTimer = setTimeout(() => (right ? startPlay(stage) : replayLast(stage)), READ_MS);
  return true;
}
