// The stage: mounts into a host element, owns the step, and leaves every decision about the cache to the log.
import { setAttr } from "./draw/dom.js";
import { formatText, labelText, lookUp } from "./words/narrate.js";
import { buildStage, fitStage, nameStage } from "./draw/build.js";
import { LEVELS } from "./time/steps.js";
import { drawScene } from "./play/scene.js";
import { drawTicks } from "./draw/timeline.js";
import { applyTheme } from "./draw/theme.js";
import { parseHash, saveAddress } from "./play/address.js";
import { parkChoices, takeData } from "./play/intake.js";
import { isPacked, readData, unpackData } from "./time/unpack.js";
import { startAuto } from "./play/autoplay.js";
import { rebuildDrawers } from "./panels/drawers.js";
import { finishMotion } from "./play/motion.js";
import { pausePlay } from "./play/player.js";
import { wireInput } from "./hands/input.js";
import { wearSheet } from "./draw/sheet.js";

const stages = new WeakMap();

/** First paint, once both sheet and run are there. It takes the keyboard, unless somebody uses another part of the page or it plays by itself. */
function revealStage(S) {
  if (!S.dressed || !S.run || !S.root.style.visibility) return;
  S.root.style.visibility = "";
  S.refresh();
  const idle = document.activeElement === document.body || !document.activeElement;
  if (idle && !S.data.flags?.autoplay) S.root.focus({ preventScroll: true });
}

function createStage(host, data, css) {
  const asked = parseHash(location.hash), flags = data.flags ?? {};
  const S = Object.assign(buildStage(host), { api: {}, open: new Map(), extra: {}, motions: [], hidden: new Set(), asks: new Map(), votes: new Map(),
    bookmarks: new Set(asked.bookmarks), speed: 1, tab: "E", focus: null, pin: asked.pin, feedback: null, playing: false, scale: 1, mouseRests: true,
    touched: asked.step !== null, level: asked.level ?? (LEVELS.includes(flags.level) ? flags.level : "micro"), k: asked.step ?? flags.step ?? 0,
    flags: { ask: Boolean(flags.ask), noodle: Boolean(flags.analogy), code: Boolean(flags.code), presenter: Boolean(flags.presenter), blank: false } });
  S.t = (key, args) => labelText(S.data.text, S.lang, key, args);
  S.tLines = (key) => labelText(S.data.text, S.lang, key, {}, "\n");
  S.in = (lang, key, args) => formatText(lookUp(S.data.text, lang, key) ?? key, args);
  S.t1 = (key, args) => S.in(S.lang === "both" ? "zh" : S.lang, key, args);
  S.refresh = () => refreshStage(S);
  wireInput(S);
  wearSheet(S, css, "stage.css", import.meta.url, () => ((S.dressed = true), revealStage(S)));
  return S;
}

function refreshStage(S) {
  if (!S.run) return;
  finishMotion(S);
  applyTheme(S);
  fitStage(S);
  nameStage(S);
  for (const name of ["presenter", "blank", "code", "noodle"]) S.root.classList.toggle(name, S.flags[name]);
  S.root.classList.toggle("used", Boolean(S.used));
  S.root.classList.toggle("two", S.lang === "both");
  const pressed = { ask: S.flags.ask, code: S.flags.code, noodle: S.flags.noodle, presenter: S.flags.presenter, fork: Boolean(S.runB) };
  for (const [action, on] of Object.entries(pressed)) setAttr(S.controls.querySelector(`[data-do=${action}]`), "aria-pressed", on);
  S.root.lang = S.lang === "both" ? "zh" : S.lang;
  S.zones.C.legendLang = null;
  drawScene(S);
  drawTicks(S);
  rebuildDrawers(S);
}

function showData(S, data) {
  takeData(S, data);
  refreshStage(S);
  revealStage(S);
  startAuto(S);
  saveAddress(S, 900); // the page writes its query after the data: earlier would be too early
}

/** Large logs have to be inflated first; when newer data overtakes them, or the stage is gone, they are dropped. */
function receiveData(S, data) {
  S.newest = data;
  if (S.run && S.data.rev === data.rev) return showData(S, { ...data, a: S.data.a, b: S.data.b });
  if (!isPacked(data.a) && !isPacked(data.b)) return showData(S, data);
  unpackData(data).then((whole) => S.newest === data && showData(S, whole));
}

export function mountStage(component) {
  const { parentElement: host } = component, data = readData(component.data);
  let S = stages.get(host);
  if (!S) stages.set(host, (S = createStage(host, data, component.css)));
  S.api = component;
  receiveData(S, data);
  return () => {
    S.newest = null;
    pausePlay(S);
    parkChoices(S);
    finishMotion(S);
    for (const undo of S.undo) undo();
    S.root.remove();
    stages.delete(host);
  };
}

export default mountStage;
