// The phone's second zone: the blocks of the request, and the slots of the pool where they always stand.
import { keyed, make, makeButton, setAttr, setName, setText, sharpen, swapIcon } from "../draw/dom.js";
import { eventsOf, slotView, STATE_GLYPH } from "../draw/view.js";
import { laneViews } from "../draw/laneview.js";
import { requestMark } from "../draw/lane.js";
import { isChoice, phonePool } from "./plan.js";

const INLET = 9, WHOLE = 6;

export function buildPoolZone() {
  const name = make("div", "pname"), inlet = make("div", "pinlet"), slots = make("div", "pslots"), map = make("canvas", "pdots");
  return Object.assign(make("section", "pzone", [name, inlet, slots, map]), { heading: name, inlet, slots, map, cells: new Map(), chips: new Map() });
}

function drawInlet(stage, zone) {
  const { frame, rid, run, peak, order, t1, event } = stage, req = frame.reqs[rid];
  const views = req ? laneViews(frame, req, run.log.meta.block_size, peak) : [], at = event?.rid === rid ? event.b ?? 0 : views.length;
  const first = Math.max(0, Math.min(views.length - INLET, at - 4));
  zone.heading.replaceChildren(...(req ? [requestMark(order, rid), t1("stage.phone.blocks")] : [t1("stage.zone.C")]));
  zone.inlet.classList.toggle("off", !views.length);
  zone.chips = keyed(zone.inlet, views.slice(first, first + INLET), (view) => view.b, () => make("span", "pchip"), (chip, view) => {
    chip.replaceChildren(make("span", "pno", String(view.b)), make("span", "pmono", view.full ? view.tag || (stage.ask ? "?" : "····") : "–"));
    setAttr(chip, "data-state", view.state);
    setAttr(chip, "data-open", view.full ? null : "1");
  });
}

function makeCell(tapped, id) {
  const name = make("span", "pid"), glyph = make("span", "pgl"), tag = make("span", "pstag"), owner = make("span", "pown"), ref = make("span", "pref"), meter = make("span", "pmeter");
  const kids = [name, glyph, tag, owner, ref, meter];
  return Object.assign(tapped ? makeButton("pslot ask", kids, { option: id }) : make("div", "pslot", kids), { name_: name, glyph, tag, owner, ref, meter });
}

/** One cell a token: written, reserved, or neither; of large blocks one bar. */
function drawFill(meter, { fill, reserved }, size) {
  const cells = size > 16 ? 1 : size;
  while (meter.children.length < cells) meter.append(make("i"));
  while (meter.children.length > cells) meter.lastChild.remove();
  [...meter.children].forEach((cell, at) => {
    setAttr(cell, "data-on", cells === 1 ? null : at < fill ? "1" : at < fill + reserved ? "reserved" : null);
    if (cells === 1) cell.style.setProperty("--part", fill / size);
  });
  setAttr(meter, "data-solid", cells === 1 ? "1" : null);
}

function drawCell(stage, cell, view, size) {
  const { t, t1, order, lang } = stage;
  const stamp = [view.state, view.tag, view.ref, view.fill, view.reserved, view.owners, view.copyOf, size, lang].join("|");
  if (cell.stamp === stamp) return;
  cell.stamp = stamp;
  setAttr(cell, "data-state", view.state);
  setText(cell.name_, "#" + view.id);
  swapIcon(cell.glyph, view.ttl ? "clock" : view.copyOf ? STATE_GLYPH.duplicate : STATE_GLYPH[view.state]);
  setText(cell.tag, view.tag || (view.state === "others" ? view.owners.slice(0, 2).join(" ") : t1("stage.state." + view.state)));
  setAttr(cell.tag, "data-word", view.tag ? null : "1");
  const shown = view.owners.slice(0, 2);
  cell.owner.replaceChildren(...shown.map((rid) => requestMark(order, rid)), view.owners.length > 2 ? "+" + (view.owners.length - 2) : "");
  setText(cell.ref, view.ref ? "×" + view.ref : "");
  drawFill(cell.meter, view, size);
  setName(cell, [t("stage.a11y.slot", { slot: view.id, state: t("stage.state." + view.state) }), view.tag && t("stage.tip.tag", { tag: view.tag }),
    view.ref && t("stage.tip.ref", { ref: view.ref, owners: view.owners.join(", ") })].filter(Boolean).join(" · "));
}

/** Of a map those slots stand whole that this step touches or that the request holds, newest first. */
function wholeOnes({ frame, rid }, told) {
  const held = (frame.reqs[rid]?.btable ?? []).map(([id]) => Number(id)).reverse();
  return [...new Set([...told.map(({ slot }) => slot).filter(Boolean), ...held])].slice(0, WHOLE).sort((a, b) => a - b);
}

const FILLS = { empty: "bg", dirty: "soft", cached: "cached", reused: "hit", computed: "miss", reserved: "bg", others: "others", evicted: "evict" };

function drawDots({ frame, rid, colours, t }, canvas, ids, told, width) {
  const side = Math.max(5, Math.min(22, Math.floor(Math.sqrt((width * 320) / ids.length)))), cols = Math.floor(width / side), counts = {};
  const paint = sharpen(canvas, width, Math.ceil(ids.length / cols) * side);
  ids.forEach((id, at) => {
    const { state } = slotView(frame, id, rid, told), touched = told.some(({ slot }) => slot === Number(id)), x = (at % cols) * side, y = Math.floor(at / cols) * side;
    counts[state] = (counts[state] ?? 0) + 1;
    paint.fillStyle = colours[FILLS[state]] ?? colours.surface;
    paint.fillRect(x + 0.5, y + 0.5, side - 1.5, side - 1.5);
    paint.strokeStyle = touched ? colours.ink : state === "cached" ? colours.hit_edge : colours.line;
    paint.lineWidth = touched ? 3 : 1;
    paint.strokeRect(x + 1, y + 1, side - 2.5, side - 2.5);
  });
  canvas.setAttribute("role", "img");
  setName(canvas, Object.entries(counts).map(([state, n]) => t("stage.state." + state) + " " + n).join(", "));
}

export function drawPoolZone(stage, zone) {
  const { frame, rid, events, k, level, run, plan } = stage, told = eventsOf(events, k, level), ids = Object.keys(frame.slots), { cols, kind } = phonePool(ids.length);
  drawInlet(stage, zone);
  const shown = kind === "map" ? wholeOnes(stage, told) : ids.map(Number), tapped = (id) => isChoice(stage, "pool", id), size = run.log.meta.block_size;
  setAttr(zone.slots, "data-kind", kind === "map" ? "medium" : kind);
  zone.slots.style.setProperty("--cols", kind === "map" ? 3 : cols);
  const cells = keyed(zone.slots, shown, (id) => id + (tapped(id) ? "?" : ""), (id) => makeCell(tapped(id), id), (cell, id) => drawCell(stage, cell, slotView(frame, id, rid, told, size), size));
  zone.cells = new Map([...cells].map(([key, cell]) => [parseInt(key, 10), cell]));
  zone.map.classList.toggle("off", kind !== "map");
  if (kind === "map") drawDots(stage, zone.map, ids, told, plan.w - 32);
}
