// Header and zone A: whose request is this, how is it cut, which tag does each block carry, and which slot.
import { icon, keyed, make, makeButton, place, setAttr, setKeys, setName, setText } from "./dom.js";
import { activeBlock, laneItems, LANES } from "./lanelayout.js";
import { laneViews } from "./laneview.js";
import { drawStub, drawWhole, makeStub, makeWhole } from "./lanecell.js";
import { drawMachine, editOf, machineOf } from "./machine.js";
import { drawNear } from "./near.js";
import { drawVisible } from "./tokens.js";
import { pressAt } from "../time/steps.js";
import { toldKey } from "./told.js";
import { shapeOf } from "./view.js";

/** Letter and shape of a request; `order`: in which they came. */
export function requestMark(order, rid) {
  const shape = shapeOf(rid, order);
  return make("span", "who", shape ? [icon(shape), rid] : [rid]);
}

/** How far one has come: in steps, or in presses where one press takes more than a step. */
export function countWords({ events, k, level, t }) {
  if (level === "micro") return t("stage.count", { step: k, total: events.length });
  const { at, all } = pressAt(events, k, level);
  return t("stage.count.press", { n: at, total: all });
}

export function drawHead(stage) {
  const { head, run: { log: { meta } } } = stage, [name, count] = head.children;
  setText(name, meta.title || meta.scenario);
  setText(count, countWords(stage));
}

/** Where not all requests have room for a mark: the newest ones up to the one in the lane, and what follows it. */
function nearest(ids, rid, most) {
  const end = Math.min(ids.length, Math.max(most, ids.indexOf(rid) + 1 + Math.floor(most / 3)));
  return ids.slice(end - most, end);
}

/** Marks of all requests, in the line of the title or, where there is none, at the lane's upper right; a click puts one into the lane. */
function drawRequests({ order, zones, t, mode }, frame, rid) {
  const ids = Object.keys(frame.reqs), most = mode === "large" ? 4 : 8;
  const shown = ids.length > most ? nearest(ids, rid, most) : ids;
  const items = shown.map((id) => ({ id, req: frame.reqs[id] }));
  const create = ({ id }) => makeButton("req", [requestMark(order, id)], { focus: id });
  keyed(zones.A.aside, items, ({ id }) => id, create, (chip, { id, req }) => {
    setAttr(chip, "data-status", req.status);
    setAttr(chip, "aria-pressed", id === rid);
    setName(chip, id + " " + t("stage.status." + req.status));
    setAttr(chip, "title", t("stage.status." + req.status));
    setKeys(chip, ["req:" + id]);
  });
}

/** What a request reuses and computes, once that is decided: before its look-up nothing is said of it. */
export function planned(t, { hit, num_tokens: all, status, btable }) {
  return btable.length || status !== "waiting" ? [t("stage.lane.plan", { hit, rest: all - hit })] : [];
}

/** Who stands in the lane, what it is doing; and, where the lane has just changed hands, that it has. */
function drawWho({ zones, lang, order, t, t1, turned }, rid, req, lane) {
  const { whoNode: holder, nowNode: note } = zones.A, isNew = Boolean(req && turned), stamp = [rid, req?.status, isNew, lang, lane.token].join();
  place(holder, lane.who[0], lane.who[1], lane.x - lane.who[0] - 8);
  if (holder.stamp === stamp) return;
  holder.stamp = stamp;
  const shape = rid && shapeOf(rid, order);
  holder.replaceChildren(...(req ? [...(shape ? [icon(shape, "big")] : []), make("b", "", rid), make("span", "", t("stage.status." + req.status))] : []));
  place(note, lane.who[0] - 8, lane.labelY - 2);
  note.classList.toggle("off", !isNew);
  note.replaceChildren(t1("stage.lane.now"), ...(req ? [requestMark(order, rid)] : []));
}

/** All that the cells of this step need to know, besides their own block. */
function sceneOf(stage, rid, req, event, lane) {
  const { run, t, t1, ask, feedback } = stage, isAsked = ask?.rid === rid && ask.kind === "lane";
  const wrong = feedback && !feedback.right && !feedback.shown && feedback.ask.kind === "lane" && feedback.ask.rid === rid ? feedback.choice : null;
  return { rid, lane, t, t1, size: run.log.meta.block_size, pieces: run.log.pieces[rid] ?? [], asked: isAsked, plain: isAsked, wrong,
    joined: event?.op === "arrive" && event.rid === rid, edit: editOf(stage), machine: machineOf(stage), diff: event?.op === "miss" && event.rid === rid ? event.args?.diff : null };
}

const MOST_KEYS = 10;

/** Before anything has come: the prompts of the first requests, token under token, so that what is alike is seen. */
function drawOpening({ zones, run, order, events }, lane) {
  const holder = zones.A.opening;
  const coming = events.filter(({ op }) => op === "arrive").slice(0, 3), rows = coming.map(({ rid, args }) => ({ rid, pieces: (run.log.pieces[rid] ?? []).slice(0, args.n) }));
  const most = Math.min(12, Math.max(1, ...rows.map(({ pieces }) => pieces.length))), pitch = Math.min(100, (lane.w + 36) / most), high = lane.token * 2;
  holder.replaceChildren(...rows.flatMap(({ rid, pieces }, row) => {
    const y = 8 + row * (high + 10), mark = requestMark(order, rid);
    place(mark, lane.who[0], y, 64, high);
    return [mark, ...pieces.slice(0, most).map((piece, j) => {
      const node = drawVisible(make("div", "tok"), j === most - 1 && pieces.length > most ? "…" : piece);
      place(node, lane.who[0] + 66 + j * pitch, y, pitch - 4, high);
      node.style.fontSize = Math.max(lane.least, Math.min(lane.token - 1, pitch / 4.4)) + "px";
      return node;
    })];
  }));
  return rows.length > 0;
}

/** Returns the drawn blocks by number. */
export function drawLane(stage, frame, rid, event) {
  const { run, peak, zones, t, t1, events, k, mode, order } = stage, req = frame.reqs[rid], zone = zones.A, lane = LANES[mode] ?? LANES.wide;
  if (!zone.whoNode) furnishLane(zone);
  drawRequests(stage, frame, rid);
  drawWho(stage, rid, req, lane);
  const scene = sceneOf(stage, rid, req, event, lane), views = req ? laneViews(frame, req, scene.size, peak) : [];
  const states = views.map(({ state, full }) => (scene.plain ? "plain" : state) + (full ? "" : "-"));
  const items = laneItems(states, activeBlock(events, k, rid), scene.size, lane, scene.asked && views.length <= MOST_KEYS);
  const blocks = new Map();
  keyed(zone.body, items, ({ kind, b }) => kind + b, ({ kind }) => (kind === "whole" ? makeWhole() : makeStub()), (cell, item) => {
    if (item.kind === "whole") drawWhole(cell, views[item.b], item, scene);
    else drawStub(cell, views, item, scene);
    if (item.count === 1) blocks.set(item.b, cell);
  });
  const near = drawNear(stage, zone.stored, items, lane, scene.diff?.from ? requestMark(order, scene.diff.from) : null);
  drawMachine(stage, zone.wires, scene.joined ? [] : items, views, lane, near);
  drawStart(zone, lane, t1, items[0]?.kind === "whole" && !scene.joined && Boolean(views[items[0].b].tag) && items[0].b === 0 && near !== 0);
  const showsOpening = !req && !run.log.meta.told && k === 0 && drawOpening(stage, lane);
  zone.opening.classList.toggle("off", !showsOpening);
  setText(zone.empty, req || showsOpening ? "" : t(toldKey(run, "stage.lane.empty")));
  setAttr(zone, "data-asked", scene.asked ? "1" : null);
  return { blocks };
}

/** Made at once, so that a step looks the same whichever was drawn before it. */
function furnishLane(zone) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "wires");
  svg.setAttribute("aria-hidden", "true");
  zone.insertBefore(svg, zone.body);
  const part = (tag, cls) => zone.appendChild(make(tag, cls));
  Object.assign(zone, { wires: svg, stored: part("div", "nearrow"), startNode: part("div", "tagof startof"), whoNode: part("div", "lanewho"), nowNode: part("div", "lanenow"), opening: part("div", "opening"), empty: part("p", "lane-empty note") });
}

/** Where the chain begins: before the first block. */
function drawStart(zone, lane, t1, isShown) {
  const node = zone.startNode;
  place(node, ...lane.start);
  setText(node, t1("stage.machine.start"));
  node.classList.toggle("off", !isShown);
}
