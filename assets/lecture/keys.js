// A clicker's two keys and a lecturer's few more. The two turn over a page that is longer than its frame; the others leave it.

const KEY_DEEDS = { PageDown: ["turn", 1], ArrowRight: ["go", 1], " ": ["go", 1], Enter: ["go", 1], PageUp: ["turn", -1], ArrowLeft: ["go", -1], b: ["dark"], B: ["dark"], ".": ["dark"], v: ["again"], V: ["again"] };
/** Of a page in a frame these two are ours; its own keys stay its own. */
const CLICKER = ["PageDown", "PageUp"];
const PRESSES = ["Enter", " "];

/** Who moved to a button with the keyboard presses that one; after a click of the mouse the keys drive on. */
const pressesButton = (event) => PRESSES.includes(event.key) && event.composedPath()[0].matches?.("button:focus-visible, a:focus-visible");

/** What a key means: [deed, with]; null for none. Digits count a hand, with Shift they take one back, whatever sign the layout gives them. */
export function deedOf({ key, code, shiftKey, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return null;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(code ?? "");
  if (digit) return ["hand", [Number(digit[1]) - 1, shiftKey ? -1 : 1]];
  return KEY_DEEDS[key] ?? null;
}

/** Streamlit would rerun the page at r and offer to clear its cache at c: a lecture wants neither. */
const STREAMLIT = /^[rc]$/i;

/** Listens on a window before anything in it does; `clicker`: only for the two keys. Returns what ends it. */
export function hearKeys(where, deed, clicker = false) {
  const hear = (event) => {
    const found = deedOf(event), wanted = found && !(clicker && !CLICKER.includes(event.key)) && !pressesButton(event);
    if (!wanted && (clicker || !STREAMLIT.test(event.key))) return;
    event.stopImmediatePropagation();
    if (!wanted) return;
    event.preventDefault();
    if (!event.repeat) deed(...found);
  };
  where.addEventListener("keydown", hear, true);
  return () => where.removeEventListener("keydown", hear, true);
}
