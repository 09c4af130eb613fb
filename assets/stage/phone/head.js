// The head of the phone's stage: step, what was reused and computed so far, the menu; below it, while two runs are compared, the other run.
import { icon, make, makeButton, setAttr, setName } from "../draw/dom.js";
import { ledgerAt } from "../time/ledger.js";
import { toldTotals } from "../draw/told.js";

export function buildPhoneHead() {
  const at = make("span", "pat"), sum = make("span", "psum"), menu = makeButton("pmenu", [icon("lines")], { sheet: "open" });
  return Object.assign(make("header", "phead", [at, sum, menu]), { at, sum, menuButton: menu });
}

/** What counts as work saved and work done, in words that fit: [[icon, value, word, hue]]. */
function phoneSums({ run, t1 }, k) {
  if (run.log.meta.told) return toldTotals(run.frames[k]).slice(0, 2).map(([id, value]) => [null, value, t1("stage.phone." + id), null]);
  const { reused, computed } = ledgerAt(run, k);
  return [["check", reused, t1("stage.state.reused"), "hit"], ["plus", computed, t1("stage.state.computed"), "miss"]];
}

const sumNodes = (sums) => sums.map(([glyph, value, word, hue]) => {
  const node = make("span", "pone", [...(glyph ? [icon(glyph)] : []), make("b", "", String(value)), make("span", "pword", word)]);
  setAttr(node, "data-hue", hue);
  return node;
});

export function drawPhoneHead(stage, head) {
  const { k, events, t, plan } = stage;
  head.at.replaceChildren(make("b", "", String(k)), make("span", "", " / " + events.length));
  setName(head.at, t("stage.count", { step: k, total: events.length }));
  const sums = phoneSums(stage, k), words = [k, events.length, ...sums.flatMap(([, value, word]) => [value, word])].join("");
  head.sum.replaceChildren(...sumNodes(sums));
  setAttr(head.sum, "data-long", [...words].reduce((sum, char) => sum + (char > "\u2e80" ? 2 : 1), 0) > (plan.w - 150) / 9 ? "1" : null);
  setName(head.sum, sums.map(([, value, word]) => value + " " + word).join(", "));
  setName(head.menuButton, t("stage.phone.menu"));
}

/** Two runs have no room side by side here: A is drawn, of B stands what it saved and did up to the same part of the story. */
export function drawOtherRun(stage, line) {
  const { runB: run, aligned, k, t, t1, caption } = stage;
  line.classList.toggle("off", !run);
  if (!run) return;
  const at = aligned[k], event = run.log.events[at - 1];
  const undo = makeButton("pundo", [icon("times")], { do: "undoFork" });
  setName(undo, t("stage.fork.undo"));
  line.replaceChildren(make("div", "ptwo", [make("b", "", t1("stage.fork.b")), make("span", "psum", sumNodes(phoneSums({ run, t1 }, at)))]),
    make("p", "", event ? caption(event) : t("stage.fork.setup", { size: run.log.meta.block_size, count: Object.keys(run.log.init.slots).length })), undo);
}

