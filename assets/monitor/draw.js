// Draws the monitor at one moment of its run: canvas for what moves, text nodes for what is read.
import { keyed, make, setAttr, setText } from "../stage/draw/dom.js";
import { drawHeat, HEAT_ROWS } from "./heat.js";
import { cellColour, countLetters, drawMapCells } from "./poolmap.js";
import { drawStrips, drawTimeAxis, GUTTER, stripValues, STRIPS, tickText, timeAxis } from "./strips.js";

const AXIS_H = 24, HEAT_HEAD = 20, VALUES_W = 196;
const LETTERS = [["u", "in_use"], ["c", "cached"], ["n", "not_full"], ["e", "empty"]];

/** All fixed words, in the language shown. */
export function nameMonitor(S) {
  const { t, data } = S;
  setAttr(S.root, "aria-label", t("monitor.name"));
  setText(S.mapTitle, t("monitor.pool", { n: data.machine.pool }));
  setText(S.heatTitle, t("monitor.heat"));
  for (const strip of S.strips) {
    setText(strip.titleNode, t("monitor.strip." + strip.name));
    setText(strip.mark, t("monitor.modelled"));
    for (const row of strip.rows) setText(row.word, S.t1("monitor.curve." + row.curve));
  }
  setText(S.timeMark, S.t1("monitor.modelled.all"));
  for (const number of S.numbers) setText(number.term, S.t1("monitor.number." + number.name));
}

function sharpen(canvas, width, height) {
  const zoom = Math.max(1, devicePixelRatio);
  if (canvas.width !== Math.round(width * zoom) || canvas.height !== Math.round(height * zoom)) {
    canvas.width = Math.round(width * zoom);
    canvas.height = Math.round(height * zoom);
    Object.assign(canvas.style, { width: width + "px", height: height + "px" });
  }
  const paint = canvas.getContext("2d");
  paint.setTransform(zoom, 0, 0, zoom, 0, 0);
  paint.clearRect(0, 0, width, height);
  return paint;
}

function drawPoolSide(S) {
  const box = S.mapCanvas.parentElement, { map } = S.data, counts = countLetters(map.letters), all = map.letters.length;
  drawMapCells(S.mapCanvas, map, S.colours, box.clientWidth, box.clientHeight, Math.max(1, devicePixelRatio));
  const share = (letter) => Math.round((100 * counts[letter]) / all) + " %";
  keyed(S.legend, LETTERS, ([letter]) => letter, () => {
    const sample = make("i", "sample"), word = make("span"), value = make("b");
    return Object.assign(make("span", "key", [sample, word, value]), { sample, word, told: value });
  }, (node, [letter, name]) => {
    node.sample.style.background = letter === "c" ? `linear-gradient(90deg, ${cellColour("c", 0, S.colours)}, ${cellColour("c", 9, S.colours)})` : cellColour(letter, 0, S.colours);
    node.sample.dataset.kind = letter === "n" || letter === "e" ? letter : "area";
    setText(node.word, S.t1("monitor.curve." + name));
    setText(node.told, share(letter));
  });
  setAttr(S.mapCanvas, "aria-label", LETTERS.map(([letter, name]) => S.t("monitor.curve." + name) + " " + share(letter)).join(", "));
}

const pair = (a, b, write) => (a === null ? "–" : write(a)) + " | " + (b === null ? "–" : write(b));

function drawNumbers(S, values) {
  const { state } = S.data, whole = (n) => String(Math.round(n)), one = (n) => String(+n.toFixed(1));
  const texts = { time: Math.round(S.head.at) + " s", requests: S.t1("monitor.requests", { n: state.arrived, total: state.total }),
    rate: values.hit_rate_total === null || values.hit_rate_total === undefined ? "–" : (100 * values.hit_rate_total).toFixed(1) + " %",
    queue: pair(values.queue_with ?? null, values.queue_without ?? null, whole), throughput: pair(values.throughput_with ?? null, values.throughput_without ?? null, one) };
  for (const number of S.numbers) setText(number.told, texts[number.name]);
}

function drawValues(S, values, each) {
  S.strips.forEach((strip, j) => {
    strip.style.transform = `translateY(${j * each}px)`;
    strip.style.height = each + "px";
    for (const row of strip.rows) {
      const value = values[row.curve];
      setText(row.told, value === null || value === undefined ? "–" : tickText(STRIPS[j], value));
      const colour = S.colours[row.look.colour ?? row.look.area ?? row.look.bars];
      if (row.sample.ink !== colour) row.sample.style.setProperty("--ink-of", (row.sample.ink = colour));
    }
  });
}

function drawHeatRows(S, top, rowHeight) {
  S.heatRows.style.transform = `translateY(${HEAT_HEAD}px)`;
  S.heatRows.parentElement.style.transform = `translateY(${top}px)`;
  const create = () => {
    const word = make("span"), value = make("b");
    return Object.assign(make("li", "", [word, value]), { word, told: value });
  };
  keyed(S.heatRows, S.data.hot, ({ name }) => name, create, (row, { name, tag, n, rate }) => {
    row.style.height = rowHeight + "px";
    setText(row.word, tag ? name + " " + tag : name);
    setText(row.told, n + " × · " + (rate === null ? "–" : Math.round(100 * rate) + " %"));
  });
}

/** What a person did, and where a request was looked at, in the words of the axis. */
function momentsOf(S) {
  const { picked } = S.data, at = S.head.at;
  const flags = S.buffer.flags.filter((flag) => flag.at_s <= at).map(({ at_s, name, value }) => ({ at: at_s, words: S.t1("monitor.flag." + name, { value: value ?? S.t1("monitor.off") }) }));
  return picked ? [...flags, { at: picked[1], words: picked[0], strong: true }] : flags;
}

/** How far the words in the head of each strip reach: 13 px letters, some of them bold. */
const headEnds = (S, paint) => S.strips.map(({ titleNode, mark }) => GUTTER + 10 + (1.2 * paint.measureText(titleNode.textContent).width) + (mark.hidden ? 0 : 20 + 1.15 * paint.measureText(mark.textContent).width));

function drawMain(S, width, height, values) {
  const rowHeight = Math.max(13, Math.min(18, Math.floor((height - AXIS_H) / 40)));
  const heatH = HEAT_HEAD + HEAT_ROWS * rowHeight + 4, stripsH = height - AXIS_H - heatH, each = stripsH / STRIPS.length;
  const paint = sharpen(S.canvas, width, height), { colours, buffer, head } = S;
  const time = timeAxis(buffer, head.at, GUTTER, width - VALUES_W);
  paint.font = "12px " + (S.family ??= getComputedStyle(S.root).fontFamily);
  drawHeat(paint, { hot: S.data.hot, time, top: stripsH + AXIS_H + HEAT_HEAD, rowHeight, width: buffer.width, at: head.at, colours });
  drawTimeAxis(paint, time, stripsH, colours, S.t1("monitor.axis"));
  drawStrips(paint, { buffer, at: head.at, time, height: stripsH, colours, bet: S.data.bet, betWords: S.t1("monitor.bet", { bet: S.data.bet }), moments: momentsOf(S), headEnds: headEnds(S, paint) });
  drawValues(S, values, each);
  drawHeatRows(S, stripsH + AXIS_H, rowHeight);
  setAttr(S.canvas, "aria-label", S.strips.map((strip) => strip.titleNode.textContent + ": " + strip.rows.map((row) => row.word.textContent + " " + row.told.textContent).join(", ")).join(". "));
}

/** `moving`: only the time has gone on; the pool is as it was. */
export function drawMonitor(S, moving = false) {
  if (!S.buffer) return;
  const width = S.main.clientWidth, height = S.main.clientHeight, values = stripValues(S.buffer, S.head.at);
  setAttr(S.root, "data-side", S.data.side ? "1" : null);
  if (width && height) drawMain(S, width, height, values);
  drawNumbers(S, values);
  if (!moving) drawPoolSide(S);
}
