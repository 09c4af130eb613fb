// Where a long zone stands: the row that a step tells about in sight, whatever was scrolled to before.
import { LIST_ROW } from "./request.js";

/** How far a zone is scrolled so that a row is whole in sight, and the first row in sight begins at its edge. Pure: rows as [top, height], from `lead` on they are seen. */
export function scrollFor(rows, row, room, lead = 0) {
  const end = row[0] + row[1] + 8;
  if (end <= room) return 0;
  const tops = rows.map(([top]) => top).filter((top) => top <= row[0] && end - top + 6 <= room - lead);
  return Math.max(0, Math.min(row[0], ...tops) - lead - 6);
}

const spanOf = (node) => [node.offsetTop, node.offsetHeight];

/** The tag board covers the end of its zone, the name of a zone its beginning. */
function bring(zone, nodes, node) {
  const room = zone.clientHeight - (zone.board?.offsetHeight ?? 0), lead = zone.heading?.offsetHeight ?? 0;
  zone.scrollTop = scrollFor([...nodes].map(spanOf), spanOf(node), room, lead);
}

/** Reads the layout once for each step, last of all. A redrawing of the same step leaves alone what the viewer has scrolled to. */
export function scrollZones({ phone, k, rid, ask, event, events }, { views, spoken }) {
  const stamp = [k, rid, Boolean(ask), views.length].join("|");
  if (phone.scrolledFor === events && phone.scrolledAt === stamp) return;
  Object.assign(phone, { scrolledFor: events, scrolledAt: stamp });
  const [request, pool, queue] = phone.zones;
  const row = request.blocks.get(spoken), whole = views.length === request.blocks.size;
  if (whole && row && !ask) bring(request, request.blocks.values(), row);
  else request.scrollTop = whole || ask ? 0 : Math.max(0, spoken - 1) * LIST_ROW;
  for (const [zone, nodes, node] of [[pool, pool.cells.values(), pool.cells.get(event?.slot)], [queue, queue.rows.children, queue.cards.get(event?.slot)?.parentNode]]) {
    if (node && !ask) bring(zone, nodes, node);
    else zone.scrollTop = 0;
  }
  request.drawList?.();
}
