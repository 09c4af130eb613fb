// A run drawn from KV events: they tell less than an engine does, and what they do not tell says so where it would have stood.
import { make, setAttr, setText } from "./dom.js";

/** The words for such a run, where an engine's would claim too much. */
export const toldKey = (S, key) => (S.run.log.meta.told ? key + "." + S.run.log.meta.told : key);

/** Totals that follow from the events alone. */
export const toldTotals = ({ totals, slots }) => [["stored", totals.stored, "register"], ["removed", totals.evicted, "evict"],
  ["shown", Object.values(slots).filter(({ hash }) => hash).length, "cached"]];

/** D, E, F: block table, totals, queue. What else speaks of requests, the sheet takes away. */
export function drawUntold(S) {
  const { told } = S.run.log.meta;
  setAttr(S.root, "data-told", told ?? null);
  for (const name of ["D", "E", "F"]) {
    const zone = S.zones[name];
    zone.untold ??= zone.appendChild(make("p", "untold note"));
    setText(zone.untold, told ? S.tLines("stage.untold." + name) : "");
  }
}
