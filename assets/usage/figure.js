// The figure of a session: one column a turn, under it the pause before that turn; a reset stands over both.
import { make, makeButton, setName } from "../stage/draw/dom.js";
import { pauseWords, signOf, stripes, svgNode, wholeNumber } from "./parts.js";
import { columnsOf, FIGURE, numberedTurns, pauseAxis, pauseTicks, shortCount, tokenTicks, wordsThatFit } from "./scale.js";

const { left, right, glyphs, bars, gap, pauses, foot } = FIGURE;
const BASE = glyphs + 22 + bars, PAUSE_TOP = BASE + gap;

/** What a screen reader hears of a turn. */
export function turnName(usage, at) {
  const { t, data: { turns } } = usage, mark = usage.marks.get(at);
  const words = { n: turns.n[at], read: wholeNumber(turns.read[at]), written: wholeNumber(turns.written[at] + turns.new[at]), pause: pauseWords(t, turns.pause[at]) };
  return t("usage.turn.name", words) + (mark ? ", " + mark.title[0] : "");
}

const line = (x1, x2, y, more) => svgNode("line", { x1, x2, y1: y, y2: y, ...more });
const word = (x, y, text, more) => svgNode("text", { x, y, ...more }, [text]);

function addTokenAxis(usage, svg, width, yOf, ticks) {
  for (const value of ticks) svg.append(line(left, width - right, yOf(value), { class: "rule" }), word(left - 8, yOf(value) + 5, shortCount(value), { class: "mu", "text-anchor": "end" }));
  svg.append(word(left, 16, usage.t("usage.axis.tokens"), { class: "mu" }));
}

/** From which pause on a reset may be due to it: where an entry surely, or already perhaps, is gone. */
export const limitOf = ({ ttls, band }) => band?.from ?? ttls[0];

/** Short of where an entry is surely gone there is no line but two bands: it may be gone, it usually is. */
function addBand(svg, width, y, band, end) {
  const top = y(band.to), high = y(band.from) - top, middle = top + high / 2, room = { x: left, width: Math.max(0, width - left - right) };
  svg.append(svgNode("rect", { ...room, y: end, height: Math.max(top - end, 0), class: "usual" }), svgNode("rect", { ...room, y: top, height: Math.max(high, 1.5), class: "perhaps" }));
  svg.append(word(left - 8, middle + 4, band.short, { class: "strong", "text-anchor": "end" }));
}

function addPauseAxis(usage, svg, width, axis, { ttls, band }) {
  const y = (s) => PAUSE_TOP + pauses - axis.at(s) * pauses;
  svg.append(word(left, PAUSE_TOP - 9, usage.t("usage.axis.pause"), { class: "mu" }));
  if (ttls.length) svg.append(svgNode("rect", { x: left, y: PAUSE_TOP, width: Math.max(0, width - left - right), height: y(ttls[0]) - PAUSE_TOP, class: "gone" }));
  if (band) addBand(svg, width, y, band, ttls.length ? y(ttls[0]) : PAUSE_TOP);
  for (const s of pauseTicks(axis, ttls, pauses, band)) {
    const at = ttls.indexOf(s), kind = at === 0 ? "ttl" : at > 0 ? "ttl other" : "rule";
    svg.append(line(left, width - right, y(s), { class: kind }), word(left - 8, y(s) + 4, pauseWords(usage.t1, s), { class: at < 0 ? "mu" : "strong", "text-anchor": "end" }));
  }
  const said = band?.said ?? (ttls.length ? usage.t1("usage.above.ttl", { ttl: pauseWords(usage.t1, ttls[0]) }) : "");
  if (said) svg.append(word(width - right, PAUSE_TOP - 9, said, { class: "plum strong", "text-anchor": "end" }));
  return y;
}

function addBars(usage, group, at, columns, yOf) {
  const { turns } = usage.data, mark = usage.marks.get(at), x = columns.middle(at) - columns.bar / 2, base = yOf(0);
  const high = (tokens) => base - yOf(tokens), read = high(turns.read[at]), written = high(turns.written[at]), fresh = high(turns.new[at]);
  const wanted = high(turns.expected[at] ?? 0);
  if (mark && wanted > read) group.append(svgNode("rect", { x: x - 2, width: columns.bar + 4, y: base - wanted, height: wanted - read, class: "wanted" }));
  if (read) group.append(svgNode("rect", { x, width: columns.bar, y: base - read, height: read, class: "read" }));
  if (written) group.append(svgNode("rect", { x, width: columns.bar, y: base - read - written, height: Math.max(written, 1.5), class: "written", fill: "url(#usage-stripes)" }));
  if (fresh >= 1) group.append(svgNode("rect", { x, width: columns.bar, y: base - read - written - fresh, height: fresh, class: "fresh" }));
}

function addSign(group, at, columns, mark) {
  const size = Math.min(24, Math.max(14, columns.room)), x = columns.middle(at);
  group.append(svgNode("rect", { x: x - size / 2, y: glyphs - 4, width: size, height: 22, rx: 6, class: "signbox" }), word(x, glyphs + 12, signOf(mark.cause), { class: "plum strong", "text-anchor": "middle" }));
}

function addPause(usage, group, at, columns, y, ttl) {
  const s = usage.data.turns.pause[at];
  if (s === null || s === undefined) return;
  const over = ttl !== undefined && s > ttl, x = columns.middle(at), r = Math.min(5, Math.max(2.5, columns.room * 0.3));
  group.append(svgNode("line", { x1: x, x2: x, y1: y(s), y2: PAUSE_TOP + pauses, class: over ? "stick over" : "stick" }), svgNode("circle", { cx: x, cy: y(s), r, class: over ? "dot over" : "dot" }));
}

/** The words beside dots above the line: of those that would cover each other the longest pause speaks. */
function addPauseWords(usage, svg, [first, last], columns, y, ttl, width) {
  const over = [], { pause } = usage.data.turns;
  for (let at = first; at < last; at++) {
    if (!(pause[at] > ttl)) continue;
    const text = pauseWords(usage.t1, pause[at]), wide = 10 + 8 * [...text].length, x = columns.middle(at) + 9;
    const turned = x + wide > width - right;
    over.push({ at, text, wide, turned, x: turned ? columns.middle(at) - 9 - wide : x, weight: pause[at] });
  }
  for (const k of wordsThatFit(over)) {
    const { at, text, turned } = over[k];
    svg.append(word(columns.middle(at) + (turned ? -9 : 9), y(pause[at]) + 5, text, { class: "strong halo", "text-anchor": turned ? "end" : "start" }));
  }
}

function columnOf(usage, at, columns, height) {
  const on = at === usage.at, group = svgNode("g", { class: "col" + (on ? " on" : ""), tabindex: on ? 0 : -1, role: "button", "data-do": "turn:" + at, "aria-pressed": String(on) });
  setName(group, turnName(usage, at));
  group.append(svgNode("rect", { x: columns.left(at) + 0.5, y: glyphs - 9, width: Math.max(1, columns.room - 1), height: height - glyphs + 9 - foot + 6, rx: 6, class: "hit" }));
  return group;
}

/** Whether the pause before a reset was too short for any time to live. */
const isShort = ({ data }, at) => limitOf(data) !== undefined && data.turns.pause[at] !== null && data.turns.pause[at] <= limitOf(data);

/** All of it, for the turns of the window, in the page's own pixels. */
export function drawTurns(usage, width) {
  const { data, window: [first, last], t1 } = usage, { turns, ttls, band } = data, limit = limitOf(data), columns = columnsOf(first, last, width);
  const timed = turns.pause.some((one) => one !== null), height = timed ? PAUSE_TOP + pauses + foot : BASE + 46;
  const ticks = tokenTicks(Math.max(...turns.total.slice(first, last), ...turns.expected.slice(first, last).map((one) => one ?? 0)));
  const yOf = (tokens) => BASE - (tokens / ticks.at(-1)) * bars;
  const svg = svgNode("svg", { width, height, role: "group", "aria-label": usage.t("usage.figure", { n: turns.n.length }) }, [stripes("usage-stripes")]);
  addTokenAxis(usage, svg, width, yOf, ticks);
  const axis = timed ? pauseAxis(turns.pause.slice(first, last), band ? [...ttls, band.to] : ttls) : null, y = timed ? addPauseAxis(usage, svg, width, axis, data) : null;
  for (let at = first; at < last; at++) {
    const group = columnOf(usage, at, columns, height), mark = usage.marks.get(at);
    addBars(usage, group, at, columns, yOf);
    if (mark) addSign(group, at, columns, mark);
    if (timed) addPause(usage, group, at, columns, y, limit);
    if (timed && mark && isShort(usage, at)) group.append(word(columns.middle(at), PAUSE_TOP + pauses + 15, "↑", { class: "plum strong", "text-anchor": "middle" }));
    svg.append(group);
  }
  for (const at of numberedTurns(first, last, columns.room)) svg.append(word(columns.middle(at), BASE + 17, String(turns.n[at]), { class: "mu", "text-anchor": "middle" }));
  if (timed && limit) addPauseWords(usage, svg, [first, last], columns, y, limit, width);
  if (!timed) svg.append(word(left, height - 6, t1(data.timed ? "usage.no_pauses" : "usage.no_times"), { class: "mu" }));
  return svg;
}

/** What the colours and signs mean; those that the window does not hold are left out. */
export function legendOf(usage) {
  const { t, data: { turns, stored } } = usage, key = (cls, name, args) => make("span", "key", [make("i", "swatch " + cls), t(name, args)]);
  const timed = turns.pause.some((one) => one !== null), short = [...usage.marks].some(([at]) => isShort(usage, at));
  return make("p", "legend", [
    key("read", "usage.legend.read"), turns.written.some(Boolean) ? key("written", stored ? "usage.legend.written" : "usage.legend.computed") : "", turns.new.some(Boolean) ? key("fresh", "usage.legend.new") : "",
    usage.marks.size ? key("wanted", "usage.legend.reset") : "", timed && !usage.narrow ? key("dot", "usage.legend.pause") : "", short && !usage.narrow ? make("span", "key", [make("b", "plum", "↑"), t("usage.legend.short")]) : "",
  ].filter(Boolean));
}

/** What is told of the turn that stands open, and the way to the resets before and after it. */
export function detailOf(usage) {
  const { at, t, data: { turns } } = usage, mark = usage.marks.get(at);
  const said = mark ? mark.title.map((title, k) => make("p", k ? "second" : "", [make("b", "", title + usage.colon(k)), mark.why[k]])) : [make("p", "", t(at === 0 ? "usage.turn.first" : turns.expected[at] === null ? "usage.turn.unknown" : "usage.turn.usual"))];
  const numbers = make("p", "numbers", [make("b", "hitc", "✓ " + wholeNumber(turns.read[at])), make("b", "missc", "+ " + wholeNumber(turns.written[at])), turns.new[at] ? make("span", "", t("usage.turn.new", { n: wholeNumber(turns.new[at]) })) : ""].filter(Boolean));
  const under = make("p", "numbers mu", mark?.cost ? t("usage.turn.cost", { cost: mark.cost }) : at ? t("usage.turn.pause", { pause: pauseWords(t, turns.pause[at]) }) : "");
  const ways = ["before", "after"].map((way) => {
    const button = makeButton("way", way === "before" ? "‹" : "›", { do: "reset:" + way });
    setName(button, t("usage.reset." + way));
    button.title = t("usage.reset." + way);
    return button;
  });
  return make("div", "detail" + (mark ? " reset" : ""), [make("p", "which", [make("b", "", t("usage.turn", { n: turns.n[at] }))]), make("div", "said", said), make("div", "sums", [numbers, under]), make("div", "ways", usage.marks.size ? ways : [])]);
}
