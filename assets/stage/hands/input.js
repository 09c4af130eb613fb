// Ears of the stage: keys, clicks, resize, full screen, theme. Listens only inside its own root.
import { setAttr, swapIcon } from "../draw/dom.js";
import { keyAction } from "../words/keys.js";
import { ACTIONS } from "./actions.js";
import { seekTo, takeAnswer } from "../play/player.js";
import { toggleDrawer } from "../panels/drawers.js";
import { drawTicks, wireTrack } from "../draw/timeline.js";
import { clearLinks, showPin, showTip, wireLinks } from "../panels/links.js";
import { keepAddress, parseHash, saveAddress } from "../play/address.js";
import { eventKeys } from "../draw/view.js";
import { themeNow } from "../draw/theme.js";
import { drawScene } from "../play/scene.js";
import { leavePart } from "../panels/parts.js";
import { wireAuto } from "../play/autoplay.js";

const isField = (node) => /^(INPUT|TEXTAREA|SELECT)$/.test(node?.tagName ?? "");

function onKey(S, event) {
  const target = event.composedPath()[0];
  const { action, digit, stop } = keyAction(event);
  if (isField(target)) {
    event.stopPropagation();
    if (event.key === "Escape") ACTIONS.close(S);
    return;
  }
  if (!stop) return;
  event.stopPropagation();
  if (target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
  if (!action) return;
  event.preventDefault();
  noteUse(S);
  if (S.flags.blank && action !== "blank" && action !== "close") return;
  if (action === "pin" && answerByThing(S, target)) return;
  ACTIONS[action](S, digit);
}

/** The hint "keys: ?" has done its work once somebody pressed or clicked anything; so has the light on a named part. */
function noteUse(S) {
  S.used = true;
  S.root.classList.add("used");
  if (leavePart(S)) drawScene(S);
}

/** A drawing may have replaced the very button that was pressed; the keyboard must not fall out of the stage with it. */
function keepFocus(S) {
  if (!S.host.activeElement && document.activeElement === document.body) S.root.focus({ preventScroll: true });
}

/** In a "click" question the thing itself is the answer. */
function answerByThing(S, node) {
  const keys = (node?.getAttribute?.("data-h") ?? "").split(" ").filter(Boolean);
  return keys.length > 0 && takeAnswer(S, keys);
}

function onClick(S, event) {
  const path = event.composedPath().filter((node) => node.nodeType === 1);
  const has = (name) => path.find((node) => node.dataset && name in node.dataset);
  const button = has("do");
  noteUse(S);
  if (button) return ACTIONS[button.dataset.do](S, button);
  if (has("option")) return void takeAnswer(S, Number(has("option").dataset.option));
  if (has("level")) return void ((S.level = has("level").dataset.level), drawScene(S), saveAddress(S));
  if (has("seek")) return seekTo(S, Number(has("seek").dataset.seek));
  if (has("close")) return toggleDrawer(S, has("close").dataset.close, false);
  if (has("tab")) return void ((S.tab = has("tab").dataset.tab), S.refresh());
  const thing = has("k");
  if (thing && answerByThing(S, thing)) return;
  if (has("focus")) return void ((S.focus = has("focus").dataset.focus), drawScene(S));
  if (S.flags.blank) ACTIONS.blank(S);
}

/** The page may change its theme without calling us: look at the colour behind the stage whenever something like it changes. */
function watchTheme(S) {
  const check = () => S.data && themeNow(S) !== S.theme && S.refresh();
  const watcher = new MutationObserver(check);
  for (const node of [document.documentElement, document.body]) watcher.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme"] });
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", check);
  return () => (watcher.disconnect(), media.removeEventListener("change", check));
}

/** A link to another step of the same page: our own writing does not come this way. */
function watchAddress(S) {
  const onHash = () => {
    const { step } = parseHash(location.hash);
    if (S.data && step !== null) seekTo(S, step);
  };
  addEventListener("hashchange", onHash);
  return () => removeEventListener("hashchange", onHash);
}

function watchSize(S) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (!S.data || Math.abs(S.root.clientWidth - width) < 1) return;
    width = S.root.clientWidth;
    S.refresh();
  });
  observer.observe(S.root);
  const onFull = () => S.data && S.refresh();
  document.addEventListener("fullscreenchange", onFull);
  return () => (observer.disconnect(), document.removeEventListener("fullscreenchange", onFull));
}

export function wireInput(S) {
  wireAuto(S);
  S.root.addEventListener("keydown", (event) => (onKey(S, event), keepFocus(S)));
  S.stage.addEventListener("click", (event) => (onClick(S, event), keepFocus(S)));
  S.blank.addEventListener("click", () => S.flags.blank && ACTIONS.blank(S));
  S.seek = (k) => seekTo(S, k);
  S.onPlay = () => {
    const button = S.controls.querySelector("[data-do=play]");
    button.replaceChildren();
    button.iconName = null;
    swapIcon(button, S.playing ? "pause" : "play");
    setAttr(button, "aria-pressed", S.playing);
  };
  const ticksLit = (keys) => drawTicks(S, keys.length ? (event) => eventKeys(event).some((key) => keys.includes(key)) : null);
  S.onStep = () => (clearLinks(S), ticksLit([]));
  S.afterPin = () => {
    if (S.pin) showPin(S);
    else clearLinks(S);
    ticksLit(S.pin ? S.litKeys ?? [] : []);
    saveAddress(S);
  };
  wireTrack(S, S.seek, (step, words, clientX) => {
    if (step < 0) return clearLinks(S);
    const base = S.stage.getBoundingClientRect(), x = (clientX - base.left) / S.scale;
    showTip(S, [S.t("stage.count", { step, total: S.run.log.events.length }), words].filter(Boolean), { x, y: S.plan.H[1] - 60, w: 0, h: 0 });
  });
  wireLinks(S, ticksLit);
  S.undo = [watchTheme(S), watchSize(S), watchAddress(S), keepAddress(S)];
}
