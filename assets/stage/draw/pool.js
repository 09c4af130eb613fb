// Zones C and F: the slots where they always stand, and the queue of the free ones.
import { icon, keyed, make, makeThing, place, setAttr, setKeys, setName, setText, sharpen, swapIcon } from "./dom.js";
import { CARD_H, poolGrid, queueLayout } from "./layout.js";
import { requestMark } from "./lane.js";
import { slotKeys, slotView, STATE_GLYPH } from "./view.js";

function makeSlot() {
  const id = make("span", "sid"), glyph = make("span", "glyph"), tag = make("span", "stag"), owners = make("span", "owners"), badge = make("span", "badge"), meter = make("span", "meter");
  return Object.assign(makeThing("slot", [id, glyph, tag, owners, meter, badge]), { id_: id, glyph, tag, owners, badge, meter });
}

function drawMeter(meter, fill, size) {
  if (size > 16) {
    if (!meter.firstChild || meter.children.length > 1) meter.replaceChildren(make("i", "solid"));
    meter.firstChild.style.setProperty("--part", fill / size);
    return;
  }
  while (meter.children.length < size) meter.append(make("i"));
  while (meter.children.length > size) meter.lastChild.remove();
  for (let j = 0; j < size; j++) setAttr(meter.children[j], "data-on", j < fill ? "1" : null);
}

function drawOwners(order, holder, owners) {
  const stamp = owners.join();
  if (holder.stamp === stamp) return;
  holder.stamp = stamp;
  const marks = owners.slice(0, 3).map((rid) => requestMark(order, rid));
  if (owners.length > 3) marks.push(make("span", "", "+" + (owners.length - 3)));
  holder.replaceChildren(...marks);
}

function slotLabel({ t }, view) {
  const parts = [t("stage.a11y.slot", { slot: view.id, state: t("stage.state." + view.state) })];
  if (view.tag) parts.push(t("stage.tip.tag", { tag: view.tag }));
  if (view.ref) parts.push(t("stage.tip.ref", { ref: view.ref, owners: view.owners.join(", ") }));
  return parts.join(" · ");
}

/** Most slots look as they did one step ago: the stamp says so, and nothing is touched. */
function drawSlot(stage, node, view, frame, size) {
  const stamp = [view.state, view.tag, view.ref, view.fill, view.owners, view.copyOf, view.ttl, size, stage.lang].join("|");
  if (node.stamp === stamp) return;
  node.stamp = stamp;
  setAttr(node, "data-state", view.state);
  setAttr(node, "data-copy", view.copyOf ? "1" : null);
  setText(node.id_, "#" + view.id);
  swapIcon(node.glyph, view.ttl ? "clock" : view.copyOf ? STATE_GLYPH.duplicate : STATE_GLYPH[view.state]);
  setText(node.tag, view.copyOf ? stage.t1("stage.copyof", { tag: view.tag, slot: view.copyOf }) : view.tag);
  setText(node.badge, view.ref ? "×" + view.ref : "");
  drawMeter(node.meter, view.fill, size);
  drawOwners(stage.order, node.owners, view.owners);
  const keys = slotKeys(frame, view.id);
  setKeys(node, keys, keys.filter((key) => !key.startsWith("req:") || keys.length < 2));
  setName(node, slotLabel(stage, view));
}

function drawLegend({ run, lang, t1 }, zone) {
  if (zone.legendLang === lang) return;
  zone.legendLang = lang;
  const states = run.log.meta.told ? ["cached"] : ["reused", "computed", "others", "cached", "dirty"];
  zone.aside.replaceChildren(...states.map((state) => {
    const swatch = make("span", "swatch", STATE_GLYPH[state] ? [icon(STATE_GLYPH[state])] : []);
    swatch.dataset.state = state;
    return make("span", "key", [swatch, t1("stage.state." + state)]);
  }));
}

/** Returns the drawn slots by id, so that rings, lines and motion can find them. */
export function drawPool(stage, zone, run, frame, rid, event, width) {
  const ids = Object.keys(frame.slots);
  const grid = poolGrid(ids.length, width);
  drawLegend(stage, zone);
  setAttr(zone, "data-kind", grid.kind);
  if (grid.kind === "map") {
    drawMap(stage, zone, frame, ids, grid, rid, event);
    return new Map();
  }
  const size = run.log.meta.block_size;
  const items = ids.map((id, at) => ({ id, at }));
  return keyed(zone.body, items, ({ id }) => Number(id), makeSlot, (node, { id, at }) => {
    const [x, y] = grid.places[at];
    place(node, x, y, grid.w, grid.h);
    drawSlot(stage, node, slotView(frame, id, rid, event), frame, size);
  });
}

/** More than 64 slots: one canvas, same hues, lightness for age (a slot used long ago is paler). */
function drawMap({ scale, colours, t }, zone, frame, ids, grid, rid, event) {
  if (zone.body.firstChild?.tagName !== "CANVAS") zone.body.replaceChildren(make("canvas", "map"));
  const canvas = zone.body.firstChild, paint = sharpen(canvas, grid.w, grid.h, scale), counts = {};
  place(canvas, grid.x, grid.y, grid.w, grid.h);
  canvas.mapGrid = { ...grid, ids };
  canvas.setAttribute("role", "img");
  const colour = colours;
  const fills = { empty: colour.bg, dirty: colour.bg, cached: colour.cached, reused: colour.hit, computed: colour.miss, others: colour.others, evicted: colour.evict };
  const gap = grid.cell > 4 ? 1 : 0, side = grid.cell - gap;
  ids.forEach((id, at) => {
    const view = slotView(frame, id, rid, event);
    counts[view.state] = (counts[view.state] ?? 0) + 1;
    const x = (at % grid.cols) * grid.cell, y = Math.floor(at / grid.cols) * grid.cell;
    const age = view.state === "cached" ? Math.max(0.35, 1 - (frame.clock - (view.last ?? 0)) / Math.max(frame.clock, 1)) : 1;
    paint.globalAlpha = age;
    paint.fillStyle = fills[view.state];
    paint.fillRect(x, y, side, side);
    paint.globalAlpha = 1;
    if (side < 6) return;
    paint.strokeStyle = view.state === "cached" ? colour.hit_edge : view.state === "computed" ? colour.miss_edge : view.state === "evicted" ? colour.evict_edge : colour.line;
    paint.setLineDash(view.state === "cached" ? [3, 2] : view.state === "empty" || view.state === "dirty" ? [1, 2] : []);
    paint.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    if (event?.slot === Number(id)) {
      paint.setLineDash([]);
      paint.lineWidth = 3;
      paint.strokeStyle = colour.ink;
      paint.strokeRect(x, y, side, side);
      paint.lineWidth = 1;
    }
  });
  setName(canvas, Object.entries(counts).map(([state, n]) => t("stage.state." + state) + " " + n).join(", "));
}

function makeCard() {
  const id = make("span", "sid"), tag = make("span", "stag");
  return Object.assign(makeThing("card", [id, tag]), { id_: id, tag });
}

/** Returns the drawn cards by slot. */
export function drawQueue({ zones, plan, lang, t, t1 }, frame) {
  const zone = zones.F, queue = frame.queue;
  const layout = queueLayout(queue.length, plan.F ? plan.F[2] : 1264);
  const shown = queue.map((id, at) => ({ id, at, x: layout.places[at] })).filter(({ x }) => x !== null);
  const cards = keyed(zone.body, shown, ({ id }) => id, makeCard, (card, { id, at, x }) => {
    const tag = frame.slots[id].hash?.slice(0, 4) ?? "";
    place(card, x, 28, layout.w, CARD_H);
    const stamp = [tag, frame.slots[id].fill > 0, layout.w > 50, queue.length > 24, at, lang].join();
    if (card.stamp === stamp) return;
    card.stamp = stamp;
    setText(card.id_, "#" + id);
    setText(card.tag, layout.w > 50 ? tag : "");
    setAttr(card, "data-state", tag ? "cached" : frame.slots[id].fill ? "dirty" : "empty");
    setAttr(card, "tabindex", queue.length > 24 ? -1 : 0);
    setKeys(card, slotKeys(frame, id));
    setName(card, t("stage.a11y.card", { slot: id, place: at + 1, tag: tag || "-" }));
  });
  const ends = (zone.ends ??= ["head", "tail", "more"].map((name) => zone.appendChild(make("div", "end " + name))));
  setText(ends[0], t1("stage.queue.head"));
  setText(ends[1], t1("stage.queue.tail"));
  ends[2].classList.toggle("off", !layout.fold);
  if (layout.fold) {
    place(ends[2], layout.fold.x, 28, 56, CARD_H);
    setText(ends[2], "… ×" + layout.fold.count);
  }
  setText(zone.aside, t("stage.queue.count", { n: queue.length, total: Object.keys(frame.slots).length }));
  return cards;
}
