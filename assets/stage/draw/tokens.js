// A token's text on the screen: what is invisible in it gets a shape (words/visible.js), the plain text stays in the names of things.
import { make, setAttr } from "./dom.js";
import { visibleDiff, visiblePieces } from "../words/visible.js";

function pieceNode([shown, kind, differs]) {
  if (kind === "text") return differs ? make("mark", "", shown) : document.createTextNode(shown);
  const node = make("span", "inv k-" + kind, shown);
  if (kind === "space") setAttr(node, "aria-hidden", "true");
  return differs ? make("mark", "", [node]) : node;
}

function showPieces(node, stamp, pieces) {
  if (node.shownText === stamp) return;
  node.shownText = stamp;
  node.replaceChildren(...pieces().map(pieceNode));
}

export function drawVisible(node, text) {
  showPieces(node, text, () => visiblePieces(text));
  return node;
}

/** `text` as it differs from `other`. */
export function drawDiffering(node, text, other) {
  showPieces(node, text + "\u0000" + other, () => visibleDiff(other, text)[1]);
  return node;
}

/** A token in a sentence stands in a frame, not in quotes. */
export const tokenChip = (text) => drawVisible(make("span", "piece"), text);
