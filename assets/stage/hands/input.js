// Ears of the stage: keys, clicks, resize, full screen, theme. Listens only inside its own root.
import { focusOn } from "../draw/dom.js";
import { keyAction } from "../words/keys.js";
import { ACTIONS } from "./actions.js";
import { seekTo, takeAnswer } from "../play/player.js";
import { toggleDrawer } from "../panels/drawers.js";
import { drawTicks } from "../draw/timeline.js";
import { drawControls } from "../draw/controls.js";
import { closeMenu, menuKey, toggleMenu } from "../panels/menu.js";
import { betKey } from "../panels/bet.js";
import { clearLinks, showPin, showTip } from "../panels/links.js";
import { wireLinks, wireTrack } from "./pointer.js";
import { keepAddress, parseHash, saveAddress } from "../play/address.js";
import { eventKeys } from "../draw/view.js";
import { themeNow } from "../draw/theme.js";
import { turnToken } from "../draw/machine.js";
import { drawScene } from "../play/scene.js";

const isField = (node) => /^(INPUT|TEXTAREA|SELECT)$/.test(node?.tagName ?? "");

const ANSWERS = new Set(["answer", "none", "hand", "handNone"]);

export function onKey(stage, event) {
  if (betKey(stage, event)) return;
  const target = event.composedPath()[0], menu = menuKey(stage, event);
  if (menu) {
    event.stopPropagation();
    if (menu === "taken") event.preventDefault();
    return;
  }
  const { action, digit, stop } = keyAction(event);
  if (isField(target)) {
    event.stopPropagation();
    if (event.key === "Escape") ACTIONS.close(stage);
    return;
  }
  if (!stop) return;
  event.stopPropagation();
  if (target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
  if (!action) return;
  event.preventDefault();
  if (stage.flags.blank && action !== "blank" && action !== "close") return;
  if (ANSWERS.has(action) && (stage.menu || stage.open.has("help"))) return; // what covers a question does not answer it
  if (action === "pin" && answerByThing(stage, target)) return;
  ACTIONS[action](stage, digit);
}

/** A drawing may have replaced the very button that was pressed; the keyboard must not fall out of the stage with it. */
function keepFocus({ host, root }) {
  if (!host.activeElement && document.activeElement === document.body) focusOn(root);
}

/** In the lane and in the pool the thing itself is the answer. */
function answerByThing(stage, node) {
  const keys = (node?.getAttribute?.("data-h") ?? "").split(" ").filter(Boolean);
  return keys.length > 0 && takeAnswer(stage, keys);
}

/** What a click on a thing with such data does. */
const CLICKS = {
  option: (stage, option) => takeAnswer(stage, Number(option)), seek: (stage, step) => seekTo(stage, Number(step)),
  level: (stage, level) => ((stage.level = level), drawScene(stage), saveAddress(stage)),
  close: (stage, name) => toggleDrawer(stage, name, false),
  token: (stage, token) => (turnToken(stage, Number(token)), drawScene(stage)),
};

/** After these the menu stays open: one presses them more than once. */
const STAYS = new Set(["slower", "faster"]);

function onClick(stage, event) {
  const path = event.composedPath().filter((node) => node.nodeType === 1);
  const has = (name) => path.find((node) => node.dataset && name in node.dataset);
  const button = has("do");
  if (has("menu")) return toggleMenu(stage, has("menu").dataset.menu);
  if (!STAYS.has(button?.dataset.do)) closeMenu(stage);
  if (button) {
    ACTIONS[button.dataset.do](stage, button);
    if (event.detail > 0 && stage.host.activeElement === button && !STAYS.has(button.dataset.do)) focusOn(stage.root); // clicked, not pressed: Space means "play" again
    return;
  }
  for (const [name, act] of Object.entries(CLICKS)) if (has(name)) return void act(stage, has(name).dataset[name]);
  const thing = has("k");
  if (thing && answerByThing(stage, thing)) return;
  if (has("focus")) return void ((stage.focus = has("focus").dataset.focus), drawScene(stage));
  if (stage.flags.blank) ACTIONS.blank(stage);
}

/** The page may change its theme without calling us: look at the colour behind the stage whenever something like it changes. */
function watchTheme(stage) {
  const check = () => stage.data && themeNow(stage) !== stage.theme && stage.refresh();
  const watcher = new MutationObserver(check);
  for (const node of [document.documentElement, document.body]) watcher.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme"] });
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", check);
  return () => (watcher.disconnect(), media.removeEventListener("change", check));
}

/** A link to another step of the same page: our own writing does not come this way. */
function watchAddress(stage) {
  const onHash = () => {
    const { step } = parseHash(location.hash);
    if (stage.data && step !== null) seekTo(stage, step);
  };
  addEventListener("hashchange", onHash);
  return () => removeEventListener("hashchange", onHash);
}

function watchSize(stage) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (!stage.data || Math.abs(stage.root.clientWidth - width) < 1) return;
    width = stage.root.clientWidth;
    stage.refresh();
  });
  observer.observe(stage.root);
  const onFull = () => stage.data && stage.refresh();
  document.addEventListener("fullscreenchange", onFull);
  return () => (observer.disconnect(), document.removeEventListener("fullscreenchange", onFull));
}

export function wireInput(stage) {
  const { root, floor } = stage;
  root.addEventListener("keydown", (event) => (onKey(stage, event), keepFocus(stage)));
  floor.addEventListener("click", (event) => (onClick(stage, event), keepFocus(stage)));
  stage.blank.addEventListener("click", () => stage.flags.blank && ACTIONS.blank(stage));
  stage.seek = (k) => seekTo(stage, k);
  stage.onPlay = () => drawControls(stage);
  const ticksLit = (keys) => drawTicks(stage, keys.length ? (event) => eventKeys(event).some((key) => keys.includes(key)) : null);
  stage.onStep = () => (clearLinks(stage), ticksLit([]));
  stage.afterPin = () => {
    if (stage.pin) showPin(stage);
    else clearLinks(stage);
    ticksLit(stage.pin ? stage.litKeys ?? [] : []);
    saveAddress(stage);
  };
  wireTrack(stage, stage.seek, (step, words, x) => {
    if (step < 0) return clearLinks(stage);
    showTip(stage, [stage.t("stage.count", { step, total: stage.events.length }), words].filter(Boolean), { x, y: stage.plan.H[1] - 60, w: 0, h: 0 });
  });
  wireLinks(stage, ticksLit);
  stage.undo = [watchTheme(stage), watchSize(stage), watchAddress(stage), keepAddress(stage)];
}
