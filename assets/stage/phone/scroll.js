// Where a long zone stands: the row that a step tells about in sight, whatever was scrolled to before.
import { LIST_ROW } from "./request.js";

/** Reads the layout once for each step, last of all. A redrawing of the same step leaves alone what the viewer has scrolled to. */
export function scrollZones({ phone, k, rid, ask, event, events }, { views, spoken }) {
  const stamp = [k, rid, Boolean(ask), views.length].join("|");
  if (phone.scrolledFor === events && phone.scrolledAt === stamp) return;
  Object.assign(phone, { scrolledFor: events, scrolledAt: stamp });
  const [request, pool, queue] = phone.zones;
  const row = request.blocks.get(spoken), whole = views.length === request.blocks.size;
  const middle = (zone, top, height, room = zone.clientHeight - (zone.board?.offsetHeight ?? 0)) => (zone.scrollTop = top + height <= room ? 0 : top - Math.max(8, (room - height) / 2)); // the tag board covers the end of its zone
  if (whole && row && !ask) middle(request, row.offsetTop, row.offsetHeight);
  else request.scrollTop = whole || ask ? 0 : Math.max(0, spoken - 1) * LIST_ROW;
  for (const [zone, node] of [[pool, pool.cells.get(event?.slot)], [queue, queue.cards.get(event?.slot)?.parentNode]]) {
    if (node && !ask) middle(zone, node.offsetTop, node.offsetHeight);
    else zone.scrollTop = 0;
  }
  request.drawList?.();
}
