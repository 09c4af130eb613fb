// Zone C: the slots where they always stand.
import { apart, icon, keyed, make, makeButton, makeThing, place, setAttr, setKeys, setName, setText, swapIcon } from "./dom.js";
import { poolGrid, titleHeight } from "./places.js";
import { requestMark } from "./lane.js";
import { shapeOf, slotKeys, slotView, STATE_GLYPH } from "./view.js";
import { drawMap } from "./poolmap.js";

/** A thing to point at; while one is asked for, a button to answer with. */
export function makePick(cls, kids, asked) {
  return asked ? makeButton(cls, apart(kids)) : makeThing(cls, kids);
}

function makeSlot(asked) {
  const names = ["sid", "badge", "stag", "fresh", "owners", "word", "glyph", "meter"], parts = Object.fromEntries(names.map((name) => [name, make("span", name)]));
  return Object.assign(makePick("slot", Object.values(parts), asked), { parts, meter: parts.meter, badge: parts.badge });
}

const MOST_CELLS = 16;

/** One cell a token: written, reserved, or neither. Blocks of many tokens get one bar in parts. */
function drawMeter(meter, { fill, reserved }, size) {
  const cells = size > MOST_CELLS ? 1 : size;
  while (meter.children.length < cells) meter.append(make("i"));
  while (meter.children.length > cells) meter.lastChild.remove();
  [...meter.children].forEach((cell, j) => {
    const bar = size > MOST_CELLS;
    setAttr(cell, "data-on", bar ? "bar" : j < fill ? "1" : j < fill + reserved ? "reserved" : null);
    cell.style.setProperty("--part", bar ? fill / size : "");
    cell.style.setProperty("--planned", bar ? (fill + reserved) / size : "");
  });
}

/** Whose it is: shapes, or names where there are no shapes left. */
function drawOwners(order, holder, owners) {
  const marks = owners.slice(0, 3).map((rid) => make("span", "own", shapeOf(rid, order) ? [icon(shapeOf(rid, order))] : rid));
  if (owners.length > 3) marks.push(make("span", "own", "+" + (owners.length - 3)));
  holder.replaceChildren(...marks);
}

/** The key that chooses a slot: its own number, where no slot of `slots` has a longer one that begins with it. */
export function showKey(node, sid, id, slots) {
  const key = id !== null && id < 10 && !slots[10 * id] ? String(id) : null;
  setAttr(sid, "data-key", key);
  setAttr(node, "aria-keyshortcuts", key);
}

/** What a slot is called: what is to be read on it, in its order, however much of it there is room for; then the rest. */
function slotName({ t }, view, { sid, badge, stag, fresh, owners, word }, asked) {
  const shown = [sid, badge, stag, fresh, owners, word].map((part) => part.textContent).filter(Boolean).join(" ");
  const rest = [word.textContent && view.state !== "evicted" ? "" : t("stage.state." + view.state), view.ref ? t("stage.tip.ref", { ref: view.ref, owners: view.owners.join(", ") }) : "",
    view.reserved ? t("stage.tip.reserved", { n: view.reserved }) : "", asked ? t("stage.a11y.pick") : ""];
  return [shown, ...rest.filter(Boolean)].join(", ");
}

/** The word in a card with room for it: an evicted one says what it became. */
const wordOf = ({ state, now }) => (state === "evicted" ? now : state === "empty" ? null : state);
const wordKey = (word) => (word === "others" ? "stage.short.others" : "stage.state." + word);

function drawSlot(stage, node, view, frame, size, asked, small) {
  const { parts } = node, word = wordOf(view);
  setAttr(node, "data-state", view.state);
  setAttr(node, "data-copy", view.copyOf ? "1" : null);
  setText(parts.sid, "#" + view.id);
  showKey(node, parts.sid, asked ? view.id : null, frame.slots);
  swapIcon(parts.glyph, view.ttl ? "clock" : view.copyOf ? STATE_GLYPH.duplicate : STATE_GLYPH[view.state]);
  setText(parts.stag, view.copyOf ? stage.t1("stage.copyof", { tag: view.tag, slot: view.copyOf }) : view.tag);
  setText(parts.badge, view.ref > small ? "×" + view.ref : ""); // in a small card only what is shared is worth the room
  setText(parts.fresh, view.fresh ?? "");
  setText(parts.word, word ? stage.t1(wordKey(word)) : "");
  drawMeter(parts.meter, view, size);
  drawOwners(stage.order, parts.owners, view.owners);
  const keys = slotKeys(frame, view.id);
  setKeys(node, keys, keys.filter((key) => !key.startsWith("req:") || keys.length < 2));
  setName(node, slotName(stage, view, parts, asked));
}

/** Most slots look as they did one step ago: the stamp says so, and nothing is touched. */
function redrawSlot(stage, node, view, frame, size, asked, small) {
  const rows = view.owners.map((rid) => frame.reqs[rid]?.btable.findIndex(([slotId]) => slotId === view.id));
  const stamp = JSON.stringify([view, rows, size, stage.lang, asked, small]);
  if (node.stamp === stamp) return;
  node.stamp = stamp;
  drawSlot(stage, node, view, frame, size, asked, small);
}

const SMALL = new Set(["medium", "small"]);
const STATES = ["reused", "computed", "reserved", "others", "cached", "dirty"];

/** What the looks mean, where the cards have no room for the word; large letters leave room for what is to be seen now. */
function drawLegend({ run, mode, t1 }, zone, kind, views) {
  const seen = new Set(views.map(({ state }) => state));
  const states = kind === "row" ? [] : run.log.meta.told ? ["cached"] : mode === "large" ? STATES.filter((state) => seen.has(state)) : STATES;
  const keyOf = (state) => {
    const swatch = make("span", "swatch", STATE_GLYPH[state] ? [icon(STATE_GLYPH[state])] : []);
    swatch.dataset.state = state;
    return make("span", "key", [swatch, make("span")]);
  };
  keyed(zone.aside, states, (state) => state, keyOf, (node, state) => setText(node.lastChild, t1(wordKey(state))));
}

/** What the colours mean depends on who looks: the title says whose view it is, and lights up when that has changed. */
function drawPoolTitle({ t, t1, order, turned, mode }, zone, { meta, init }, kind, rid) {
  const roomy = kind === "row", withSize = roomy || (kind === "map" && mode === "large"), isNamed = rid && (roomy || mode === "wide"); // the legend needs room
  const [name, note, seen] = (zone.nameNodes ??= [make("span"), make("span", "note"), make("span", "note seenfrom")]);
  if (zone.titleNode.firstChild !== name) zone.titleNode.replaceChildren(name, note, seen);
  seen.replaceChildren(...(isNamed ? [t1(roomy ? "stage.pool.view" : "stage.short.view"), requestMark(order, rid)] : []));
  setAttr(seen, "data-turned", turned ? "1" : null);
  setText(name, t("stage.zone.C"));
  setText(note, withSize ? t("stage.pool.size", { count: Object.keys(init.slots).length, size: meta.block_size }) : "");
}

/** The wrong choice keeps a dashed ring as long as its verdict stands. */
export function wrongPick({ feedback }) {
  return feedback && !feedback.right && !feedback.shown && feedback.ask?.kind === "pool" ? feedback.choice : null;
}

/** Draws a pool into its zone. `told`: the events of this step. Returns the drawn slots by id, so that rings, lines and motion can find them. */
export function drawPool(stage, zone, run, frame, rid, told, [, , width, height]) {
  const ids = Object.keys(frame.slots), size = run.log.meta.block_size;
  const grid = poolGrid(ids.length, width, height, titleHeight(stage.mode));
  const asked = stage.ask?.kind === "pool" && run === stage.run, mayPick = (id) => asked && id in stage.ask.said, wrong = run === stage.run ? wrongPick(stage) : null;
  const views = ids.map((id) => slotView(frame, id, rid, told, size));
  setAttr(zone, "data-kind", grid.kind);
  setAttr(zone, "data-pick", asked ? "1" : null);
  drawPoolTitle(stage, zone, run.log, grid.kind, frame.reqs[rid] ? rid : null);
  drawLegend(stage, zone, grid.kind, views);
  const items = grid.kind === "map" ? [] : views.map((view, at) => ({ view, at }));
  const nodes = keyed(zone.body, items, ({ view }) => (mayPick(view.id) ? "ask" : "") + view.id, ({ view }) => makeSlot(mayPick(view.id)), (node, { view, at }) => {
    place(node, ...grid.places[at], grid.w, grid.h);
    setAttr(node, "data-option", mayPick(view.id) ? view.id : null);
    setAttr(node, "data-wrong", wrong === view.id ? "1" : null);
    redrawSlot(stage, node, view, frame, size, mayPick(view.id), Number(SMALL.has(grid.kind)));
  });
  drawMap(stage, zone, frame, views, grid.kind === "map" ? grid : null, told);
  return new Map([...nodes.values()].map((node, at) => [Number(ids[at]), node]));
}
