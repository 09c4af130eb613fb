// Linked highlighting: things that share a key stay, the rest fades, thin straight lines join them, a card says it in words.
import { isShown, make, rectIn, setAttr } from "../draw/dom.js";
import { slotView } from "../draw/view.js";
import { planned } from "../draw/lane.js";
import { drawVisible } from "../draw/tokens.js";

const MAX_LINES = 4;
export const keysIn = (node, name) => (node.getAttribute(name) ?? "").split(" ").filter(Boolean);

/** While a question is about the slots, no card about one covers the queue. */
function slotCard({ frame, rid, event, run, t, ask }, id) {
  if (!frame.slots[id] || ask?.kind === "pool") return [];
  const view = slotView(frame, id, rid, event, run.log.meta.block_size);
  const { tag, ref, last } = view, place = frame.queue.indexOf(Number(id)) + 1;
  return [t("stage.a11y.slot", { slot: id, state: t("stage.state." + view.state) }), tag && t("stage.tip.tag", { tag: frame.slots[id].hash ?? tag }),
    view.copyOf && t("stage.copyof", { tag, slot: view.copyOf }), ref && t("stage.tip.ref", { ref, owners: view.owners.join(", ") }),
    t("stage.tip.fill", { n: view.fill, size: run.log.meta.block_size }), view.reserved && t("stage.tip.reserved", { n: view.reserved }), last !== null && t("stage.tip.last", { n: frame.clock - last }),
    place && t("stage.tip.queue", { place })].filter(Boolean);
}

function blockCard({ frame, run, t }, rid, b) {
  const req = frame.reqs[rid], size = run.log.meta.block_size;
  if (!req) return [];
  const tokens = (run.log.pieces[rid] ?? []).slice(b * size, Math.min((b + 1) * size, req.num_tokens)).join("");
  const parts = [t("stage.tip.block", { req: rid, block: b }), drawVisible(make("span", "tok"), tokens)];
  if (req.hashes[b]) parts.push(t("stage.tip.tag", { tag: req.hashes[b] }));
  if (req.btable[b]) parts.push(t("stage.tip.slot", { slot: req.btable[b][0] }));
  return parts;
}

/** Plain-language lines for a thing, from its first key; tokens with all that is invisible in them. */
export function tipLines(stage, keys) {
  const { frame, events, t, caption } = stage;
  const key = keys[0] ?? "", [kind, ...rest] = key.split(":");
  if (kind === "slot") return slotCard(stage, rest[0]);
  if (kind === "blk") return blockCard(stage, rest[0], Number(rest[1]));
  if (kind === "tag") {
    const hash = Object.keys(frame.table).find((one) => one.startsWith(rest[0]));
    const where = hash ? t("stage.tip.at", { at: frame.table[hash].map((id) => "#" + id).join(" ") }) : t("stage.tip.gone");
    return [t("stage.tip.tag", { tag: hash ?? rest[0] }), where];
  }
  if (kind === "req" && frame.reqs[rest[0]]) {
    const req = frame.reqs[rest[0]];
    return [rest[0] + " · " + t("stage.status." + req.status), ...planned(t, req)];
  }
  if (kind === "ev") return [caption(events[Number(rest[0])])];
  return [];
}

/** Where the straight line from the middle of `box` to the middle of `other` leaves `box`. */
export function edgePoint(box, other) {
  const x = box.x + box.w / 2, y = box.y + box.h / 2;
  const dx = other.x + other.w / 2 - x, dy = other.y + other.h / 2 - y;
  const part = Math.min(dx ? box.w / 2 / Math.abs(dx) : Infinity, dy ? box.h / 2 / Math.abs(dy) : Infinity, 1);
  return [x + dx * part, y + dy * part];
}

function drawLines({ lines }, from, nodes) {
  const start = rectIn(from);
  const zone = from.closest(".zone");
  const others = nodes.filter((node) => node !== from && node.closest(".zone") !== zone && isShown(node));
  const line = (target) => {
    const end = rectIn(target), [x1, y1] = edgePoint(start, end), [x2, y2] = edgePoint(end, start);
    const node = document.createElementNS("http://www.w3.org/2000/svg", "line");
    Object.entries({ x1, y1, x2, y2 }).forEach(([name, value]) => node.setAttribute(name, value));
    return node;
  };
  const byZone = new Map(others.map((node) => [node.closest(".zone"), node]));
  const chosen = [...new Set([...byZone.values(), ...others])].slice(0, MAX_LINES);
  lines.replaceChildren(...chosen.map(line));
}

/** Shows `lines` in the card beside a rectangle in stage units, inside the stage. */
export function showTip({ tip, plan }, lines, box) {
  setAttr(tip, "hidden", lines.length ? null : "");
  if (!lines.length) return;
  tip.replaceChildren(...lines.map((line) => make("p", "", line)));
  const { offsetWidth: w, offsetHeight: h } = tip;
  const x = Math.max(8, Math.min(plan.w - w - 8, box.x + box.w / 2 - w / 2));
  const below = box.y + box.h + 8;
  const y = below + h < plan.h ? below : Math.max(8, box.y - h - 8);
  tip.style.transform = `translate(${x}px,${y}px)`;
}

/** Lights up everything that shares a key with `keys`; `from` is where the lines start. */
export function lightUp(stage, keys, from) {
  const wanted = new Set(keys), lit = [];
  for (const node of stage.floor.querySelectorAll("[data-k]")) {
    const on = keysIn(node, "data-k").some((key) => wanted.has(key));
    node.classList.toggle("lit", on);
    if (on) lit.push(node);
  }
  stage.root.classList.toggle("linking", keys.length > 0);
  stage.lines.replaceChildren();
  if (from && keys.length) drawLines(stage, from, lit);
  stage.litKeys = keys;
}

export function clearLinks(stage) {
  setAttr(stage.tip, "hidden", "");
  if (stage.pin) return showPin(stage);
  if (stage.litKeys?.length) lightUp(stage, []);
}

/** The pinned thing keeps its links over steps; its home is the first drawn node that carries the key. */
export function showPin(stage) {
  const { pin } = stage;
  if (!pin) return;
  const homes = [...stage.floor.querySelectorAll("[data-k]")].filter((node) => keysIn(node, "data-h").includes(pin) && isShown(node));
  const home = homes.find((node) => keysIn(node, "data-h")[0] === pin) ?? homes[0];
  lightUp(stage, home ? keysIn(home, "data-h") : [pin], home);
  if (home) showTip(stage, tipLines(stage, [pin]), rectIn(home));
}
