// What a frame means for the blocks and tokens of the request in the lane. Pure, no DOM.

/** What has become of a token whose block has the row [slot, how]: reused, computed, reserved (its slot is taken, its KV not yet written), or "" while it waits. */
function tokenState(place, fill, req, at) {
  if (at >= req.num_prompt) return "answer";
  if (fill === Infinity) return "reused";
  if (place < fill) return "computed";
  return at < req.computed ? "reserved" : "";
}

/** Tokens written into a block's slot; what a request gave back was written before. */
function fillOf(row, mine, slots) {
  if (!row) return -1;
  if (row[1] === "hit") return Infinity;
  return mine ? slots[mine[0]].fill : row[1] === "new" ? 1e9 : 0;
}

/** A tag that is known and stands in no table: its block is written and was not stored, or will not be (nobody schedules an answer's last token). */
function isLoose(view, mine, { table, slots }, req, size) {
  if (!mine || !view.full || !view.tag || (table[req.hashes[view.b]] ?? []).includes(mine[0])) return false;
  return slots[mine[0]].fill >= size || req.computed < (view.b + 1) * size;
}

/** Blocks of a request, first to last: number, state (plain, hit, miss, skip, reserved, computed; of a chain stored or told), tag, slot, and the state of each token.
 * `table`: its longest block table, freed rows included. */
export function laneViews(frame, req, size, table) {
  const rows = req.status === "preempted" ? [] : table, missed = Math.min(...Object.entries(req.look).filter(([, seen]) => seen === "miss").map(([b]) => Number(b)));
  return Array.from({ length: Math.ceil(req.num_tokens / size) }, (_, b) => {
    const row = rows[b], mine = req.btable[b], held = Math.min(size, req.num_tokens - b * size), fill = fillOf(row, mine, frame.slots);
    const view = { b, full: (b + 1) * size <= req.num_tokens, size: held, tag: req.hashes[b]?.slice(0, 4) ?? "", slot: row?.[0] ?? 0, how: row?.[1] ?? null, freed: Boolean(row && !mine) };
    view.tokens = Array.from({ length: held }, (_, j) => (row && (row[1] === "hit" || row[1] === "new") ? tokenState(j, fill, req, b * size + j) : b * size + j < req.num_prompt ? "" : "answer"));
    view.state = row ? (row[1] === "new" ? (fill > 0 ? "computed" : "reserved") : row[1]) : req.look[b] ?? (b > missed ? "skip" : "plain");
    view.loose = isLoose(view, mine, frame, req, size);
    return view;
  });
}

/** The events a step tells of: at level "beat" all of its group. */
export const beatStart = (event, k, level) => (level === "beat" && event?.beat ? event.beat.from : k - 1);
