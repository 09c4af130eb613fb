// The prompt in blocks, as the engine cuts it: a row to choose each; what became of it stands there once the bet is placed.
import { make, makeButton, setAttr } from "../stage/draw/dom.js";

/** A token's text with what one would not see. */
export const seenText = (text) => text.replace(/\n/g, "⏎");

function piece(map, at) {
  const { changed: [first, stop], tokens } = map.data;
  const node = make("span", "tok" + (at >= first && at < stop ? " changed" : ""), seenText(tokens[at]));
  node.dataset.at = at;
  return node;
}

const idWords = (id) => (id === null ? "–" : "#" + id);

function verdictOf(map, { hit, state, was, id, kb, worst, rights, size }) {
  const word = make("b", hit ? "hitc" : "missc", map.t(hit ? "prefill.map.hit" : "prefill.map.computed"));
  const table = make("span", "ids", hit ? idWords(id) : idWords(was) + " → " + idWords(id));
  const error = make("span", "mu", state === "part" ? map.t("prefill.map.part") : rights === size ? map.t("prefill.map.right") : map.t("prefill.map.worst", { worst }));
  return make("span", "verdict", [word, " ", table, " ", make("span", "mu", kb + " · "), error]);
}

function blockRow(map, at) {
  const { blocks, verdicts } = map.data, block = blocks[at], on = at === map.block;
  const texts = Array.from({ length: block.stop - block.first }, (_, k) => piece(map, block.first + k));
  const head = make("span", "which", [make("b", "", map.t("prefill.map.block", { n: at })), make("span", "mu", ` ${block.first} – ${block.stop - 1}`)]);
  const parts = [head, " ", make("span", "text", texts)];
  if (verdicts) parts.push(" ", verdictOf(map, verdicts[at]));
  const button = makeButton("block" + (on ? " on" : "") + (verdicts ? (verdicts[at].hit ? " hit" : " miss") : ""), parts, { do: "block:" + at });
  setAttr(button, "aria-pressed", on);
  button.tabIndex = on || (map.block === null && at === 0) ? 0 : -1;
  return make("li", "", [button]);
}

export const drawBlocks = (map) => make("ul", "blocks", map.data.blocks.map((_, at) => blockRow(map, at)));

/** The two tokens under the pointer, found again in the text. */
export function markTokens(map, places) {
  for (const node of map.side.querySelectorAll(".tok.near")) node.classList.remove("near");
  for (const at of places) map.side.querySelector(`.tok[data-at="${at}"]`)?.classList.add("near");
}
