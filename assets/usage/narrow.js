// The same on a phone: one row a turn, 44 px high, the pause before it at its left; a reset carries its reason.
import { make, setAttr, setName } from "../stage/draw/dom.js";
import { limitOf, turnName } from "./figure.js";
import { pauseWords, saidIn, signBox, wholeNumber } from "./parts.js";

const share = (part, whole) => (whole ? (100 * part) / whole : 0) + "%";

function barOf({ turns }, at, most) {
  const piece = (cls, tokens) => {
    const node = make("i", cls);
    node.style.width = share(tokens, most);
    return node;
  };
  return make("span", "bar", [piece("read", turns.read[at]), piece("written", turns.written[at]), piece("fresh", turns.new[at])]);
}

function reasonOf(usage, at, open) {
  const { t, data: { turns } } = usage, mark = usage.marks.get(at), numbers = `✓ ${wholeNumber(turns.read[at])} · + ${wholeNumber(turns.written[at])}` + (turns.new[at] ? " · " + t("usage.turn.new", { n: wholeNumber(turns.new[at]) }) : "");
  if (!mark) return open ? [make("span", "why", [make("p", "", numbers)])] : [];
  const title = make("p", "", [make("b", "", mark.title[0])]);
  if (!open) return [make("span", "why", [title])];
  return [make("span", "why", [title, ...saidIn(mark.why), make("p", "mu", numbers), ...(mark.cost ? [make("p", "", t("usage.turn.cost", { cost: mark.cost }))] : [])])];
}

export function drawTurnRows(usage) {
  const { data, window: [first, last] } = usage, { turns } = data, limit = limitOf(data), most = Math.max(1, ...turns.total.slice(first, last));
  const rows = [];
  for (let at = first; at < last; at++) {
    const mark = usage.marks.get(at), open = at === usage.at, pause = turns.pause[at], over = pause > limit;
    const node = make("div", "turn" + (mark ? " reset" : ""), [
      make("span", "before" + (over ? " over" : ""), at && pause !== null ? pauseWords(usage.t1, pause) : ""), make("b", "n", String(turns.n[at])), barOf(data, at, most), mark ? signBox(mark.cause) : make("span"), ...reasonOf(usage, at, open),
    ]);
    Object.assign(node.dataset, { do: "turn:" + at });
    node.tabIndex = open ? 0 : -1;
    setAttr(node, "role", "button");
    setAttr(node, "aria-expanded", String(open));
    setName(node, turnName(usage, at));
    rows.push(node);
  }
  return make("div", "turns", rows);
}
