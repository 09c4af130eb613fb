// Small parts of the usage figure: SVG nodes, signs of causes, sentences in one or two languages, numbers as they are read.
import { make } from "../stage/draw/dom.js";
import { pauseParts } from "./scale.js";

const USAGE_SVG = "http://www.w3.org/2000/svg";
/** The sign of each cause, drawn as text inside a plum frame. */
export const CAUSE_SIGNS = { ttl: "z", probably_idle: "z", tools: "≠", model: "≠", shrank: "↓", unexplained: "?" };
export const signOf = (cause) => CAUSE_SIGNS[cause] ?? "?";

export function svgNode(tag, attrs = {}, kids = []) {
  const node = document.createElementNS(USAGE_SVG, tag);
  for (const [name, value] of Object.entries(attrs)) if (value !== null && value !== undefined) node.setAttribute(name, value);
  node.append(...kids);
  return node;
}

/** Amber with stripes: what was computed and written. */
export function stripes(id) {
  const line = svgNode("path", { d: "M-2 2L2 -2M-2 10L10 -2M6 10L10 6", stroke: "var(--miss_edge)", "stroke-width": 2 });
  return svgNode("defs", {}, [svgNode("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse" }, [svgNode("rect", { width: 8, height: 8, fill: "var(--miss)" }), line])]);
}

export const wholeNumber = (value) => value.toLocaleString("en-US");

export function pauseWords(t, s) {
  if (s === null || s === undefined) return t("usage.pause.unknown");
  const { unit, n } = pauseParts(s);
  return t("usage.pause." + unit, { n });
}

/** A sentence in each language shown: the leading one as it is, the other beneath it and quieter. */
export const saidIn = (said, cls = "") => said.map((text, place) => make("p", (place ? "second " : "") + cls, text));

export const signBox = (cause) => make("span", "sign", signOf(cause));
