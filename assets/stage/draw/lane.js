// Header and zone A: whose request is this, how is it cut, which tag does each block carry.
import { icon, keyed, make, makeButton, makeThing, place, setAttr, setKeys, setName, setText, swapIcon } from "./dom.js";
import { foldBlocks, laneLayout, LINK_GAP } from "./layout.js";
import { toldKey } from "./told.js";
import { blockKeys, blockViews, shapeOf } from "./view.js";

/** Letter and shape of a request; `order`: in which they came. */
export function requestMark(order, rid) {
  const shape = shapeOf(rid, order);
  return make("span", "who", shape ? [icon(shape), rid] : [rid]);
}

export function drawHead({ head, run: { log: { meta } }, events, t, k }) {
  const [name, count] = head.children;
  setText(name, meta.title || meta.scenario);
  setText(count, t("stage.count", { step: k, total: events.length }));
}

/** Where not all requests have room for a mark: the newest ones up to the one in the lane, and what follows it. */
function nearest(ids, rid, most) {
  const end = Math.min(ids.length, Math.max(most, ids.indexOf(rid) + 1 + Math.floor(most / 3)));
  return ids.slice(end - most, end);
}

function drawRequests({ order, zones, t }, frame, rid) {
  const ids = Object.keys(frame.reqs);
  const most = 12;
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

export function planText(t, req) {
  return t("stage.lane.plan", { hit: req.hit, rest: req.num_tokens - req.hit });
}

function drawTitle({ run, zones, peak, lang, t, order }, rid, req) {
  const title = zones.A.titleNode;
  const stamp = [rid, req?.status, req?.num_tokens, req?.hit, peak.length > 0, lang].join();
  if (title.stamp === stamp) return;
  title.stamp = stamp;
  const parts = [make("span", "", t(toldKey(run, "stage.zone.A")))];
  if (req) {
    const plan = peak.length || req.status === "running" ? planText(t, req) : "";
    parts.push(requestMark(order, rid), make("span", "note", t("stage.status." + req.status) + " · " + t("stage.tokens", { n: req.num_tokens })), make("span", "note strong", plan));
  }
  title.replaceChildren(...parts);
}

function makeBlock() {
  const bar = make("div", "bar"), toks = make("div", "toks"), tag = make("div", "tagof"), link = make("div", "link", [icon("chain")]);
  const look = make("span", "look"), word = make("span", "word"), root = make("span", "root");
  tag.append(root, word, look);
  const node = makeThing("blk", [bar, toks]);
  return Object.assign(make("div", "lanecell", [node, tag, link]), { node, bar, toks, tag, look, word, link, rootMark: root });
}

const LOOK_ICON = { hit: "check", miss: "times", new: "plus" };

function drawTokens(cell, part, size) {
  const flow = size > 8;
  const stamp = part.join("\u0000");
  if (cell.toks.stamp === stamp) return;
  cell.toks.stamp = stamp;
  setAttr(cell.toks, "data-flow", flow ? "1" : null);
  cell.toks.style.setProperty("--cols", size < 2 ? 1 : 2);
  cell.toks.replaceChildren(...part.map((piece) => make("span", "tok", (flow ? piece : piece.trim()) || "·")));
}

function drawBlock({ t, t1, frame }, cell, view, tokens, rid, place_) {
  const { node, tag, look, word, link } = cell, { state } = view;
  place(node, place_.x, 30, place_.w, 84);
  place(tag, place_.x, 118, place_.w, 24);
  place(link, place_.x + place_.w + (LINK_GAP - 18) / 2, 63);
  link.classList.toggle("off", !view.linked);
  setAttr(node, "data-state", state);
  setAttr(node, "data-open", view.full ? null : "1");
  setAttr(tag, "data-state", state);
  setAttr(tag, "data-tag", view.tag ? "1" : null);
  setText(word, view.full ? view.tag || "····" : t1("stage.lane.notfull")); // its tag, or why it has none (yet)
  swapIcon(cell.rootMark, view.b === 0 && view.tag && frame.reqs[rid]?.rooted !== false ? "home" : null);
  swapIcon(look, view.full || state === "new" ? LOOK_ICON[state] ?? null : null);
  const keys = blockKeys(rid, view), own = keys.filter((key) => !key.startsWith("req:"));
  setKeys(node, keys, own);
  setKeys(tag, keys, own);
  setName(node, t("stage.a11y.block", { block: view.b, tag: view.tag || "-", state: t("stage.block." + state), text: tokens.join("") }));
}

function drawFold({ t }, cell, item, place_) {
  place(cell.node, place_.x, 30, place_.w, 84);
  setAttr(cell.node, "data-state", item.state);
  setAttr(cell.node, "data-fold", "1");
  cell.tag.classList.add("off");
  cell.link.classList.add("off");
  if (cell.toks.stamp === item.state + item.count) return;
  cell.toks.stamp = item.state + item.count;
  const glyph = LOOK_ICON[item.state];
  cell.toks.replaceChildren(make("span", "fold", [icon("dots"), "×" + item.count, ...(glyph ? [icon(glyph)] : [])]));
  setName(cell.node, t("stage.a11y.fold", { n: item.count, from: item.b, to: item.b + item.count - 1 }));
}

/** Returns the drawn blocks by number. */
export function drawLane(stage, frame, rid, event) {
  const { run, peak, plan, zones, t } = stage, req = frame.reqs[rid];
  drawRequests(stage, frame, rid);
  drawTitle(stage, rid, req);
  const { pieces, meta: { block_size: size } } = run.log;
  const views = req ? blockViews(req, size, peak) : [];
  const spot = event && event.rid === rid && event.b != null ? event.b : -1;
  const joined = event?.op === "arrive" && event.rid === rid;
  const width = plan.A ? plan.A[2] : 1264;
  const items = foldBlocks(views.map((view) => view.state + (view.full ? "" : "-")), spot, 8);
  const places = laneLayout(items, width, joined);
  const blocks = new Map();
  keyed(zones.A.body, places, (item) => (item.folded ? "f" : "b") + item.b, makeBlock, (cell, item) => {
    if (item.folded) return drawFold(stage, cell, { ...item, state: item.state.replace("-", "") }, item);
    const view = views[item.b];
    view.linked = !joined && item.b + 1 < views.length;
    const tokens = (pieces[rid] ?? []).slice(view.b * size, view.b * size + view.size);
    drawBlock(stage, cell, view, tokens, rid, item);
    drawTokens(cell, tokens, size);
    blocks.set(item.b, cell);
  });
  setAttr(zones.A, "data-status", event?.op === "done" && event.rid === rid ? "done" : req?.status);
  const empty = (zones.A.empty ??= zones.A.appendChild(make("p", "lane-empty note")));
  setText(empty, req ? "" : t(toldKey(run, "stage.lane.empty")));
  drawSummary(stage, event);
  return { blocks };
}

/** After a request: one strip with what it cost and what it saved. */
function drawSummary({ zones, order, t }, event) {
  const strip = (zones.A.strip ??= zones.A.appendChild(make("div", "summary")));
  const show = event?.op === "done" && event.args?.reused !== undefined;
  strip.classList.toggle("off", !show);
  if (!show) return;
  const { reused, computed, prompt = reused + computed, near = 0, evicted = 0 } = event.args;
  strip.replaceChildren(requestMark(order, event.rid), make("span", "", t(near ? "stage.summary" : "stage.summary.plain", { reused, total: prompt, near, evicted })));
}
