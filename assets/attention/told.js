// What is said of the chosen block and of the cell under the pointer.
import { formatText, languagesOf, lookUp } from "../stage/words/narrate.js";
import { seenText } from "./blocks.js";
import { errorWords, stepPlace, shareWords, weightOf } from "./geometry.js";

/** One sentence in each language shown. */
export const inEach = (map, said) => languagesOf(map.data.lang).map((lang) => said((key, args) => formatText(lookUp(map.data.text, lang, key) ?? key, args)).join(lang === "zh" ? "" : " "));

/** Which rows light up, and how much they look; what became of the block once that is known. */
export function blockSentences(map) {
  const { data, block, layer, head } = map;
  if (block === null && data.verdicts) return inEach(map, (t) => [t("prefill.map.choose")]);
  if (!data.verdicts) return inEach(map, (t) => [t("prefill.map.choose.open")]);
  const { first, stop, readers } = data.blocks[block], own = stop - first, verdict = data.verdicts?.[block];
  return inEach(map, (t) => {
    const said = [t("prefill.map.readers", { block, first, last: stop - 1, readers, all: data.tokens.length, later: readers - own })];
    said.push(t("prefill.map.share", { layer, head, share: shareWords(data.shares[layer][head][block]) }));
    if (verdict) said.push(t("prefill.map.verdict." + verdict.state, { right: verdict.rights, size: own, worst: verdict.worst }));
    return said;
  });
}

/** A weight: whose, of what. */
export function weightSentence(map, row, column) {
  const { tokens } = map.data, word = (at) => seenText(tokens[at]).trim() || "␣";
  if (column > row) return map.t("prefill.map.ahead", { row, column });
  return map.t("prefill.map.cell", { row, token: word(row), column, other: word(column), share: shareWords(weightOf(map.steps?.[stepPlace(row, column)] ?? 0)) });
}

/** An error: of which part, layer and token. */
export function errorSentence(map, layer, at) {
  const { tokens, errors } = map.data, error = errors[map.part][layer][at], part = map.part === "key" ? "K" : "V";
  return map.t(error < 0 ? "prefill.map.cell.new" : "prefill.map.cell.error", { layer, at, token: seenText(tokens[at]).trim() || "␣", part, error: errorWords(error) });
}
