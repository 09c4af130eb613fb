// What arrives from Python: the run, the words, what the page wants shown. What the viewer chose is kept wherever it still makes sense.
import { parseHash, rememberStep, stepBefore, stepToGo } from "./address.js";
import { foldAll } from "../time/fold.js";
import { LEVELS } from "../time/steps.js";
import { pausePlay } from "./player.js";
import { takeSecondRun } from "../panels/fork.js";
import { takeBet } from "../panels/bet.js";

/** A page that inserts something above the stage makes Streamlit unmount and mount it again: what the viewer chose survives here, by key. */
const parked = new Map();
const CHOICES = ["story", "k", "level", "speed", "lang", "themeChoice", "flags", "asks", "votes", "bookmarks", "pin", "seen"];

export function parkChoices(stage) {
  if (stage.run) rememberStep(stage);
  if (stage.data && stage.api.key) parked.set(stage.api.key, { ...Object.fromEntries(CHOICES.map((name) => [name, stage[name]])), told: stage.data.lang });
}

/** Two logs tell the same story when only their language differs: then the step keeps its meaning. */
const storyOf = (log) => JSON.stringify([log.meta.scenario, log.meta.block_size, log.init.queue, log.events.map((event) => event.op)]);

function takeFlags(stage, old, flags) {
  stage.hidden = new Set(flags.hide ?? []);
  if (!stage.data.forks.length && !stage.data.b) stage.hidden.add("fork");
  for (const name of ["ask", "presenter"]) if (old && old.flags?.[name] !== flags[name]) stage.flags[name] = Boolean(flags[name]);
  if (old && old.flags?.level !== flags.level && LEVELS.includes(flags.level)) stage.level = flags.level;
}

/** The step, the pin and the answers stay as long as run A tells the same story. */
function takeRuns(stage, old) {
  const { data } = stage, story = storyOf(data.a), same = stage.story === story, back = parked.get(stage.api.key);
  if (!old && back?.story === story) Object.assign(stage, back, back.told === data.lang ? {} : { lang: data.lang });
  else if (!old && parseHash(location.hash).step === null) stage.k = stepBefore(data.flags ?? {}, story) ?? stage.k;
  parked.delete(stage.api.key);
  stage.story = story;
  stage.events = data.a.events;
  stage.run = { log: data.a, frames: foldAll(data.a.init, stage.events) };
  stage.order = [...new Set(stage.events.map((event) => event.rid).filter(Boolean))];
  for (const step of stage.bookmarks) if (step > stage.events.length) stage.bookmarks.delete(step); // from a link to a longer run
  takeSecondRun(stage);
  if (old && !same) pausePlay(stage);
  if (old && !same) Object.assign(stage, { k: data.flags?.step ?? 0, seen: 0, pin: null, focus: null, feedback: null, asks: new Map(), votes: new Map(), bookmarks: new Set() });
}

/** `go` asks for a step once. */
function takeStep(stage, flags) {
  const go = stepToGo(flags.go);
  if (go !== null) stage.k = go;
  stage.k = Math.max(0, Math.min(stage.events.length, stage.k));
}

/** `forget`: a token that comes anew each time a viewer wants to be asked again; what was answered before it is gone, here and in what is parked. */
const forgotten = new Set();
function takeForget(stage, token) {
  if (!token || forgotten.has(token)) return;
  forgotten.add(token);
  for (const one of [stage, ...parked.values()]) Object.assign(one, { asks: new Map(), votes: new Map() });
  stage.feedback = null;
}

export function takeData(stage, data) {
  const old = stage.data, flags = data.flags ?? {}, { story } = stage;
  stage.data = data;
  stage.reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!old || old.lang !== data.lang || !stage.lang) stage.lang = data.lang;
  takeFlags(stage, old, flags);
  if (old?.rev !== data.rev || !stage.run) takeRuns(stage, old);
  takeBet(stage, Boolean(old) && stage.story !== story);
  takeForget(stage, flags.forget);
  takeStep(stage, flags);
}
