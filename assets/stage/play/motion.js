// Motion on top of a finished drawing: the end state is already there, so ending a motion early is just cancelling it.
import { isShown, rectIn } from "../draw/dom.js";
import { partOf } from "./scene.js";

const MS = { arrive: 420, cut: 360, hash: 420, probe: 360, match: 420, miss: 420, plan: 240, touch: 420, evict: 600, alloc: 420, register: 360,
  compute: 480, dup: 480, append: 240, free: 360, done: 360, ttl: 600, reject: 300, wait: 300 };
const FADE_MS = 120;

export const durationOf = (event) => (event ? MS[event.op] ?? 300 : 0);

export function finishMotion(S) {
  for (const motion of S.motions) motion.cancel();
  S.motions = [];
  S.fly.replaceChildren();
}

/** What has to be known of the step before: where the queue cards stood, and what the event takes away. */
export function captureBefore(S) {
  const stood = (nodes) => new Map([...(nodes ?? [])].map(([key, node]) => [key, { x: node.stageX, y: node.stageY, node }]));
  return { cards: stood(S.cards), ...snapshotOf(S) };
}

/** Rectangles of the things that the next event takes away; only those, measuring is not free. */
function snapshotOf(S) {
  const next = S.run.log.events[S.k], out = {};
  if (!next || S.reduced || !S.cards) return out;
  const keep = (name, node) => { if (isShown(node)) out[name] = { box: rectIn(S, node), copy: node.cloneNode(true) }; };
  if (next.slot && ["evict", "ttl", "alloc", "touch"].includes(next.op)) keep("oldCard", S.cards.get(next.slot));
  if (next.tag && ["evict", "ttl"].includes(next.op)) keep("oldRow", S.rowByTag?.get(next.tag));
  return out;
}

function run(S, node, frames, ms, options = {}) {
  if (!node?.animate) return;
  S.motions.push(node.animate(frames, { duration: ms / S.speed, easing: "cubic-bezier(.3,.7,.3,1)", fill: "backwards", ...options }));
}

const at = (box) => `translate(${box.x}px,${box.y}px)`;

/** A copy of something flies from one rectangle to another and is gone at the end. */
function flight(S, copy, from, to, ms, options = {}) {
  if (!copy || !from || !to) return;
  copy.removeAttribute("data-k");
  copy.removeAttribute("tabindex");
  copy.classList.add("flying");
  Object.assign(copy.style, { width: (options.size ?? from).w + "px", height: (options.size ?? from).h + "px", transform: at(to) });
  S.fly.append(copy);
  run(S, copy, [{ transform: at(from), opacity: 1 }, { opacity: 1, offset: 0.75 }, { transform: at(to), opacity: options.end ?? 1 }], ms, { fill: "both" });
  const last = S.motions[S.motions.length - 1];
  last?.finished.then(() => copy.remove(), () => copy.remove());
}

const boxOf = (S, node) => (isShown(node) ? rectIn(S, node) : null);
const pop = (S, node, ms = 420) => run(S, node, [{ transform: "scale(1)" }, { transform: "scale(1.7)", offset: 0.4 }, { transform: "scale(1)" }], ms);
const fadeIn = (S, node, ms, delay = 0) => run(S, node, [{ opacity: 0 }, { opacity: 1 }], ms, { delay: delay / S.speed });

/** A thin line that is drawn from one thing to another and goes away with the motion: a turned, stretched box, which costs no repaint. */
function briefLine(S, from, to, ms) {
  const a = boxOf(S, from), b = boxOf(S, to);
  if (!a || !b) return;
  const x = a.x + a.w / 2, y = a.y + a.h / 2, dx = b.x + b.w / 2 - x, dy = b.y + b.h / 2 - y;
  const line = document.createElement("div"), home = `translate(${x}px,${y}px) rotate(${Math.atan2(dy, dx)}rad)`;
  line.className = "brief";
  line.style.width = Math.hypot(dx, dy) + "px";
  S.fly.append(line);
  run(S, line, [{ transform: home + " scaleX(0)" }, { transform: home, offset: 0.5 }, { transform: home, opacity: 0 }], ms, { fill: "both" });
}

const MOST_SLIDING = 16;

/** Cards that stay in the queue close up; new ones fade in when their flight lands. Of a long queue each card moves by next to nothing: it jumps. */
function closeQueue(S, before, ms, landing) {
  const slides = (S.cards?.size ?? 0) <= MOST_SLIDING;
  for (const [id, card] of S.cards ?? []) {
    const old = before.cards.get(id);
    if (old && slides && (old.x !== card.stageX || old.y !== card.stageY)) {
      run(S, card, [{ transform: `translate(${old.x}px,${old.y}px)` }, { transform: `translate(${card.stageX}px,${card.stageY}px)` }], Math.min(ms, 360));
    } else if (!old && id === landing) fadeIn(S, card, ms * 0.3, ms * 0.7);
  }
}

function tagCopy(S, node) {
  const copy = node?.cloneNode(true);
  copy?.classList.add("tagfly");
  return copy;
}

const PLAYS = {
  arrive(S, e, before, ms) {
    for (const cell of S.laneCells.values()) run(S, cell, [{ transform: "translateX(-90px)", opacity: 0 }, { transform: "none", opacity: 1 }], ms);
  },
  cut(S, e, before, ms) {
    const items = [...S.laneCells.values()].map((cell) => ({ node: cell.node, w: parseFloat(cell.node.style.width), tag: cell.tag }));
    let x = items[0]?.node.stageX ?? 0;
    for (const item of items) {
      run(S, item.node, [{ transform: `translate(${x}px,30px)` }, { transform: `translate(${item.node.stageX}px,30px)` }], ms);
      fadeIn(S, item.tag, ms);
      x += item.w;
    }
  },
  hash(S, e, before, ms) {
    const tag = partOf(S, "tagof:" + e.b), parent = partOf(S, "tagof:" + (e.b - 1)), block = boxOf(S, partOf(S, "blk:" + e.b));
    if (parent && block) flight(S, tagCopy(S, parent), boxOf(S, parent), { x: block.x, y: block.y + 40 }, ms * 0.5, { end: 0 });
    if (tag) run(S, tag, [{ transform: `translate(${tag.stageX}px,90px)`, opacity: 0 }, { transform: `translate(${tag.stageX}px,${tag.stageY}px)`, opacity: 1 }], ms * 0.5, { delay: (ms * 0.5) / S.speed });
  },
  probe(S, e, before, ms) {
    const tag = partOf(S, "tagof:" + e.b), row = partOf(S, "row:" + e.tag);
    flight(S, tagCopy(S, tag), boxOf(S, tag), boxOf(S, row), ms, { end: 0.4 });
    fadeIn(S, row, ms * 0.3, ms * 0.7);
  },
  match(S, e, before, ms) {
    const row = partOf(S, "row:" + e.tag), tag = partOf(S, "tagof:" + e.b), cell = S.blocks.get(e.b);
    briefLine(S, row, partOf(S, "slot:" + e.slot), ms);
    flight(S, tagCopy(S, tag), boxOf(S, row), boxOf(S, tag), ms, { end: 0.2 });
    run(S, cell?.bar, [{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], ms);
    pop(S, cell?.look, ms);
  },
  miss(S, e, before, ms) {
    const row = boxOf(S, partOf(S, "row:" + e.tag)), tag = partOf(S, "tagof:" + e.b);
    if (row && tag) flight(S, tagCopy(S, tag), row, { x: row.x, y: row.y + 60 }, ms, { end: 0 });
    pop(S, S.blocks.get(e.b)?.look, ms);
    for (const [b, cell] of S.blocks) if (b > e.b) run(S, cell.node, [{ opacity: 1 }, {}], ms);
  },
  plan(S, e, before, ms) {
    run(S, S.zones.A.titleNode.lastChild, [{ transform: "translateY(8px)", opacity: 0 }, { transform: "none", opacity: 1 }], ms);
  },
  touch(S, e, before, ms) {
    const slot = partOf(S, "slot:" + e.slot);
    pop(S, slot?.badge, ms);
    if (before.oldCard) flight(S, before.oldCard.copy, before.oldCard.box, boxOf(S, slot), ms, { end: 0 });
    fadeIn(S, partOf(S, "drow:" + e.b), ms);
  },
  evict(S, e, before, ms) {
    const card = partOf(S, "card:" + e.slot), slot = partOf(S, "slot:" + e.slot);
    if (card) run(S, card, [{}, { transform: `translate(${card.stageX}px,${card.stageY - 10}px)`, offset: 0.4 }, {}], ms);
    const old = before.oldRow;
    if (old) {
      old.copy.classList.add("struck");
      flight(S, old.copy, old.box, { x: old.box.x, y: old.box.y + 90 }, ms, { end: 0 });
    }
    run(S, slot, [{ opacity: 0.3 }, { opacity: 1 }], ms);
  },
  alloc(S, e, before, ms) {
    const slot = partOf(S, "slot:" + e.slot), row = partOf(S, "drow:" + e.b);
    if (before.oldCard) flight(S, before.oldCard.copy, before.oldCard.box, boxOf(S, slot), ms, { end: 0 });
    fadeIn(S, row, ms * 0.5, ms * 0.4);
    briefLine(S, row, slot, ms);
  },
  register(S, e, before, ms) {
    const row = partOf(S, "row:" + e.tag), tag = partOf(S, "tagof:" + e.b);
    flight(S, tagCopy(S, tag), boxOf(S, tag), boxOf(S, row), ms, { end: 0.3 });
    fadeIn(S, row, ms * 0.3, ms * 0.7);
  },
  compute(S, e, before, ms) {
    const slot = partOf(S, "slot:" + e.slot), bars = [...(slot?.meter.children ?? [])];
    bars.forEach((bar, j) => run(S, bar, [{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], ms / bars.length, { delay: (j * ms) / bars.length / S.speed }));
    run(S, slot, [{ backgroundPosition: "0 0" }, { backgroundPosition: "28px 0" }], ms, { easing: "linear" });
  },
  dup(S, e, before, ms) {
    const first = partOf(S, "slot:" + (e.args?.other ?? e.args?.first)), slot = partOf(S, "slot:" + e.slot);
    for (const node of [first, slot]) run(S, node, [{ opacity: 0.4 }, { opacity: 1 }], ms);
    briefLine(S, slot, first, ms);
  },
  append(S, e, before, ms) {
    const cell = S.blocks.get(e.b), slot = partOf(S, "slot:" + (e.slot ?? S.frame.reqs[e.rid]?.btable[e.b]?.[0]));
    run(S, cell?.toks.lastChild, [{ transform: "translateY(-20px)", opacity: 0 }, { transform: "none", opacity: 1 }], ms);
    pop(S, [...(slot?.meter.querySelectorAll("[data-on]") ?? [])].pop(), ms);
  },
  free(S, e, before, ms) {
    const slot = partOf(S, "slot:" + e.slot), card = partOf(S, "card:" + e.slot);
    pop(S, slot?.badge, ms);
    if (card && !before.cards.has(e.slot)) flight(S, card.cloneNode(true), boxOf(S, slot), boxOf(S, card), ms, { size: boxOf(S, card) });
  },
  done(S, e, before, ms) {
    for (const cell of S.laneCells.values()) run(S, cell, [{ opacity: 1 }, {}], ms);
    for (const total of S.zones.E.querySelectorAll(".total")) run(S, total, [{ transform: "translateY(6px)" }, { transform: "none" }], ms);
  },
  wait(S, e, before, ms) {
    const home = S.zones.A.style.transform;
    const shake = [0, -4, 4, -4, 4, 0].map((dx) => ({ transform: `${home} translateX(${dx}px)` }));
    run(S, S.zones.A, shake, ms, { easing: "linear" });
  },
};
PLAYS.ttl = PLAYS.evict;
PLAYS.reject = PLAYS.wait;

/** Reduced motion: nothing flies; what changed fades in. */
function fadeOnly(S, event, before) {
  const names = ["slot:" + event.slot, "row:" + event.tag, "tagof:" + event.b];
  for (const name of names) fadeIn(S, partOf(S, name), FADE_MS);
  for (const [id, card] of S.cards ?? []) if (!before.cards.has(id)) fadeIn(S, card, FADE_MS);
}

export function animateStep(S, before) {
  const event = S.event;
  if (!event || S.runB) return;
  if (S.reduced) return fadeOnly(S, event, before);
  const ms = durationOf(event);
  if (S.laneCells) PLAYS[event.op]?.(S, event, before, ms);
  closeQueue(S, before, ms, event.slot);
  run(S, S.ring, [{ opacity: 0 }, { opacity: 1 }], 200);
}
