// Draws the monitor at one moment of its run: canvas for what moves, text nodes for what is read.
import { keyed, make, setAttr, setName, setText, sharpen } from "../stage/draw/dom.js";
import { drawHeat, HEAT_ROWS } from "./heat.js";
import { digits, percent } from "./figures.js";
import { cellColour, drawMapCells, LETTERS } from "./poolmap.js";
import { drawStrips, drawTimeAxis, GUTTER, recentValues, stripValues, STRIPS, timeAxis, valueText } from "./strips.js";

const AXIS_H = 42, HEAT_HEAD = 20, VALUES_W = 226;
const RARE = "rk";
const writePercent = ({ t1 }) => (n) => t1("unit.percent", { n });

/** All fixed words, in the language shown. */
export function nameMonitor(monitor) {
  const { t, data } = monitor;
  setName(monitor.root, t("monitor.name"));
  setText(monitor.mapTitle, t("monitor.pool", { n: data.machine.pool }));
  setText(monitor.heatTitle, t("monitor.heat"));
  setText(monitor.heatHead, monitor.t1("monitor.heat.head"));
  for (const strip of monitor.strips) {
    setText(strip.titleNode, t("monitor.strip." + strip.name));
    setText(strip.mark, t("monitor.modelled"));
    for (const row of strip.rows) setText(row.word, monitor.t1("monitor.curve." + row.curve, { bin: data.samples.bin_s }));
  }
  setText(monitor.timeMark, monitor.t1("monitor.modelled.all"));
  for (const number of monitor.numbers) setText(number.term, number.name === "pair" ? "" : monitor.t1(numberKey(monitor, number.name)));
}

const numberKey = ({ data }, name) => "monitor.number." + name + (name === "throughput" && data.recent.whole ? ".whole" : "");

function drawPoolSide(monitor) {
  const box = monitor.mapCanvas.parentElement, { map, now: { levels } } = monitor.data;
  drawMapCells(monitor.mapCanvas, map, monitor.colours, box.clientWidth, box.clientHeight);
  const write = writePercent(monitor), share = (name) => write(percent(levels[name]));
  const shown = LETTERS.filter(([letter, name]) => !RARE.includes(letter) || levels[name]);
  keyed(monitor.legend, shown, ([letter]) => letter, () => {
    const sample = make("i", "sample"), word = make("span"), value = make("b");
    return Object.assign(make("span", "key", [sample, word, value]), { sample, word, told: value });
  }, (node, [letter, name]) => {
    node.sample.style.background = letter === "c" ? `linear-gradient(90deg, ${cellColour("c", 0, monitor.colours)}, ${cellColour("c", 9, monitor.colours)})` : cellColour(letter, 0, monitor.colours);
    node.sample.dataset.kind = letter === "e" ? letter : "area";
    setText(node.word, monitor.t1("monitor.curve." + name));
    setText(node.told, share(name));
  });
  setName(monitor.mapCanvas, shown.map(([, name]) => monitor.t("monitor.curve." + name) + " " + share(name)).join(", "));
}

const pair = (values, write = digits) => values.map((value) => (value === null ? "–" : write(value))).join(" | ");

function drawNumbers(monitor, values) {
  const { data, head, t1, numbers } = monitor, { state, now, recent } = data, rate = values.hit_rate_total ?? null;
  const texts = { time: Math.round(Math.min(head.at, state.at_s)) + " s", requests: t1("monitor.requests", { n: state.arrived, total: state.total }),
    rate: rate === null ? "–" : writePercent(monitor)(percent(rate)), pair: t1("monitor.pair"),
    queue: pair(now.queue), inside: pair(now.inside), throughput: pair([recent.with.per_s, recent.without.per_s]) };
  for (const number of numbers) setText(number.told, texts[number.name]);
}

function drawValues(monitor, values, each) {
  const { strips, buffer, t1 } = monitor, write = writePercent(monitor), none = (look) => (look.faint ? t1("monitor.nobody") : "–");
  strips.forEach((strip, j) => {
    if (strip.basis) setText(strip.basis, basisWords(monitor));
    strip.style.transform = `translateY(${j * each}px)`;
    strip.style.height = each + "px";
    for (const row of strip.rows) {
      const value = values[row.curve];
      // How full the pool is stands beside its map, of now; here it would be of another moment.
      if (!row.look.area) setText(row.told, value === null || value === undefined ? none(row.look) : valueText(STRIPS[j], value, write));
      if (row.look.rare) row.hidden = !(buffer.curves[row.curve] ?? []).some((one) => one > 0);
      const colour = monitor.ink(row.curve);
      if (row.sample.ink !== colour) row.sample.style.setProperty("--ink-of", (row.sample.ink = colour));
    }
  });
}

/** Of which requests the numbers in the legend are. */
function basisWords({ data: { recent }, t1 }) {
  return t1(recent.whole ? "monitor.recent.whole" : "monitor.recent.minute", { n: pair([recent.with.n, recent.without.n]) });
}

function drawHeatRows(monitor, top, rowHeight) {
  const { heatRows, data } = monitor, write = writePercent(monitor);
  heatRows.style.transform = `translateY(${HEAT_HEAD}px)`;
  heatRows.parentElement.style.transform = `translateY(${top}px)`;
  const create = () => {
    const word = make("span"), value = make("b");
    return Object.assign(make("li", "", [word, value]), { word, told: value });
  };
  keyed(heatRows, data.hot, ({ name }) => name, create, (row, { name, text, tag, n, rate }) => {
    row.style.height = rowHeight + "px";
    setText(row.word, monitor.t1(text[0], { n: text[1] }));
    setAttr(row, "title", tag);
    setText(row.told, digits(n) + " · " + (rate === null ? "–" : write(percent(rate))));
  });
}

/** What a person did, and where a request was looked at, in the words of the axis. */
function momentsOf({ data, head, buffer, t1 }) {
  const { picked } = data, at = head.at;
  const flags = buffer.flags.filter((flag) => flag.at_s <= at).map(({ at_s, name, value }) => ({ at: at_s, words: t1("monitor.flag." + name, { value: value ?? t1("monitor.off") }) }));
  return picked ? [...flags, { at: picked[1], words: picked[0], strong: true }] : flags;
}

/** The axis, how much time a point stands for, and since when. */
const axisWords = ({ data: { samples: { bin_s: bin, widened_s: at } }, t1 }) => (at === null ? t1("monitor.axis", { bin }) : t1("monitor.axis.widened", { bin, at, half: bin / 2 }));

/** How far the words in the head of each strip reach: 13 px letters, some of them bold. */
const headEnds = ({ strips }, paint) => strips.map(({ titleNode, mark }) => GUTTER + 10 + (1.2 * paint.measureText(titleNode.textContent).width) + (mark.hidden ? 0 : 20 + 1.15 * paint.measureText(mark.textContent).width));

function drawMain(monitor, width, height, values) {
  const rowHeight = Math.max(13, Math.min(18, Math.floor((height - AXIS_H) / 40)));
  const heatH = HEAT_HEAD + HEAT_ROWS * rowHeight + 4, stripsH = height - AXIS_H - heatH, each = stripsH / STRIPS.length;
  const paint = sharpen(monitor.canvas, width, height), { colours, buffer, head } = monitor;
  const time = timeAxis(buffer, head.at, GUTTER, width - VALUES_W);
  paint.font = "12px " + (monitor.family ??= getComputedStyle(monitor.root).fontFamily);
  drawHeat(paint, { hot: monitor.data.hot, time, top: stripsH + AXIS_H + HEAT_HEAD, rowHeight, width: buffer.width, at: head.at, colours });
  drawTimeAxis(paint, time, stripsH, colours, axisWords(monitor));
  drawStrips(paint, { buffer, at: head.at, time, height: stripsH, colours, ink: monitor.ink, write: writePercent(monitor), bet: monitor.data.bet, betWords: monitor.t1("monitor.bet", { bet: monitor.data.bet }), moments: momentsOf(monitor), headEnds: headEnds(monitor, paint) });
  drawValues(monitor, values, each);
  drawHeatRows(monitor, stripsH + AXIS_H, rowHeight);
  setName(monitor.canvas, monitor.strips.map((strip) => strip.titleNode.textContent + ": " + strip.rows.map((row) => row.word.textContent + " " + row.told.textContent).join(", ")).join(". "));
}

/** `moving`: only the time has gone on; the pool is as it was. */
export function drawMonitor(monitor, moving = false) {
  if (!monitor.buffer) return;
  const width = monitor.main.clientWidth, height = monitor.main.clientHeight, values = { ...stripValues(monitor.buffer, monitor.head.at), ...recentValues(monitor.data.recent) };
  setAttr(monitor.root, "data-side", monitor.data.side ? "1" : null);
  if (width && height) drawMain(monitor, width, height, values);
  drawNumbers(monitor, values);
  if (!moving) drawPoolSide(monitor);
}
