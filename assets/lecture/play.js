// The truth is played in a second or two, piece after piece; a press lands it at once.

const MOST_MS = 1900;

/** `acts`: [share, what it draws] in order; the shares divide the time. `calm`: all of it now; otherwise `ended` is called behind the last. Returns what lands it. */
export function playActs(acts, calm, ended = () => {}) {
  const left = [...acts], timers = [];
  const land = () => {
    timers.forEach(clearTimeout);
    left.splice(0).forEach(([, act]) => act());
    if (!calm) ended();
  };
  if (calm) land();
  const shares = left.reduce((sum, [share]) => sum + share, 0), unit = Math.min(420, MOST_MS / Math.max(1, shares));
  let at = 0;
  for (const [share] of [...left]) timers.push(setTimeout(() => (left.shift()[1](), left.length || ended()), (at += share * unit)));
  return { land, running: () => left.length > 0, stop: () => (timers.forEach(clearTimeout), left.splice(0)) };
}
