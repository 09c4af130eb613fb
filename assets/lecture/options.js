// The options of a question with the hands that were counted; once the truth is known, both in the same place.
import { icon, make, makeButton, setText } from "../stage/draw/dom.js";
import { langNodes, shrinkToFit } from "./fit.js";
import { earlierVote, handsOf, kindOf, total } from "./state.js";

/** Width and height of a hand, so that even those of a full hall find room. */
const HAND_SIZES = [[12, 20, 34], [28, 16, 30], [60, 10, 20], [Infinity, 6, 14]];
const MOST_HANDS = 120;

function drawHands(box, count) {
  const [, w, h] = HAND_SIZES.find(([most]) => count <= most), shown = Math.min(count, MOST_HANDS);
  box.style.setProperty("--w", w + "px");
  box.style.setProperty("--h", h + "px");
  while (box.children.length < shown) box.append(make("i"));
  while (box.children.length > shown) box.lastChild.remove();
}

/** The tally as it is counted: a number and as many marks. */
export function drawTally(option, count) {
  const [number, box] = option.tally.children;
  setText(number, String(count));
  number.classList.toggle("zero", count === 0);
  drawHands(box, count);
}

function asked(k, text, langs) {
  const option = makeButton("op", [make("span", "tx", [make("span", "k num", String(k + 1)), make("span", "words", langNodes(text, langs))])], { n: String(k) });
  option.append((option.tally = make("span", "tally num", [make("b"), make("span", "hands")])));
  return option;
}

function voteBar(cls, share) {
  const node = make("span", "bar" + cls);
  node.style.width = 100 * share + "%";
  return node;
}

/** Number and bar. Where nobody was counted there is nothing to see. After two votes each has its word: the first hollow, the last solid below it. */
function drawVoteBars(count, first, most, say) {
  const number = make("b", count ? "" : "zero", String(count)), bar = (n, cls) => (n ? voteBar(cls, n / most) : make("i"));
  if (first === undefined) return make("span", "tally num", [number, bar(count, "")]);
  return make("span", "tally two num", [make("small", "", say("before")), make("span", "", String(first)), bar(first, " was"), make("small", "", say("now")), number, bar(count, "")]);
}

function answered(k, text, langs, { right, stop, say }) {
  const option = make("div", `op${right ? " right" : stop.keep || stop.right === null ? "" : " wrong"}`, [make("span", "tx", [make("span", "k num", String(k + 1)), make("span", "words", langNodes(text, langs))])]);
  if (right) option.prepend(make("span", "so", [icon("check"), say("so")]));
  return option;
}

/** The row of options at a beat; null where there is none. */
export function drawOptions(look) {
  const { beat, stop, stops, state, langs } = look, counts = handsOf(state, stop), first = earlierVote(state, stops, stop), most = Math.max(1, ...counts, ...(first ?? []));
  if (beat === "look" || !stop.options.length) return null;
  const known = beat === "know", voted = total(counts) + total(first ?? []) > 0;
  const options = stop.options.map((text, k) => {
    const option = known ? answered(k, text, langs, { ...look, right: stop.right === k }) : asked(k, text, langs);
    if (!known) drawTally(option, counts[k]);
    else if (voted) option.append(drawVoteBars(counts[k], first?.[k], most, look.say));
    return option;
  });
  const row = make("div", "opts", options);
  return Object.assign(row, { settle: () => options.forEach((option) => shrinkToFit(option.querySelector(".tx"), langs.length > 1 ? 34 : kindOf(stop) === "words" ? 46 : 38)) });
}
