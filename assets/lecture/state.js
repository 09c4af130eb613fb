// A lecture at one moment: which stop, which beat, how many hands. Pure: a state and what was pressed in, a state out.

export const BEATS = ["look", "guess", "know"];

export const kindOf = (stop) => Object.values(stop.scene)[0].kind;

const says = (text) => Object.values(text ?? {}).some(Boolean);

/** A stop without options asks nothing; a page, or a stop without a sentence for it, has nothing to know. */
export function beatsOf(stop) {
  const guess = stop.options.length > 0, know = kindOf(stop) !== "page" && says(stop.know);
  return BEATS.filter((beat) => beat === "look" || (beat === "guess" ? guess : know));
}

/** `at`, `beat`: places in the stops and in the stop's beats; `done`: stops whose vote has been answered; `began`, `since`: when the lecture and this stop began (ms), null before the first press. */
export const freshLecture = () => ({ at: 0, beat: 0, hands: {}, first: {}, done: [], blank: false, began: null, since: null });

const isCount = (n) => Number.isInteger(n) && n >= 0;
const placeWithin = (n, end) => (isCount(n) ? Math.min(n, end - 1) : 0);

/** Counts of stops that are there, with as many options as were counted. */
function keptCounts(kept, stops) {
  const fits = ({ id, options }) => Array.isArray(kept?.[id]) && kept[id].length === options.length && kept[id].every(isCount);
  return Object.fromEntries(stops.filter(fits).map(({ id }) => [id, kept[id]]));
}

/** What a tab kept, as far as it fits these stops: they may have been edited since. */
export function recallLecture(text, stops) {
  let kept = null;
  try {
    kept = JSON.parse(text);
  } catch { /* what is no JSON is nothing kept */ }
  if (kept === null || typeof kept !== "object") return freshLecture();
  const at = placeWithin(kept.at, stops.length), times = ["began", "since"].map((name) => [name, isCount(kept[name]) ? kept[name] : null]);
  return { at, beat: placeWithin(kept.beat, beatsOf(stops[at]).length), hands: keptCounts(kept.hands, stops), first: keptCounts(kept.first, stops), done: stops.map(({ id }) => id).filter((id) => Array.isArray(kept.done) && kept.done.includes(id)), blank: kept.blank === true, ...Object.fromEntries(times) };
}

export const beatNow = (state, stops) => beatsOf(stops[state.at])[state.beat];
export const handsOf = (state, stop) => state.hands[stop.id] ?? stop.options.map(() => 0);
export const total = (counts) => counts.reduce((sum, n) => sum + n, 0);

/** One press forward (1) or back (-1); off either end nothing happens. On a dark screen a press only brings the light back. */
export function press(state, stops, by, now) {
  if (state.blank) return { ...state, blank: false };
  const began = state.began ?? now, since = state.since ?? now, beat = state.beat + by, at = state.at + by;
  const stop = stops[state.at], beats = beatsOf(stop), told = beats[beat] === "know" && total(handsOf(state, stop)) > 0 && !state.done.includes(stop.id);
  if (beat >= 0 && beat < beats.length) return { ...state, beat, done: told ? [...state.done, stop.id] : state.done, began, since };
  if (at < 0 || at >= stops.length) return state;
  return { ...state, at, beat: by > 0 ? 0 : beatsOf(stops[at]).length - 1, began, since: now };
}

/** Hands count only while the question stands. A vote that has been answered stays as it is: the next hand begins another. */
export function raise(state, stops, option, by) {
  const stop = stops[state.at], isOver = state.done.includes(stop.id);
  if (beatNow(state, stops) !== "guess" || !(option in stop.options) || (isOver && by < 0)) return state;
  if (isOver) return raise(recount(state, stops), stops, option, by);
  const counts = handsOf(state, stop).map((n, at) => (at === option ? Math.max(0, n + by) : n));
  return { ...state, hands: { ...state.hands, [stop.id]: counts } };
}

/** The room votes once more: its first vote is kept, one in between is not. */
export function recount(state, stops) {
  const stop = stops[state.at], counts = handsOf(state, stop);
  if (beatNow(state, stops) !== "guess" || total(counts) === 0) return state;
  return { ...state, first: { [stop.id]: counts, ...state.first }, hands: { ...state.hands, [stop.id]: counts.map(() => 0) }, done: state.done.filter((id) => id !== stop.id) };
}

/** What the room said before: its first vote at this stop, or its bet at the stop that this one comes back to; null where nobody was counted. */
export function earlierVote(state, stops, stop) {
  const bettor = stops.find(({ id }) => id === stop.bet_of), counts = state.first[stop.id] ?? (bettor ? handsOf(state, bettor) : []);
  return counts.length === stop.options.length && total(counts) > 0 ? counts : null;
}

/** The sentence of a beat; another one where it speaks of hands that nobody counted. */
export function sentenceOf(state, stops, stop, beat) {
  const counted = stops.find(({ id }) => id === stop.bet_of) ?? stop, empty = beat === "know" && says(stop.know_empty) && total(handsOf(state, counted)) === 0;
  return stop[empty ? "know_empty" : { look: "see", guess: "ask", know: "know" }[beat]];
}

/** How a beat is called: after a bet nothing is known, it is kept. */
export const beatName = (stop, beat) => (beat === "know" && stop.keep ? "kept" : beat);

export const darken = (state) => ({ ...state, blank: !state.blank });

/** Who was right when the room was first asked: [stop, right, all] of each stop before this one where hands were counted. */
export function firstVotes(state, stops) {
  const voted = stops.slice(0, state.at).map((stop) => [stop, state.first[stop.id] ?? handsOf(state, stop)]);
  return voted.filter(([stop, counts]) => stop.right !== null && total(counts) > 0).map(([stop, counts]) => [stop, counts[stop.right], total(counts)]);
}
