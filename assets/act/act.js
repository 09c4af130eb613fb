// The first screen: two requests in twelve beats. Python ran them on the engine; here they are drawn, one press at a time.
import { focusOn, setAttr } from "../stage/draw/dom.js";
import { wearSheet } from "../stage/draw/sheet.js";
import { applyTheme, themeNow } from "../stage/draw/theme.js";
import { readData } from "../stage/time/unpack.js";
import { formatText, labelText, languagesOf, lookUp } from "../stage/words/narrate.js";
import { buildAct, drawAct, tellAct } from "./view.js";
import { wireAct } from "./listen.js";

const acts = new WeakMap();
/** Who comes back finds the beat that was left. */
let parkedAct = null;

function createAct(host, css) {
  const act = Object.assign(buildAct(), { host, api: {}, undo: [] }, parkedAct);
  host.append(act.root);
  act.t = (key, args) => labelText(act.data.text, act.data.lang, key, args);
  act.t1 = (key, args) => formatText(lookUp(act.data.text, languagesOf(act.data.lang)[0], key) ?? key, args);
  wireAct(act);
  wearSheet(act, css, "act.css", import.meta.url, () => ((act.dressed = true), revealAct(act)));
  return act;
}

/** Nothing is shown naked. The act takes no focus: its keys work while nothing else has it. */
function revealAct(act) {
  if (!act.dressed || !act.data) return;
  act.root.style.visibility = "";
  drawAct(act);
}

function showAct(act, data) {
  if (act.data && act.data.lang !== data.lang) act.edit = null; // a variant of another text
  act.data = data;
  act.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  act.theme = themeNow(act);
  applyTheme(act.root, data.palette, act.theme);
  revealAct(act);
}

/** What a press means. Each says what it changed; drawing follows. */
export const ACT_DEEDS = {
  next(act) {
    if (act.open) return refuse(act);
    if (act.last) return ACT_DEEDS.take(act, act.data.path[0].runs[0].s);
    goBeat(act, act.i + 1, true);
  },
  back: (act) => act.i > 0 && goBeat(act, act.i - 1, false),
  again: (act) => ((act.chosen = null), goBeat(act, 0, false)),
  answer(act, at) {
    if (!act.open) return;
    act.chosen = Number(at);
    goBeat(act, act.i + 1, true);
    focusOn(act.nodes.get("next"));
  },
  edit(act, at) {
    const { edit, data } = act, place = Number(at), more = edit?.at === place ? edit.v + 1 : 0;
    act.edit = at === "off" || more >= data.variants[place].length ? null : { at: place, v: more };
    act.flipped = !act.still;
    drawAct(act, true);
    tellAct(act);
  },
  take: (act, run) => act.api.setTriggerValue?.("take", run),
  alone: (act) => (act.host.host ?? act.host).ownerDocument.querySelector(".st-key-alone")?.scrollIntoView({ behavior: act.still ? "auto" : "smooth" }),
};

function goBeat(act, i, forward) {
  act.refused = null;
  act.i = Math.max(0, Math.min(act.data.beats.length - 1, i));
  act.edit = null;
  drawAct(act, forward);
  tellAct(act);
}

/** Guess first: the button says so by shaking, a voice says so in words, and the keyboard stands on the first choice. */
function refuse(act) {
  const next = act.nodes.get("next");
  if (!act.still) next.animate([{ translate: "0" }, { translate: "-5px" }, { translate: "5px" }, { translate: "0" }], 400);
  act.refused = act.i;
  drawAct(act);
  tellAct(act, act.t("act.click.first"));
  focusOn(act.nodes.get("tok1.0"));
}

export function mountAct(component) {
  const { parentElement: host } = component, data = readData(component);
  let act = acts.get(host);
  if (!act) acts.set(host, (act = createAct(host, component.css)));
  act.api = component;
  act.deeds = ACT_DEEDS;
  showAct(act, data);
  setAttr(act.root, "data-ready", "1");
  return () => {
    parkedAct = { i: act.i, chosen: act.chosen };
    for (const undo of act.undo) undo();
    act.root.remove();
    acts.delete(host);
  };
}

export default mountAct;
