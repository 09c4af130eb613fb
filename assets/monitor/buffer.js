// Samples of a running load: what has arrived, and how far of it has been shown. Pure, no DOM.

export const emptyBuffer = (run) => ({ run, generation: -1, width: 1, ends: [], curves: {}, flags: [] });

/** Takes the bins of one message. Returns false when bins in between are missing: then nothing is taken. */
export function takeBins(buffer, { generation, bin_s, start, end_s, curves, flags }) {
  const anew = generation !== buffer.generation || start === 0;
  if (anew && start > 0) return false;
  if (!anew && start > buffer.ends.length) return false;
  if (anew) Object.assign(buffer, { ends: [], curves: {} });
  Object.assign(buffer, { generation, width: bin_s, flags });
  end_s.forEach((at, j) => (buffer.ends[start + j] = at));
  for (const [name, values] of Object.entries(curves)) {
    const curve = (buffer.curves[name] ??= []);
    values.forEach((value, j) => (curve[start + j] = value));
  }
  return true;
}

/** Where the picture stands `ms` later: it runs towards the newest sample so that it gets there when the next ones are due. */
export function nextHead(head, newest, ms, tickMs) {
  const left = newest - head.at;
  if (left <= 0 || ms <= 0) return { ...head, at: Math.min(head.at, newest) };
  const due = Math.max(tickMs - head.since, ms);
  return { at: Math.min(newest, head.at + (left * ms) / due), since: head.since + ms };
}

/** How many bins lie wholly before a moment. */
export function binsBefore(ends, at) {
  let low = 0, high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= at + 1e-9) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The newest value of a curve before a moment; null when there is none. */
export function valueAt(curve, count) {
  for (let j = Math.min(count, curve?.length ?? 0) - 1; j >= 0; j--) if (curve[j] !== null && curve[j] !== undefined) return curve[j];
  return null;
}

/** Round steps (1, 2, 5) so that about `most` of them cover `span`. */
export function roundStep(span, most) {
  const rough = span / Math.max(most, 1), ten = 10 ** Math.floor(Math.log10(rough || 1));
  return [1, 2, 5, 10].map((part) => part * ten).find((step) => step >= rough * 0.999);
}

/** The upper end of an axis from 0 that holds every value: a round number. */
export function roundTop(most) {
  if (!(most > 0)) return 1;
  const step = roundStep(most, 4);
  return Math.ceil((most / step) * 0.999) * step;
}
