// Nothing in a text stays invisible: white space, hidden characters and look-alikes get a shape of their own. Pure.
// ui/words/visible.py does the same in Python; tests/data/visible.json holds both to it.

const SHOWN_AS = { " ": ["␣", "space"], "\n": ["↵", "newline"], "\t": ["⇥", "tab"], "\r": ["␍", "cr"], "\u00a0": ["⍽", "nbsp"] };
/** Controls, odd spaces, joiners, directions, fillers, selectors, tags, halves of surrogate pairs. */
const HIDDEN = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164"
  + "\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}\\u{e0100}-\\u{e01ef}\\ud800-\\udfff]", "u");
const EMOJI = /[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}]/u;
const CJK = /[\u1100-\u11ff\u2e80-\u2fff\u3001-\u30ff\u3105-\u318e\u31a0-\u9fff\uac00-\ud7a3\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
const LATIN = /[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]/, STRANGER = /[\u0370-\u052f]/, ACCENT = /[\u0300-\u036f]/;
/** Greek and Cyrillic letters that one reads as Latin ones; letters made for mathematics; full-width letters and digits, and other full-width signs. */
const LIKE_LATIN = /[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳαικνορυχϲАВЕЅІЈКМНОРСТУХҮаеѕіјкорсухүһԁԛԝ]/, MATHS = /[\u{1d400}-\u{1d7ff}]/u;
const WIDE_LETTER = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/, WIDE_SIGN = /[\uff01-\uff5e]/;

const codePoint = (char) => "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

/** Parts of an emoji that are hidden elsewhere: a joiner between two, a selector behind one (or a keycap's digit), the tags of a flag. */
function isEmojiPart(chars, at) {
  const char = chars[at], before = chars[at - 1] ?? "", after = chars[at + 1] ?? "";
  if (char === "\u200d") return (EMOJI.test(before) || before === "\ufe0f") && EMOJI.test(after);
  if (/[\ufe0e\ufe0f]/.test(char)) return EMOJI.test(before) || (/[0-9#*]/.test(before) && after === "\u20e3");
  if (!/[\u{e0020}-\u{e007f}]/u.test(char)) return false;
  while (/[\u{e0020}-\u{e007f}]/u.test(chars[at])) at--;
  return chars[at] === "\u{1f3f4}";
}

/** For each character: does it lie in a word of two scripts, as one of the fewer? Latin ones count as true where both are as many. */
function strangersIn(chars) {
  const strange = new Set();
  for (let at = 0; at < chars.length; at++) {
    const start = at;
    while (at < chars.length && (LATIN.test(chars[at]) || STRANGER.test(chars[at]) || (at > start && ACCENT.test(chars[at])))) at++;
    const word = chars.slice(start, at), num = (kind) => word.filter((char) => kind.test(char)).length;
    const [latin, other] = [num(LATIN), num(STRANGER)];
    const kind = latin >= other ? LIKE_LATIN : LATIN;
    if (latin && other) word.forEach((char, j) => kind.test(char) && strange.add(start + j));
  }
  return strange;
}

/** [shown, kind] of each character; `sharp(at)`: show it even where it would pass for something else, because it differs. */
function eachCharacter(text, sharp = () => false) {
  const chars = [...text], strange = strangersIn(chars), inCjk = chars.some((char) => CJK.test(char)), inLatin = /[A-Za-z]/.test(text);
  const isHidden = (at) => HIDDEN.test(chars[at]) && !isEmojiPart(chars, at);
  const isBlank = (at) => chars[at] === undefined || chars[at] in SHOWN_AS || isHidden(at);
  return chars.map((char, at) => {
    const differs = sharp(at);
    if (char === " " && !differs && !isBlank(at - 1) && !isBlank(at + 1)) return [char, "text"];
    if (char in SHOWN_AS) return SHOWN_AS[char];
    const bare = differs && !sharp(at - 1) && /[\ufe0e\ufe0f\u200d]/.test(char); // all that differs hangs on an emoji that does not
    if (isHidden(at) || bare || (differs && ACCENT.test(char))) return [codePoint(char), "invisible"];
    const wide = WIDE_LETTER.test(char) ? !inCjk : WIDE_SIGN.test(char) && inLatin && !inCjk;
    const alike = wide || strange.has(at) || MATHS.test(char) || (differs && (LIKE_LATIN.test(char) || WIDE_SIGN.test(char)));
    return [char, alike ? "lookalike" : "text"];
  });
}

/** Neighbours of plain text grow together; everything else stands alone. A third value: it differs. */
function joinPieces(each, differs = () => false) {
  const pieces = [];
  each.forEach(([shown, kind], at) => {
    const last = pieces.at(-1), mark = differs(at);
    if (kind === "text" && last?.[1] === "text" && Boolean(last[2]) === mark) last[0] += shown;
    else pieces.push(mark ? [shown, kind, true] : [shown, kind]);
  });
  return pieces;
}

/** [[shown, kind], …]; kind: text, space, newline, tab, nbsp, cr, invisible or lookalike. A space between two words is text. */
export function visiblePieces(text) {
  return joinPieces(eachCharacter(String(text)));
}

/** The pieces of two texts; a third value marks what is left between their common beginning and end. */
export function visibleDiff(a, b) {
  const [one, two] = [[...a], [...b]], least = Math.min(one.length, two.length);
  let head = 0, tail = 0;
  while (head < least && one[head] === two[head]) head++;
  while (tail < least - head && one.at(-1 - tail) === two.at(-1 - tail)) tail++;
  return [[a, one], [b, two]].map(([text, chars]) => {
    const differs = (at) => at >= head && at < chars.length - tail;
    return joinPieces(eachCharacter(text, differs), differs);
  });
}
