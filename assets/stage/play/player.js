// Moving through time: step, seek, play. A question that is still open stands in the way of every forward step.
import { askBetween, nextStop, prevStop } from "../time/steps.js";
import { drawScene } from "./scene.js";
import { animateStep, durationOf, finishMotion, captureBefore } from "./motion.js";
import { saveAddress } from "./address.js";
import { answerQuestion, isAsking, nudgeQuestion, skipQuestion } from "../panels/quiz.js";

/** Shows step k; with `animate` the event that led to it is played on top of the finished drawing. */
export function goTo(S, k, animate = false) {
  const total = S.run.log.events.length;
  const to = Math.max(0, Math.min(total, k));
  finishMotion(S);
  restMouse(S);
  if (to !== S.k && S.run.log.events[to - 1]?.rid !== S.event?.rid) S.focus = null;
  if (to !== S.k && !S.revealing) S.feedback = null;
  if (to !== S.k) S.nudged = false;
  const before = animate && to > S.k ? captureBefore(S) : null;
  S.k = to;
  drawScene(S);
  if (before) animateStep(S, before);
  saveAddress(S);
  reportStep(S);
}

/** A mouse that merely lies on the stage must not light things up while steps go by. */
function restMouse(S) {
  S.mouseRests = true;
  if (!S.pin && S.litKeys?.length) S.onStep();
}

/** Python hears the step only when asked to (flags.report), only at rest: each report is a rerun. */
function reportStep(S) {
  clearTimeout(S.reportTimer);
  if (!S.data.flags?.report) return;
  S.reportTimer = setTimeout(() => !S.playing && S.reported !== S.k && S.api.setStateValue?.("step", (S.reported = S.k)), 800);
}

export function forward(S, level = S.level) {
  const { events } = S.run.log;
  if (isAsking(S)) {
    if (!S.nudged) return nudgeQuestion(S);
    skipQuestion(S);
  }
  const to = nextStop(events, S.k, level);
  const stop = S.flags.ask && !S.runB && !S.hidden.has("quiz") ? askBetween(events, S.k + 1, to, (event) => S.asks.has(event.i)) : -1;
  goTo(S, stop >= 0 ? stop : to, true);
}

export function backward(S, level = S.level) {
  pausePlay(S);
  goTo(S, prevStop(S.run.log.events, S.k, level));
}

export function seekTo(S, k) {
  pausePlay(S);
  if (k !== S.k) goTo(S, k);
}

export function pausePlay(S) {
  clearTimeout(S.playTimer);
  S.endReplay?.();
  S.auto = S.goesOn = false;
  if (!S.playing) return;
  S.playing = false;
  S.onPlay();
}

const REST_MS = 420, READ_MS = 2400;

export function startPlay(S) {
  if (S.playing) return pausePlay(S);
  if (S.k >= S.run.log.events.length) goTo(S, 0);
  S.playing = true;
  S.onPlay();
  const tick = () => {
    if (!S.playing) return;
    const asking = isAsking(S);
    if (asking || S.k >= S.run.log.events.length) return void (pausePlay(S), (S.goesOn = asking));
    forward(S);
    S.playTimer = setTimeout(tick, (durationOf(S.event) + REST_MS) / S.speed);
  };
  tick();
}

/** The last three steps once more, at half speed. */
export function replayLast(S) {
  const end = S.k, speed = S.speed, { goesOn } = S;
  pausePlay(S);
  S.endReplay = () => {
    Object.assign(S, { speed, revealing: false, endReplay: null });
    if (S.feedback) S.feedback.again = false;
    drawScene(S);
  };
  S.revealing = true;
  goTo(S, Math.max(0, end - 3));
  S.speed = 0.5;
  const tick = () => {
    if (S.k < end) goTo(S, S.k + 1, true);
    if (S.k < end) return void (S.playTimer = setTimeout(tick, (durationOf(S.event) + REST_MS) / S.speed));
    S.endReplay();
    if (goesOn) S.playTimer = setTimeout(() => startPlay(S), READ_MS);
  };
  S.playTimer = setTimeout(tick, 300);
}

/** Answer and see; after a wrong answer see it again, slowly. A run that was playing goes on after that. Returns true when it was an answer. */
export function takeAnswer(S, choice) {
  const { goesOn } = S;
  if (!answerQuestion(S, choice, () => forward(S, "micro"))) return false;
  S.goesOn = goesOn;
  const { right } = S.feedback;
  if (right && !goesOn) return true;
  S.playTimer = setTimeout(() => (right ? startPlay(S) : replayLast(S)), READ_MS);
  return true;
}
