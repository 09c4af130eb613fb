// Zone F: the free slots in the order in which they are taken.
import { keyed, make, place, setAttr, setKeys, setName, setText } from "./dom.js";
import { queueLayout, titleHeight } from "./places.js";
import { makePick, showKey, wrongPick } from "./pool.js";
import { slotKeys } from "./view.js";

function makeCard(asked) {
  const id = make("span", "sid"), tag = make("span", "stag");
  return Object.assign(makePick("card", [id, tag], asked), { idNode: id, tagNode: tag });
}

const MANY_CARDS = 24;
const CARD_HEIGHT = { large: 50, wide: 40 };

function drawCard({ t, lang, frame }, card, id, at, layout, asked) {
  const { hash, fill } = frame.slots[id], tag = hash?.slice(0, 4) ?? "", many = frame.queue.length > MANY_CARDS;
  const stamp = JSON.stringify([tag, fill > 0, layout.kind, many, at, lang, asked]);
  if (card.stamp === stamp) return;
  card.stamp = stamp;
  setText(card.idNode, "#" + id);
  showKey(card, card.idNode, asked && layout.kind === "wide" ? id : null, frame.slots);
  setText(card.tagNode, layout.kind === "id" ? "" : tag);
  setAttr(card, "data-state", tag ? "cached" : fill ? "dirty" : "empty");
  setAttr(card, "tabindex", many ? -1 : 0);
  setKeys(card, slotKeys(frame, id));
  setName(card, [["#" + id, tag].filter(Boolean).join(" "), t("stage.tip.queue", { place: at + 1 }), asked ? t("stage.a11y.pick") : ""].filter(Boolean).join(", "));
}

/** The words at both ends, the arrows between (taken from the front), the chip that stands for the middle of a long queue. */
function drawEnds({ ask, t, t1, frame }, zone, layout, shown, y, h) {
  const [front, back, more, none] = (zone.ends ??= ["head", "tail", "more", "none"].map((name) => zone.appendChild(make("div", "end " + name))));
  place(front, 0, y, undefined, h);
  const last = shown.at(-1)?.x ?? layout.places[0] ?? 0;
  place(back, shown.length ? last + layout.w + layout.gap / 2 : layout.start, y, undefined, h);
  setText(front, t1("stage.queue.head"));
  setText(back, t1("stage.queue.tail"));
  setText(none, frame.queue.length ? "" : t("stage.queue.none"));
  place(none, layout.start + 12, y, undefined, h);
  for (const [node, on] of [[back, shown.length], [more, layout.fold], [none, !frame.queue.length]]) node.classList.toggle("off", !on);
  place(more, layout.fold?.x ?? 0, y, layout.fold?.w ?? 0, h);
  setText(more, layout.fold ? "… ×" + layout.fold.count : "");
  setText(zone.aside, ask ? "" : t1("stage.queue.rule"));
}

/** Returns the drawn cards by slot. An open question is not answered by the words at the ends. */
export function drawQueue(stage, frame) {
  const { zones, plan, mode } = stage, zone = zones.F, { queue } = frame;
  const mayPick = (id) => stage.ask?.kind === "pool" && id in stage.ask.said, wrong = wrongPick(stage), layout = queueLayout(queue.length, plan.F[2], mode, String(Object.keys(frame.slots).length).length);
  const y = titleHeight(mode) - 4, h = CARD_HEIGHT[mode] ?? CARD_HEIGHT.wide;
  const shown = queue.map((id, at) => ({ id, at, x: layout.places[at] })).filter(({ x }) => x !== null);
  setAttr(zone, "data-kind", layout.kind);
  const cards = keyed(zone.body, shown, ({ id }) => (mayPick(id) ? "ask" : "") + id, ({ id }) => makeCard(mayPick(id)), (card, { id, at, x }) => {
    place(card, x, y, layout.w, h);
    card.style.setProperty("--gap", layout.gap + "px");
    setAttr(card, "data-arrow", at > 0 && layout.gap >= 16 ? "1" : null);
    setAttr(card, "data-option", mayPick(id) ? id : null);
    setAttr(card, "data-wrong", wrong === id ? "1" : null);
    drawCard(stage, card, id, at, layout, mayPick(id));
  });
  drawEnds(stage, zone, layout, shown, y, h);
  return new Map([...cards.values()].map((card, at) => [shown[at].id, card]));
}
