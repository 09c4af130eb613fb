// One block of the lane, whole or as a stub: box, tokens, tag, and beside the tag its entry in the block table.
import { apart, icon, keyed, make, makeButton, nameThing, place, setAttr, setKeys, setName, setText } from "./dom.js";
import { cellsOf, tagBox, wordBox } from "./lanelayout.js";
import { blockKeys } from "./view.js";
import { drawDiffering, drawVisible } from "./tokens.js";
import { editedTag, rowGlyph } from "./machine.js";
import { widerTexts } from "./near.js";

/** Blocks up to this one have a key of their own. */
const LAST_DIGIT = 9;

export function makeWhole() {
  const node = makeButton("blk"), label = make("div", "blabel"), toks = make("div", "toks"), word = make("span", "word"), tag = make("div", "tagof", [word]), look = make("div", "side");
  return Object.assign(make("div", "lanecell", [node, label, toks, tag, look]), { node, label, toks, tag, word, look });
}

export function makeStub() {
  const node = makeButton("blk stub");
  return Object.assign(make("div", "lanecell", [node]), { node, tag: node, look: null, toks: null });
}

const makeToken = ({ token, editable }) => (editable ? makeButton("tok", [], { token }) : make("div", "tok"));

/** The tokens of a whole block, with the empty cells of one that is not full. `plain`: nothing is said of them, a question stands open. */
function drawTokens(cell, view, item, scene) {
  const { lane, pieces, size, edit, machine, diff, joined, plain, t } = scene, first = view.b * size;
  const tokens = Array.from({ length: joined ? view.size : size }, (_, j) => {
    const token = first + j, changed = edit?.token === token, own = pieces[token] ?? "", held = j < view.size;
    return { token, j, held, own, changed, text: held ? (changed ? edit.text : own) : "", editable: held && Boolean(machine?.tokens[token]) && Boolean(view.tag) };
  });
  const texts = [...tokens.map(({ text }) => text), ...Array(size - tokens.length).fill("")], cells = cellsOf(texts, item.x, item.w, lane, diff?.block === view.b ? widerTexts(diff) : texts);
  keyed(cell.toks, tokens, ({ token, editable }) => (editable ? "e" : "t") + token, makeToken, (node, { j, token, held, own, changed, text, editable }) => {
    const { x, y, w, h, font } = cells[j], other = diff?.block === view.b ? diff.stored[j] : undefined;
    place(node, x, y, w, h);
    node.style.fontSize = font + "px";
    if (changed) drawDiffering(node, text, own);
    else if (other !== undefined && other !== text) drawDiffering(node, text, other);
    else drawVisible(node, text);
    setAttr(node, "data-state", !held ? "empty" : plain ? null : view.tokens[j] || null);
    setAttr(node, "data-same", other === undefined ? null : other === text ? "1" : "0");
    setAttr(node, "data-changed", changed ? "1" : null);
    setAttr(node, "data-small", h < 22 ? "2" : h < 36 ? "1" : null);
    if (editable) setName(node, t("stage.machine.token", { text }));
  });
}

/** What stands beside the tag: the row of the block table, or what a changed token does to the tag. */
function drawSide(node, view, change, t1) {
  const stamp = [change?.word, change?.same, view.state, view.slot, view.freed, t1("stage.machine.same")].join();
  if (node.stamp === stamp) return;
  node.stamp = stamp;
  const row = view.slot ? make(view.freed ? "s" : "span", "", "#" + view.slot) : "";
  if (change) node.replaceChildren(change.same ? make("span", "eq", "= " + t1("stage.machine.same")) : make("s", "", change.old));
  else node.replaceChildren(...rowGlyph(view.state), row);
}

function drawTag(cell, view, item, scene) {
  const { tag, word, look } = cell, { lane, joined, plain, edit, t1, size } = scene, box = tagBox(item.x, item.w, lane);
  const change = editedTag(edit, view), isNarrow = item.w < 240;
  const wide = view.full || isNarrow ? box : wordBox(item.x, item.w, lane);
  place(tag, wide.x, lane.tagY, wide.w, lane.tagH);
  setText(word, view.full ? change?.word ?? (view.tag || "?") : isNarrow ? "–" : t1("stage.lane.notfull"));
  setAttr(tag, "data-tag", view.tag ? (view.loose ? "loose" : "1") : null);
  setAttr(tag, "data-state", plain ? "plain" : view.state);
  setAttr(tag, "data-change", change ? (change.same ? "same" : "new") : null);
  tag.classList.toggle("off", joined);
  // An open block has a row too: its slot. It stands at the left, before the words.
  place(look, item.x, lane.tagY, wide.x - item.x - (view.full ? 13 : 8), lane.tagH);
  look.classList.toggle("off", joined || plain);
  setAttr(look, "data-state", view.state);
  drawSide(look, view, change, t1);
}

function drawNames(cell, view, scene, text) {
  const { rid, t, asked, wrong } = scene, keys = blockKeys(rid, view), own = keys.filter((key) => !key.startsWith("req:"));
  setKeys(cell.node, keys, own);
  if (cell.tag !== cell.node) setKeys(cell.tag, keys, own);
  setAttr(cell.node, "data-option", asked ? view.b : null);
  setAttr(cell.node, "data-guess", wrong === view.b ? "1" : null);
  const state = t("stage.block." + (asked ? "plain" : view.loose ? "loose" : view.state));
  nameThing(cell.node, t("stage.a11y.block", { block: view.b, tag: view.tag || "-", state, text }));
}

export function drawWhole(cell, view, item, scene) {
  const { lane, joined, asked, plain, t, t1, size, pieces } = scene; // large letters leave no room for a label in two languages
  place(cell.node, item.x, lane.y, item.w, lane.h);
  place(cell.label, item.x + 2, lane.labelY);
  setAttr(cell.node, "data-state", plain ? "plain" : view.state);
  setAttr(cell.node, "data-open", view.full ? null : "1");
  setAttr(cell.node, "data-joined", joined ? "1" : null);
  const digit = asked && view.b <= LAST_DIGIT ? [make("kbd", "", String(view.b))] : [];
  cell.label.classList.toggle("off", joined);
  cell.label.replaceChildren(item.w < 150 ? String(view.b) : (lane.least > 12 ? t1 : t)("stage.lane.block", { block: view.b }), ...digit);
  drawTokens(cell, view, item, scene);
  drawTag(cell, view, item, scene);
  drawNames(cell, view, scene, pieces.slice(view.b * size, view.b * size + view.size).join(""));
}

/** A block that is not shown whole, or a run of equal ones: number, state, tag, slot. */
export function drawStub(cell, views, item, scene) {
  const { lane, joined, asked, plain, t, pieces, size, edit } = scene, view = views[item.b], many = item.count > 1, last = item.b + item.count - 1;
  place(cell.node, item.x, lane.y, item.w, lane.tagY + lane.tagH - lane.y);
  const state = plain ? "plain" : many ? item.state.replace("-", "") : view.state, change = many ? null : editedTag(edit, view);
  setAttr(cell.node, "data-state", state);
  setAttr(cell.node, "data-joined", joined ? "1" : null);
  setAttr(cell.node, "data-fold", many ? "1" : null);
  setAttr(cell.node, "data-open", view.full ? null : "1");
  const tag = change?.word ?? view.tag, stamp = [item.b, item.count, state, tag, view.slot, asked].join();
  if (cell.node.stamp !== stamp) {
    cell.node.stamp = stamp;
    const head = many ? [make("b", "", "×" + item.count), make("span", "", `${item.b}–${last}`)] : [make(asked && item.b <= LAST_DIGIT ? "kbd" : "b", "", String(item.b))];
    const foot = many ? [icon("dots")] : [make("code", "", view.full ? tag || "?" : "–"), make("span", "", !plain && view.slot ? "#" + view.slot : "")];
    cell.node.replaceChildren(...apart([...head, make("span", "look", plain ? [] : rowGlyph(state)), ...foot]));
  }
  if (!many) return drawNames(cell, view, scene, pieces.slice(view.b * size, view.b * size + view.size).join(""));
  setKeys(cell.node, []);
  setAttr(cell.node, "data-option", asked ? last : null);
  nameThing(cell.node, t("stage.a11y.fold", { n: item.count, from: item.b, to: last }));
}
