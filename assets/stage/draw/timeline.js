// Zone H: one tick per event, told apart by shape as well as colour, on one canvas; the head moves, the ticks stay.
import { iconPath, place, rectIn, setAttr, setText } from "./dom.js";
import { captionLine } from "../words/narrate.js";
import { shapeOf } from "./view.js";

const PAD = 10, TRACK_H = 34;
const KIND = { match: "hit", miss: "miss", compute: "miss", evict: "evict", ttl: "evict", register: "register" };
const ORDER = { other: 0, register: 1, miss: 2, hit: 3, evict: 4 };

export const tickKind = (event) => KIND[event.op] ?? "other";

export function stepToX(step, total, width) {
  return PAD + (total ? step / total : 0) * (width - 2 * PAD);
}

export function xToStep(x, total, width) {
  return Math.max(0, Math.min(total, Math.round(((x - PAD) / (width - 2 * PAD)) * total)));
}

const trackWidth = (S) => S.plan.H[2] - 16;

function drawBands(S, paint, events, width) {
  let from = 0;
  const total = events.length;
  for (let j = 1; j <= total; j++) {
    if (j < total && events[j].rid === events[from].rid) continue;
    const rid = events[from].rid, x = stepToX(from + 0.5, total, width), x2 = stepToX(j + 0.5, total, width);
    const at = S.order.indexOf(rid);
    if (rid && at % 2 === 0) {
      paint.globalAlpha = 0.14;
      paint.fillStyle = S.colours.ink;
      paint.fillRect(x, 0, x2 - x, TRACK_H);
      paint.globalAlpha = 1;
    }
    const shape = rid && x2 - x > 16 ? shapeOf(rid, S.order) : null;
    if (shape) {
      paint.save();
      paint.translate(x + 2, 1);
      paint.scale(0.6, 0.6);
      paint.fillStyle = S.colours.muted;
      paint.fill(new Path2D(iconPath(shape)));
      paint.restore();
    }
    from = j;
  }
}

function drawTick(paint, kind, x, w, colours) {
  const bar = (y, h, fill) => ((paint.fillStyle = fill), paint.fillRect(x - w / 2, y, w, h));
  if (kind === "hit") bar(12, 20, colours.hit_edge);
  else if (kind === "miss") bar(22, 10, colours.miss_edge);
  else if (kind === "register") bar(12, 7, colours.register_edge);
  else if (kind === "evict") {
    bar(8, 24, colours.evict_edge);
    paint.strokeStyle = colours.evict_edge;
    paint.lineWidth = 1.6;
    paint.beginPath();
    paint.moveTo(x - 3.5, 1); paint.lineTo(x + 3.5, 8); paint.moveTo(x + 3.5, 1); paint.lineTo(x - 3.5, 8);
    paint.stroke();
  } else bar(20, 3, colours.line);
}

/** Small marks above and below the ticks: open questions, bookmarks, differences between two runs. */
function drawMarks(S, paint, events, width) {
  const total = events.length;
  const glyph = (text, x, y, fill) => ((paint.fillStyle = fill), paint.fillText(text, x, y));
  paint.font = "bold 13px system-ui, sans-serif";
  paint.textAlign = "center";
  const beside = (event) => (tickKind(event) === "evict" ? 9 : 0); // an eviction has a mark of its own up there
  if (S.flags.ask) events.forEach((event, j) => event.ask && glyph("?", stepToX(j + 1, total, width) - beside(event), 11, S.asks.has(j) ? S.colours.muted : S.colours.ink));
  for (const step of S.bookmarks) {
    paint.save();
    paint.translate(stepToX(step, total, width) - 3, 0);
    paint.scale(0.75, 0.75);
    paint.strokeStyle = S.colours.ink;
    paint.lineWidth = 2.5;
    paint.stroke(new Path2D(iconPath("flag")));
    paint.restore();
  }
  for (const step of S.diffs ?? []) {
    paint.fillStyle = S.colours.evict_edge;
    paint.fillRect(stepToX(step, total, width) - 1.5, 31, 3, 3);
  }
}

/** Redraws all ticks; called when log, size, theme, bookmarks or highlighted keys change, not at each step. */
export function drawTicks(S, lit) {
  const canvas = S.track.querySelector("canvas"), width = trackWidth(S), events = S.run.log.events;
  const zoom = Math.max(1, S.scale * devicePixelRatio);
  canvas.width = width * zoom;
  canvas.height = TRACK_H * zoom;
  Object.assign(canvas.style, { width: width + "px", height: TRACK_H + "px" });
  S.track.style.width = width + "px";
  const paint = canvas.getContext("2d");
  paint.scale(zoom, zoom);
  const system = matchMedia("(forced-colors: active)").matches;
  const colours = system ? new Proxy({}, { get: () => "CanvasText" }) : S.colours;
  drawBands(S, paint, events, width);
  const w = Math.max(1, Math.min(4, (width / Math.max(events.length, 1)) * 0.6));
  const ticks = events.map((event, j) => ({ j, kind: tickKind(event) })).sort((a, b) => ORDER[a.kind] - ORDER[b.kind]);
  for (const { j, kind } of ticks) {
    paint.globalAlpha = !lit || lit(events[j]) ? 1 : 0.22;
    drawTick(paint, kind, stepToX(j + 1, events.length, width), w, colours);
  }
  paint.globalAlpha = 1;
  drawMarks(S, paint, events, width);
}

export function drawPlayhead(S) {
  const total = S.run.log.events.length;
  place(S.track.querySelector(".playhead"), stepToX(S.k, total, trackWidth(S)) - 2, 0);
  setAttr(S.track, "aria-valuemin", 0);
  setAttr(S.track, "aria-valuemax", total);
  setAttr(S.track, "aria-valuenow", S.k);
  setAttr(S.track, "role", "slider");
  setAttr(S.track, "aria-valuetext", S.t("stage.count", { step: S.k, total }));
  for (const button of S.controls.level.children) setAttr(button, "aria-pressed", button.dataset.level === S.level);
  setText(S.controls.speed, S.speed + "×");
}

function stepUnder(S, clientX) {
  const box = rectIn(S, S.track), base = S.stage.getBoundingClientRect();
  return xToStep((clientX - base.left) / S.scale - box.x, S.run.log.events.length, trackWidth(S));
}

/** Drag or click = seek; hover = caption of that step. */
export function wireTrack(S, seek, preview) {
  let dragging = false;
  S.track.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    dragging = true;
    S.track.setPointerCapture?.(event.pointerId);
    seek(stepUnder(S, event.clientX));
  });
  S.track.addEventListener("pointermove", (event) => {
    const step = stepUnder(S, event.clientX);
    if (dragging) seek(step);
    const told = S.run.log.events[step - 1];
    preview(step, told ? captionLine(S.data.text, S.lang, told) : "", event.clientX);
  });
  for (const name of ["pointerup", "pointercancel"]) S.track.addEventListener(name, () => (dragging = false));
  S.track.addEventListener("pointerleave", () => preview(-1));
}
