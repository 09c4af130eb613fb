// Linked highlighting: things that share a key stay, the rest fades, thin straight lines join them, a card says it in words.
import { isShown, make, rectIn, setAttr } from "../draw/dom.js";
import { captionLine } from "../words/narrate.js";
import { slotView } from "../draw/view.js";
import { planText } from "../draw/lane.js";

const MAX_LINES = 4;
const keysIn = (node, name) => (node.getAttribute(name) ?? "").split(" ").filter(Boolean);

function slotCard(S, id) {
  const frame = S.frame;
  if (!frame.slots[id]) return [];
  const view = slotView(frame, id, S.rid, S.event);
  const parts = [S.t("stage.a11y.slot", { slot: id, state: S.t("stage.state." + view.state) })];
  if (view.tag) parts.push(S.t("stage.tip.tag", { tag: frame.slots[id].hash ?? view.tag }));
  if (view.copyOf) parts.push(S.t("stage.copyof", { tag: view.tag, slot: view.copyOf }));
  parts.push(view.ref ? S.t("stage.tip.ref", { ref: view.ref, owners: view.owners.join(", ") }) : "");
  parts.push(S.t("stage.tip.fill", { n: view.fill, size: S.run.log.meta.block_size }));
  if (view.last !== null) parts.push(S.t("stage.tip.last", { n: frame.clock - view.last }));
  const at = frame.queue.indexOf(Number(id));
  if (at >= 0) parts.push(S.t("stage.tip.queue", { place: at + 1 }));
  return parts;
}

function blockCard(S, rid, b) {
  const req = S.frame.reqs[rid], size = S.run.log.meta.block_size;
  if (!req) return [];
  const tokens = (S.run.log.pieces[rid] ?? []).slice(b * size, Math.min((b + 1) * size, req.num_tokens)).join("");
  const parts = [S.t("stage.tip.block", { req: rid, block: b }), "“" + tokens + "”"];
  if (req.hashes[b]) parts.push(S.t("stage.tip.tag", { tag: req.hashes[b] }));
  if (req.btable[b]) parts.push(S.t("stage.tip.slot", { slot: req.btable[b][0] }));
  return parts;
}

/** Plain-language lines for a thing, from its first key. */
export function tipLines(S, keys) {
  const key = keys[0] ?? "", [kind, ...rest] = key.split(":");
  if (kind === "slot") return slotCard(S, rest[0]).filter(Boolean);
  if (kind === "blk") return blockCard(S, rest[0], Number(rest[1]));
  if (kind === "tag") {
    const hash = Object.keys(S.frame.table).find((one) => one.startsWith(rest[0]));
    const where = hash ? S.t("stage.tip.at", { slots: S.frame.table[hash].map((id) => "#" + id).join(" ") }) : S.t("stage.tip.gone");
    return [S.t("stage.tip.tag", { tag: hash ?? rest[0] }), where];
  }
  if (kind === "req" && S.frame.reqs[rest[0]]) {
    const req = S.frame.reqs[rest[0]];
    return [rest[0] + " · " + S.t("stage.status." + req.status), planText(S, req)];
  }
  if (kind === "ev") return [captionLine(S.data.text, S.lang, S.run.log.events[Number(rest[0])])];
  return [];
}

/** Where the straight line from the middle of `box` to the middle of `other` leaves `box`. */
export function edgePoint(box, other) {
  const x = box.x + box.w / 2, y = box.y + box.h / 2;
  const dx = other.x + other.w / 2 - x, dy = other.y + other.h / 2 - y;
  const part = Math.min(dx ? box.w / 2 / Math.abs(dx) : Infinity, dy ? box.h / 2 / Math.abs(dy) : Infinity, 1);
  return [x + dx * part, y + dy * part];
}

function drawLines(S, from, nodes) {
  const start = rectIn(S, from);
  const zone = from.closest(".zone");
  const others = nodes.filter((node) => node !== from && node.closest(".zone") !== zone && isShown(node));
  const line = (target) => {
    const end = rectIn(S, target), [x1, y1] = edgePoint(start, end), [x2, y2] = edgePoint(end, start);
    const node = document.createElementNS("http://www.w3.org/2000/svg", "line");
    Object.entries({ x1, y1, x2, y2 }).forEach(([name, value]) => node.setAttribute(name, value));
    return node;
  };
  const byZone = new Map(others.map((node) => [node.closest(".zone"), node]));
  const chosen = [...new Set([...byZone.values(), ...others])].slice(0, MAX_LINES);
  S.lines.replaceChildren(...chosen.map(line));
}

/** Shows `lines` in the card beside a rectangle in stage units, inside the stage. */
export function showTip(S, lines, box) {
  setAttr(S.tip, "hidden", lines.length ? null : "");
  if (!lines.length) return;
  S.tip.replaceChildren(...lines.map((line) => make("p", "", line)));
  const { offsetWidth: w, offsetHeight: h } = S.tip;
  const x = Math.max(8, Math.min(S.plan.w - w - 8, box.x + box.w / 2 - w / 2));
  const below = box.y + box.h + 8;
  const y = below + h < S.plan.h ? below : Math.max(8, box.y - h - 8);
  S.tip.style.transform = `translate(${x}px,${y}px)`;
}

/** Lights up everything that shares a key with `keys`; `from` is where the lines start. */
export function lightUp(S, keys, from) {
  const wanted = new Set(keys), lit = [];
  for (const node of S.stage.querySelectorAll("[data-k]")) {
    const on = keysIn(node, "data-k").some((key) => wanted.has(key));
    node.classList.toggle("lit", on);
    if (on) lit.push(node);
  }
  S.root.classList.toggle("linking", keys.length > 0);
  S.lines.replaceChildren();
  if (from && keys.length) drawLines(S, from, lit);
  S.litKeys = keys;
}

export function clearLinks(S) {
  setAttr(S.tip, "hidden", "");
  if (S.pin) return showPin(S);
  if (S.litKeys?.length) lightUp(S, []);
}

/** The pinned thing keeps its links over steps; its home is the first drawn node that carries the key. */
export function showPin(S) {
  if (!S.pin) return;
  const homes = [...S.stage.querySelectorAll("[data-k]")].filter((node) => keysIn(node, "data-h").includes(S.pin) && isShown(node));
  const home = homes.find((node) => keysIn(node, "data-h")[0] === S.pin) ?? homes[0];
  lightUp(S, home ? keysIn(home, "data-h") : [S.pin], home);
  if (home) showTip(S, tipLines(S, [S.pin]), rectIn(S, home));
}

/** The density map is one canvas: which slot lies under the pointer is arithmetic. */
function pointAtMap(S, event) {
  const canvas = event.target, { cell, cols, ids } = canvas.mapGrid, box = rectIn(S, canvas), base = S.stage.getBoundingClientRect();
  const col = Math.floor(((event.clientX - base.left) / S.scale - box.x) / cell), row = Math.floor(((event.clientY - base.top) / S.scale - box.y) / cell);
  const id = ids[row * cols + col];
  showTip(S, id && col < cols ? tipLines(S, ["slot:" + id]) : [], { x: box.x + col * cell, y: box.y + row * cell, w: cell, h: cell });
}

export function wireLinks(S, ticksLit) {
  const target = (event) => event.composedPath().find((node) => node.nodeType === 1 && node.hasAttribute?.("data-k"));
  const enter = (node) => {
    if (S.pin || !node) return;
    const keys = keysIn(node, "data-h");
    lightUp(S, keys, node);
    showTip(S, tipLines(S, keys), rectIn(S, node));
    ticksLit(keys);
  };
  const leave = () => {
    clearLinks(S);
    if (!S.pin) ticksLit([]);
  };
  let pressTimer = 0;
  const point = (event) => {
    if (event.pointerType === "touch" || S.mouseRests) return;
    const node = target(event);
    if (node) enter(node);
    else if (S.litKeys?.length) leave();
  };
  S.stage.addEventListener("pointerover", point);
  S.stage.addEventListener("pointermove", (event) => {
    if (event.target.mapGrid) return pointAtMap(S, event);
    if (!S.mouseRests || !(event.movementX || event.movementY)) return;
    S.mouseRests = false;
    point(event);
  });
  S.stage.addEventListener("pointerleave", leave);
  S.stage.addEventListener("pointerout", (event) => event.target.mapGrid && leave());
  S.stage.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    const node = target(event); // the path is empty once the event is over
    pressTimer = setTimeout(() => enter(node), 400);
  });
  S.stage.addEventListener("pointerup", () => clearTimeout(pressTimer));
  S.stage.addEventListener("focusin", (event) => event.target.matches?.(":focus-visible") && enter(target(event)));
  S.stage.addEventListener("focusout", leave);
}
