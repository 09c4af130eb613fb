// Moving through time: step, seek, play. A question that is still open stands in the way of every forward step.
import { askBetween, nextStop, prevStop } from "./steps.js";
import { drawScene } from "./scene.js";
import { animateStep, durationOf, finishMotion, captureBefore } from "./motion.js";
import { drawPlayhead } from "./timeline.js";
import { saveAddress } from "./address.js";
import { isAsking, nudgeQuestion, skipQuestion } from "./quiz.js";

/** Shows step k; with `animate` the event that led to it is played on top of the finished drawing. */
export function goTo(S, k, animate = false) {
  const total = S.run.log.events.length;
  const to = Math.max(0, Math.min(total, k));
  finishMotion(S);
  restMouse(S);
  if (to !== S.k && S.run.log.events[to - 1]?.rid !== S.event?.rid) S.focus = null;
  if (to !== S.k && !S.revealing) S.feedback = null;
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
  if (!S.playing) return;
  S.playing = false;
  S.onPlay();
}

const REST_MS = 420;

export function startPlay(S) {
  if (S.playing) return pausePlay(S);
  if (S.k >= S.run.log.events.length) goTo(S, 0);
  S.playing = true;
  S.onPlay();
  const tick = () => {
    if (!S.playing) return;
    if (S.k >= S.run.log.events.length || isAsking(S)) return pausePlay(S);
    forward(S);
    S.playTimer = setTimeout(tick, (durationOf(S.event) + REST_MS) / S.speed);
  };
  tick();
}

/** After a wrong answer: the last three steps once more, at half speed. */
export function replayLast(S) {
  pausePlay(S);
  const end = S.k, speed = S.speed;
  S.endReplay = () => {
    Object.assign(S, { speed, revealing: false, endReplay: null });
    drawPlayhead(S);
  };
  S.revealing = true;
  goTo(S, Math.max(0, end - 3));
  S.speed = 0.5;
  const tick = () => {
    if (S.k < end) goTo(S, S.k + 1, true);
    if (S.k < end) return void (S.playTimer = setTimeout(tick, (durationOf(S.event) + REST_MS) / S.speed));
    S.endReplay();
  };
  S.playTimer = setTimeout(tick, 300);
}
