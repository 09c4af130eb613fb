// A run drawn from KV events: they tell less than an engine does, and what they do not tell says so where it would have stood.
import { make, setAttr, setText } from "./dom.js";

/** The words for such a run, where an engine's would claim too much. */
export const toldKey = ({ log: { meta } }, key) => (meta.told ? key + "." + meta.told : key);

/** Totals that follow from the events alone. */
export const toldTotals = ({ totals, slots }) => [["stored", totals.stored, "register"], ["removed", totals.evicted, "evict"],
  ["shown", Object.values(slots).filter(({ hash }) => hash).length, "cached"]];

/** D, E, F: block table, totals, queue. What else speaks of requests, the sheet takes away. */
export function drawUntold({ root, run, zones, tLines }) {
  const { told } = run.log.meta;
  setAttr(root, "data-told", told ?? null);
  for (const name of ["D", "E", "F"]) {
    const zone = zones[name];
    zone.untold ??= zone.appendChild(make("p", "untold note"));
    setText(zone.untold, told ? tLines("stage.untold." + name) : "");
  }
}
