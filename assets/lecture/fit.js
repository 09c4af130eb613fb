// Long words in a place that does not grow: letters shrink, never below what the last row can read.
import { make } from "../stage/draw/dom.js";
import { eachLang } from "./words.js";

export const SMALLEST = 28;
export const DECK = { w: 1920, h: 1080 };

let brush = null;

/** Widths are those of the letters that `node` is drawn with. */
export function measureLike(node) {
  brush = document.createElement("canvas").getContext("2d");
  brush.family = getComputedStyle(node).fontFamily;
}

/** Width of a text in units; where nothing can be measured by rule of thumb: a wide letter is as wide as high, another a little more than half. */
export function textWidth(text, px) {
  if (!brush) return [...text].reduce((sum, char) => sum + (char > "\u2e7f" ? 1 : 0.56), 0) * px;
  brush.font = `${px}px ${brush.family}`;
  return brush.measureText(text).width;
}

/** Sets the largest size at which the node's content lies within it. To be called once it stands in the page. */
export function shrinkToFit(node, largest, smallest = SMALLEST) {
  for (let px = largest; ; px -= 2) {
    node.style.fontSize = Math.max(px, smallest) + "px";
    if (px <= smallest || (node.scrollHeight <= node.clientHeight + 1 && node.scrollWidth <= node.clientWidth + 1)) return;
  }
}

/** A sentence on one line where it goes in a little smaller, otherwise on as many as it needs. */
export function fitSentence(node, largest, oneLine) {
  node.style.whiteSpace = "nowrap";
  shrinkToFit(node, largest, oneLine);
  if (node.scrollWidth <= node.clientWidth + 1) return;
  node.style.whiteSpace = "";
  shrinkToFit(node, largest, 34);
}

/** One text in each language; the second is smaller. */
export function langNodes(text, langs, cls = "") {
  return eachLang(text, langs).map(([lang, words], at) => {
    const node = make("span", (cls + (at ? " second" : "")).trim(), words);
    node.lang = lang;
    return node;
  });
}
