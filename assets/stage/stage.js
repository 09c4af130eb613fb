// The stage: mounts into a host element, owns the step, and leaves every decision about the cache to the log.
import { make, setAttr } from "./dom.js";
import { foldAll } from "./fold.js";
import { formatText, labelText, lookUp } from "./narrate.js";
import { buildStage, fitStage, nameStage } from "./build.js";
import { LEVELS } from "./steps.js";
import { drawScene } from "./scene.js";
import { drawTicks } from "./timeline.js";
import { applyTheme } from "./theme.js";
import { parseHash, saveAddress } from "./address.js";
import { rebuildDrawers } from "./drawers.js";
import { takeSecondRun } from "./fork.js";
import { finishMotion } from "./motion.js";
import { pausePlay } from "./player.js";
import { wireInput } from "./input.js";

const stages = new WeakMap();
/** A page that inserts something above the stage makes Streamlit unmount and mount it again: what the viewer chose survives here, by key. */
const parked = new Map();
const CHOICES = ["story", "k", "level", "speed", "lang", "themeChoice", "flags", "asks", "votes", "bookmarks", "pin", "tab", "used"];

/** The sheet stands beside this module; until it is there the stage stays invisible instead of naked. */
function loadSheet(S, css) {
  if (css) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    S.host.adoptedStyleSheets = [...S.host.adoptedStyleSheets, sheet];
    S.undo.push(() => (S.host.adoptedStyleSheets = S.host.adoptedStyleSheets.filter((one) => one !== sheet)));
    return queueMicrotask(() => takeFocus(S));
  }
  const here = new URL(import.meta.url), link = make("link");
  link.rel = "stylesheet";
  link.href = new URL("stage.css" + here.search, here).href;
  link.onload = link.onerror = () => {
    S.root.style.visibility = "";
    S.refresh();
    takeFocus(S);
  };
  S.root.style.visibility = "hidden";
  S.host.prepend(link);
  S.undo.push(() => link.remove());
}

/** Takes the keyboard on first paint, unless somebody is already using another part of the page. */
function takeFocus(S) {
  if (document.activeElement === document.body || !document.activeElement) S.root.focus({ preventScroll: true });
}

function createStage(host, data, css) {
  const asked = parseHash(location.hash), flags = data.flags ?? {};
  const S = Object.assign(buildStage(host), { api: {}, open: new Map(), extra: {}, motions: [], hidden: new Set(), asks: new Map(), votes: new Map(),
    bookmarks: new Set(asked.bookmarks), speed: 1, tab: "E", focus: null, pin: asked.pin, feedback: null, playing: false, scale: 1, mouseRests: true,
    level: asked.level ?? (LEVELS.includes(flags.level) ? flags.level : "micro"), k: asked.step ?? flags.step ?? 0,
    flags: { ask: Boolean(flags.ask), noodle: Boolean(flags.analogy), code: Boolean(flags.code), presenter: Boolean(flags.presenter), blank: false } });
  S.t = (key, args) => labelText(S.data.text, S.lang, key, args);
  S.tLines = (key) => labelText(S.data.text, S.lang, key, {}, "\n");
  S.in = (lang, key, args) => formatText(lookUp(S.data.text, lang, key) ?? key, args);
  S.t1 = (key, args) => S.in(S.lang === "both" ? "zh" : S.lang, key, args);
  S.refresh = () => refreshStage(S);
  wireInput(S);
  loadSheet(S, css);
  return S;
}

/** Two logs tell the same story when only their language differs: then the step keeps its meaning. */
const storyOf = (log) => JSON.stringify([log.meta.scenario, log.meta.block_size, log.init.queue, log.events.map((event) => event.op)]);

/** New data on the same host: the step, the pin and the answers stay as long as run A tells the same story. */
function takeData(S, data) {
  const old = S.data;
  S.data = data;
  if (!old || old.lang !== data.lang || !S.lang) S.lang = data.lang;
  S.hidden = new Set(data.flags?.hide ?? []);
  if (data.forks?.length === 0 && !data.b) S.hidden.add("fork");
  for (const name of ["ask", "code", "presenter"]) if (old && old.flags?.[name] !== data.flags?.[name]) S.flags[name] = Boolean(data.flags[name]);
  if (old && old.flags?.analogy !== data.flags?.analogy) S.flags.noodle = Boolean(data.flags.analogy);
  if (old && old.flags?.level !== data.flags?.level && LEVELS.includes(data.flags?.level)) S.level = data.flags.level;
  if (old?.rev === data.rev && S.run) return;
  const story = storyOf(data.a), same = S.story === story, back = parked.get(S.api.key);
  if (!old && back?.story === story) Object.assign(S, back, back.told === data.lang ? {} : { lang: data.lang });
  parked.delete(S.api.key);
  S.story = story;
  S.run = { log: data.a, frames: foldAll(data.a.init, data.a.events) };
  S.order = [...new Set(data.a.events.map((event) => event.rid).filter(Boolean))];
  takeSecondRun(S);
  if (old && !same) Object.assign(S, { k: data.flags?.step ?? 0, pin: null, focus: null, feedback: null, asks: new Map(), votes: new Map(), bookmarks: new Set() });
  S.k = Math.max(0, Math.min(data.a.events.length, S.k));
}

function refreshStage(S) {
  finishMotion(S);
  S.reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  applyTheme(S);
  fitStage(S);
  nameStage(S);
  for (const name of ["presenter", "blank", "code", "noodle"]) S.root.classList.toggle(name, S.flags[name]);
  S.root.classList.toggle("used", Boolean(S.used));
  const pressed = { ask: S.flags.ask, code: S.flags.code, noodle: S.flags.noodle, presenter: S.flags.presenter, fork: Boolean(S.runB) };
  for (const [action, on] of Object.entries(pressed)) setAttr(S.controls.querySelector(`[data-do=${action}]`), "aria-pressed", on);
  S.root.lang = S.lang === "both" ? "zh" : S.lang;
  S.zones.C.legendLang = null;
  drawScene(S);
  drawTicks(S);
  rebuildDrawers(S);
}

export function mountStage(component) {
  const { data, parentElement: host } = component;
  let S = stages.get(host);
  if (!S) stages.set(host, (S = createStage(host, data, component.css)));
  S.api = component;
  takeData(S, data);
  refreshStage(S);
  saveAddress(S);
  return () => {
    pausePlay(S);
    if (component.key) parked.set(component.key, { ...Object.fromEntries(CHOICES.map((name) => [name, S[name]])), told: S.data.lang });
    finishMotion(S);
    for (const undo of S.undo) undo();
    S.root.remove();
    stages.delete(host);
  };
}

export default mountStage;
