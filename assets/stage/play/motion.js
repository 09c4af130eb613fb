// Motion on top of a finished drawing: the end state is already there, so ending a motion early is just cancelling it.
// It shows cause only: a small chip with a name goes from where something comes from to where it goes. Back and seek show none.
import { isShown, make, rectIn } from "../draw/dom.js";
import { eventsOf } from "../draw/view.js";
import { movePhone } from "../phone/motion.js";
import { partOf } from "./scene.js";

const TRAVEL_MS = 520, STAGGER_MS = 170, MOVE_MS = 420, FADE_MS = 360, FILL_MS = 500, LONGEST_MS = 2400;
const TRAVEL = "cubic-bezier(.35,0,.2,1)", MOVE = "cubic-bezier(.3,.7,.2,1)";
/** Ops whose chip travels; the others need no longer than a fade. */
const TRAVELS = new Set(["probe", "register", "alloc", "touch", "compute", "free"]);

/** Chips of one step start one after another, the more of them the closer. */
const staggerOf = (count) => Math.min(STAGGER_MS, (LONGEST_MS - TRAVEL_MS) / Math.max(1, count - 1));

/** How long a step's motion takes; at level "beat" that of all its events. */
export function durationOf(event, level) {
  if (!event) return 0;
  const count = level === "beat" && event.beat ? event.i - event.beat.from + 1 : 1;
  return TRAVELS.has(event.op) ? TRAVEL_MS + (count - 1) * staggerOf(count) : FADE_MS;
}

export function finishMotion(stage) {
  for (const motion of stage.motions.splice(0)) motion.cancel();
  stage.fly.replaceChildren();
}

/** What has to be known of the step before: where the queue's cards stood. */
export function captureBefore({ cards, reduced }) {
  return { cards: new Map(reduced ? [] : [...(cards ?? [])].filter(([, card]) => isShown(card)).map(([id, card]) => [id, rectIn(card)])) };
}

/** A stage with the means of motion; every animation joins the list that a key press cancels. */
function withMeans(stage, before) {
  const { motions, speed, fly } = stage;
  const part = (name) => {
    const node = partOf(stage, name);
    return isShown(node) ? node : undefined;
  };
  const animate = (node, frames, ms, delay = 0, easing = MOVE) =>
    node && motions.push(node.animate(frames, { duration: ms / speed, delay: delay / speed, easing, fill: "backwards" }));
  const fadeIn = (node, delay = 0, ms = FADE_MS) => animate(node, [{ opacity: 0 }, { opacity: 1 }], ms, delay);

  /** A chip named `name` goes from one rectangle to another and is gone. */
  function travel(name, kind, from, to, delay) {
    if (!from || !to) return;
    const chip = make("div", "flychip k-" + kind, name), at = ({ x, y, w, h }, scale) => ({ transform: `translate(${x + w / 2 - 32}px,${y + h / 2 - 16}px) scale(${scale})` });
    fly.append(chip);
    animate(chip, [{ ...at(from, 1.25), opacity: 0 }, { ...at(from, 1.25), opacity: 1, offset: 0.15 }, { ...at(to, 1), opacity: 1, offset: 0.9 }, { ...at(to, 0.8), opacity: 0 }], TRAVEL_MS, delay, TRAVEL);
    motions.at(-1).finished.then(() => chip.remove(), () => chip.remove());
  }

  /** What stands at the goal is pale until the chip has come. */
  const arriveAt = (node, delay, pale = 0) => animate(node, [{ opacity: pale }, { opacity: pale, offset: 0.92 }, { opacity: 1 }], TRAVEL_MS + delay, 0, "linear");
  const box = (name) => (part(name) ? rectIn(part(name)) : undefined);
  return { ...stage, before, part, box, animate, fadeIn, travel, arriveAt };
}

/** What each event shows; `delay`: when its turn comes among those of its step. */
const PLAYS = {
  arrive: ({ fadeIn, zones }) => fadeIn(zones.A.body),
  cut: ({ fadeIn, zones }) => fadeIn(zones.A.body),
  hash: ({ part, fadeIn }, e, delay) => fadeIn(part("tagof:" + e.b), delay),
  probe: ({ part, box, travel, arriveAt }, e, delay) => {
    travel(e.tag, "tag", box("tagof:" + e.b), box("row:?"), delay);
    arriveAt(part("row:?"), delay);
  },
  match: ({ part, fadeIn }, e, delay) => fadeIn(part("row:" + e.tag), delay),
  miss: ({ part, fadeIn }, e, delay) => fadeIn(part("row:" + e.tag), delay),
  evict: ({ part, fadeIn }, e, delay) => fadeIn(part("slot:" + e.slot), delay),
  alloc: ({ part, box, before, travel, arriveAt, fadeIn }, e, delay) => {
    travel("#" + e.slot, "take", before.cards.get(e.slot), box("slot:" + e.slot), delay);
    arriveAt(part("slot:" + e.slot), delay, 0.3);
    fadeIn(part("drow:" + e.b), delay);
  },
  register: ({ part, box, travel, arriveAt }, e, delay) => {
    travel(e.tag, "tag", box("tagof:" + e.b), box("row:" + e.tag), delay);
    arriveAt(part("row:" + e.tag), delay);
  },
  touch: ({ part, box, travel, animate }, e, delay) => {
    travel("#" + e.slot, "share", box("slot:" + e.slot), box("blk:" + e.b), delay);
    animate(part("slot:" + e.slot)?.badge, [{ transform: "scale(1)" }, { transform: "scale(1.5)", offset: 0.4 }, { transform: "scale(1)" }], MOVE_MS, delay);
  },
  compute: ({ part, box, travel, animate }, e, delay) => {
    travel("KV", "compute", box("blk:" + e.b), box("slot:" + e.slot), delay);
    const written = [...(part("slot:" + e.slot)?.meter.children ?? [])].filter((cell, j) => cell.dataset.on === "bar" || (j >= e.args.fill - e.args.n && j < e.args.fill));
    for (const cell of written) animate(cell, [{ clipPath: "inset(0 100% 0 0)" }, { clipPath: "inset(0)" }], FILL_MS, delay + TRAVEL_MS * 0.8);
  },
  append: ({ part, fadeIn }, e, delay) => fadeIn(part("blk:" + e.b), delay),
  free: ({ part, box, travel, arriveAt }, e, delay) => {
    if (!part("card:" + e.slot)) return; // others hold it still
    travel("#" + e.slot, "free", box("slot:" + e.slot), box("card:" + e.slot), delay);
    arriveAt(part("card:" + e.slot), delay);
  },
  wait: ({ animate, zones: { A: { body } } }) => animate(body, [0, -5, 5, -5, 5, 0].map((dx) => ({ transform: `translateX(${dx}px)` })), 400, 0, "linear"),
};
PLAYS.ttl = PLAYS.evict;
PLAYS.reject = PLAYS.wait;

const MOST_SLIDING = 16;

/** Cards that stay in the queue close up. Of a long queue each card moves by next to nothing: it jumps. */
function closeQueue({ cards, animate, before }) {
  if ((cards?.size ?? 0) > MOST_SLIDING) return;
  for (const [id, card] of cards ?? []) {
    const old = before.cards.get(id), now = old && rectIn(card);
    if (!old || (old.x === now.x && old.y === now.y)) continue;
    const at = (dx, dy) => ({ transform: `translate(${card.stageX + dx}px,${card.stageY + dy}px)` });
    animate(card, [at(old.x - now.x, old.y - now.y), at(0, 0)], MOVE_MS);
  }
}

const MOST_PLAYS = 40;

export function animateStep(stage, before) {
  if (stage.mode === "phone") return movePhone(stage);
  const { event, events, k, level } = stage;
  if (!event || stage.runB || stage.reduced) return;
  const moving = withMeans(stage, before), told = eventsOf(events, k, level).filter(({ op }) => PLAYS[op]).slice(-MOST_PLAYS), stagger = staggerOf(told.length);
  told.forEach((one, at) => PLAYS[one.op](moving, one, at * stagger));
  closeQueue(moving);
  moving.animate(stage.ring, [{ opacity: 0 }, { opacity: 1 }], 200);
}
