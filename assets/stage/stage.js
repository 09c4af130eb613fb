// The stage: mounts into a host element, owns the step, and leaves every decision about the cache to the log.
import { focusOn, setAttr } from "./draw/dom.js";
import { captionLine, formatText, labelText, languagesOf, lookUp } from "./words/narrate.js";
import { buildStage, fitStage, nameStage } from "./draw/build.js";
import { LEVELS } from "./time/steps.js";
import { drawScene } from "./play/scene.js";
import { drawTicks } from "./draw/timeline.js";
import { applyTheme, themeNow } from "./draw/theme.js";
import { parseHash, saveAddress } from "./play/address.js";
import { parkChoices, takeData } from "./play/intake.js";
import { isPacked, readData, unpackData } from "./time/unpack.js";
import { rebuildDrawers } from "./panels/drawers.js";
import { sayFork } from "./panels/live.js";
import { finishMotion } from "./play/motion.js";
import { pausePlay } from "./play/player.js";
import { phoneLevel } from "./phone/plan.js";
import { watchKeys } from "./hands/hearing.js";
import { wireInput } from "./hands/input.js";
import { wearSheet } from "./draw/sheet.js";

const stages = new WeakMap();

/** First paint, once both sheet and run are there. Where it is all of the page it takes the keyboard, unless somebody uses another part already. */
function revealStage(stage) {
  if (!stage.dressed || !stage.run || !stage.root.style.visibility) return;
  stage.root.style.visibility = "";
  stage.refresh();
  const idle = document.activeElement === document.body || !document.activeElement;
  if (idle && stage.data.flags?.whole) focusOn(stage.root);
}

function createStage(host, data, css) {
  const asked = parseHash(location.hash), flags = data.flags ?? {};
  const stage = Object.assign(buildStage(host), { api: {}, open: new Map(), extra: {}, motions: [], hidden: new Set(), asks: new Map(), votes: new Map(),
    bookmarks: new Set(asked.bookmarks), speed: 1, seen: 0, focus: null, edit: null, pin: asked.pin, feedback: null, nudged: null, playing: false, scale: 1, mouseRests: true,
    level: asked.level ?? phoneLevel(innerWidth) ?? (LEVELS.includes(flags.level) ? flags.level : "micro"), k: asked.step ?? flags.step ?? 0,
    menu: null, bet: null, betTimer: 0,
    flags: { ask: Boolean(flags.ask), noodle: Boolean(flags.ask), code: false, btable: Boolean(flags.btable), presenter: Boolean(flags.presenter), blank: false } });
  const worded = stage.worded = (key) => (stage.mode === "phone" && lookUp(stage.data.text, "en", key + ".phone") ? key + ".phone" : key); // no talk of keys where there are none
  stage.t = (key, args) => labelText(stage.data.text, stage.lang, worded(key), args);
  stage.tLines = (key) => labelText(stage.data.text, stage.lang, worded(key), {}, "\n");
  stage.tIn = (lang, key, args) => formatText(lookUp(stage.data.text, lang, worded(key)) ?? key, args);
  stage.t1 = (key, args) => stage.tIn(languagesOf(stage.lang)[0], key, args);
  stage.caption = (event, lang = stage.lang) => captionLine(stage.data.text, lang, event);
  stage.refresh = () => refreshStage(stage);
  wireInput(stage);
  stage.undo.push(watchKeys(stage));
  wearSheet(stage, css, "stage.css", import.meta.url, () => ((stage.dressed = true), revealStage(stage)));
  return stage;
}

function refreshStage(stage) {
  const { root, flags, lang, data } = stage;
  if (!stage.run) return;
  finishMotion(stage);
  stage.theme = themeNow(stage);
  stage.colours = applyTheme(root, data.palette, stage.theme);
  fitStage(stage);
  nameStage(stage);
  for (const name of ["presenter", "blank", "code", "noodle"]) root.classList.toggle(name, Boolean(flags[name]));
  root.classList.toggle("two", lang === "both");
  setAttr(root, "data-part", data.flags?.whole ? null : "1");
  root.lang = languagesOf(lang)[0];
  stage.zones.C.legendLang = null;
  drawScene(stage);
  drawTicks(stage);
  rebuildDrawers(stage);
  stage.tellHearing();
}

function showData(stage, data) {
  const before = stage.runB;
  takeData(stage, data);
  refreshStage(stage);
  if (before !== undefined && before !== stage.runB) sayFork(stage);
  revealStage(stage);
  saveAddress(stage, 900); // the page writes its query after the data: earlier would be too early
}

/** Large logs have to be inflated first; when newer data overtakes them, or the stage is gone, they are dropped. */
function receiveData(stage, data) {
  stage.newest = data;
  if (stage.run && stage.data.rev === data.rev) return showData(stage, { ...data, a: stage.data.a, b: stage.data.b });
  if (!isPacked(data.a) && !isPacked(data.b)) return showData(stage, data);
  unpackData(data).then((whole) => stage.newest === data && showData(stage, whole));
}

export function mountStage(component) {
  const { parentElement: host } = component, data = readData(component);
  let stage = stages.get(host);
  if (!stage) stages.set(host, (stage = createStage(host, data, component.css)));
  stage.api = component;
  receiveData(stage, data);
  return () => {
    stage.newest = null;
    pausePlay(stage);
    parkChoices(stage);
    finishMotion(stage);
    for (const undo of stage.undo) undo();
    stage.root.remove();
    stages.delete(host);
  };
}

export default mountStage;
