// Keyed nodes of the act: one that keeps its key keeps its element, so that a change of place can be seen as a movement.
import { make, place, setAttr } from "../stage/draw/dom.js";
import { visiblePieces } from "../stage/words/visible.js";

const ACT_ATTRS = ["aria-label", "aria-pressed", "aria-disabled", "data-do", "href"];

/** A text, or [tag, class, ...children]: nothing becomes markup. */
function growKid(kid) {
  if (typeof kid === "string") return kid;
  const [tag, cls, ...kids] = kid;
  return make(tag, cls, kids.map(growKid));
}

/** The drawing of one step: `add(key, rect, class, content, more)` for each node of it. */
export function newSheet() {
  const list = [];
  const add = (key, rect, cls, kids = [], more = {}) => list.push({ key, rect, cls, kids: [kids].flat(1), ...more });
  return { list, add, wires: [] };
}

/** A token as a person should see it: a space in front is drawn, never trimmed. */
export const tokenKids = (text) => visiblePieces(text).map(([shown, kind]) => (kind === "space" ? ["i", "sp"] : kind === "text" ? shown : ["i", "odd " + kind, shown]));

const tagFor = ({ act, href }) => (href ? "A" : act ? "BUTTON" : "DIV");

function dressNode(el, node) {
  const { rect, cls, kids, act, name, pressed, off, href, lang } = node, written = JSON.stringify(kids);
  if (el.className !== "n " + cls) el.className = "n " + cls;
  place(el, ...rect);
  if (el.written !== written) el.replaceChildren(...kids.map(growKid));
  el.written = written;
  if (el.tagName === "BUTTON") el.type = "button";
  [name, pressed, off, act, href].forEach((value, j) => setAttr(el, ACT_ATTRS[j], value));
  setAttr(el, "lang", lang);
}

const SVG_OF_ACT = "http://www.w3.org/2000/svg";

function drawWires(act, wires) {
  const told = JSON.stringify(wires);
  if (act.wired === told) return;
  act.wired = told;
  act.svg.replaceChildren(...wires.map(([cls, d]) => {
    const path = document.createElementNS(SVG_OF_ACT, "path");
    path.setAttribute("class", cls);
    path.setAttribute("d", d);
    return path;
  }));
}

/** Brings the floor to what the sheet says. The order of the nodes is the order of Tab. */
export function paintSheet(act, { list, wires }) {
  const { floor, nodes } = act, seen = new Set();
  let before = act.svg;
  for (const node of list) {
    seen.add(node.key);
    let el = nodes.get(node.key);
    if (el && el.tagName !== tagFor(node)) el = (el.remove(), null);
    if (!el) nodes.set(node.key, (el = make(tagFor(node).toLowerCase())));
    dressNode(el, node);
    if (before.nextSibling !== el) before.after(el);
    before = el;
  }
  for (const [key, el] of nodes) if (!seen.has(key)) (el.remove(), nodes.delete(key));
  drawWires(act, wires);
}

const CHIP_FLIGHT = { duration: 520, easing: "cubic-bezier(.35,0,.2,1)", fill: "both" };

/** What goes from one place to another is seen to go: cause before effect. Never when going back, never where motion is not wanted. */
export function flyChips(act, flights) {
  if (act.still) return;
  flights.forEach(([from, to, words, cls], j) => {
    const [a, b] = [from, to].map((key) => act.nodes.get(key));
    if (!a || !b) return;
    const chip = make("div", "fly " + cls, [words]), at = (el, k) => `translate(${el.stageX + el.stageW / 2 - 32}px,${el.stageY + el.stageH / 2 - 16}px) scale(${k})`;
    act.floor.append(chip);
    const frames = [{ transform: at(a, 1.25), opacity: 0 }, { transform: at(a, 1.25), opacity: 1, offset: 0.15 }, { transform: at(b, 1), opacity: 1, offset: 0.9 }, { transform: at(b, 0.8), opacity: 0 }];
    chip.animate(frames, { ...CHIP_FLIGHT, delay: j * 170 }).onfinish = () => chip.remove();
  });
}
