// One picture a scene: as it is before the truth, and the acts that add the truth. Nothing of the truth is drawn before.
import { make, place } from "../stage/draw/dom.js";
import { shrinkToFit } from "./fit.js";
import { LABEL_W } from "./runlayout.js";
import { percentText, pick } from "./words.js";
import { put, runPicture } from "./run.js";
import { svgPart } from "./svg.js";
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

const FRAME = { left: 190, right: 60, top: 84, bottom: 104 }, RECIPE_H = 92;

/** What comes in turn, and the places there are for it. */
function turnsPicture({ orders, slots, x }, width, say) {
  const w = (width - LABEL_W) / Math.max(orders.length, slots), row = (y, name, cls, words) => [put("name", [0, y, LABEL_W, RECIPE_H], [make("b", "small", name)]), ...words.map((word, at) => put(cls, [LABEL_W + at * w, y, w - 14, RECIPE_H], [make("span", "", word)]))];
  return make("div", "turns", [...row(60, say("orders"), "chip", orders), ...row(230, x, "slot empty", Array(slots).fill("?"))]);
}


/** Slots against the share that was found; until then the numbers asked for stand open, or what comes in turn stands there alone. */
function curvePicture(scene, width, height, { say, lang }) {
  const xs = scene.points.map(([x]) => x), [low, high] = [Math.min(...xs), Math.max(...xs)], span = Math.max(1, high - low);
  const atX = (x) => FRAME.left + 60 + ((width - FRAME.left - FRAME.right - 120) * (x - low)) / span, atY = (y) => height - FRAME.bottom - ((height - FRAME.top - FRAME.bottom) * y) / 100;
  const svg = svgPart("svg", { class: "curve", width, height, "aria-hidden": "true" }), open = svgPart("g", { class: "open" });
  for (const y of [0, 50, 100]) svg.append(svgPart("path", { class: "grid", d: `M${FRAME.left} ${atY(y)}H${width - FRAME.right}` }), svgPart("text", { x: FRAME.left - 16, y: atY(y) + 10, "text-anchor": "end" }, percentText(y, lang)));
  for (const x of xs) svg.append(svgPart("text", { x: atX(x), y: height - FRAME.bottom + 54, "text-anchor": "middle", class: scene.asked?.includes(x) ? "asked" : "" }, String(x)));
  svg.append(svgPart("text", { x: (FRAME.left + width - FRAME.right) / 2, y: height - 4, "text-anchor": "middle" }, scene.x), svgPart("text", { x: 0, y: 30 }, scene.y));
  for (const x of scene.asked ?? []) open.append(svgPart("text", { x: atX(x), y: atY(50) + 24, "text-anchor": "middle", class: "shut" }, "?"));
  svg.append(open);
  const chart = make("div", "chart", [svg]), turns = scene.orders?.length ? turnsPicture(scene, width, say) : null;
  if (turns) (chart.append(turns), (svg.style.display = "none"));
  const rises = (x) => { // its line would run through what stands above it
    const at = xs.indexOf(x);
    return scene.points[at + 1]?.[1] > scene.points[at][1];
  };
  const mark = ([x, y]) => [svgPart("circle", { class: scene.asked?.includes(x) ? "asked arr" : "arr", cx: atX(x), cy: atY(y), r: 13 }), ...(scene.asked?.includes(x) ? [svgPart("text", { class: "asked arr", x: atX(x) - (rises(x) ? 22 : 0), y: atY(y) - 24, "text-anchor": rises(x) ? "end" : "middle" }, percentText(Math.round(y), lang))] : [])];
  const acts = scene.points.map((point, at) => [1, () => {
    open.remove();
    turns?.remove();
    svg.style.display = "";
    if (at) svg.append(svgPart("path", { class: "line arr", d: `M${atX(xs[at - 1])} ${atY(scene.points[at - 1][1])}L${atX(point[0])} ${atY(point[1])}` }));
    svg.append(...mark(point));
  }]);
  return { node: chart, acts };
}

const FRAME_STYLE = "body :is(.stAppHeader, .st-key-toolbar, .st-key-load-knobs) { display: none !important } body .stMainBlockContainer { padding-top: 1rem !important } .stMain code { font-size: 13px !important }";
const SCROLLED = 0.85; // of what is seen: the last lines stay in sight

/** A page of ours in a frame, without its bars, its controls, and the title that stands above it; `ears` makes the clicker's keys reach the lecture from inside it. `turn` scrolls; false at the page's end. */
function pagePicture(scene, width, height, { ears, stop, lang }) {
  const frame = make("iframe", "page"), dress = make("style", "", FRAME_STYLE), title = pick(stop.title, lang);
  frame.src = new URL(scene.address, document.baseURI).href;
  frame.addEventListener("load", () => {
    const page = frame.contentDocument, bare = () => page.querySelectorAll(".stMain :is(h1, h2, h3)").forEach((node) => node.textContent.trim() === title && (node.style.display = "none"));
    page.head.append(dress);
    new frame.contentWindow.MutationObserver(bare).observe(page.body, { childList: true, subtree: true });
    ears(frame.contentWindow);
  });
  const turn = (by) => {
    const page = frame.contentDocument, at = page?.querySelector(".stMain") ?? page?.scrollingElement, left = !at ? 0 : by > 0 ? at.scrollHeight - at.clientHeight - at.scrollTop : at.scrollTop;
    if (left > 4) at.scrollBy({ top: by * SCROLLED * at.clientHeight, behavior: "instant" });
    return left > 4;
  };
  return { node: frame, acts: [], turn };
}

/** How the room gets to a page on devices of its own: a code to point a camera at, and its address. */
function joinPicture({ url, svg }, width, height) {
  const side = svg ? Math.min(height, 560) : 0, words = put("url", [side ? side + 60 : 0, 0, width - (side ? side + 60 : 0), side || height], [make("span", "", url.replace(/^https?:\/\//, ""))]), code = make("img", "at code");
  Object.assign(code, { src: "data:image/svg+xml," + encodeURIComponent(svg), alt: "" });
  place(code, 0, 0, side, side);
  return { node: make("div", "join", svg ? [code, words] : [words]), acts: [], settle: () => shrinkToFit(words, 84) };
}

const PICTURES = { run: runPicture, total: totalPicture, count: countPicture, curve: curvePicture, page: pagePicture, words: () => ({ node: make("div", "none"), acts: [] }) };

export const drawPicture = (scene, width, height, look) => (look.beat === "look" && look.stop.join ? joinPicture(look.stop.join, width, height) : (PICTURES[scene.kind] ?? PICTURES.words)(scene, width, height, look));
