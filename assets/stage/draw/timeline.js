// Zone H: one tick per event, told apart by shape as well as colour, on one canvas.
import { iconPath, place, setAttr, sharpen } from "./dom.js";
import { bandsOf, thinTicks, ticksOf } from "./ticks.js";
import { shapeOf } from "./view.js";

const PAD = 10, TRACK_H = 30, SIDE = 32, MID = 17;

export function stepToX(step, total, width) {
  return PAD + (total ? step / total : 0) * (width - 2 * PAD);
}

export function xToStep(x, total, width) {
  return Math.max(0, Math.min(total, Math.round(((x - PAD) / (width - 2 * PAD)) * total)));
}

export const trackWidth = ({ plan }) => plan.H[2] - 2 * SIDE;

function drawBands({ order, colours }, paint, bands, total, width) {
  for (const [from, to, rid] of bands) {
    const x = stepToX(from + 0.5, total, width), x2 = stepToX(to + 0.5, total, width);
    if (!rid) continue;
    if (order.indexOf(rid) % 2 === 0) {
      paint.fillStyle = colours.surface;
      paint.fillRect(x, 0, x2 - x, TRACK_H);
    }
    const shape = x2 - x > 16 ? shapeOf(rid, order) : null;
    if (!shape) continue;
    paint.save();
    paint.translate(x + 2, 0);
    paint.scale(0.55, 0.55);
    paint.fillStyle = colours.muted;
    paint.fill(new Path2D(iconPath(shape)));
    paint.restore();
  }
}

/** Shapes, so that they differ without colour: hit full and tall, miss striped and low, reserved hollow, evicted a cross, tag a ring, freed a line. */
const MARKS = {
  ahead: (paint, x, s, colours) => dot(paint, x, Math.min(3, s / 2), colours.line, 0.55),
  other: (paint, x, s, colours) => dot(paint, x, Math.min(3, s / 2), colours.line),
  request: (paint, x, s, colours) => bar(paint, x, s, MID - 4, 8, colours.ink),
  free: (paint, x, s, colours) => bar(paint, x, s, MID + 4, 3, colours.hit_edge),
  tag: (paint, x, s, colours) => (s < 5 ? bar(paint, x, s, MID - 4, 5, colours.register_edge) : ring(paint, x, s / 2 - 1, colours.register_edge)),
  reserved: (paint, x, s, colours) => (s < 5 ? bar(paint, x, s, MID + 2, 5, colours.line) : box(paint, x, s, colours.miss_edge)),
  miss: (paint, x, s, colours) => (bar(paint, x, s, MID - 1, 12, colours.miss_edge), s > 5 && bar(paint, x, s - 4, MID + 1, 3, colours.miss)),
  hit: (paint, x, s, colours) => bar(paint, x, s, 6, 23, colours.hit_edge),
  evict: (paint, x, s, colours) => (s < 5 ? bar(paint, x, s, 1, 28, colours.evict_edge) : cross(paint, x, Math.min(5, s / 2), colours.evict_edge)),
  asked: (paint, x, s, colours) => ((paint.fillStyle = colours.ink), paint.fillText("?", x, MID + 5)),
};

function bar(paint, x, s, y, h, fill) {
  paint.fillStyle = fill;
  paint.fillRect(x - s / 2, y, s, h);
}

function dot(paint, x, r, fill, alpha = 1) {
  const { globalAlpha } = paint;
  paint.globalAlpha = globalAlpha * alpha;
  if (r < 1.5) bar(paint, x, 2 * r, MID - 1, 2, fill);
  else {
    paint.fillStyle = fill;
    paint.beginPath();
    paint.arc(x, MID, r, 0, 7);
    paint.fill();
  }
  paint.globalAlpha = globalAlpha;
}

function outline(paint, colour, width, path) {
  paint.strokeStyle = colour;
  paint.lineWidth = width;
  paint.beginPath();
  path();
  paint.stroke();
}

const ring = (paint, x, r, colour) => outline(paint, colour, 2.4, () => paint.arc(x, MID, Math.min(4, r), 0, 7));
const box = (paint, x, s, colour) => outline(paint, colour, 1.6, () => paint.rect(x - Math.min(4, s / 2), MID - 4, Math.min(8, s), 8));

function cross(paint, x, r, colour) {
  outline(paint, colour, 2.6, () => {
    paint.moveTo(x - r, MID - r); paint.lineTo(x + r, MID + r);
    paint.moveTo(x + r, MID - r); paint.lineTo(x - r, MID + r);
  });
}

/** Bookmarks; and where two runs part, as far as it may be told. */
function drawMarks({ colours, bookmarks, diffs, k }, paint, total, width, hides) {
  for (const step of bookmarks) {
    paint.save();
    paint.translate(stepToX(step, total, width) - 3, 0);
    paint.scale(0.75, 0.75);
    paint.strokeStyle = colours.ink;
    paint.lineWidth = 2.5;
    paint.stroke(new Path2D(iconPath("flag")));
    paint.restore();
  }
  paint.fillStyle = colours.evict_edge;
  for (const step of diffs ?? []) if (!hides || step <= k) paint.fillRect(stepToX(step, total, width) - 1.5, TRACK_H - 3, 3, 3);
}

/** All ticks anew; `lit`: which events share a link with what is pointed at. */
export function drawTicks(stage, lit) {
  if (stage.mode === "large") return; // has no timeline
  const { track, events, scale, k, flags, asks, hidden } = stage, canvas = track.querySelector("canvas"), width = trackWidth(stage), total = events.length;
  const paint = sharpen(canvas, width, TRACK_H, scale), ask = flags.ask && !hidden.has("quiz");
  track.style.width = width + "px";
  stage.tickStamp = stampOf(stage);
  const system = matchMedia("(forced-colors: active)").matches;
  const shown = system ? { ...stage, colours: new Proxy({}, { get: (_, name) => (name === "surface" ? "Canvas" : "CanvasText") }) } : stage;
  drawBands(shown, paint, bandsOf(events, k, ask), total, width);
  const s = Math.max(1, Math.min(10, (width / Math.max(total, 1)) * 0.6));
  paint.font = "bold 14px system-ui, sans-serif";
  paint.textAlign = "center";
  for (const [j, kind] of thinTicks(ticksOf(events, k, { ask, asks }), width)) {
    paint.globalAlpha = !lit || kind === "ahead" || lit(events[j]) ? 1 : 0.22; // what belongs together ahead would tell what happens there
    MARKS[kind](paint, stepToX(j + 1, total, width), s, shown.colours);
  }
  paint.globalAlpha = 1;
  drawMarks(shown, paint, total, width, ask);
}

/** Ticks change with the step only while they hide something. */
const stampOf = ({ k, flags, asks }) => (flags.ask ? k + "|" + asks.size : "");

export function drawPlayhead(stage) {
  const { track, events, k, t } = stage, total = events.length;
  if (stage.tickStamp !== undefined && stage.tickStamp !== stampOf(stage)) drawTicks(stage);
  place(track.querySelector(".playhead"), stepToX(k, total, trackWidth(stage)) - 2, 0);
  setAttr(track, "aria-valuemin", 0);
  setAttr(track, "aria-valuemax", total);
  setAttr(track, "aria-valuenow", k);
  setAttr(track, "role", "slider");
  setAttr(track, "aria-valuetext", t("stage.count", { step: k, total }));
}
