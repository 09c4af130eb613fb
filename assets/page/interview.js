// Chapter 12's interview in the browser: its newest part comes into sight, and its letters reach its buttons
// also while a tick has the focus (Streamlit keeps keys from buttons as long as a field has it).

const LETTERS = "button:has(kbd)";
const BELOW_TOP = 70; // the toolbar covers so much

/** The button that this key presses while a tick has the focus, or null. */
export function buttonOfKey(document, event) {
  const isTick = event.target?.matches?.('.st-key-interview input[type="checkbox"]');
  if (!isTick || event.ctrlKey || event.metaKey || event.altKey) return null;
  const buttons = [...document.querySelectorAll(`.st-key-interview-go ${LETTERS}`)];
  const letter = event.key.toUpperCase();
  return buttons.find((button) => button.querySelector("kbd").textContent.trim() === letter) ?? null;
}

/** How far to scroll so that all from `top` to `bottom` lies in a window of this height; where not all of it
 * fits, its beginning counts. */
export function wayTo(top, bottom, height) {
  const up = top - BELOW_TOP;
  if (up < 0) return up;
  return Math.max(0, Math.min(up, bottom + 16 - height));
}

/** After each step. `step`: which question and how far; the page as it is opened does not move. */
export function follow(window, step, isBegun) {
  const { document } = window;
  const before = window.brothInterview;
  window.brothInterview = step;
  if (before === undefined) {
    document.addEventListener("keydown", (event) => {
      const button = buttonOfKey(document, event);
      if (!button) return;
      event.preventDefault();
      event.stopPropagation();
      button.click();
    }, true);
  }
  if (before === step || (before === undefined && !isBegun)) return;
  window.setTimeout(() => {
    const [first, last] = ["newest", "interview-go"].map((key) => document.querySelector(`.st-key-${key}`));
    const scroller = document.querySelector('[data-testid="stMain"]');
    if (!first || !last || !scroller) return;
    const way = wayTo(first.getBoundingClientRect().top, last.getBoundingClientRect().bottom, window.innerHeight);
    if (way) scroller.scrollBy({ top: way });
  }, 120);
}
