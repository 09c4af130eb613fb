// The furniture of the monitor: pool map and numbers at the left, strips and heat at the right. Built once per host element.
import { make, makeButton } from "../stage/draw/dom.js";
import { STRIPS } from "./strips.js";

const NUMBERS = ["time", "requests", "rate", "pair", "queue", "inside", "throughput"];

/** One strip's words: title, mark "modelled", and a line of legend with the newest value for each curve. */
function buildStrip({ name, curves, modelled, recent }) {
  const title = make("h4"), mark = makeButton("modelled", [], { formula: name });
  mark.hidden = !modelled;
  const rows = curves.map(([curve, look]) => {
    const sample = make("i", "sample"), word = make("span"), value = make("b");
    sample.dataset.curve = curve;
    sample.dataset.kind = look.area ? "area" : look.bars ? "bars" : look.dash ? "dash" : look.faint ? "faint" : "line";
    return Object.assign(make("li", "", [sample, word, value]), { curve, word, told: value, look, sample });
  });
  // The last curve is drawn on top: it leads the list.
  const basis = recent ? make("li", "basis") : null;
  const list = make("ul", "", [...(basis ? [basis] : []), ...rows.slice().reverse()]);
  return Object.assign(make("div", "strip", [make("div", "striphead", [title, mark]), list]), { name, titleNode: title, mark, rows, basis });
}

function buildNumber(name) {
  const term = make("dt"), value = make("dd");
  return Object.assign(make("div", "number", [term, value]), { name, term, told: value });
}

export function buildMonitor() {
  const play = makeButton("btn play", [], { play: "1" }), mapTitle = make("h3"), mapCanvas = make("canvas"), legend = make("div", "legend");
  const numbers = NUMBERS.map(buildNumber), mark = makeButton("modelled", [], { formula: "time" });
  const side = make("section", "side", [make("div", "head", [mapTitle, play]), make("div", "mapbox", [mapCanvas]), legend, make("dl", "numbers", numbers), make("p", "", [mark])]);
  const canvas = make("canvas"), strips = STRIPS.map(buildStrip);
  const heatTitle = make("h4"), heatHead = make("span", "heathead"), heatRows = make("ul", "heatrows");
  const heat = make("div", "heat", [make("div", "striphead", [heatTitle]), heatHead, heatRows]);
  const main = make("section", "main", [canvas, ...strips, heat]);
  const card = make("div", "card");
  card.hidden = true;
  card.setAttribute("role", "status");
  const root = make("div", "monitor", [side, main, card]);
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  for (const one of [canvas, mapCanvas]) one.setAttribute("role", "img");
  return { root, play, mapTitle, mapCanvas, legend, numbers, timeMark: mark, canvas, strips, heatTitle, heatHead, heatRows, main, card };
}
