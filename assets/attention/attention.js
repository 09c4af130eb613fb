// Why the prefix: what a real prompt's tokens look at, and how wrong the cache is where a word was changed. Python
// measured everything; here it is drawn.
import { focusOn, make, makeButton, setAttr, setName } from "../stage/draw/dom.js";
import { wearSheet } from "../stage/draw/sheet.js";
import { applyTheme, themeNow } from "../stage/draw/theme.js";
import { readData, unpackLog } from "../stage/time/unpack.js";
import { labelText, languagesOf } from "../stage/words/narrate.js";
import { drawBlocks, markTokens } from "./blocks.js";
import { drawErrors, LAYER_PIXELS, errorLegend } from "./errors.js";
import { cellAt, edge } from "./geometry.js";
import { blockSentences, errorSentence, weightSentence } from "./told.js";
import { drawTriangle } from "./triangle.js";

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
const LABELS = 34, TALL = 0.56;
const maps = new WeakMap();
/** What stood open in each picture, for who comes back. */
const parkedMaps = new Map();

function createMap(host, css) {
  const figure = make("section", "fig"), side = make("section", "side"), root = make("div", "attention", [figure, side]);
  const map = { host, root, figure, side, undo: [], block: null, part: "value", triangle: make("canvas", "triangle"), errors: make("canvas", "errors") };
  Object.assign(map, { hover: make("p", "hover mu"), live: make("div", "live"), triangleName: make("div", "frame"), errorsName: make("div", "frame") });
  map.t = (key, args) => labelText(map.data.text, map.data.lang, key, args);
  setAttr(root, "role", "group");
  setAttr(map.live, "role", "status");
  setAttr(map.hover, "aria-hidden", "true");
  for (const canvas of [map.triangle, map.errors]) setAttr(canvas, "role", "img");
  host.append(root);
  wireMap(map);
  wearSheet(map, css, "attention.css", import.meta.url, () => ((map.dressed = true), revealMap(map)));
  return map;
}

function revealMap(map) {
  if (!map.dressed || !map.data) return;
  map.root.style.visibility = "";
  drawAttention(map);
}

/** A row of choices of which one holds. */
function choices(map, name, deed, options, chosen) {
  const buttons = options.map(([value, words]) => {
    const button = makeButton("choice" + (value === chosen ? " on" : ""), words, { do: deed + ":" + value });
    setAttr(button, "aria-pressed", value === chosen);
    return button;
  });
  return make("span", "choices", [make("span", "mu", name), ...buttons]);
}

const headChoices = (map) => make("div", "bar", [
  choices(map, map.t("prefill.map.layer"), "layer", map.data.layers.map((layer) => [layer, String(layer)]), map.layer),
  choices(map, map.t("prefill.map.head"), "head", map.data.shares[map.layer].map((_, head) => [head, String(head)]), map.head),
  make("span", "mu", map.data.shares[map.layer].length < map.data.heads ? map.t("prefill.map.of_heads", { n: map.data.heads }) : ""),
]);

/** Names of the blocks over their columns. */
function columnNames(map, width) {
  const n = map.data.tokens.length, row = make("div", "names");
  map.data.blocks.forEach(({ first, stop }, at) => {
    const name = make("span", at === map.block ? "on" : "", String(at));
    Object.assign(name.style, { left: edge(first, n, width) + "px", width: edge(stop, n, width) - edge(first, n, width) + "px" });
    row.append(name);
  });
  setAttr(row, "aria-hidden", "true");
  return row;
}

function errorPart(map, width) {
  const { data } = map, count = data.errors.key.length, [least, most] = LAYER_PIXELS;
  const height = Math.max(Math.min(count * least, 240), Math.min(count * most, 110));
  drawErrors(map, width, height);
  setName(map.errors, map.t("prefill.map.errors.name", { layers: count }));
  map.errorsName.replaceChildren(make("span", "axis", map.t("prefill.map.axis.layers", { last: count - 1 })), map.errors);
  const bar = make("div", "bar", [make("b", "", map.t("prefill.map.errors")), choices(map, "", "part", [["value", "V"], ["key", "K"]], map.part)]);
  return [bar, map.errorsName, errorLegend(map)];
}

function drawAttention(map) {
  const { data, figure, side, root } = map, inner = Math.floor(figure.clientWidth), width = inner - LABELS;
  if (width <= 0) return;
  root.classList.toggle("narrow", root.clientWidth < 700);
  root.lang = languagesOf(data.lang)[0];
  setName(root, map.t("prefill.map.name", { n: data.tokens.length }));
  map.steps = map.attention?.[map.layer]?.[map.head];
  drawTriangle(map, width, Math.round(width * TALL));
  setName(map.triangle, map.t("prefill.map.triangle.name", { layer: map.layer, head: map.head }));
  map.triangleName.replaceChildren(make("span", "axis", map.t("prefill.map.axis.tokens")), map.triangle);
  map.live.replaceChildren(...blockSentences(map).map((said, k) => make("p", k ? "second" : "", said)));
  figure.replaceChildren(headChoices(map), columnNames(map, width), map.triangleName, ...(data.errors ? errorPart(map, width) : []), map.hover);
  side.replaceChildren(map.live, drawBlocks(map));
}

/** What presses mean; the button that was pressed is drawn anew and keeps the focus. */
export const MAP_DEEDS = {
  block: (map, at) => (map.block = map.block === Number(at) && !map.byKey ? null : Number(at)),
  layer: (map, at) => (map.layer = Number(at)),
  head: (map, at) => (map.head = Number(at)),
  part: (map, part) => (map.part = part),
};

function carryOut(map, [deed, what], hold = true) {
  MAP_DEEDS[deed](map, what);
  parkedMaps.set(map.data.key, { block: map.block, layer: map.layer, head: map.head, part: map.part });
  drawAttention(map);
  if (hold) focusOn(map.root.querySelector(`[data-do="${deed}:${what}"]`));
}

function onMapKey(map, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (/^[rc]$/i.test(event.key)) return event.stopPropagation(); // Streamlit would rerun, or offer to clear its cache
  const step = STEPS[event.key];
  if (!step || !event.target.closest?.(".blocks")) return;
  const last = map.data.blocks.length - 1, at = Math.max(0, Math.min(last, (map.block ?? (step > 0 ? -1 : last + 1)) + step));
  map.byKey = true;
  carryOut(map, ["block", at]);
  map.byKey = false;
  event.preventDefault();
  event.stopPropagation();
}

/** The cell under the pointer, as (row, column), or null. */
function cellUnder(map, event) {
  const canvas = event.target, box = canvas.getBoundingClientRect(), n = map.data.tokens.length;
  const rows = canvas === map.errors ? map.data.errors.key.length : n;
  return { canvas, row: cellAt(event.clientY - box.top, rows, box.height), column: cellAt(event.clientX - box.left, n, box.width) };
}

function onPoint(map, event) {
  if (event.target.tagName !== "CANVAS") return;
  const { canvas, row, column } = cellUnder(map, event), wrong = canvas === map.errors;
  map.hover.textContent = wrong ? errorSentence(map, row, column) : weightSentence(map, row, column);
  markTokens(map, wrong ? [column] : [row, column]);
}

function onMapClick(map, event) {
  const node = event.target.closest("[data-do]");
  if (node) return carryOut(map, node.dataset.do.split(":"));
  if (event.target.tagName !== "CANVAS") return;
  const { column } = cellUnder(map, event);
  carryOut(map, ["block", map.data.blocks.findIndex(({ stop }) => column < stop)], false);
}

function wireMap(map) {
  const { root } = map;
  root.addEventListener("keydown", (event) => onMapKey(map, event));
  root.addEventListener("click", (event) => onMapClick(map, event));
  root.addEventListener("pointermove", (event) => onPoint(map, event));
  root.addEventListener("pointerleave", () => ((map.hover.textContent = ""), markTokens(map, [])));
  const watcher = new ResizeObserver(() => map.data && map.dressed && root.clientWidth !== map.width && ((map.width = root.clientWidth), drawAttention(map)));
  watcher.observe(root);
  const check = () => map.data && ((map.colours = applyTheme(root, map.data.palette, themeNow(map))), map.dressed && drawAttention(map));
  const media = matchMedia("(prefers-color-scheme: dark)"), themes = new MutationObserver(check);
  for (const node of [document.documentElement, document.body]) themes.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme"] });
  media.addEventListener("change", check);
  map.undo.push(() => (watcher.disconnect(), themes.disconnect(), media.removeEventListener("change", check)));
}

function begin(map, data) {
  const open = parkedMaps.get(data.key) ?? { block: null, layer: data.layer, head: data.head, part: "value" };
  Object.assign(map, open, { attention: null });
  unpackLog(data.attention).then((attention) => map.data?.key === data.key && ((map.attention = attention), revealMap(map)));
}

export function mountMap(component) {
  const { parentElement: host } = component, data = readData(component), known = maps.get(host);
  const map = known ?? createMap(host, component.css), fresh = map.data?.key !== data.key;
  maps.set(host, map);
  map.data = data;
  map.colours = applyTheme(map.root, data.palette, themeNow(map));
  if (fresh) begin(map, data);
  revealMap(map);
  setAttr(map.root, "data-ready", "1");
  return () => {
    for (const undo of map.undo) undo();
    map.root.remove();
    maps.delete(host);
  };
}

export default mountMap;
