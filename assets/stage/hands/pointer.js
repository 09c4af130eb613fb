// The pointer: what it rests on lights up with all that belongs to it; on the track it seeks.
import { rectIn, setAttr } from "../draw/dom.js";
import { trackWidth, xToStep } from "../draw/timeline.js";
import { mayAsk } from "../panels/quiz.js";
import { clearLinks, keysIn, lightUp, showTip, tipLines } from "../panels/links.js";

/** Where the pointer stands, in stage units. */
function pointOf({ floor, scale }, { clientX, clientY }) {
  const base = floor.getBoundingClientRect();
  return { x: (clientX - base.left) / scale, y: (clientY - base.top) / scale };
}

/** The density map is one canvas: which slot lies under the pointer is arithmetic. */
function pointAtMap(stage, event) {
  if (stage.ask) return;
  const canvas = event.target, { cell, cols, ids } = canvas.mapGrid, box = rectIn(canvas), { x, y } = pointOf(stage, event);
  const col = Math.floor((x - box.x) / cell), row = Math.floor((y - box.y) / cell);
  const id = ids[row * cols + col];
  showTip(stage, id && col < cols ? tipLines(stage, ["slot:" + id]) : [], { x: box.x + col * cell, y: box.y + row * cell, w: cell, h: cell });
}

export function wireLinks(stage, ticksLit) {
  const { floor } = stage;
  const target = (event) => event.composedPath().find((node) => node.nodeType === 1 && node.hasAttribute?.("data-k"));
  const enter = (node) => {
    if (stage.pin || stage.ask || !node) return; // nothing may cover what a question is about, or point at its answer
    const keys = keysIn(node, "data-h");
    lightUp(stage, keys, node);
    showTip(stage, tipLines(stage, keys), rectIn(node));
    ticksLit(keys);
  };
  const leave = () => {
    clearLinks(stage);
    if (!stage.pin) ticksLit([]);
  };
  let pressTimer = 0;
  const point = (event) => {
    if (event.pointerType === "touch" || stage.mouseRests) return;
    const node = target(event);
    if (node) enter(node);
    else if (stage.litKeys?.length) leave();
  };
  floor.addEventListener("pointerover", point);
  floor.addEventListener("pointermove", (event) => {
    if (event.target.mapGrid) return pointAtMap(stage, event);
    if (!stage.mouseRests || !(event.movementX || event.movementY)) return;
    stage.mouseRests = false;
    setAttr(stage.root, "data-moved", "1");
    point(event);
  });
  floor.addEventListener("pointerleave", leave);
  floor.addEventListener("pointerout", (event) => event.target.mapGrid && leave());
  floor.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    const node = target(event); // the path is empty once the event is over
    pressTimer = setTimeout(() => enter(node), 400);
  });
  floor.addEventListener("pointerup", () => clearTimeout(pressTimer));
  floor.addEventListener("focusin", (event) => event.target.matches?.(":focus-visible") && enter(target(event)));
  floor.addEventListener("focusout", leave);
}

const stepUnder = (stage, x) => xToStep(x - rectIn(stage.track).x, stage.events.length, trackWidth(stage));

/** Drag or click = seek; hover = caption of that step, if it may be told. */
export function wireTrack(stage, seek, preview) {
  const { track } = stage;
  let dragging = false;
  track.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    dragging = true;
    track.setPointerCapture?.(event.pointerId);
    seek(stepUnder(stage, pointOf(stage, event).x));
  });
  track.addEventListener("pointermove", (event) => {
    const { x } = pointOf(stage, event), step = stepUnder(stage, x);
    if (dragging) seek(step);
    const told = step > stage.k && mayAsk(stage) ? null : stage.events[step - 1]; // what lies ahead is not told while questions are on
    preview(step, told ? stage.caption(told) : "", x);
  });
  for (const name of ["pointerup", "pointercancel"]) track.addEventListener(name, () => (dragging = false));
  track.addEventListener("pointerleave", () => preview(-1));
}
