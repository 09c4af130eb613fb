// Table view: the whole frame as real HTML tables, for screen readers and for those who like numbers in rows.
import { make } from "../draw/dom.js";
import { slotView } from "../draw/view.js";

function table(caption, heads, rows) {
  const line = (cells, tag) => make("tr", "", cells.map((cell, at) => {
    const node = make(at === 0 && tag === "td" ? "th" : tag, "", String(cell));
    if (node.tagName === "TH") node.scope = tag === "th" ? "col" : "row";
    return node;
  }));
  const body = rows.length ? rows.map((row) => line(row, "td")) : [line(heads.map(() => "–"), "td")];
  return make("table", "", [make("caption", "", caption), make("thead", "", [line(heads, "th")]), make("tbody", "", body)]);
}

/** Reused, computed, reserved, waiting: each prompt token once. Read off the frame, as `prompt_shares` in core/timeline/frame.py does. */
function promptShares({ num_prompt: asked, reused, reached, computed: planned }) {
  const there = Math.min(reached, asked), taken = Math.max(Math.min(planned, asked), there);
  return [reused, there - reused, taken - there, asked - taken];
}

export function drawTables(stage, body) {
  const { frame, rid, event, run } = stage, size = run.log.meta.block_size, t = (key) => stage.t("stage.col." + key);
  const slots = Object.keys(frame.slots).map((id) => {
    const view = slotView(frame, id, rid, event, size);
    return ["#" + id, stage.t("stage.state." + view.state), view.ref, view.tag || "–", view.fill, view.reserved, view.owners.join(" ") || "–", view.last ?? "–"];
  });
  const board = Object.entries(frame.table).map(([hash, ids]) => [hash.slice(0, 4), ids.map((id) => "#" + id).join(" ")]);
  const requests = Object.entries(frame.reqs).map(([id, req]) => [id, stage.t("stage.status." + req.status), req.num_tokens, ...promptShares(req), req.num_tokens - req.num_prompt, req.btable.map(([slot]) => "#" + slot).join(" ") || "–"]);
  const queue = frame.queue.map((id, at) => [at + 1, "#" + id, frame.slots[id].hash?.slice(0, 4) ?? "–"]);
  const totals = Object.entries(frame.totals).map(([name, value]) => [stage.t("stage.sum." + name), value]);
  const scroll = body.scrollTop;
  body.replaceChildren(make("div", "tables", [
    table(stage.t("stage.zone.C"), ["slot", "state", "ref", "tag", "fill", "reserved", "owners", "last"].map(t), slots),
    make("div", "", [table(stage.t("stage.zone.F"), ["place", "slot", "tag"].map(t), queue)]),
    make("div", "", [table(stage.t("stage.zone.B"), ["tag", "slot"].map(t), board), table(stage.t("stage.zone.E"), ["name", "value"].map(t), totals)]),
    table(stage.t("stage.col.requests"), ["request", "state", "tokens", "reused", "computed", "reserved", "waiting", "answer", "btable"].map(t), requests),
  ]));
  body.scrollTop = scroll;
}
