// One beat drawn. Step i is drawn from nothing but (beats, i, what was chosen), never from the way it was reached.
import { focusOn, make, setAttr, setName, setText } from "../stage/draw/dom.js";
import { languagesOf } from "../stage/words/narrate.js";
import { addBelow } from "./below.js";
import { addBench, benchWords } from "./bench.js";
import { actLayout } from "./layout.js";
import { flyChips, newSheet, paintSheet } from "./paint.js";
import { addRow } from "./rows.js";

export function buildAct() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), floor = make("div", "floor"), live = make("p", "sr live"), head = make("h2", "head");
  svg.setAttribute("class", "wires");
  svg.setAttribute("aria-hidden", "true");
  live.setAttribute("aria-live", "polite");
  floor.append(head, svg);
  const root = make("div", "act", [floor, live]);
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  return { root, floor, svg, head, live, nodes: new Map(), i: 0, chosen: null, edit: null };
}

/** What a beat is drawn from, beside the beat itself. */
function lookAt(act) {
  const { data, i, root } = act, beat = data.beats[i], before = data.beats[i - 1];
  const guess = before?.ask && act.chosen !== null ? act.chosen : null;
  Object.assign(act, { beat, guess, two: data.lang === "both", lead: languagesOf(data.lang)[0], last: i === data.beats.length - 1, editable: beat.name === "tag",
    open: Boolean(beat.ask) && act.chosen === null, right: guess !== null && before.ask.answers.includes(guess), meant: guess === null ? null : before.ask.said[guess], rightAt: guess === null ? null : before.ask.answers[0] });
  act.L = actLayout(root.clientWidth || 1280, act.two, act.last);
}

function fitAct(act) {
  const { L, root, floor, head, last, svg } = act, width = root.clientWidth, room = Math.max(420, innerHeight - 62);
  const scale = L.mode === "wide" ? Math.min(width / L.W, room / L.H) : 1, high = last ? L.end : L.H;
  root.classList.toggle("ph", L.mode === "phone");
  root.style.height = Math.round(high * scale) + "px";
  floor.style.cssText = `width:${L.W}px;height:${high}px;transform:translateX(${(width - L.W * scale) / 2}px) scale(${scale})`;
  for (const [name, size] of Object.entries(L.fs)) floor.style.setProperty("--f-" + name, size + "px");
  for (const [name, size] of Object.entries({ width: L.W, height: high })) svg.setAttribute(name, size);
  const [x, y, w, h] = L.head;
  Object.assign(head.style, { left: x + "px", top: y + "px", width: w + "px", height: h + "px" });
}

const STATE_FLIES = { computed: ["block", "slot", "KV"], hit: ["slot", "block", "KV"] };

/** What travels between two beats: computed KV into its slot, reused KV out of it. */
export function flightsBetween(before, beat) {
  return beat.reqs.flatMap((req, r) => req.blocks.map((state, b) => {
    const [from] = STATE_FLIES[state] ?? [], block = `block${r}.${b}`, slot = "slot" + req.slots?.[b];
    if (!from || before.reqs[r].blocks[b] === state) return null;
    return from === "block" ? [block, slot, "KV", "computed"] : [slot, block, "KV", "reused"];
  })).filter(Boolean);
}

/** `forward`: one step on, so that causes may be seen to move. */
export function drawAct(act, forward = false) {
  lookAt(act);
  fitAct(act);
  const { root, data, floor, i, t, t1, L } = act, sheet = newSheet();
  root.classList.toggle("still", !forward || act.still);
  root.classList.toggle("two", act.two);
  root.lang = act.lead;
  setName(root, t("act.name"));
  setText(act.head, (L.mode === "phone" ? t1 : t)("act.head"));
  for (const r of [0, 1]) addRow(act, sheet, r);
  addBench(act, sheet);
  addBelow(act, sheet);
  const held = root.getRootNode().activeElement;
  paintSheet(act, sheet);
  if (held && held !== root && !held.isConnected) focusOn(act.nodes.get("next")); // a step may take the very button away that was pressed
  setAttr(root, "data-beat", i);
  act.flipped = false;
  floor.querySelectorAll(".fly").forEach((chip) => chip.remove());
  if (forward && i > 0) flyChips(act, flightsBetween(data.beats[i - 1], act.beat));
}

/** One message a step. */
export const tellAct = (act, words = benchWords(act)) => setText(act.live, words);
