// Over more turns than the figure holds: all of them as one small strip, with the window that the figure shows.
import { make, setAttr, setName } from "../stage/draw/dom.js";
import { svgNode, wholeNumber } from "./parts.js";
import { FIGURE, slicesOf } from "./scale.js";

const HIGH = 54, MARK = 9;

/** The strip: a click or a drag moves the window, and so do the arrows while it has the focus. */
export function drawBrush(usage, width) {
  const { data: { turns }, window: [first, last], t } = usage, count = turns.n.length, room = width - FIGURE.left - FIGURE.right;
  const slices = slicesOf(turns, usage.marks, Math.max(60, Math.floor(room / 3))), most = Math.max(1, ...slices.map((one) => one.total)), x = (at) => FIGURE.left + (at / count) * room;
  const svg = svgNode("svg", { width, height: HIGH + MARK + 22, "aria-hidden": "true" });
  for (const one of slices) {
    const wide = Math.max(1, (one.size / count) * room - 0.4), high = (tokens) => (tokens / most) * HIGH, base = MARK + HIGH;
    svg.append(svgNode("rect", { x: x(one.first), y: base - high(one.total), width: wide, height: high(one.total), class: "written" }), svgNode("rect", { x: x(one.first), y: base - high(one.read), width: wide, height: high(one.read), class: "read" }));
    if (one.reset) svg.append(svgNode("rect", { x: x(one.first), y: 0, width: Math.max(2, wide), height: 6, class: "resetmark" }));
  }
  svg.append(svgNode("rect", { x: x(first), y: MARK - 2, width: x(last) - x(first), height: HIGH + 4, class: "window" }));
  svg.append(svgNode("text", { x: FIGURE.left, y: HIGH + MARK + 17, class: "mu" }, [t("usage.window", { first: wholeNumber(turns.n[first]), last: wholeNumber(turns.n[last - 1]), n: wholeNumber(count) })]));
  const slider = make("div", "brush", [svg]);
  slider.tabIndex = 0;
  for (const [name, value] of Object.entries({ role: "slider", "aria-valuemin": 1, "aria-valuemax": count, "aria-valuenow": first + 1, "aria-valuetext": t("usage.window", { first: wholeNumber(turns.n[first]), last: wholeNumber(turns.n[last - 1]), n: wholeNumber(count) }) })) setAttr(slider, name, value);
  setName(slider, t("usage.overview"));
  return slider;
}

/** Which turn lies under a pointer over the strip. */
export function turnUnder(usage, slider, event) {
  const box = slider.getBoundingClientRect(), room = box.width - FIGURE.left - FIGURE.right, count = usage.data.turns.n.length;
  return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - box.left - FIGURE.left) / room) * count)));
}
