// Zone H: one tick per event, told apart by shape as well as colour, on one canvas; the head moves, the ticks stay.
import { iconPath, place, setAttr, setText, sharpen } from "./dom.js";
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

export const trackWidth = ({ plan }) => plan.H[2] - 16;

function drawBands({ order, colours }, paint, events, width) {
  let from = 0;
  const total = events.length;
  for (let j = 1; j <= total; j++) {
    if (j < total && events[j].rid === events[from].rid) continue;
    const rid = events[from].rid, x = stepToX(from + 0.5, total, width), x2 = stepToX(j + 0.5, total, width);
    const at = order.indexOf(rid);
    if (rid && at % 2 === 0) {
      paint.globalAlpha = 0.14;
      paint.fillStyle = colours.ink;
      paint.fillRect(x, 0, x2 - x, TRACK_H);
      paint.globalAlpha = 1;
    }
    const shape = rid && x2 - x > 16 ? shapeOf(rid, order) : null;
    if (shape) {
      paint.save();
      paint.translate(x + 2, 1);
      paint.scale(0.6, 0.6);
      paint.fillStyle = colours.muted;
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
function drawMarks({ flags, asks, colours, bookmarks, diffs }, paint, events, width) {
  const total = events.length;
  const glyph = (text, x, y, fill) => ((paint.fillStyle = fill), paint.fillText(text, x, y));
  paint.font = "bold 13px system-ui, sans-serif";
  paint.textAlign = "center";
  const beside = (event) => (tickKind(event) === "evict" ? 9 : 0); // an eviction has a mark of its own up there
  if (flags.ask) events.forEach((event, j) => event.ask && glyph("?", stepToX(j + 1, total, width) - beside(event), 11, asks.has(j) ? colours.muted : colours.ink));
  for (const step of bookmarks) {
    paint.save();
    paint.translate(stepToX(step, total, width) - 3, 0);
    paint.scale(0.75, 0.75);
    paint.strokeStyle = colours.ink;
    paint.lineWidth = 2.5;
    paint.stroke(new Path2D(iconPath("flag")));
    paint.restore();
  }
  for (const step of diffs ?? []) {
    paint.fillStyle = colours.evict_edge;
    paint.fillRect(stepToX(step, total, width) - 1.5, 31, 3, 3);
  }
}

/** Redraws all ticks; called when log, size, theme, bookmarks or highlighted keys change, not at each step. */
export function drawTicks(stage, lit) {
  const { track, events, scale } = stage, canvas = track.querySelector("canvas"), width = trackWidth(stage);
  const paint = sharpen(canvas, width, TRACK_H, scale);
  track.style.width = width + "px";
  const system = matchMedia("(forced-colors: active)").matches;
  const colours = system ? new Proxy({}, { get: () => "CanvasText" }) : stage.colours;
  drawBands(stage, paint, events, width);
  const w = Math.max(1, Math.min(4, (width / Math.max(events.length, 1)) * 0.6));
  const ticks = events.map((event, j) => ({ j, kind: tickKind(event) })).sort((a, b) => ORDER[a.kind] - ORDER[b.kind]);
  for (const { j, kind } of ticks) {
    paint.globalAlpha = !lit || lit(events[j]) ? 1 : 0.22;
    drawTick(paint, kind, stepToX(j + 1, events.length, width), w, colours);
  }
  paint.globalAlpha = 1;
  drawMarks(stage, paint, events, width);
}

export function drawPlayhead(stage) {
  const { track, controls, events, k, level, speed, t } = stage;
  const total = events.length;
  place(track.querySelector(".playhead"), stepToX(k, total, trackWidth(stage)) - 2, 0);
  setAttr(track, "aria-valuemin", 0);
  setAttr(track, "aria-valuemax", total);
  setAttr(track, "aria-valuenow", k);
  setAttr(track, "role", "slider");
  setAttr(track, "aria-valuetext", t("stage.count", { step: k, total }));
  for (const button of controls.level.children) setAttr(button, "aria-pressed", button.dataset.level === level);
  setText(controls.speed, speed + "×");
}
