// How a lecture stands against its plan. Pure.

const MINUTE = 60_000, ON_TIME = 20_000;

export const clockText = (ms) => `${Math.floor(ms / MINUTE)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

/** `spent` since the first press, `here` since this stop began; `slack`: behind the plan (ms), below zero ahead of it, 0 while the stop is in its time. */
export function paceOf(state, stops, now) {
  const minutes = stops.map((stop) => stop.minutes), whole = minutes.reduce((sum, n) => sum + n, 0), due = minutes.slice(0, state.at).reduce((sum, n) => sum + n, 0) * MINUTE;
  const spent = state.began === null ? 0 : Math.max(0, now - state.began), here = state.since === null ? 0 : Math.max(0, now - state.since), end = due + minutes[state.at] * MINUTE;
  const slack = spent - Math.min(Math.max(spent, due), end);
  return { spent, here, slack: Math.abs(slack) < ON_TIME ? 0 : slack, share: Math.min(1, spent / (Math.max(1, whole) * MINUTE)) };
}
