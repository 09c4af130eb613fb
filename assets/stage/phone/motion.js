// Motion on a phone, on top of a finished drawing: a copy goes from the cause to its effect; the next touch ends it.
import { eventsOf } from "../draw/view.js";

const FLY_MS = 420, GAP_MS = 160, GLIDE_MS = 340, MOST = 6;

/** Where a node lies in its zone; zones glide, places in them do not. */
function placeIn(zone, node) {
  const home = zone.getBoundingClientRect(), box = node.getBoundingClientRect();
  return { x: box.left - home.left, y: box.top - home.top + zone.scrollTop, w: box.width, h: box.height };
}

function withPhoneMeans({ motions, speed }, zone, wait) {
  const animate = (node, frames, ms, delay, options = {}) => {
    const motion = node?.animate(frames, { duration: ms / speed, delay: (wait + delay) / speed, easing: "cubic-bezier(.3,.1,.2,1)", fill: "backwards", ...options });
    if (motion) motions.push(motion);
    return motion;
  };
  const late = (node, delay) => animate(node, [{ opacity: 0 }, { opacity: 1 }], 180, delay);
  const pop = (node, delay) => animate(node, [{ transform: "scale(.6)", opacity: 0 }, { transform: "none", opacity: 1 }], 240, delay);
  /** A copy of `from` flies to `to`, which is seen when it lands. */
  function fly(from, to, delay) {
    if (!from || !to) return;
    const a = placeIn(zone, from), b = placeIn(zone, to), copy = from.cloneNode(true);
    copy.setAttribute("aria-hidden", "true");
    copy.classList.add("pghost");
    Object.assign(copy.style, { left: a.x + "px", top: a.y + "px", width: a.w + "px", height: a.h + "px" });
    zone.append(copy);
    const end = `translate(${b.x + b.w / 2 - a.x - a.w / 2}px,${b.y + b.h / 2 - a.y - a.h / 2}px)`;
    const gone = () => copy.remove();
    animate(copy, [{ transform: "none", opacity: 1 }, { transform: end, opacity: 0.85 }], FLY_MS, delay, { fill: "both" }).finished.then(gone, gone);
  }
  return { animate, late, pop, fly };
}

const tokensOf = (row) => [...(row?.toks?.children ?? [])];

const PHONE_PLAYS = {
  arrive: ({ rows, late }) => [...(rows.firstChild?.children ?? [])].forEach((token, at) => late(token, 30 * Math.min(at, 20))),
  cut: ({ blocks, late }) => [...blocks.values()].forEach((row, at) => late(row, 90 * at)),
  hash({ blocks, fly, late }, { b }, delay) {
    fly(blocks.get(b - 1)?.tag, blocks.get(b)?.parentTag, delay);
    late(blocks.get(b)?.tag, delay + (b ? FLY_MS : 0));
  },
  probe: ({ blocks, boardRow, fly }, { b, tag }, delay) => fly(blocks.get(b)?.tag, boardRow(tag), delay),
  match({ blocks, boardRow, fly, pop }, { b, tag }, delay) {
    fly(boardRow(tag), blocks.get(b)?.tag, delay);
    pop(blocks.get(b)?.look, delay + 300);
  },
  miss: ({ blocks, pop }, { b }, delay) => pop(blocks.get(b)?.look, delay),
  compute: ({ blocks, pop }, { b }, delay) => tokensOf(blocks.get(b)).forEach((token, at) => at < 16 && pop(token, delay + 40 * at)),
  append: ({ blocks, pop }, { b }, delay) => pop(tokensOf(blocks.get(b)).filter((token) => !token.classList.contains("hole")).at(-1), delay),
  alloc({ chips, cells, fly, late }, { b, slot }, delay) {
    fly(chips.get(b), cells.get(slot), delay);
    late(cells.get(slot), delay + FLY_MS - 60);
  },
  register: ({ chips, cells, fly }, { b, slot }, delay) => fly(chips.get(b)?.lastChild, cells.get(slot)?.tag, delay),
  touch: ({ cells, pop }, { slot }, delay) => pop(cells.get(slot)?.ref, delay),
  evict: ({ cells, late }, { slot }, delay) => late(cells.get(slot), delay),
  free({ busy, cards, fly, late }, { slot }, delay) {
    fly(busy.get(slot), cards.get(slot), delay);
    late(cards.get(slot), delay + FLY_MS - 60);
  },
};

/** Plays the step that was just drawn, once the track has come to its zone. */
export function movePhone(stage) {
  const { event, phone, reduced } = stage;
  if (!event || reduced || !PHONE_PLAYS[event.op]) return;
  const [request, pool, queue] = phone.zones, zone = phone.zones.find((one) => !one.hasAttribute("inert"));
  const boardRow = (tag) => [...request.board.children].find((row) => row.dataset.tag === tag);
  const parts = { rows: request.rows, blocks: request.blocks, boardRow, cells: pool.cells, chips: pool.chips, busy: queue.busy, cards: queue.cards };
  const means = { ...parts, ...withPhoneMeans(stage, zone, phone.glided ? GLIDE_MS : 0) };
  const told = eventsOf(stage.events, stage.k, stage.level).filter(({ op }) => op === event.op).slice(-MOST);
  told.forEach((one, at) => PHONE_PLAYS[one.op](means, one, at * GAP_MS));
}
