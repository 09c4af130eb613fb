// The key map and the menu. Pure: a key event in, the name of an action out; hands/actions.js does it.

const PLAIN = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", "]": "nextRequest", "[": "backRequest",
  Home: "first", End: "last", " ": "play", "-": "slower", "=": "faster", "+": "faster", g: "goto", n: "nextMiss", N: "backMiss",
  e: "nextEvict", E: "backEvict", m: "bookmark", w: "fork", q: "ask", x: "none", f: "full", p: "presenter", ".": "blank", b: "blank",
  j: "nextBookmark", J: "backBookmark", k: "btable", l: "lang", t: "theme", d: "code", a: "noodle", v: "table", i: "inspect", o: "log", "?": "help", h: "help", Enter: "pin", s: "reveal", Escape: "close" };
const SHIFTED = { ArrowRight: "nextBlock", ArrowLeft: "backBlock", x: "handNone", X: "handNone" };
/** Streamlit reruns on r and opens a dialog on c; while the stage has the focus both are swallowed. */
const SWALLOWED = new Set(["r", "R", "c", "C"]);
const FREE = { action: null, stop: false };

export function keyAction({ key, code = "", shiftKey = false, ctrlKey = false, metaKey = false, altKey = false }) {
  if (ctrlKey || metaKey || altKey) return FREE;
  if (SWALLOWED.has(key)) return { action: null, stop: true };
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1] ?? (/^\d$/.test(key) ? key : null);
  if (digit) return { action: shiftKey ? "hand" : "answer", digit: Number(digit), stop: true };
  const action = (shiftKey && SHIFTED[key]) || PLAIN[key] || PLAIN[key.length === 1 ? key.toLowerCase() : key];
  return action ? { action, stop: true } : FREE;
}

/** Rows of the help card: keys as printed, action; words come from the text table (stage.key.<action>). */
export const HELP_ROWS = [["→", "next"], ["←", "back"], ["Shift → ←", "nextBlock"], ["] [", "nextRequest"], ["Home End", "first"],
  ["Space", "play"], ["- =", "faster"], ["g", "goto"], ["n N", "nextMiss"], ["e E", "nextEvict"], ["m", "bookmark"], ["j J", "nextBookmark"], ["w", "fork"],
  ["q", "ask"], ["0 … 9", "answer"], ["x", "none"], ["s", "reveal"], ["Shift 0 … 9 x", "hand"], ["Tab", "focus"], ["Enter Esc", "pin"], ["f", "full"], ["p", "presenter"],
  [". b", "blank"], ["l", "lang"], ["t", "theme"], ["d", "code"], ["k", "btable"], ["a", "noodle"], ["v", "table"], ["o", "log"], ["i", "inspect"], ["? h", "help"]];

/** The menu: what has no button of its own, in three groups, each with its key; words are stage.menu.<action>. */
export const MENU = [
  ["go", [["first", "Home"], ["last", "End"], ["nextMiss", "n"], ["nextEvict", "e"], ["bookmark", "m"], ["nextBookmark", "j"], ["goto", "g"]]],
  ["see", [["inspect", "i"], ["table", "v"], ["btable", "k"], ["code", "d"], ["log", "o"], ["fork", "w"], ["noodle", "a"]]],
  ["screen", [["slower", "-"], ["faster", "="], ["lang", "l"], ["theme", "t"], ["full", "f"], ["blank", "."], ["ask", "q"], ["presenter", "p"], ["help", "?"]]],
];
/** Keys of the buttons, as a screen reader is told them. */
export const BUTTON_KEYS = { back: "ArrowLeft", next: "ArrowRight", play: "Space", ask: "Q", presenter: "P" };
