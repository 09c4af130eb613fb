// Ears of the act: keys, clicks, swipes, size and theme.
import { focusOn } from "../stage/draw/dom.js";
import { applyTheme, themeNow } from "../stage/draw/theme.js";
import { drawAct } from "./view.js";

const ACT_KEYS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back" };
const SWIPE_PX = 60;

/** Somebody scrolled on to the rest of the page: then its keys belong to the page. */
const inSight = ({ root }) => root.getBoundingClientRect().top > -root.clientHeight / 3;

/** With a guess to make, arrows walk over the tokens; off the first one to the left, they step back. */
function walkTokens(act, key, target) {
  const at = Number(/^answer:(\d+)$/.exec(target?.dataset?.do ?? "")?.[1] ?? NaN), to = at + (key === "ArrowRight" ? 1 : -1);
  const next = act.open && key.startsWith("Arrow") ? act.nodes.get("tok1." + to) : null;
  if (!next) return Boolean(act.open && key === "ArrowRight" && at >= 0);
  focusOn(next);
  return true;
}

function onActKey(act, event) {
  const { key } = event, target = event.composedPath()[0];
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
  const within = act.root.contains(target), idle = [document.body, document.documentElement].includes(target), free = idle || (target.tagName === "A" && key.startsWith("Arrow")); // the link that led here may still have the focus
  if (within && /^[rc]$/i.test(key)) return event.stopPropagation(); // Streamlit would rerun, or offer to clear its cache
  if (!(within || (free && inSight(act)))) return;
  const digit = act.open && /^[1-9]$/.test(key) && Number(key) <= act.data.alike.length ? Number(key) : null;
  if (key === "Escape" && act.edit) act.deeds.edit(act, "off");
  else if (digit) act.deeds.answer(act, digit - 1);
  else if (!(key in ACT_KEYS)) return;
  else if (!walkTokens(act, key, target)) act.deeds[ACT_KEYS[key]](act);
  event.preventDefault();
  event.stopPropagation();
}

function onActClick(act, event) {
  const node = event.composedPath().find((one) => one.dataset && "do" in one.dataset);
  if (!node || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const [deed, what] = node.dataset.do.split(":");
  event.preventDefault();
  act.deeds[deed](act, what);
  if (!act.root.getRootNode().activeElement && document.activeElement === document.body) focusOn(act.root);
}

function wireActSwipe(act) {
  let from = null;
  act.root.addEventListener("touchstart", (event) => (from = event.touches[0]), { passive: true });
  act.root.addEventListener("touchend", (event) => {
    const to = event.changedTouches[0], way = from ? to.clientX - from.clientX : 0, aside = from ? Math.abs(to.clientY - from.clientY) : 0;
    if (Math.abs(way) > SWIPE_PX && aside < SWIPE_PX) act.deeds[way < 0 ? "next" : "back"](act);
    from = null;
  });
}

/** The page may change its theme, or the window its size, without calling us. */
function watchAround(act) {
  const check = () => {
    if (!act.data || themeNow(act) === act.theme) return;
    act.theme = themeNow(act);
    applyTheme(act.root, act.data.palette, act.theme);
  };
  const watcher = new MutationObserver(check), media = matchMedia("(prefers-color-scheme: dark)"), onSize = () => act.data && drawAct(act);
  for (const node of [document.documentElement, document.body]) watcher.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme"] });
  media.addEventListener("change", check);
  addEventListener("resize", onSize);
  act.undo.push(() => (watcher.disconnect(), media.removeEventListener("change", check), removeEventListener("resize", onSize)));
}

export function wireAct(act) {
  const onKey = (event) => onActKey(act, event);
  act.root.addEventListener("keydown", onKey);
  document.addEventListener("keydown", onKey);
  act.floor.addEventListener("click", (event) => onActClick(act, event));
  act.undo.push(() => document.removeEventListener("keydown", onKey));
  wireActSwipe(act);
  watchAround(act);
}
