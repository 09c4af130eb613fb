// The phone's first zone: the request, one block a row, joined by its chain; many blocks as a list; below them the tag board.
import { icon, keyed, make, makeButton, nameThing, setAttr, setName } from "../draw/dom.js";
import { laneViews } from "../draw/laneview.js";
import { requestMark } from "../draw/lane.js";
import { promptLengths } from "../time/ledger.js";
import { drawDiffering, drawVisible } from "../draw/tokens.js";
import { editedTag, editOf, machineOf } from "../draw/machine.js";
import { blockSpoken, boardRows, FEW_BLOCKS, isChoice, rowsInView } from "./plan.js";

const LOOK_SIGNS = { hit: "check", miss: "times", computed: "plus", reserved: "flag" };
export const LIST_ROW = 56;
const MANY_TOKENS = 16, FLOW_TOKENS = 80;

export function buildRequestZone() {
  const top = make("div", "ptop"), rows = make("div", "prows"), list = make("div", "plist"), board = make("div", "pboard");
  const zone = make("section", "pzone", [top, rows, list, board]);
  zone.addEventListener("scroll", () => zone.drawList?.(), { passive: true });
  return Object.assign(zone, { top, rows, list, board, blocks: new Map() });
}

const phoneToken = (text, tag = make("span", "ptok")) => drawVisible(tag, text);

/** While the hash machine stands, a token that can be another one is a button: a tap changes it, and the tags follow. */
function rowTokens(stage, view, pieces) {
  const machine = machineOf(stage), edit = editOf(stage), first = view.b * stage.run.log.meta.block_size;
  return pieces.map((text, at) => {
    const token = first + at, changed = edit?.token === token;
    if (!view.tag || !machine?.tokens[token]?.length) {
      const plain = phoneToken(text);
      setAttr(plain, "data-state", view.tokens[at] || null);
      return plain;
    }
    const knob = phoneToken(changed ? edit.text : text, makeButton("ptok turn", [], { token }));
    setAttr(knob, "aria-pressed", changed);
    setName(knob, stage.t("stage.machine.token", { text: changed ? edit.text : text }));
    return knob;
  });
}

/** A near miss where it happens: the stored tokens under those that were asked. */
function nearLine({ event, rid, t1 }, view) {
  const diff = event?.op === "miss" && event.rid === rid ? event.args?.diff : null;
  if (diff?.block !== view.b) return [];
  return [make("span", "pnear", [make("span", "pnote", t1("stage.diff.stored")), ...diff.stored.map((text, at) =>
    (text === diff.mine[at] ? phoneToken(text) : drawDiffering(make("span", "ptok differs"), text, diff.mine[at] ?? "")))])];
}

function drawTop({ frame, rid, order, t }, top) {
  const ids = Object.keys(frame.reqs), at = ids.indexOf(rid), req = frame.reqs[rid];
  const shown = ids.length > 12 ? ids.slice(Math.max(0, at - 8), at + 4) : ids;
  const stamp = [shown, rid, req?.num_tokens, req?.status, t("stage.close")].join("|");
  if (top.stamp === stamp) return;
  top.stamp = stamp;
  const marks = shown.length > 1 ? shown.map((id) => {
    const chip = makeButton("preq", [requestMark(order, id)], { focus: id });
    setAttr(chip, "aria-pressed", id === rid);
    setAttr(chip, "data-status", frame.reqs[id].status);
    setName(chip, id + " " + t("stage.status." + frame.reqs[id].status));
    return chip;
  }) : rid && req ? [requestMark(order, rid)] : [];
  const strip = make("span", "preqs", marks);
  setAttr(strip, "data-pan", "1"); // a finger that draws here moves the marks, not the step
  top.replaceChildren(strip, make("span", "pnote", req ? t("stage.tokens", { n: req.num_tokens }) : ""));
}

/** How the tag came about: parent and these tokens, an arrow, the tag; or why there is none (yet). */
function hashLine(stage, view, views) {
  const { t1, frame, rid, ask } = stage;
  if (!view.full) return [t1("stage.lane.notfull")];
  const edit = editOf(stage), now = (one) => editedTag(edit, one)?.word ?? one.tag;
  const tag = (text, cls = "") => make("span", "ptag " + cls, text || (ask ? "?" : "····"));
  const parent = view.b ? tag(now(views[view.b - 1]), "par") : make("span", "", t1(frame.reqs[rid]?.rooted === false ? "stage.phone.unseen" : "stage.phone.root"));
  const flipped = editedTag(edit, view)?.same === false;
  return [parent, "+ " + view.size + " →", Object.assign(tag(now(view), view.tag ? (flipped ? "flipped" : view.loose ? "loose" : "") : "todo"), { isTag: true }), ...(flipped ? [make("s", "ptag old", view.tag)] : [])];
}

const LOOK_WORDS = { hit: "hit", miss: "miss", computed: "made", reserved: "reserved", skip: "skip", stored: "stored" };

/** Of a block that is computed in part: how many of its tokens are written. The last token of an answer never is. */
function writtenPart({ frame }, { state, slot, size, freed }) {
  const fill = state === "computed" && !freed ? frame.slots[slot]?.fill ?? size : size;
  return fill < size ? ` ${fill}/${size}` : "";
}

function lookMark(stage, view) {
  const word = LOOK_WORDS[view.state], isTaken = view.state === "computed" || view.state === "reserved";
  return make("span", "plook", word && (view.full || isTaken) ? [...(LOOK_SIGNS[view.state] ? [icon(LOOK_SIGNS[view.state])] : []), stage.t1("stage.phone." + word) + writtenPart(stage, view)] : []);
}

const blockPieces = ({ run, rid }, view) => {
  const size = run.log.meta.block_size;
  return (run.log.pieces[rid] ?? []).slice(view.b * size, view.b * size + view.size);
};

/** In a question about the lane its blocks are what one taps. */
const isTapped = (stage, { b }) => stage.ask?.rid === stage.rid && isChoice(stage, "lane", b);

function fillRow(stage, row, view, views) {
  const { t, rid, run } = stage, pieces = blockPieces(stage, view), holes = Math.min(run.log.meta.block_size - view.size, 8);
  const stamp = [rid, view.state, view.tokens.join(), writtenPart(stage, view), view.loose, view.tag, views[view.b - 1]?.tag, pieces.join("\u0000"), Boolean(stage.ask), stage.lang, row.spoken, stage.k, JSON.stringify(stage.edit)].join("|");
  if (row.stamp === stamp) return;
  row.stamp = stamp;
  const flow = pieces.length > MANY_TOKENS, hash = hashLine(stage, view, views);
  row.toks = make("span", "ptoks", [...rowTokens(stage, view, pieces), ...(flow ? [] : Array.from({ length: view.full ? 0 : holes }, () => make("span", "ptok hole")))]);
  setAttr(row.toks, "data-flow", flow ? (row.spoken ? "all" : "some") : pieces.length > 8 ? "small" : null);
  row.tag = hash.find((part) => part.isTag);
  row.parentTag = hash[0].classList?.contains("par") ? hash[0] : null;
  row.look = lookMark(stage, view);
  row.replaceChildren(row.toks, ...nearLine(stage, view), make("span", "pno", String(view.b)), make("span", "pfoot", [make("span", "phash", hash), row.look]));
  setAttr(row, "data-state", view.state);
  setAttr(row, "data-open", view.full ? null : "1");
  nameThing(row, t("stage.a11y.block", { block: view.b, tag: view.tag || "-", state: t("stage.block." + (view.loose ? "loose" : view.state)), text: pieces.join("") }));
}

const makePhoneRow = (tapped, b) => (tapped ? makeButton("pblk ask", [], { option: b }) : make("div", "pblk"));

function drawRich(stage, zone, views, spoken) {
  const shown = views.length > FEW_BLOCKS ? views.filter((view) => view.b === spoken) : views;
  zone.blocks = keyed(zone.rows, shown, (view) => view.b + (isTapped(stage, view) ? "?" : ""), (view) => makePhoneRow(isTapped(stage, view), view.b), (row, view) => {
    row.spoken = view.b === spoken;
    setAttr(row, "data-spoken", row.spoken ? "1" : null);
    fillRow(stage, row, view, views);
  });
  zone.blocks = new Map([...zone.blocks].map(([key, row]) => [parseInt(key, 10), row]));
}

/** Only the lines in view exist, however many blocks there are. */
function drawList(stage, zone, views, spoken) {
  const many = views.length > FEW_BLOCKS;
  zone.list.style.height = many ? views.length * LIST_ROW + "px" : "0";
  zone.drawList = many ? () => {
    const top = zone.scrollTop - zone.list.offsetTop, [first, last] = rowsInView(Math.max(0, top), zone.clientHeight || 600, LIST_ROW, views.length);
    const held = zone.list.contains(stage.host.activeElement) ? stage.host.activeElement.dataset.option : null;
    zone.list.replaceChildren(...views.slice(first, last).map((view) => {
      const tapped = isTapped(stage, view), text = blockPieces(stage, view).join("");
      const line = tapped ? makeButton("pline ask", [], { option: view.b }) : make("div", "pline");
      line.append(make("span", "pno", String(view.b)), make("span", "ptag" + (view.tag ? "" : " todo"), view.full ? view.tag || (stage.ask ? "?" : "····") : "–"), make("span", "ptext", text), make("span", "plook", LOOK_SIGNS[view.state] ? [icon(LOOK_SIGNS[view.state])] : []));
      line.style.top = view.b * LIST_ROW + "px";
      setAttr(line, "data-state", view.state);
      setAttr(line, "data-spoken", view.b === spoken ? "1" : null);
      setName(line, stage.t("stage.a11y.block", { block: view.b, tag: view.tag || "-", state: stage.t("stage.block." + view.state), text }));
      return line;
    }));
    if (held) [...zone.list.children].find((line) => line.dataset.option === held)?.focus({ preventScroll: true });
  } : null;
  if (zone.drawList) zone.drawList();
  else zone.list.replaceChildren();
}

/** Not cut yet: the tokens as they come. Those of the answer do not exist yet. */
function drawFlow({ frame, run, rid, t }, zone) {
  const pieces = (run.log.pieces[rid] ?? []).slice(0, frame.reqs[rid].num_tokens), rest = pieces.length - FLOW_TOKENS, stamp = rid + pieces.join("\u0000");
  keyed(zone.rows, ["flow"], (key) => key, () => make("div", "pflow"), (box) => {
    if (box.stamp === stamp) return;
    box.stamp = stamp;
    box.replaceChildren(...pieces.slice(0, FLOW_TOKENS).map((text) => phoneToken(text)), ...(rest > 0 ? [make("span", "pnote", "… + " + t("stage.tokens", { n: rest }))] : []));
  });
}

/** The prompts that will come, as they are written. */
function promptSays({ run, order }) {
  const lengths = promptLengths(run);
  return run.log.meta.told ? [] : order.slice(0, 4).map((rid) => make("p", "psay", [requestMark(order, rid), " " + (run.log.pieces[rid] ?? []).slice(0, lengths.get(rid)).join("")]));
}

/** Before the first step: which run, how large its blocks, how many slots, and what will be asked. */
function drawHello(stage, zone) {
  const { run: { log: { meta, init, pieces } }, t, lang } = stage, stamp = [meta.title, lang, JSON.stringify(pieces)].join("|");
  keyed(zone.rows, ["hello"], (key) => key, () => make("div", "psays"), (node) => {
    if (node.stamp === stamp) return;
    node.stamp = stamp;
    const size = meta.told ? "" : t("stage.fork.setup", { size: meta.block_size, count: Object.keys(init.slots).length });
    node.replaceChildren(make("p", "phello", meta.title || meta.scenario || ""), make("p", "pnote", size), ...promptSays(stage));
  });
}

/** Beside an open question it is what one reasons from: the tags alone, none of them marked. */
function drawBoard({ frame, event, t1, ask }, board) {
  const { rows, more } = boardRows(frame.table, event?.hash);
  const lit = ask ? null : event?.op === "match" || event?.op === "register" ? event.hash : null;
  board.replaceChildren(make("span", "pnote", t1("stage.phone.board")), ...rows.map(([hash, slots]) => {
    const row = make("span", "prow", [make("span", "ptag", hash.slice(0, 4)), ...(ask ? [] : ["→ " + slots.slice(0, 2).map((id) => "#" + id).join(" ")])]);
    setAttr(row, "data-lit", hash === lit ? event.op : null);
    setAttr(row, "data-tag", hash.slice(0, 4));
    return row;
  }), make("span", rows.length ? "pnote" : "", rows.length ? (more ? "+ " + more : "") : t1("stage.phone.empty")));
}

export function drawRequestZone(stage, zone) {
  const { frame, rid, event, run, events, k, peak } = stage, req = frame.reqs[rid];
  const flow = event?.op === "arrive" && event.rid === rid;
  const views = req && !flow ? laneViews(frame, req, run.log.meta.block_size, peak) : [], spoken = blockSpoken(events, k, rid);
  zone.top.classList.toggle("off", !req);
  zone.board.classList.toggle("off", !req);
  drawTop(stage, zone.top);
  if (flow) drawFlow(stage, zone);
  else if (!req) drawHello(stage, zone);
  else drawRich(stage, zone, views, spoken);
  setAttr(zone, "data-list", views.length > FEW_BLOCKS ? "1" : null);
  drawBoard(stage, zone.board);
  drawList(stage, zone, views, spoken);
  return { views, spoken };
}
