// What happened to a cache, as its provider reports it: Python counted turns, resets and money; here they are drawn.
import { focusOn, make, setAttr, setName } from "../stage/draw/dom.js";
import { wearSheet } from "../stage/draw/sheet.js";
import { applyTheme, themeNow } from "../stage/draw/theme.js";
import { readData } from "../stage/time/unpack.js";
import { formatText, labelText, languagesOf, lookUp } from "../stage/words/narrate.js";
import { drawBill } from "./bill.js";
import { drawBrush, turnUnder } from "./brush.js";
import { detailOf, drawTurns, legendOf } from "./figure.js";
import { drawTurnRows } from "./narrow.js";
import { MOST_COLUMNS, windowAround } from "./scale.js";

const NARROW = 560, STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: MOST_COLUMNS, PageUp: -MOST_COLUMNS, Home: -Infinity, End: Infinity };
const usages = new WeakMap();
/** Which turn stood open in each session, for who comes back. */
const parkedTurns = new Map();

function createUsage(host, css) {
  const figure = make("section", "fig"), side = make("section", "side"), root = make("div", "usage", [figure, side]);
  const usage = { host, root, figure, side, api: {}, undo: [], window: null, at: 0 };
  usage.t = (key, args) => labelText(usage.data.text, usage.data.lang, key, args);
  usage.t1 = (key, args) => formatText(lookUp(usage.data.text, languagesOf(usage.data.lang)[0], key) ?? key, args);
  usage.colon = (place) => (languagesOf(usage.data.lang)[place] === "zh" ? "：" : ": ");
  setAttr(root, "role", "group");
  host.append(root);
  wireUsage(usage);
  wearSheet(usage, css, "usage.css", import.meta.url, () => ((usage.dressed = true), revealUsage(usage)));
  return usage;
}

function revealUsage(usage) {
  if (!usage.dressed || !usage.data) return;
  usage.root.style.visibility = "";
  drawUsage(usage);
}

/** Everything, from the data and the turn that stands open; `hold`: the focus goes to that turn again. */
function drawUsage(usage, hold = false) {
  const { figure, side, root, data } = usage, count = data.turns.n.length, width = Math.floor(figure.clientWidth - 36);
  if (width <= 0) return;
  usage.narrow = root.clientWidth < NARROW;
  usage.window = windowAround(usage.at, count, usage.window);
  root.classList.toggle("narrow", usage.narrow);
  root.lang = languagesOf(data.lang)[0];
  setName(root, usage.t("usage.figure", { n: count }));
  const strip = count > MOST_COLUMNS ? [drawBrush(usage, width)] : [];
  const live = usage.live ??= make("div", "live");
  setAttr(live, "role", "status");
  live.replaceChildren(detailOf(usage));
  figure.replaceChildren(legendOf(usage), ...strip, ...(usage.narrow ? [drawTurnRows(usage)] : [drawTurns(usage, width), live]));
  side.replaceChildren(...drawBill(usage));
  setAttr(root, "data-at", usage.at);
  if (hold === "brush") focusOn(figure.querySelector(".brush"));
  else if (hold) focusOn(figure.querySelector('[data-do][tabindex="0"]'));
}

/** What presses mean. */
export const USAGE_DEEDS = {
  turn(usage, at) {
    const held = usage.root.getRootNode().activeElement, again = usage.narrow && Number(at) === usage.at;
    usage.at = Math.max(0, Math.min(usage.data.turns.n.length - 1, Number(at)));
    parkedTurns.set(usage.data.key, usage.at);
    drawUsage(usage, Boolean(held?.closest?.(".fig")) && !again);
    usage.figure.querySelector(".turn[aria-expanded=true]")?.scrollIntoView({ block: "nearest" });
  },
  reset(usage, way) {
    const marked = [...usage.marks.keys()], next = way === "after" ? marked.find((at) => at > usage.at) ?? marked[0] : marked.findLast((at) => at < usage.at) ?? marked.at(-1);
    if (next === undefined) return;
    USAGE_DEEDS.turn(usage, next);
    focusOn(usage.figure.querySelector(`[data-do="reset:${way}"]`));
  },
};

/** Keys belong to the figure only while something in it has the focus. */
function onUsageKey(usage, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (/^[rc]$/i.test(event.key)) return event.stopPropagation(); // Streamlit would rerun, or offer to clear its cache
  const node = event.target.closest?.('[data-do^="turn:"], .brush');
  if (!node || node.closest(".side")) return;
  const { window: [first], data } = usage, brush = node.classList.contains("brush"), step = STEPS[event.key];
  if ((event.key === "Enter" || event.key === " ") && !brush) USAGE_DEEDS.turn(usage, node.dataset.do.split(":")[1]);
  else if (!step) return;
  else if (brush) moveWindow(usage, first + (Math.abs(step) === 1 ? 10 * step : step), "brush");
  else USAGE_DEEDS.turn(usage, Math.max(0, Math.min(data.turns.n.length - 1, usage.at + step)));
  event.preventDefault();
  event.stopPropagation();
}

/** Another part of a long session; the turn that stands open comes along. */
function moveWindow(usage, first, hold) {
  const count = usage.data.turns.n.length, from = Math.max(0, Math.min(count - MOST_COLUMNS, Math.round(first)));
  if (usage.window[0] === from && hold !== "brush") return;
  usage.window = [from, from + MOST_COLUMNS];
  usage.at = Math.max(from, Math.min(from + MOST_COLUMNS - 1, usage.at));
  drawUsage(usage, hold);
}

function wireUsage(usage) {
  const { root } = usage;
  root.addEventListener("keydown", (event) => onUsageKey(usage, event));
  root.addEventListener("click", (event) => {
    const node = event.target.closest("[data-do]");
    if (!node) return;
    const [deed, what] = node.dataset.do.split(":");
    USAGE_DEEDS[deed](usage, what);
  });
  const drag = (event) => moveWindow(usage, turnUnder(usage, usage.figure.querySelector(".brush"), event) - MOST_COLUMNS / 2, "brush");
  root.addEventListener("pointerdown", (event) => event.target.closest(".brush") && (event.preventDefault(), (usage.dragging = true), drag(event)));
  const move = (event) => usage.dragging && drag(event), stop = () => (usage.dragging = false);
  addEventListener("pointermove", move);
  addEventListener("pointerup", stop);
  const watcher = new ResizeObserver(() => usage.data && usage.dressed && root.clientWidth !== usage.width && ((usage.width = root.clientWidth), drawUsage(usage)));
  watcher.observe(root);
  const check = () => usage.data && applyTheme(root, usage.data.palette, themeNow(usage)), media = matchMedia("(prefers-color-scheme: dark)"), themes = new MutationObserver(check);
  for (const node of [document.documentElement, document.body]) themes.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme"] });
  media.addEventListener("change", check);
  usage.undo.push(() => (watcher.disconnect(), themes.disconnect(), media.removeEventListener("change", check), removeEventListener("pointermove", move), removeEventListener("pointerup", stop)));
}

/** Where one begins to look: where one stood, else the dearest reset, else the last turn. */
function startOf(data) {
  const dearest = data.marks.reduce((best, one) => (best && best.tokens >= one.tokens ? best : one), null);
  return Math.min(parkedTurns.get(data.key) ?? dearest?.at ?? data.turns.n.length - 1, data.turns.n.length - 1);
}

export function mountUsage(component) {
  const { parentElement: host } = component, data = readData(component);
  let usage = usages.get(host);
  if (!usage) usages.set(host, (usage = createUsage(host, component.css)));
  if (usage.data?.key !== data.key) Object.assign(usage, { at: startOf(data), window: null });
  Object.assign(usage, { api: component, data, marks: new Map(data.marks.map((mark) => [mark.at, mark])) });
  applyTheme(usage.root, data.palette, themeNow(usage));
  revealUsage(usage);
  setAttr(usage.root, "data-ready", "1");
  return () => {
    for (const undo of usage.undo) undo();
    usage.root.remove();
    usages.delete(host);
  };
}

export default mountUsage;
