// Motion on top of a finished drawing: the end state is already there, so ending a motion early is just cancelling it.
import { isShown, rectIn } from "../draw/dom.js";
import { movePhone } from "../phone/motion.js";
import { partOf } from "./scene.js";

const MS = { arrive: 420, cut: 360, hash: 420, probe: 360, match: 420, miss: 420, plan: 240, touch: 420, evict: 600, alloc: 420, register: 360,
  compute: 480, dup: 480, append: 240, free: 360, done: 360, ttl: 600, reject: 300, wait: 300 };
const FADE_MS = 120;

export const durationOf = (event) => (event ? MS[event.op] ?? 300 : 0);

export function finishMotion(stage) {
  for (const motion of stage.motions.splice(0)) motion.cancel();
  stage.fly.replaceChildren();
}

/** What has to be known of the step before: where the queue cards stood, and what the event takes away. */
export function captureBefore(stage) {
  if (stage.mode === "phone") return {};
  const stood = (nodes) => new Map([...(nodes ?? [])].map(([key, node]) => [key, { x: node.stageX, y: node.stageY, node }]));
  return { cards: stood(stage.cards), ...snapshotOf(stage) };
}

/** Rectangles of the things that the next event takes away; only those, measuring is not free. */
function snapshotOf({ events, k, reduced, cards, rowByTag }) {
  const next = events[k], out = {};
  if (!next || reduced || !cards) return out;
  const keep = (name, node) => { if (isShown(node)) out[name] = { box: rectIn(node), copy: node.cloneNode(true) }; };
  if (next.slot && ["evict", "ttl", "alloc", "touch"].includes(next.op)) keep("oldCard", cards.get(next.slot));
  if (next.tag && ["evict", "ttl"].includes(next.op)) keep("oldRow", rowByTag?.get(next.tag));
  return out;
}

const at = (box) => `translate(${box.x}px,${box.y}px)`;
const boxOf = (node) => (isShown(node) ? rectIn(node) : null);

function tagCopy(node) {
  const copy = node?.cloneNode(true);
  copy?.classList.add("tagfly");
  return copy;
}

/** A stage with the means of motion; every animation joins the list that a key press cancels. */
function withMeans(stage) {
  const { motions, speed, fly } = stage;
  const part = (name) => partOf(stage, name);
  const animate = (node, frames, ms, options = {}) =>
    node?.animate && motions.push(node.animate(frames, { duration: ms / speed, easing: "cubic-bezier(.3,.7,.3,1)", fill: "backwards", ...options }));
  const pop = (node, ms = 420) => animate(node, [{ transform: "scale(1)" }, { transform: "scale(1.7)", offset: 0.4 }, { transform: "scale(1)" }], ms);
  const fadeIn = (node, ms, delay = 0) => animate(node, [{ opacity: 0 }, { opacity: 1 }], ms, { delay: delay / speed });

  /** A copy of something flies from one rectangle to another and is gone at the end. */
  function flight(copy, from, to, ms, options = {}) {
    if (!copy || !from || !to) return;
    copy.removeAttribute("data-k");
    copy.removeAttribute("tabindex");
    copy.classList.add("flying");
    Object.assign(copy.style, { width: (options.size ?? from).w + "px", height: (options.size ?? from).h + "px", transform: at(to) });
    fly.append(copy);
    animate(copy, [{ transform: at(from), opacity: 1 }, { opacity: 1, offset: 0.75 }, { transform: at(to), opacity: options.end ?? 1 }], ms, { fill: "both" });
    motions.at(-1)?.finished.then(() => copy.remove(), () => copy.remove());
  }

  /** A thin line that is drawn from one thing to another and goes away with the motion: a turned, stretched box, which costs no repaint. */
  function briefLine(from, to, ms) {
    const a = boxOf(from), b = boxOf(to);
    if (!a || !b) return;
    const x = a.x + a.w / 2, y = a.y + a.h / 2, dx = b.x + b.w / 2 - x, dy = b.y + b.h / 2 - y;
    const line = document.createElement("div"), home = `translate(${x}px,${y}px) rotate(${Math.atan2(dy, dx)}rad)`;
    line.className = "brief";
    line.style.width = Math.hypot(dx, dy) + "px";
    fly.append(line);
    animate(line, [{ transform: home + " scaleX(0)" }, { transform: home, offset: 0.5 }, { transform: home, opacity: 0 }], ms, { fill: "both" });
  }

  return { ...stage, part, animate, pop, fadeIn, flight, briefLine };
}

const MOST_SLIDING = 16;

/** Cards that stay in the queue close up; new ones fade in when their flight lands. Of a long queue each card moves by next to nothing: it jumps. */
function closeQueue({ cards, animate, fadeIn }, before, ms, landing) {
  const slides = (cards?.size ?? 0) <= MOST_SLIDING;
  for (const [id, card] of cards ?? []) {
    const old = before.cards.get(id);
    if (old && slides && (old.x !== card.stageX || old.y !== card.stageY)) {
      animate(card, [{ transform: `translate(${old.x}px,${old.y}px)` }, { transform: `translate(${card.stageX}px,${card.stageY}px)` }], Math.min(ms, 360));
    } else if (!old && id === landing) fadeIn(card, ms * 0.3, ms * 0.7);
  }
}

const PLAYS = {
  arrive({ animate, laneCells }, e, ms) {
    for (const cell of laneCells.values()) animate(cell, [{ transform: "translateX(-90px)", opacity: 0 }, { transform: "none", opacity: 1 }], ms);
  },
  cut({ animate, fadeIn, laneCells }, e, ms) {
    const items = [...laneCells.values()].map((cell) => ({ node: cell.node, w: parseFloat(cell.node.style.width), tag: cell.tag }));
    let x = items[0]?.node.stageX ?? 0;
    for (const item of items) {
      animate(item.node, [{ transform: `translate(${x}px,30px)` }, { transform: `translate(${item.node.stageX}px,30px)` }], ms);
      fadeIn(item.tag, ms);
      x += item.w;
    }
  },
  hash({ part, animate, flight, speed }, e, ms) {
    const tag = part("tagof:" + e.b), parent = part("tagof:" + (e.b - 1)), block = boxOf(part("blk:" + e.b));
    if (parent && block) flight(tagCopy(parent), boxOf(parent), { x: block.x, y: block.y + 40 }, ms * 0.5, { end: 0 });
    if (tag) animate(tag, [{ transform: `translate(${tag.stageX}px,90px)`, opacity: 0 }, { transform: `translate(${tag.stageX}px,${tag.stageY}px)`, opacity: 1 }], ms * 0.5, { delay: (ms * 0.5) / speed });
  },
  probe({ part, fadeIn, flight }, e, ms) {
    const tag = part("tagof:" + e.b), row = part("row:" + e.tag);
    flight(tagCopy(tag), boxOf(tag), boxOf(row), ms, { end: 0.4 });
    fadeIn(row, ms * 0.3, ms * 0.7);
  },
  match({ part, animate, pop, flight, briefLine, blocks }, e, ms) {
    const row = part("row:" + e.tag), tag = part("tagof:" + e.b), cell = blocks.get(e.b);
    briefLine(row, part("slot:" + e.slot), ms);
    flight(tagCopy(tag), boxOf(row), boxOf(tag), ms, { end: 0.2 });
    animate(cell?.bar, [{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], ms);
    pop(cell?.look, ms);
  },
  miss({ part, animate, pop, flight, blocks }, e, ms) {
    const row = boxOf(part("row:" + e.tag)), tag = part("tagof:" + e.b);
    if (row && tag) flight(tagCopy(tag), row, { x: row.x, y: row.y + 60 }, ms, { end: 0 });
    pop(blocks.get(e.b)?.look, ms);
    for (const [b, cell] of blocks) if (b > e.b) animate(cell.node, [{ opacity: 1 }, {}], ms);
  },
  plan({ animate, zones }, e, ms) {
    animate(zones.A.titleNode.lastChild, [{ transform: "translateY(8px)", opacity: 0 }, { transform: "none", opacity: 1 }], ms);
  },
  touch({ part, pop, fadeIn, flight }, e, ms, before) {
    const slot = part("slot:" + e.slot);
    pop(slot?.badge, ms);
    if (before.oldCard) flight(before.oldCard.copy, before.oldCard.box, boxOf(slot), ms, { end: 0 });
    fadeIn(part("drow:" + e.b), ms);
  },
  evict({ part, animate, flight }, e, ms, before) {
    const card = part("card:" + e.slot), slot = part("slot:" + e.slot);
    if (card) animate(card, [{}, { transform: `translate(${card.stageX}px,${card.stageY - 10}px)`, offset: 0.4 }, {}], ms);
    const old = before.oldRow;
    if (old) {
      old.copy.classList.add("struck");
      flight(old.copy, old.box, { x: old.box.x, y: old.box.y + 90 }, ms, { end: 0 });
    }
    animate(slot, [{ opacity: 0.3 }, { opacity: 1 }], ms);
  },
  alloc({ part, fadeIn, flight, briefLine }, e, ms, before) {
    const slot = part("slot:" + e.slot), row = part("drow:" + e.b);
    if (before.oldCard) flight(before.oldCard.copy, before.oldCard.box, boxOf(slot), ms, { end: 0 });
    fadeIn(row, ms * 0.5, ms * 0.4);
    briefLine(row, slot, ms);
  },
  register({ part, fadeIn, flight }, e, ms) {
    const row = part("row:" + e.tag), tag = part("tagof:" + e.b);
    flight(tagCopy(tag), boxOf(tag), boxOf(row), ms, { end: 0.3 });
    fadeIn(row, ms * 0.3, ms * 0.7);
  },
  compute({ part, animate, speed }, e, ms) {
    const slot = part("slot:" + e.slot), bars = [...(slot?.meter.children ?? [])];
    bars.forEach((bar, j) => animate(bar, [{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], ms / bars.length, { delay: (j * ms) / bars.length / speed }));
    animate(slot, [{ backgroundPosition: "0 0" }, { backgroundPosition: "28px 0" }], ms, { easing: "linear" });
  },
  dup({ part, animate, briefLine }, e, ms) {
    const first = part("slot:" + (e.args?.other ?? e.args?.first)), slot = part("slot:" + e.slot);
    for (const node of [first, slot]) animate(node, [{ opacity: 0.4 }, { opacity: 1 }], ms);
    briefLine(slot, first, ms);
  },
  append({ part, animate, pop, blocks, frame }, e, ms) {
    const cell = blocks.get(e.b), slot = part("slot:" + (e.slot ?? frame.reqs[e.rid]?.btable[e.b]?.[0]));
    animate(cell?.toks.lastChild, [{ transform: "translateY(-20px)", opacity: 0 }, { transform: "none", opacity: 1 }], ms);
    pop([...(slot?.meter.querySelectorAll("[data-on]") ?? [])].pop(), ms);
  },
  free({ part, pop, flight }, e, ms, before) {
    const slot = part("slot:" + e.slot), card = part("card:" + e.slot);
    pop(slot?.badge, ms);
    if (card && !before.cards.has(e.slot)) flight(card.cloneNode(true), boxOf(slot), boxOf(card), ms, { size: boxOf(card) });
  },
  done({ animate, laneCells, zones }, e, ms) {
    for (const cell of laneCells.values()) animate(cell, [{ opacity: 1 }, {}], ms);
    for (const total of zones.E.querySelectorAll(".total")) animate(total, [{ transform: "translateY(6px)" }, { transform: "none" }], ms);
  },
  wait({ animate, zones }, e, ms) {
    const home = zones.A.style.transform;
    const shake = [0, -4, 4, -4, 4, 0].map((dx) => ({ transform: `${home} translateX(${dx}px)` }));
    animate(zones.A, shake, ms, { easing: "linear" });
  },
};
PLAYS.ttl = PLAYS.evict;
PLAYS.reject = PLAYS.wait;

/** Reduced motion: nothing flies; what changed fades in. */
function fadeOnly({ cards, part, fadeIn }, event, before) {
  const names = ["slot:" + event.slot, "row:" + event.tag, "tagof:" + event.b];
  for (const name of names) fadeIn(part(name), FADE_MS);
  for (const [id, card] of cards ?? []) if (!before.cards.has(id)) fadeIn(card, FADE_MS);
}

export function animateStep(stage, before) {
  if (stage.mode === "phone") return movePhone(stage);
  const { event } = stage;
  if (!event || stage.runB) return;
  const ms = durationOf(event), moving = withMeans(stage);
  if (stage.reduced) return fadeOnly(moving, event, before);
  if (stage.laneCells) PLAYS[event.op]?.(moving, event, ms, before);
  closeQueue(moving, before, ms, event.slot);
  moving.animate(stage.ring, [{ opacity: 0 }, { opacity: 1 }], 200);
}
