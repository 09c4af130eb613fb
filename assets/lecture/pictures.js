// One picture a scene: as it is before the truth, and the acts that add the truth. Nothing of the truth is drawn before.
import { make } from "../stage/draw/dom.js";
import { shrinkToFit } from "./fit.js";
import { percentText } from "./words.js";
import { put, runPicture } from "./run.js";
import { totalPicture } from "./total.js";

/** The counter: what is multiplied, then what it comes to. */
function countPicture(scene, width, height) {
  const parts = put("parts", [0, 0, width, height / 2], (scene.parts ?? []).map((part) => make("span", "", String(part)))), floor = make("div", "count", [parts]);
  const acts = [[1, () => {
    const value = put("value arr", [0, height / 2, width, height / 2], [make("b", "num", scene.value)]);
    floor.append(value);
    shrinkToFit(value, 150);
  }]];
  return { node: floor, acts, settle: () => shrinkToFit(parts, 84, 34) };
}

const SVG_OF_CURVE = "http://www.w3.org/2000/svg";

function svgPart(tag, attrs, text) {
  const node = document.createElementNS(SVG_OF_CURVE, tag);
  for (const [name, value] of Object.entries(attrs)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const FRAME = { left: 190, right: 60, top: 50, bottom: 88 };

/** Slots against the share that was found; the numbers asked for stand open until then. */
function curvePicture(scene, width, height, { say, lang }) {
  const xs = scene.points.map(([x]) => x), [low, high] = [Math.min(...xs), Math.max(...xs)], span = Math.max(1, high - low);
  const atX = (x) => FRAME.left + 60 + ((width - FRAME.left - FRAME.right - 120) * (x - low)) / span, atY = (y) => height - FRAME.bottom - ((height - FRAME.top - FRAME.bottom) * y) / 100;
  const svg = svgPart("svg", { class: "curve", width, height, "aria-hidden": "true" }), open = svgPart("g", { class: "open" });
  for (const y of [0, 50, 100]) svg.append(svgPart("path", { class: "grid", d: `M${FRAME.left} ${atY(y)}H${width - FRAME.right}` }), svgPart("text", { x: FRAME.left - 16, y: atY(y) + 10, "text-anchor": "end" }, percentText(y, lang)));
  for (const x of xs) svg.append(svgPart("text", { x: atX(x), y: height - FRAME.bottom + 42, "text-anchor": "middle", class: scene.asked?.includes(x) ? "asked" : "" }, String(x)));
  svg.append(svgPart("text", { x: (FRAME.left + width - FRAME.right) / 2, y: height - 4, "text-anchor": "middle" }, scene.x ?? say("slots")), svgPart("text", { x: 0, y: 28 }, scene.y ?? say("reused")));
  for (const x of scene.asked ?? []) open.append(svgPart("text", { x: atX(x), y: atY(50) + 24, "text-anchor": "middle", class: "shut" }, "?"));
  svg.append(open);
  const mark = ([x, y]) => [svgPart("circle", { class: scene.asked?.includes(x) ? "asked arr" : "arr", cx: atX(x), cy: atY(y), r: 13 }), ...(scene.asked?.includes(x) ? [svgPart("text", { class: "asked arr", x: atX(x), y: atY(y) - 24, "text-anchor": "middle" }, percentText(Math.round(y), lang))] : [])];
  const acts = scene.points.map((point, at) => [1, () => {
    open.remove();
    if (at) svg.append(svgPart("path", { class: "line arr", d: `M${atX(xs[at - 1])} ${atY(scene.points[at - 1][1])}L${atX(point[0])} ${atY(point[1])}` }));
    svg.append(...mark(point));
  }]);
  return { node: make("div", "chart", [svg]), acts };
}

const FRAME_STYLE = "body :is(.stAppHeader, .st-key-toolbar) { display: none !important } body .stMainBlockContainer { padding-top: 1rem !important }";

/** A page of ours in a frame, without its bars; `ears` makes the clicker's keys reach the lecture from inside it. */
function pagePicture(scene, width, height, { ears }) {
  const frame = make("iframe", "page"), dress = make("style", "", FRAME_STYLE);
  frame.src = new URL(scene.address, document.baseURI).href;
  frame.addEventListener("load", () => (frame.contentDocument.head.append(dress), ears(frame.contentWindow)));
  return { node: frame, acts: [] };
}

const PICTURES = { run: runPicture, total: totalPicture, count: countPicture, curve: curvePicture, page: pagePicture, words: () => ({ node: make("div", "none"), acts: [] }) };

export const drawPicture = (scene, width, height, look) => (PICTURES[scene.kind] ?? PICTURES.words)(scene, width, height, look);
