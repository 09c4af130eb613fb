// What arrives from Python: the run, the words, what the page wants shown. What the viewer chose is kept wherever it still makes sense.
import { stepToGo } from "./address.js";
import { foldAll } from "../time/fold.js";
import { LEVELS } from "../time/steps.js";
import { takeSecondRun } from "../panels/fork.js";
import { askPart, tellingStep } from "../panels/parts.js";

/** A page that inserts something above the stage makes Streamlit unmount and mount it again: what the viewer chose survives here, by key. */
const parked = new Map();
const CHOICES = ["story", "k", "level", "speed", "lang", "themeChoice", "flags", "asks", "votes", "bookmarks", "pin", "tab", "used", "touched", "partAsked", "partFrom", "part"];

export function parkChoices(S) {
  if (S.data && S.api.key) parked.set(S.api.key, { ...Object.fromEntries(CHOICES.map((name) => [name, S[name]])), told: S.data.lang });
}

/** Two logs tell the same story when only their language differs: then the step keeps its meaning. */
const storyOf = (log) => JSON.stringify([log.meta.scenario, log.meta.block_size, log.init.queue, log.events.map((event) => event.op)]);

function takeFlags(S, old, flags) {
  S.hidden = new Set(flags.hide ?? []);
  if (S.data.forks?.length === 0 && !S.data.b) S.hidden.add("fork");
  for (const name of ["ask", "code", "presenter"]) if (old && old.flags?.[name] !== flags[name]) S.flags[name] = Boolean(flags[name]);
  if (old && old.flags?.analogy !== flags.analogy) S.flags.noodle = Boolean(flags.analogy);
  if (old && old.flags?.level !== flags.level && LEVELS.includes(flags.level)) S.level = flags.level;
}

/** The step, the pin and the answers stay as long as run A tells the same story. */
function takeRuns(S, old) {
  const { data } = S, story = storyOf(data.a), same = S.story === story, back = parked.get(S.api.key);
  if (!old && back?.story === story) Object.assign(S, back, back.told === data.lang ? {} : { lang: data.lang });
  parked.delete(S.api.key);
  S.story = story;
  S.run = { log: data.a, frames: foldAll(data.a.init, data.a.events) };
  S.order = [...new Set(data.a.events.map((event) => event.rid).filter(Boolean))];
  takeSecondRun(S);
  if (old && !same) Object.assign(S, { k: data.flags?.step ?? 0, pin: null, focus: null, feedback: null, asks: new Map(), votes: new Map(), bookmarks: new Set() });
}

/** `go` asks for a step once; `part` asks for one of the seven parts; an example that may not move stands at a step worth seeing. */
function takeStep(S, flags) {
  const go = stepToGo(flags.go);
  if (go !== null) S.k = go;
  else if (flags.autoplay && S.reduced && S.k === 0 && !S.touched) S.k = tellingStep(S.run.log.events, S.run.frames);
  askPart(S, flags.part ?? null);
  S.k = Math.max(0, Math.min(S.run.log.events.length, S.k));
}

/** `forget`: a token that comes anew each time a viewer wants to be asked again; what was answered before it is gone, here and in what is parked. */
const forgotten = new Set();
function takeForget(S, token) {
  if (!token || forgotten.has(token)) return;
  forgotten.add(token);
  for (const one of [S, ...parked.values()]) Object.assign(one, { asks: new Map(), votes: new Map() });
  S.feedback = null;
}

export function takeData(S, data) {
  const old = S.data, flags = data.flags ?? {};
  S.data = data;
  S.reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!old || old.lang !== data.lang || !S.lang) S.lang = data.lang;
  takeFlags(S, old, flags);
  if (old?.rev !== data.rev || !S.run) takeRuns(S, old);
  takeForget(S, flags.forget);
  takeStep(S, flags);
}
