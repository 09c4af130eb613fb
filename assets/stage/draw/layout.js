// Geometry in stage units. Pure: nothing here touches the DOM, so node's test runner can prove "no overlaps".

/** Zones of the four stages, [x, y, w, h]. A request, G what it means and what is asked, B table, C pool, F queue, E ledger, D block table
 * (in E's place, when it is wanted whole), H time and buttons. Wide fills a page of 1280 x 720 below its bar; large a screen of 16:9. */
export const WIDE = { w: 1280, h: 656, head: [32, 4, 1216, 30], A: [0, 34, 1280, 178], G: [32, 216, 1216, 118], B: [32, 344, 216, 226],
  C: [264, 344, 596, 150], F: [264, 498, 596, 72], E: [876, 344, 372, 226], D: [876, 344, 372, 226], H: [0, 574, 1280, 82] };
export const LARGE = { w: 1280, h: 720, A: [0, 0, 1280, 204], G: [24, 212, 1232, 156], C: [24, 376, 720, 182], F: [24, 562, 720, 90],
  E: [760, 376, 496, 276], D: [760, 376, 496, 276], H: [0, 658, 1280, 62] };
export const FORK = { w: 1280, h: 656, head: WIDE.head, L: [32, 38, 216, 200], C: [264, 38, 596, 200], E: [876, 38, 372, 200],
  L2: [32, 244, 216, 200], C2: [264, 244, 596, 200], E2: [876, 244, 372, 200], G: [32, 450, 1216, 118], H: WIDE.H };

const NARROW = 700;

/** Which of the four stages a root of that many pixels shows. */
export function modeOf(width, { fork, large }) {
  if (width < NARROW) return "phone";
  return fork ? "fork" : large ? "large" : "wide";
}

/** Its plan. The phone has one of its own (phone/phone.js); until that is there, it is drawn from the wide one. */
export const planOf = (mode) => ({ fork: FORK, large: LARGE })[mode] ?? WIDE;

/** Blocks drawn whole, and runs of equal state folded into chips, so that at most `most` things of full width stand in the lane. */
export function foldBlocks(states, spot, most = 8) {
  const n = states.length;
  if (n <= most) return states.map((state, b) => ({ b, count: 1, state }));
  const keep = new Set([0, n - 1]);
  const edge = states.findIndex((state, b) => b > 0 && state !== states[b - 1]);
  const wish = [spot, spot - 1, spot + 1, edge, edge - 1].filter((b) => b >= 0 && b < n);
  for (const b of wish) if (keep.size < most - 2) keep.add(b);
  const items = [];
  for (let b = 0; b < n; b++) {
    const last = items[items.length - 1];
    if (keep.has(b)) items.push({ b, count: 1, state: states[b] });
    else if (last && last.folded && last.state === states[b]) last.count++;
    else items.push({ b, count: 1, state: states[b], folded: true });
  }
  const whole = items.map((item) => (item.folded && item.count === 1 ? { ...item, folded: undefined } : item));
  return mergeChips(whole.filter((item) => !item.folded).length > most ? items : whole, most + 3);
}

/** Many short runs would still overflow the lane: neighbouring chips grow together until the row fits. */
function mergeChips(items, most) {
  while (items.length > most) {
    const at = items.findIndex((item, j) => j > 0 && item.folded && items[j - 1].folded);
    if (at < 0) return items;
    items[at - 1] = { ...items[at - 1], count: items[at - 1].count + items[at].count, state: "mixed" };
    items.splice(at, 1);
  }
  return items;
}

export const LINK_GAP = 22;
const CHIP_W = 76;

/** x and width of each lane item; `joined` closes the gaps (the strip before it is cut). */
export function laneLayout(items, width, joined) {
  const chips = items.filter((item) => item.folded).length;
  const wholes = items.length - chips;
  const room = width - 34 - chips * (CHIP_W + LINK_GAP);
  const w = Math.max(24, Math.min(148, room / Math.max(wholes, 1) - LINK_GAP));
  let x = 12;
  return items.map((item) => {
    const place = { ...item, x, w: item.folded ? CHIP_W : w };
    x += place.w + (joined ? 0 : LINK_GAP);
    return place;
  });
}
