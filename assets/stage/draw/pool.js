// Zones C and F: the slots where they always stand, and the queue of the free ones.
import { icon, keyed, make, place, setAttr, setKeys, setText, swapIcon } from "./dom.js";
import { CARD_H, poolGrid, queueLayout } from "./layout.js";
import { shapeOf, slotKeys, slotView, STATE_GLYPH } from "./view.js";

function makeSlot() {
  const id = make("span", "sid"), glyph = make("span", "glyph"), tag = make("span", "stag"), owners = make("span", "owners"), badge = make("span", "badge"), meter = make("span", "meter");
  const node = make("div", "slot", [id, glyph, tag, owners, meter, badge]);
  node.tabIndex = 0;
  node.setAttribute("role", "button");
  return Object.assign(node, { id_: id, glyph, tag, owners, badge, meter });
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

function drawOwners(S, holder, owners) {
  const stamp = owners.join();
  if (holder.stamp === stamp) return;
  holder.stamp = stamp;
  const marks = owners.slice(0, 3).map((rid) => {
    const shape = shapeOf(rid, S.order);
    return make("span", "who", shape ? [icon(shape), rid] : [rid]);
  });
  if (owners.length > 3) marks.push(make("span", "", "+" + (owners.length - 3)));
  holder.replaceChildren(...marks);
}

export function slotLabel(S, frame, view) {
  const parts = [S.t("stage.a11y.slot", { slot: view.id, state: S.t("stage.state." + view.state) })];
  if (view.tag) parts.push(S.t("stage.tip.tag", { tag: view.tag }));
  if (view.ref) parts.push(S.t("stage.tip.ref", { ref: view.ref, owners: view.owners.join(", ") }));
  return parts.join(" · ");
}

/** Most slots look as they did one step ago: the stamp says so, and nothing is touched. */
function drawSlot(S, node, view, frame, size) {
  const stamp = [view.state, view.tag, view.ref, view.fill, view.owners, view.copyOf, view.ttl, size, S.lang].join("|");
  if (node.stamp === stamp) return;
  node.stamp = stamp;
  setAttr(node, "data-state", view.state);
  setAttr(node, "data-copy", view.copyOf ? "1" : null);
  setText(node.id_, "#" + view.id);
  swapIcon(node.glyph, view.ttl ? "clock" : view.copyOf ? STATE_GLYPH.duplicate : STATE_GLYPH[view.state]);
  setText(node.tag, view.copyOf ? S.t1("stage.copyof", { tag: view.tag, slot: view.copyOf }) : view.tag);
  setText(node.badge, view.ref ? "×" + view.ref : "");
  drawMeter(node.meter, view.fill, size);
  drawOwners(S, node.owners, view.owners);
  const keys = slotKeys(frame, view.id);
  setKeys(node, keys, keys.filter((key) => !key.startsWith("req:") || keys.length < 2));
  setAttr(node, "aria-label", slotLabel(S, frame, view));
}

function drawLegend(S, zone) {
  if (zone.legendLang === S.lang) return;
  zone.legendLang = S.lang;
  const states = S.run.log.meta.told ? ["cached"] : ["reused", "computed", "others", "cached", "dirty"];
  zone.aside.replaceChildren(...states.map((state) => {
    const swatch = make("span", "swatch", STATE_GLYPH[state] ? [icon(STATE_GLYPH[state])] : []);
    swatch.dataset.state = state;
    return make("span", "key", [swatch, S.t1("stage.state." + state)]);
  }));
}

/** Returns the drawn slots by id, so that rings, lines and motion can find them. */
export function drawPool(S, zone, run, frame, rid, event, width) {
  const ids = Object.keys(frame.slots);
  const grid = poolGrid(ids.length, width);
  drawLegend(S, zone);
  setAttr(zone, "data-kind", grid.kind);
  if (grid.kind === "map") {
    drawMap(S, zone, frame, ids, grid, rid, event);
    return new Map();
  }
  const size = run.log.meta.block_size;
  const items = ids.map((id, at) => ({ id, at }));
  return keyed(zone.body, items, ({ id }) => Number(id), makeSlot, (node, { id, at }) => {
    const [x, y] = grid.places[at];
    place(node, x, y, grid.w, grid.h);
    drawSlot(S, node, slotView(frame, id, rid, event), frame, size);
  });
}

/** More than 64 slots: one canvas, same hues, lightness for age (a slot used long ago is paler). */
function drawMap(S, zone, frame, ids, grid, rid, event) {
  if (zone.body.firstChild?.tagName !== "CANVAS") zone.body.replaceChildren(make("canvas", "map"));
  const canvas = zone.body.firstChild, zoom = Math.max(1, S.scale * devicePixelRatio);
  place(canvas, grid.x, grid.y, grid.w, grid.h);
  canvas.width = grid.w * zoom;
  canvas.height = grid.h * zoom;
  canvas.mapGrid = { ...grid, ids };
  canvas.setAttribute("role", "img");
  const colour = S.colours, paint = canvas.getContext("2d"), counts = {};
  paint.scale(zoom, zoom);
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
  canvas.setAttribute("aria-label", Object.entries(counts).map(([state, n]) => S.t("stage.state." + state) + " " + n).join(", "));
}

function makeCard() {
  const id = make("span", "sid"), tag = make("span", "stag");
  const card = make("div", "card", [id, tag]);
  card.tabIndex = 0;
  card.setAttribute("role", "button");
  return Object.assign(card, { id_: id, tag });
}

export function drawQueue(S, frame) {
  const zone = S.zones.F, queue = frame.queue;
  const layout = queueLayout(queue.length, S.plan.F ? S.plan.F[2] : 1264);
  const shown = queue.map((id, at) => ({ id, at, x: layout.places[at] })).filter(({ x }) => x !== null);
  S.cards = keyed(zone.body, shown, ({ id }) => id, makeCard, (card, { id, at, x }) => {
    const tag = frame.slots[id].hash?.slice(0, 4) ?? "";
    place(card, x, 28, layout.w, CARD_H);
    const stamp = [tag, frame.slots[id].fill > 0, layout.w > 50, queue.length > 24, at, S.lang].join();
    if (card.stamp === stamp) return;
    card.stamp = stamp;
    setText(card.id_, "#" + id);
    setText(card.tag, layout.w > 50 ? tag : "");
    setAttr(card, "data-state", tag ? "cached" : frame.slots[id].fill ? "dirty" : "empty");
    setAttr(card, "tabindex", queue.length > 24 ? -1 : 0);
    setKeys(card, slotKeys(frame, id));
    setAttr(card, "aria-label", S.t("stage.a11y.card", { slot: id, place: at + 1, tag: tag || "-" }));
  });
  const ends = (zone.ends ??= ["head", "tail", "more"].map((name) => zone.appendChild(make("div", "end " + name))));
  setText(ends[0], S.t1("stage.queue.head"));
  setText(ends[1], S.t1("stage.queue.tail"));
  ends[2].classList.toggle("off", !layout.fold);
  if (layout.fold) {
    place(ends[2], layout.fold.x, 28, 56, CARD_H);
    setText(ends[2], "… ×" + layout.fold.count);
  }
  setText(zone.aside, S.t("stage.queue.count", { n: queue.length, total: Object.keys(frame.slots).length }));
}
