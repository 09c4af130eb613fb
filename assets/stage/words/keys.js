// The key map. Pure: a key event in, the name of an action out; hands/actions.js does it.

const PLAIN = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", "]": "nextRequest", "[": "backRequest",
  Home: "first", End: "last", " ": "play", "-": "slower", "=": "faster", "+": "faster", g: "goto", n: "nextMiss", N: "backMiss",
  e: "nextEvict", E: "backEvict", m: "bookmark", w: "fork", q: "ask", f: "full", p: "presenter", ".": "blank", b: "blank",
  l: "lang", t: "theme", d: "code", a: "noodle", v: "table", i: "inspect", o: "log", "?": "help", h: "help", Enter: "pin", Escape: "close" };
const SHIFTED = { ArrowRight: "nextBlock", ArrowLeft: "backBlock" };
/** Streamlit reruns on r and opens a dialog on c; while the stage has the focus both are swallowed. */
const SWALLOWED = new Set(["r", "R", "c", "C"]);
const FREE = { action: null, stop: false };

export function keyAction({ key, code = "", shiftKey = false, ctrlKey = false, metaKey = false, altKey = false }) {
  if (ctrlKey || metaKey || altKey) return FREE;
  if (SWALLOWED.has(key)) return { action: null, stop: true };
  const digit = /^(?:Digit|Numpad)([1-4])$/.exec(code)?.[1] ?? (/^[1-4]$/.test(key) ? key : null);
  if (digit) return { action: shiftKey ? "hand" : "answer", digit: Number(digit), stop: true };
  const action = (shiftKey && SHIFTED[key]) || PLAIN[key] || PLAIN[key.length === 1 ? key.toLowerCase() : key];
  return action ? { action, stop: true } : FREE;
}

/** Rows of the help card: keys as printed, action; words come from the text table (stage.key.<action>). */
export const HELP_ROWS = [["→", "next"], ["←", "back"], ["Shift → ←", "nextBlock"], ["] [", "nextRequest"], ["Home End", "first"],
  ["Space", "play"], ["- =", "faster"], ["g", "goto"], ["n N", "nextMiss"], ["e E", "nextEvict"], ["m", "bookmark"], ["w", "fork"],
  ["q", "ask"], ["1 … 4", "answer"], ["Shift 1 … 4", "hand"], ["Tab", "focus"], ["Enter Esc", "pin"], ["f", "full"], ["p", "presenter"],
  [". b", "blank"], ["l", "lang"], ["t", "theme"], ["d", "code"], ["a", "noodle"], ["v", "table"], ["o", "log"], ["i", "inspect"], ["? h", "help"]];
