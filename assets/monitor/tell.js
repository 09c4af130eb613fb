// What the monitor tells Python, again until a message answers it: a line may lose it, and of two events that meet Streamlit keeps the newer. Pure, no DOM.

const AGAIN_MS = 3000;

export const emptyOwed = () => ({ press: 0, playing: null, lacks: false, quiet: AGAIN_MS });

/** A person pauses or goes on, at this moment. Its number is new, whoever counted before. */
export const pressPlay = (owed, playing, now) => Object.assign(owed, { playing, press: Math.max(now, owed.press + 1), quiet: AGAIN_MS });

/** A message has come: which press was heard before it was sent, and whether its bins could be joined to those that are here. */
export function hearMessage(owed, heard, joined) {
  if (heard === owed.press) owed.playing = null;
  owed.lacks = !joined;
}

/** What to tell `ms` after the last look; null when nothing is open, or it was told a moment ago. */
export function tellNow(owed, ms) {
  owed.quiet += ms;
  if (owed.quiet < AGAIN_MS || (owed.playing === null && !owed.lacks)) return null;
  owed.quiet = 0;
  return { press: owed.press, playing: owed.playing, lacks: owed.lacks };
}
