// The picture of a run: lanes, slots, queue. Drawn as it is before the truth; what the truth adds is a list of acts.
import { icon, make, place } from "../stage/draw/dom.js";
import { drawVisible } from "../stage/draw/tokens.js";
import { queueRow, runLayout } from "./runlayout.js";
import { svgPart } from "./svg.js";

const MARK_OF = { R0: "circle", R1: "triangle", R2: "square", R3: "diamond", R4: "pentagon", R5: "cross" };
const GLYPH_OF = { reserved: "flag", computed: "plus", reused: "check", cached: "ring", dirty: "void" };
const VERDICT_GLYPH = { hit: "check", miss: "plus", reserved: "flag" };
const SHUT = "?", UNREAD = "····", NARROW = 250, WIDE = 300;

export const requestName = (rid) => make("b", "rq", MARK_OF[rid] ? [icon(MARK_OF[rid]), rid] : [rid]);

/** A node at its place in the picture. */
export function put(cls, [x, y, w, h], kids = []) {
  const node = make("div", "at " + cls, kids);
  place(node, x, y, w, h);
  return node;
}

const arrived = (node) => (node.classList.add("arr"), node);

function drawBlock(block, size) {
  const chips = block.shown.map((token) => (token === null ? make("span", "cut", "…") : drawVisible(make("span", token.marked ? "tk mark" : "tk"), token.text)));
  const node = put("block" + (block.open ? " open" : ""), block.rect, chips);
  node.style.fontSize = size[0] + "px";
  node.style.setProperty("--pad", size[1] + "px");
  if (!block.last) node.append(make("i", "chain"));
  return node;
}

function laneNodes(lane, laid, size) {
  const label = put("name", laid.label, [requestName(lane.rid), ...(lane.note ? [make("small", "", lane.note)] : [])]), blocks = laid.blocks.map((block) => drawBlock(block, size));
  const tags = lane.tags ? laid.blocks.map((block) => put("tags", block.tag, [make("span", "tag", UNREAD)])) : [];
  if (lane.gone) for (const node of [label, ...blocks]) node.classList.add("gone");
  return { label, blocks, tags };
}

function openTag(node, tag, other) {
  const same = other === undefined ? null : tag === other && tag !== "", chip = arrived(make("span", tag ? "tag known" : "tag none", tag || "–"));
  if (same && tag) chip.classList.add("same");
  node.replaceChildren(chip, ...(same === null || !tag || !other ? [] : [make("b", "cmp", same ? "=" : "≠")]));
}

function tell(node, verdict) {
  node.classList.add(verdict);
  node.append(arrived(make("span", "seal", [icon(VERDICT_GLYPH[verdict])])));
}

/** A slot as it is known; `say` gives the word of a state that has no tag. */
function fillSlot(node, slot, say) {
  const wide = node.stageW > WIDE && slot.tag, glyph = node.stageW > NARROW || (slot.tag && node.stageW > NARROW / 1.4) ? GLYPH_OF[slot.state] : null, what = slot.tag ? make("code", "", slot.tag) : make("span", "", slot.state === "empty" ? "–" : say("state." + slot.state));
  const owners = wide ? (slot.rids ?? []).map(ownerMark) : [], more = wide && slot.ref > 1 ? [make("span", "", "×" + slot.ref)] : [];
  node.className = "at slot " + slot.state;
  node.replaceChildren(make("span", "sid", "#" + slot.id), ...(glyph ? [icon(glyph)] : []), what, ...owners, ...more);
}

const ownerMark = (rid) => make("span", "own", MARK_OF[rid] ? [icon(MARK_OF[rid])] : [rid]);

function drawSlots(scene, laid, say) {
  const nodes = scene.slots.map((slot, at) => {
    const node = put("slot shut", laid.rects[at], [make("span", "sid", "#" + slot.id), make("span", "", SHUT)]);
    if (scene.slots_open) fillSlot(node, slot, say);
    return node;
  });
  if (laid.tall) for (const node of nodes) node.dataset.tall = "";
  return { label: put("name", laid.label, [make("b", "small", say("slots"))]), nodes };
}

function queueParts(scene, laid, say) {
  const chips = (list, cls = "") => (list.length ? list : [""]).map((id, at) => {
    const node = put(`chip ${cls}${laid.rects[at][2] < 90 ? " thin" : ""}`, laid.rects[at], [id === null ? SHUT : id === "" ? "–" : "#" + id]);
    if (at < list.length - 1) node.append(make("i", "chain"));
    return node;
  });
  return { label: put("name", laid.label, [make("b", "small", say("queue"))]), chips, tail: (n) => put("tail arr", [laid.rects[n - 1][0] + laid.rects[n - 1][2], ...laid.tail.slice(1)], [say("tail")]) };
}

/** A line from a block, or a place in the queue, to its slot; both know where they stand. */
function joinUp(wires, block, slot, cls = "") {
  const up = block.stageY > slot.stageY, [from, to] = [block.stageY + (up ? 0 : block.stageH), slot.stageY + (up ? slot.stageH : 0)];
  wires.append(svgPart("path", { class: cls, d: `M${block.stageX + block.stageW / 2} ${from} L${slot.stageX + slot.stageW / 2} ${to}` }));
}

/** What is known of the blocks in column b of all lanes: their tags, whether they were found, and where. */
function columnAct(scene, lanes, slots, wires, b, say) {
  return () => scene.lanes.forEach((lane, at) => {
    const { blocks, tags } = lanes[at];
    if (!blocks[b]) return;
    if (lane.tags) openTag(tags[b], lane.tags[b] ?? "", at ? scene.lanes[at - 1].tags?.[b] ?? undefined : undefined);
    if (lane.verdicts?.[b]) tell(blocks[b], lane.verdicts[b]);
    for (const [, , id] of (scene.links ?? []).filter(([l, block]) => l === at && block === b)) {
      const place = scene.slots?.findIndex((slot) => slot.id === id) ?? -1;
      if (place < 0) continue;
      joinUp(wires, blocks[b], slots.nodes[place]);
      fillSlot(slots.nodes[place], { ...scene.slots[place], state: lane.verdicts?.[b] === "hit" ? "reused" : scene.slots[place].state }, say);
    }
  });
}

/** The whole picture: {node, acts}. */
export function runPicture(scene, width, height, { say }) {
  const L = runLayout(scene, width, height), floor = make("div", "run"), wires = svgPart("svg", { class: "wires", width, height, "aria-hidden": "true" });
  const lanes = (scene.lanes ?? []).map((lane, at) => laneNodes(lane, L.lanes[at], L.size)), slots = scene.slots ? drawSlots(scene, L.slots, say) : null, queue = scene.queue ? queueParts(scene, L.queue, say) : null;
  scene.lanes?.forEach((lane, at) => lane.tags && lane.tags_open && lanes[at].tags.forEach((node, b) => openTag(node, lane.tags[b] ?? "")));
  if (L.brace) floor.append(put("brace", L.brace, [make("span", "", scene.brace[2])]));
  for (const { label, blocks, tags } of lanes) floor.append(label, ...blocks, ...tags);
  if (slots) floor.append(slots.label, ...slots.nodes);
  let chips = queue ? queue.chips(scene.queue_open ? scene.queue : scene.queue.map(() => null)) : [];
  if (queue) floor.append(queue.label, ...chips);
  floor.append(wires);
  const showQueue = (list) => {
    for (const chip of chips) chip.remove();
    chips = [...queue.chips(list, "arr"), ...(list.length ? [queue.tail(list.length)] : [])];
    if (list.length) chips[0].classList.add("head");
    floor.append(...chips);
  };
  const acts = [], isLinked = (id) => scene.links?.some((link) => link[2] === id);
  if (slots && !scene.slots_open) acts.push([1, () => slots.nodes.forEach((node, at) => fillSlot(node, scene.slots[at], say))]);
  if (queue) acts.push([1, () => (showQueue(scene.queue), queue.label.append(arrived(make("small", "", say("head")))))]);
  const columns = Math.max(0, ...lanes.map(({ blocks }) => blocks.length)), told = scene.lanes?.some((lane) => lane.tags || lane.verdicts?.some(Boolean)) || scene.links?.length;
  if (told) for (let b = 0; b < columns; b++) acts.push([1, columnAct(scene, lanes, slots, wires, b, say)]);
  if (slots && scene.slots_after) acts.push([1.5, () => scene.slots_after.forEach((slot, at) => JSON.stringify(slot) !== JSON.stringify(scene.slots[at]) && (fillSlot(slots.nodes[at], slot, say), isLinked(slot.id) || slots.nodes[at].classList.add("changed")))]);
  if (queue && scene.queue_after && String(scene.queue_after) !== String(scene.queue)) acts.push([1.5, () => {
    const { row, taken } = queueRow(scene);
    showQueue(row);
    for (const id of taken) {
      const chip = chips[row.indexOf(id)], at = scene.slots?.findIndex((slot) => slot.id === id) ?? -1;
      chip.classList.add("taken");
      if (at >= 0) joinUp(wires, chip, slots.nodes[at], "taken");
    }
  }]);
  if (L.note) acts.push([1, () => floor.append(arrived(put("note", L.note, [scene.note])))]);
  return { node: floor, acts };
}
