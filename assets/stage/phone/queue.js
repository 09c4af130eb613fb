// The phone's third zone: which slots are in use, and the free queue, head on top: one slot, one row.
import { keyed, make, makeButton, setAttr, setName, setText } from "../draw/dom.js";
import { slotView } from "../draw/view.js";
import { isChoice, phoneQueue } from "./plan.js";

const IN_USE = 24;

export function buildQueueZone() {
  const name = make("div", "pname"), inlet = make("div", "pinlet six"), rows = make("div", "pqueue"), untold = make("p", "puntold");
  return Object.assign(make("section", "pzone", [name, inlet, rows, untold]), { heading: name, inlet, rows, untold, cards: new Map(), busy: new Map() });
}

/** Slots that are in use and so stand in no queue; small pools show the free ones' places too. */
function drawBusy(stage, zone) {
  const { frame, rid, t1 } = stage, free = new Set(frame.queue), tapped = (id) => isChoice(stage, "pool", id) && !free.has(id);
  const ids = Object.keys(frame.slots).map(Number), busy = ids.filter((id) => !free.has(id));
  const shown = ids.length <= 12 ? ids : busy.slice(0, IN_USE), rest = busy.length - IN_USE;
  setText(zone.heading, t1("stage.phone.inuse") + " · " + busy.length + " / " + ids.length);
  zone.inlet.classList.toggle("off", !shown.length);
  const items = shown.map((id) => ({ id })).concat(ids.length > 12 && rest > 0 ? [{ id: "more" }] : []);
  zone.busy = keyed(zone.inlet, items, ({ id }) => id + (tapped(id) ? "?" : ""), ({ id }) => (tapped(id) ? makeButton("pmslot ask", [make("span")], { option: id }) : make("span", "pmslot", [make("span")])), (node, { id }) => {
    setText(node.firstChild, id === "more" ? "+ " + rest : "#" + id);
    setAttr(node, "data-state", id === "more" ? "more" : free.has(id) ? "gone" : slotView(frame, id, rid, null).state);
  });
  zone.busy = new Map([...zone.busy].map(([key, node]) => [parseInt(key, 10), node]));
}

function makeCardRow({ id, fold }, tapped) {
  if (fold) return make("div", "pqrow fold", [make("span", "pend"), make("div", "pmore")]);
  const name = make("span", "pid"), tag = make("span", "pstag"), word = make("span", "pword");
  const card = tapped ? makeButton("pcard ask", [name, tag, word], { option: id }) : make("div", "pcard", [name, tag, word]);
  return Object.assign(make("div", "pqrow", [make("span", "pend"), card]), { card, name_: name, tag, word });
}

function drawCardRow({ frame, rid, ask, t, t1 }, row, { id, at, fold }) {
  const last = frame.queue.length - 1, end = at === 0 ? "head" : at === last ? "tail" : null;
  row.firstChild.replaceChildren(...(end ? [make("b", "", t1("stage.phone." + end)), ask ? "" : t1("stage.phone." + end + ".note")] : [])); // a question may be about who goes: then the ends say only where they are
  setAttr(row, "data-end", end);
  if (fold) return setText(row.lastChild, "… × " + fold);
  const view = slotView(frame, id, rid, null);
  setText(row.name_, "#" + id);
  setText(row.tag, view.tag);
  setText(row.word, t1("stage.state." + view.state));
  setAttr(row.card, "data-state", view.state);
  setName(row.card, t("stage.a11y.card", { slot: id, place: at + 1, tag: view.tag || "-" }));
}

export function drawQueueZone(stage, zone) {
  const { frame, event, run, tLines } = stage, { told } = run.log.meta;
  setText(zone.untold, told ? tLines("stage.untold.F") : "");
  for (const node of [zone.heading, zone.inlet, zone.rows]) node.classList.toggle("off", Boolean(told));
  if (told) return;
  drawBusy(stage, zone);
  const tapped = (id) => isChoice(stage, "pool", id), items = phoneQueue(frame.queue, event?.slot);
  const rows = keyed(zone.rows, items, ({ id, fold, at }) => (fold ? "fold" + at : id + (tapped(id) ? "?" : "")), (item) => makeCardRow(item, tapped(item.id)), (row, item) => drawCardRow(stage, row, item));
  zone.cards = new Map([...rows].filter(([, row]) => row.card).map(([key, row]) => [parseInt(key, 10), row.card]));
}
