// Header and zone A: whose request is this, how is it cut, which tag does each block carry.
import { icon, keyed, make, place, setAttr, setKeys, setText, swapIcon } from "./dom.js";
import { foldBlocks, laneLayout, LINK_GAP } from "./layout.js";
import { toldKey } from "./told.js";
import { blockKeys, blockViews, NUM_PHASES, phaseOf, shapeOf } from "./view.js";

export function requestMark(S, rid) {
  const shape = shapeOf(rid, S.order);
  const mark = make("span", "who", shape ? [icon(shape), rid] : [rid]);
  return mark;
}

export function drawHead(S, event) {
  const [name, phases, count] = S.head.children;
  const { meta, events } = S.run.log;
  setText(name, meta.title || meta.scenario);
  while (phases.children.length < NUM_PHASES) phases.append(make("li"));
  [...phases.children].forEach((item, at) => {
    setText(item, S.t1("stage.phase." + at));
    setAttr(item, "aria-current", phaseOf(event) === at ? "step" : null);
  });
  setText(count, S.t("stage.count", { step: S.k, total: events.length }));
}

/** Where not all requests have room for a mark: the newest ones up to the one in the lane, and what follows it. */
function nearest(ids, rid, most) {
  const end = Math.min(ids.length, Math.max(most, ids.indexOf(rid) + 1 + Math.floor(most / 3)));
  return ids.slice(end - most, end);
}

function drawRequests(S, frame, rid) {
  const ids = Object.keys(frame.reqs);
  const most = S.narrow ? 3 : 12;
  const shown = ids.length > most ? nearest(ids, rid, most) : ids;
  const items = shown.map((id) => ({ id, req: frame.reqs[id] }));
  const create = ({ id }) => {
    const chip = make("button", "req", [requestMark(S, id)]);
    chip.type = "button";
    chip.dataset.focus = id;
    return chip;
  };
  keyed(S.zones.A.aside, items, ({ id }) => id, create, (chip, { id, req }) => {
    setAttr(chip, "data-status", req.status);
    setAttr(chip, "aria-pressed", id === rid);
    setAttr(chip, "aria-label", id + " " + S.t("stage.status." + req.status));
    setAttr(chip, "title", S.t("stage.status." + req.status));
    setKeys(chip, ["req:" + id]);
  });
}

export function planText(S, req) {
  return S.t("stage.lane.plan", { hit: req.hit, rest: req.num_tokens - req.hit });
}

function drawTitle(S, rid, req) {
  const title = S.zones.A.titleNode;
  const stamp = [rid, req?.status, req?.num_tokens, req?.hit, S.peak.length > 0, S.lang].join();
  if (title.stamp === stamp) return;
  title.stamp = stamp;
  const parts = [make("span", "", S.t(toldKey(S, "stage.zone.A")))];
  if (req) {
    const plan = S.peak.length || req.status === "running" ? planText(S, req) : "";
    parts.push(requestMark(S, rid), make("span", "note", S.t("stage.status." + req.status) + " · " + S.t("stage.tokens", { n: req.num_tokens })), make("span", "note strong", plan));
  }
  title.replaceChildren(...parts);
}

function makeBlock() {
  const bar = make("div", "bar"), toks = make("div", "toks"), tag = make("div", "tagof"), link = make("div", "link", [icon("chain")]);
  const look = make("span", "look"), word = make("span", "word"), root = make("span", "root");
  tag.append(root, word, look);
  const node = make("div", "blk", [bar, toks]);
  node.tabIndex = 0;
  node.setAttribute("role", "button");
  return Object.assign(make("div", "lanecell", [node, tag, link]), { node, bar, toks, tag, look, word, link, rootMark: root });
}

const LOOK_ICON = { hit: "check", miss: "times", new: "plus" };

function drawTokens(S, cell, view, pieces) {
  const size = S.run.log.meta.block_size;
  const part = pieces.slice(view.b * size, view.b * size + view.size), flow = size > 8;
  const stamp = part.join("\u0000");
  if (cell.toks.stamp === stamp) return;
  cell.toks.stamp = stamp;
  setAttr(cell.toks, "data-flow", flow ? "1" : null);
  cell.toks.style.setProperty("--cols", size < 2 ? 1 : 2);
  cell.toks.replaceChildren(...part.map((piece) => make("span", "tok", (flow ? piece : piece.trim()) || "·")));
}

/** What stands under a block: its tag, or why it has none (yet). */
function tagWord(S, view) {
  if (!view.full) return S.t1("stage.lane.notfull");
  if (view.tag) return view.tag;
  return "····";
}

function drawBlock(S, cell, view, pieces, rid, place_) {
  const { node, tag, look, word, link } = cell;
  const state = view.state;
  place(node, place_.x, 30, place_.w, 84);
  place(tag, place_.x, 118, place_.w, 24);
  place(link, place_.x + place_.w + (LINK_GAP - 18) / 2, 63);
  link.classList.toggle("off", !view.linked);
  setAttr(node, "data-state", state);
  setAttr(node, "data-open", view.full ? null : "1");
  setAttr(tag, "data-state", state);
  setAttr(tag, "data-tag", view.tag ? "1" : null);
  setText(word, tagWord(S, view));
  swapIcon(cell.rootMark, view.b === 0 && view.tag ? "home" : null);
  swapIcon(look, view.full || state === "new" ? LOOK_ICON[state] ?? null : null);
  const keys = blockKeys(rid, view), own = keys.filter((key) => !key.startsWith("req:"));
  setKeys(node, keys, own);
  setKeys(tag, keys, own);
  setAttr(node, "aria-label", S.t("stage.a11y.block", { block: view.b, tag: view.tag || "-", state: S.t("stage.block." + state), text: pieces.slice(view.b * S.run.log.meta.block_size, view.b * S.run.log.meta.block_size + view.size).join("") }));
  drawTokens(S, cell, view, pieces);
}

function drawFold(S, cell, item, place_) {
  place(cell.node, place_.x, 30, place_.w, 84);
  setAttr(cell.node, "data-state", item.state);
  setAttr(cell.node, "data-fold", "1");
  cell.tag.classList.add("off");
  cell.link.classList.add("off");
  if (cell.toks.stamp === item.state + item.count) return;
  cell.toks.stamp = item.state + item.count;
  const glyph = LOOK_ICON[item.state];
  cell.toks.replaceChildren(make("span", "fold", [icon("dots"), "×" + item.count, ...(glyph ? [icon(glyph)] : [])]));
  cell.node.setAttribute("aria-label", S.t("stage.a11y.fold", { n: item.count, from: item.b, to: item.b + item.count - 1 }));
}

export function drawLane(S, frame, rid, event) {
  const req = frame.reqs[rid];
  drawRequests(S, frame, rid);
  drawTitle(S, rid, req);
  const { meta, pieces } = S.run.log;
  const views = req ? blockViews(req, meta.block_size, S.peak) : [];
  const spot = event && event.rid === rid && event.b != null ? event.b : -1;
  const joined = event?.op === "arrive" && event.rid === rid;
  const width = S.plan.A ? S.plan.A[2] : 1264;
  const items = foldBlocks(views.map((view) => view.state + (view.full ? "" : "-")), spot, S.narrow ? 4 : 8);
  const places = laneLayout(items, width, joined);
  S.blocks = new Map();
  const cells = keyed(S.zones.A.body, places, (item) => (item.folded ? "f" : "b") + item.b, makeBlock, (cell, item) => {
    if (item.folded) return drawFold(S, cell, { ...item, state: item.state.replace("-", "") }, item);
    const view = views[item.b];
    view.linked = !joined && item.b + 1 < views.length;
    drawBlock(S, cell, view, pieces[rid] ?? [], rid, item);
    S.blocks.set(item.b, cell);
  });
  S.laneCells = cells;
  setAttr(S.zones.A, "data-status", event?.op === "done" && event.rid === rid ? "done" : req?.status);
  const empty = (S.zones.A.empty ??= S.zones.A.appendChild(make("p", "lane-empty note")));
  setText(empty, req ? "" : S.t(toldKey(S, "stage.lane.empty")));
  drawSummary(S, event);
}

/** After a request: one strip with what it cost and what it saved. */
function drawSummary(S, event) {
  const strip = (S.zones.A.strip ??= S.zones.A.appendChild(make("div", "summary")));
  const show = event?.op === "done" && event.args?.reused !== undefined;
  strip.classList.toggle("off", !show);
  if (!show) return;
  const { reused, computed, prompt = reused + computed, near = 0, evicted = 0 } = event.args;
  strip.replaceChildren(requestMark(S, event.rid), make("span", "", S.t(near ? "stage.summary" : "stage.summary.plain", { reused, total: prompt, near, evicted })));
}
