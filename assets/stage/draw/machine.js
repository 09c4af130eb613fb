// The hash is a machine: the tag before a block and its tokens fall in, the block's tag comes out. One token can be changed in place;
// what becomes of the tags then stands in the log (ui/stage/variants.py), nothing is hashed here.
import { icon } from "./dom.js";
import { beatStart } from "./laneview.js";
import { tagBox } from "./lanelayout.js";
import { languagesOf, parseTemplate, lookUp } from "../words/narrate.js";

const SVG_SPACE = "http://www.w3.org/2000/svg";

/** Blocks whose funnel is lit by this step: [first, last]. */
function litFunnels({ events, k, level, event }, rid) {
  if (event?.op !== "hash" || event.rid !== rid) return [0, -1];
  const first = events[beatStart(event, k, level)];
  return [first.op === "hash" ? first.b : event.b, event.b];
}

/** What tokens of the request in the lane may become at this step, while its prompt is hashed: { hit, could, tokens } or null. */
export function machineOf({ event, rid, run, frame, ask, runB }) {
  const req = frame.reqs[rid], may = event?.op === "hash" && event.rid === rid && !ask && !runB && req.num_tokens === req.num_prompt;
  return may ? run.log.variants?.[rid] ?? null : null;
}

/** The change that stands: { token, block, text, tags (from its block on), hit, left }, or null. */
export function editOf(stage) {
  const { edit, k, rid, run } = stage, machine = machineOf(stage);
  const row = edit && edit.k === k && edit.rid === rid ? machine?.tokens[edit.token]?.[edit.variant] : null;
  return row ? { token: edit.token, block: Math.floor(edit.token / run.log.meta.block_size), text: row[0], tags: row[1], hit: row[2], left: row[3] } : null;
}

/** A click on a token: the first variant, the next one, and after the last one the token itself again. */
export function turnToken(stage, token) {
  const rows = machineOf(stage)?.tokens[token] ?? [], now = editOf(stage);
  const variant = now && now.token === token ? stage.edit.variant + 1 : 0;
  stage.edit = variant < rows.length ? { rid: stage.rid, token, variant, k: stage.k } : null;
}

/** A block's tag under the change: { word, old, same }; null where it stays out of it. */
export function editedTag(edit, view) {
  if (!edit || !view.tag) return null;
  const word = view.b < edit.block ? view.tag : edit.tags[view.b - edit.block] ?? "";
  return { word, old: view.tag, same: word === view.tag };
}

/** Caption of the change, like captionOf: [{ lang, what, why, noodle }]; null while nothing is changed. */
export function machineCaption(stage) {
  const edit = editOf(stage), { data, lang, rid, frame, run } = stage;
  if (!edit) return null;
  const machine = machineOf(stage), tags = frame.reqs[rid].hashes.map((hash, b) => editedTag(edit, { b, tag: hash.slice(0, 4) }));
  const n = tags.filter(({ same }) => !same).length, args = { n, m: tags.length, old: run.log.pieces[rid][edit.token], new: edit.text, could: machine.could, left: edit.left, hit: edit.hit, was: machine.hit };
  const kind = n < tags.length ? (n ? "some" : "none") : { 1: "one", 2: "both" }[n] ?? "all";
  const pieces = (one, key) => parseTemplate(lookUp(data.text, one, "stage.machine." + key) ?? key, args);
  return languagesOf(lang).map((one) => ({ lang: one, what: pieces(one, kind), why: pieces(one, edit.hit === machine.hit ? "left" : "hit"), noodle: [] }));
}

function shape(name, attributes, text = "") {
  const node = document.createElementNS(SVG_SPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  return node;
}

/** A line from one tag to the next machine: along the foot, up in the gap, into the funnel. */
function chainLine(from, to, lane) {
  const y = lane.tagY + lane.tagH / 2, up = lane.mill[0] + 16, gap = Math.min(8, (to - from) / 3);
  if (to - from < 10) return [];
  return [shape("path", { class: "chainline", d: `M${from} ${y}H${to - gap - 8}Q${to - gap} ${y} ${to - gap} ${y - 10}V${up + 8}Q${to - gap} ${up} ${to + 2} ${up}H${to + 32}` }),
    shape("path", { class: "chainhead", d: `M${to + 42} ${up}l-10 -6v12z` })];
}

function startLine(x, lane) {
  const [left, top, w, h] = lane.start, y = top + h / 2;
  return [shape("path", { class: "chainline", d: `M${left + w} ${y}H${x + 32}` }), shape("path", { class: "chainhead", d: `M${x + 42} ${y}l-10 -6v12z` })];
}

function funnel(item, lane, isLit, words) {
  const { x, w } = item, [top, foot] = lane.mill, tag = tagBox(x, w, lane), inset = Math.min(14, w / 8);
  const d = `M${x + inset} ${top + 2}L${x + w - inset} ${top + 2}L${tag.x + tag.w} ${foot + 2}L${tag.x} ${foot + 2}Z`;
  const text = isLit && w >= 240 ? [shape("text", { x: (x + w / 2 + tag.x + tag.w / 2) / 2, y: top + 22, "text-anchor": "middle" }, words)] : [];
  return [shape("path", { class: "funnel" + (isLit ? " lit" : ""), d }), ...text];
}

/** Funnels, and the chain that joins tags from left to right. `items`: the lane's, `near`: the block under which stored tokens stand instead. */
export function drawMachine(stage, svg, items, views, lane, near) {
  const { rid, t1, run } = stage, [first, last] = litFunnels(stage, rid), edit = editOf(stage), out = [];
  items.forEach((item, at) => {
    const view = views[item.b], before = items[at - 1];
    if (item.kind === "whole" && view.full && item.b !== near) {
      const isLit = item.b >= first && item.b <= last, parent = item.b ? editedTag(edit, views[item.b - 1])?.word ?? views[item.b - 1].tag : t1("stage.machine.start");
      out.push(...funnel(item, lane, isLit, t1("stage.machine.in", { parent, n: run.log.meta.block_size })));
    }
    if (!view.tag || item.kind !== "whole" || item.b === near || (before && before.b === near)) return;
    if (!before) out.push(...startLine(item.x, lane));
    else out.push(...chainLine(before.kind === "whole" ? tagBox(before.x, before.w, lane).x + tagBox(before.x, before.w, lane).w + 3 : before.x + before.w, item.x, lane));
  });
  svg.replaceChildren(...out);
}

/** The glyph that says what a block's row in the block table is: found, computed, reserved, gone. */
const ROW_GLYPH = { hit: "check", computed: "plus", reserved: "dots", miss: "times" };
export const rowGlyph = (state) => (ROW_GLYPH[state] ? [icon(ROW_GLYPH[state])] : []);
