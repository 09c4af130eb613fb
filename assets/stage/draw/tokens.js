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

const AROUND = 4;

/** Of a long text what lies near the difference: at the end of a cell that is too narrow it would be cut away. */
function nearDifference(pieces) {
  const first = pieces.findIndex((piece) => piece[2]), last = pieces.findLastIndex((piece) => piece[2]);
  return pieces.map((piece, at) => {
    const [shown, kind] = piece, chars = [...shown];
    if (first < 0 || kind !== "text" || chars.length <= 2 * AROUND || (at >= first && at <= last)) return piece;
    return at < first ? ["…" + chars.slice(-AROUND).join(""), kind] : [chars.slice(0, AROUND).join("") + "…", kind];
  });
}

/** `text` as it differs from `other`. */
export function drawDiffering(node, text, other) {
  showPieces(node, text + "\u0000" + other, () => nearDifference(visibleDiff(other, text)[1]));
  return node;
}

/** A token in a sentence stands in a frame, not in quotes. */
export const tokenChip = (text) => drawVisible(make("span", "piece"), text);
