// Geometry in stage units. Pure: nothing here touches the DOM, so node's test runner can prove "no overlaps".

/** Zones of the four stages, [x, y, w, h]. A request, G what it means and what is asked, B table, C pool, F queue, E ledger, D block table
 * (in E's place, when it is wanted whole), H time and buttons. Wide fills a page of 1280 x 720 below its bar; large a screen of 16:9. */
export const WIDE = { w: 1280, h: 656, head: [32, 4, 1216, 30], A: [0, 34, 1280, 178], G: [32, 216, 1216, 118], B: [32, 344, 216, 226],
  C: [264, 344, 596, 150], F: [264, 498, 596, 72], E: [876, 344, 372, 226], D: [876, 344, 372, 226], H: [0, 574, 1280, 82] };
export const LARGE = { w: 1280, h: 720, A: [0, 0, 1280, 204], G: [24, 212, 1232, 156], C: [24, 376, 720, 182], F: [24, 562, 720, 90],
  E: [760, 376, 496, 276], D: [760, 376, 496, 276], H: [0, 658, 1280, 62] };
export const FORK = { w: 1280, h: 656, head: WIDE.head, L: [32, 38, 216, 200], C: [264, 38, 596, 200], E: [876, 38, 372, 200],
  L2: [32, 244, 216, 200], C2: [264, 244, 596, 200], E2: [876, 244, 372, 200], G: [32, 450, 1216, 118], H: WIDE.H };

/** A root that is narrower, in pixels, is a phone: phone/ draws it, and lays it out by its sheet. */
export const PHONE_BELOW = 700;

/** Which of the four stages a root of that many pixels shows. */
export function modeOf(width, { fork, large }) {
  if (width < PHONE_BELOW) return "phone";
  return fork ? "fork" : large ? "large" : "wide";
}

/** The plan of a stage that is scaled. */
export const planOf = (mode) => ({ fork: FORK, large: LARGE })[mode] ?? WIDE;
