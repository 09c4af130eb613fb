// Four strips over one time axis, on one canvas: hit rate, occupancy, evictions, time to first token.
import { binsBefore, roundStep, roundTop, valueAt } from "./buffer.js";
import { digits, percent, seconds, short } from "./figures.js";

export const GUTTER = 46;
const HEAD_H = 20;

/** What stands in each strip: [curve, look]. Looks: a line by width and dash, `faint` with its gaps; `area` stacks; `bars` stand on the axis; `rare`: told only once there is some. `recent`: the numbers beside it are of the last minute, not of the last bin, which may hold one request. Which colour a curve has, Python says. */
export const STRIPS = [
  { name: "hit", kind: "share", curves: [["hit_rate", { width: 1, faint: true }], ["hit_rate_total", { width: 1.5, dash: [2, 3] }], ["hit_rate_window", { width: 2.5 }]] },
  { name: "room", kind: "share", curves: [["in_use", { area: true }], ["cached", { area: true }], ["partial", { area: true }], ["kept_out", { area: true, rare: true }], ["empty", { area: true }]] },
  { name: "evict", kind: "rate", curves: [["evicted_per_s", { bars: true }], ["expired_per_s", { bars: true }]] },
  { name: "ttft", kind: "time", modelled: true, recent: true, curves: [["ttft_p95_without", { width: 1.2, dash: [5, 3] }], ["ttft_p50_without", { width: 2.4, dash: [5, 3] }],
    ["ttft_p95_with", { width: 1.2 }], ["ttft_p50_with", { width: 2.4 }]] },
];

/** Time axis of the strips and of everything that stands under them. */
export function timeAxis(buffer, at, left, right) {
  const end = Math.max(at, 60 * buffer.width);
  return { end, x: (s) => left + (Math.min(s, end) / end) * (right - left), left, right };
}

function valuesShown(buffer, names, count) {
  return names.flatMap((name) => (buffer.curves[name] ?? []).slice(0, count)).filter((value) => value !== null && value !== undefined);
}

/** Value axis of a strip: shares from 0 to 1, rates from 0 to a round number, times on a logarithmic scale. */
export function valueAxis(strip, buffer, count, top, bottom) {
  const names = strip.curves.map(([name]) => name), y = (part) => bottom - Math.max(0, Math.min(1, part)) * (bottom - top);
  if (strip.kind === "share") return { ticks: [0, 0.5, 1], y: (value) => y(value) };
  const values = valuesShown(buffer, names, count);
  if (strip.kind === "rate") {
    const most = roundTop(values.reduce((a, b) => Math.max(a, b), 0));
    return { ticks: [0, most / 2, most], y: (value) => y(value / most) };
  }
  const least = values.reduce((a, b) => Math.min(a, b), 0.1), most = values.reduce((a, b) => Math.max(a, b), 0.1);
  const low = Math.floor(Math.log10(Math.max(least, 1e-4))), high = Math.max(low + 1, Math.ceil(Math.log10(most) - 1e-9));
  const ticks = Array.from({ length: high - low + 1 }, (_, j) => 10 ** (low + j));
  return { ticks, y: (value) => y((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) };
}

/** `write` puts a number of percent into the words of the language. */
export function tickText(strip, value, write) {
  if (strip.kind === "share") return write(short(value * 100));
  if (strip.kind === "time") return value < 1 ? short(value * 1000) + " ms" : short(value) + " s";
  return short(value);
}

export function valueText(strip, value, write) {
  if (strip.kind === "share") return write(percent(value));
  return strip.kind === "time" ? seconds(value) : digits(value);
}

function drawGrid(paint, strip, axis, time, colours, write) {
  paint.textAlign = "right";
  paint.textBaseline = "middle";
  for (const tick of axis.ticks) {
    const y = Math.round(axis.y(tick)) + 0.5;
    paint.strokeStyle = colours.line;
    paint.globalAlpha = 0.35;
    paint.beginPath();
    paint.moveTo(time.left, y);
    paint.lineTo(time.right, y);
    paint.stroke();
    paint.globalAlpha = 1;
    paint.fillStyle = colours.muted;
    paint.fillText(tickText(strip, tick, write), time.left - 6, y);
  }
}

function drawCurve(paint, buffer, name, look, axis, time, count, at) {
  const curve = buffer.curves[name] ?? [];
  paint.strokeStyle = look.colour;
  paint.globalAlpha = look.faint ? 0.55 : 1;
  paint.lineWidth = look.width;
  paint.setLineDash(look.dash ?? []);
  paint.lineJoin = "round";
  paint.beginPath();
  let open = false, last = null;
  for (let j = 0; j < count; j++) {
    const value = curve[j];
    if (value === null || value === undefined) { // a bin without a request says nothing: a line of its own ends there, others go over it
      if (look.faint) open = false;
      continue;
    }
    const x = time.x(buffer.ends[j]), y = axis.y(value);
    if (open) paint.lineTo(x, y);
    else paint.moveTo(x, y);
    open = true;
    last = y;
  }
  if (open && !look.faint && curve[count] !== null && curve[count] !== undefined) paint.lineTo(time.x(at), last + (axis.y(curve[count]) - last) * partOfBin(buffer, count, at));
  paint.stroke();
  paint.setLineDash([]);
  paint.globalAlpha = 1;
}

/** Bins in which nobody was let in: a mark on the axis, for a line that is not there could be zero as well. */
function drawNobody(paint, buffer, curve, axis, time, count, colour) {
  const w = Math.max(1, time.x(buffer.width) - time.x(0)), zero = axis.y(0);
  paint.fillStyle = colour;
  for (let j = 0; j < count; j++) if (curve[j] === null || curve[j] === undefined) paint.fillRect(time.x(buffer.ends[j]) - w, zero - 3, w, 3);
}

const partOfBin = (buffer, count, at) => Math.max(0, Math.min(1, (at - (buffer.ends[count] - buffer.width)) / buffer.width));

/** Areas that add up to 1, the first one at the bottom. */
function drawStack(paint, strip, buffer, axis, time, count, colours, ink) {
  const base = new Array(count).fill(0), step = (x, y) => paint.lineTo(x, y);
  for (const [name] of strip.curves) {
    const curve = buffer.curves[name] ?? [];
    const under = base.slice();
    for (let j = 0; j < count; j++) base[j] += curve[j] ?? 0;
    if (!count) continue;
    paint.fillStyle = ink(name);
    paint.beginPath();
    paint.moveTo(time.x(buffer.ends[0] - buffer.width), axis.y(base[0]));
    for (let j = 0; j < count; j++) step(time.x(buffer.ends[j]), axis.y(base[j]));
    for (let j = count - 1; j >= 0; j--) step(time.x(buffer.ends[j]), axis.y(under[j]));
    step(time.x(buffer.ends[0] - buffer.width), axis.y(under[0]));
    paint.fill();
    paint.strokeStyle = colours.line;
    paint.lineWidth = 0.8;
    paint.stroke();
  }
}

function drawBars(paint, strip, buffer, axis, time, count, colours, ink) {
  const w = Math.max(1, time.x(buffer.width) - time.x(0) - 0.5), zero = axis.y(0);
  const base = new Array(count).fill(0);
  for (const [name] of strip.curves) {
    const curve = buffer.curves[name] ?? [];
    paint.fillStyle = ink(name);
    for (let j = 0; j < count; j++) {
      if (!curve[j]) continue;
      const y = axis.y(base[j] + curve[j]);
      paint.fillRect(time.x(buffer.ends[j]) - w, y, w, axis.y(base[j]) - y || zero - y);
      base[j] += curve[j];
    }
  }
}

/** Your bet: one dashed line through the hit rates. */
function drawBet(paint, bet, axis, time, colours, words) {
  const y = axis.y(bet / 100);
  paint.strokeStyle = colours.ink;
  paint.lineWidth = 1;
  paint.setLineDash([8, 4]);
  paint.beginPath();
  paint.moveTo(time.left, y);
  paint.lineTo(time.right, y);
  paint.stroke();
  paint.setLineDash([]);
  paint.fillStyle = colours.ink;
  paint.textAlign = "left";
  paint.textBaseline = "bottom";
  paint.fillText(words, time.left + 4, y - 2);
}

/** Where a word of that width stands: in the head of the first strip that has room beside its title and earlier words; null: nowhere. */
export function placeWord(heads, x, width, right) {
  const left = Math.min(x, right - width), head = heads.find(({ free }) => left >= free);
  if (!head) return null;
  head.free = left + width + 6;
  return { left, top: head.top };
}

/** What a person did, and which request was looked at: lines through all strips, and a word in a head of theirs. */
function drawMoments(paint, moments, time, heads, bottom, colours) {
  const x = (at) => Math.round(time.x(at)) + 0.5;
  paint.strokeStyle = colours.ink;
  for (const { at, strong } of moments) {
    paint.lineWidth = strong ? 2.5 : 1;
    paint.setLineDash(strong ? [] : [3, 3]);
    paint.beginPath();
    paint.moveTo(x(at), 0);
    paint.lineTo(x(at), bottom);
    paint.stroke();
  }
  paint.setLineDash([]);
  for (const { at, words, strong } of moments) {
    const w = paint.measureText(words).width + 8, place = placeWord(heads, x(at), w, time.right) ?? (strong ? { left: Math.min(x(at), time.right - w), top: 0 } : null);
    if (!place) continue;
    paint.fillStyle = colours.ink;
    paint.fillRect(place.left, place.top, w, 16);
    paint.fillStyle = colours.bg;
    paint.textAlign = "left";
    paint.textBaseline = "middle";
    paint.fillText(words, place.left + 4, place.top + 8.5);
  }
}

export function drawTimeAxis(paint, time, y, colours, words) {
  const step = roundStep(time.end, Math.min(8, (time.right - time.left) / 48));
  paint.textBaseline = "top";
  paint.fillStyle = colours.muted;
  paint.strokeStyle = colours.line;
  paint.lineWidth = 1;
  for (let s = 0; s <= time.end; s += step) {
    const x = Math.round(time.x(s)) + 0.5;
    paint.beginPath();
    paint.moveTo(x, y);
    paint.lineTo(x, y + 4);
    paint.stroke();
    paint.textAlign = s === 0 ? "left" : x > time.right - 20 ? "right" : "center";
    paint.fillText(short(s) + " s", x, y + 6);
  }
  paint.textAlign = "left";
  paint.fillText(words, time.left, y + 22);
}

const LOOKS = { area: drawStack, bars: drawBars };

/** Draws all strips into `height` pixels; returns the top of each (titles stand there). */
export function drawStrips(paint, { buffer, at, time, height, colours, ink, write, bet, betWords, moments, headEnds }) {
  const each = height / STRIPS.length, count = binsBefore(buffer.ends, at);
  STRIPS.forEach((strip, j) => {
    const top = j * each + HEAD_H, bottom = (j + 1) * each - 6;
    const axis = valueAxis(strip, buffer, count, top, bottom);
    const kind = Object.keys(LOOKS).find((name) => name in strip.curves[0][1]);
    if (kind) LOOKS[kind](paint, strip, buffer, axis, time, count, colours, ink);
    drawGrid(paint, strip, axis, time, colours, write);
    if (!kind) for (const [name, look] of strip.curves) drawCurve(paint, buffer, name, { ...look, colour: ink(name) }, axis, time, count, at);
    if (strip.name === "hit") drawNobody(paint, buffer, buffer.curves.hit_rate ?? [], axis, time, count, colours.line);
    if (strip.name === "hit" && bet !== null && bet !== undefined) drawBet(paint, bet, axis, time, colours, betWords);
  });
  drawMoments(paint, moments, time, headEnds.map((free, j) => ({ top: j * each, free })), height, colours);
}

/** The numbers beside the strips: newest value of each curve; of a bin alone, that of the newest bin. */
export function stripValues(buffer, at) {
  const count = binsBefore(buffer.ends, at);
  const values = Object.entries(buffer.curves).map(([name, curve]) => [name, name === "hit_rate" ? curve[count - 1] ?? null : valueAt(curve, count)]);
  return Object.fromEntries(values);
}

/** Those of the last minute. */
export const recentValues = (recent) => Object.fromEntries(["with", "without"].flatMap((side) => ["p50", "p95"].map((name) => [`ttft_${name}_${side}`, recent[side][name]])));
