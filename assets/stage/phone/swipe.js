// A finger: to the left is next, to the right is back; up and down stays the page's. Shorter ones spring back.
const FAR = 56, DRAG = 12, FOLLOW = 0.35;

/** What a stroke from its first to its last point means: next, back or nothing. Pure. */
export function swipeOf(dx, dy) {
  if (Math.abs(dx) < FAR || Math.abs(dx) < 1.2 * Math.abs(dy)) return null;
  return dx < 0 ? "next" : "back";
}

/** `moved(dx)` while a finger draws, `done(what)` at its end. A tap that ends a stroke is no tap. */
export function wireSwipe(area, moved, done) {
  let from = null, drawn = false;
  area.addEventListener("pointerdown", (event) => {
    drawn = false;
    from = event.isPrimary && event.button === 0 && !event.target.closest("[data-pan]") ? { x: event.clientX, y: event.clientY } : null;
  });
  area.addEventListener("pointermove", (event) => {
    if (!from) return;
    const dx = event.clientX - from.x, dy = event.clientY - from.y;
    if (!drawn && (Math.abs(dx) < DRAG || Math.abs(dx) < Math.abs(dy))) return;
    drawn = true;
    moved(dx * FOLLOW);
  });
  area.addEventListener("pointerup", (event) => {
    const stroke = drawn, what = from && drawn ? swipeOf(event.clientX - from.x, event.clientY - from.y) : null;
    from = null;
    drawn = false; // a button that is pressed for the stroke is no tap of the finger
    moved(0);
    done(what);
    drawn = stroke;
  });
  area.addEventListener("pointercancel", () => ((from = null), moved(0)));
  area.addEventListener("click", (event) => drawn && (event.stopPropagation(), (drawn = false)), true);
}
