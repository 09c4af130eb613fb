// Where everything of the act lies, in units. Wide: 1280 x 656, scaled as a whole. Narrow: the root's own pixels, one column. Pure.

export const ACT_SMALL = 900;

const ACT_WIDE = { mode: "wide", W: 1280, H: 656, fs: { glyph: 38, small: 14, label: 16, tok: 25, tag: 18, cap: 26, why: 18, btn: 20 },
  head: [64, 10, 1152, 46], who: (r) => [64, 82 + r * 128, 82, 54], text: (r) => [150, 68 + r * 128, 1056, 74],
  block: (r, b) => [150 + b * 542, 68 + r * 128, 514, 74], cell: (r, i) => [150 + (i >> 2) * 542 + 12 + (i & 3) * 123, 78 + r * 128, 119, 54],
  tag: (r, b) => [150 + b * 542 + 198, 152 + r * 128, 118, 32], side: (r, b) => [150 + b * 542 + 78, 152 + r * 128, 112, 32], answer: (r) => [1056, 152 + r * 128, 150, 32],
  bench: [64, 332, 1152, 120], cap: [90, 332, 890, 120], next: [1030, 342, 166, 62], back: [1030, 408, 166, 36], keep: [850, 364, 150, 48],
  slot: (s) => [150 + s * 192, 464, 176, 96], looks: [966, 464, 250, 96], looksFirst: [150, 464, 900, 96], words: [64, 570, 940, 80], dots: [1016, 576, 200, 34], alone: [1030, 614, 186, 30], end: 656 };

/** The last beat: a lower bench leaves room for the path. */
const ACT_LAST = { ...ACT_WIDE, bench: [64, 332, 1152, 104], cap: [90, 332, 890, 104], back: [1030, 406, 166, 28], path: (i) => [64 + i * 294, 442, 270, 212] };

/** The narrow screen; `tall`: both languages at once need a taller bench. */
function actNarrow(width, tall) {
  const W = Math.min(Math.max(width, 320), 620), x = 12, cell = (W - 2 * x - 14 - 92) / 4, bench = 362, benchH = tall ? 316 : 236, low = bench + benchH + 10, slot = (W - 2 * x - 18) / 4, pitch = 148;
  const row = (r, b) => 90 + r * pitch + b * 60;
  return { mode: "phone", W, H: low + 124, fs: { glyph: 24, small: 16, label: 16, tok: 18, tag: 16, cap: 20, why: 16, btn: 18 },
    head: [14, 6, W - 28, 54], who: (r) => [14, 62 + r * pitch, W - 28, 26], text: (r) => [x, 90 + r * pitch, W - 2 * x, 64],
    block: (r, b) => [x, row(r, b), cell * 4 + 14, 56], cell: (r, i) => [x + 7 + (i & 3) * cell, row(r, i >> 2) + 6, cell - 3, 44],
    tag: (r, b) => [W - x - 84, row(r, b) + 20, 84, 34], side: (r, b) => [W - x - 84, row(r, b) - 1, 84, 20], answer: (r) => [112, 60 + r * pitch, 130, 27],
    bench: [x, bench, W - 2 * x, benchH], cap: [x + 16, bench + 8, W - 2 * x - 30, benchH - 72], next: [W / 2 - 40, bench + benchH - 60, W / 2 + 40 - x - 12, 50], back: [x + 12, bench + benchH - 60, W / 2 - 76 - x, 50], keep: [x + 12, bench + benchH - 60, W / 2 - 76 - x, 50],
    slot: (s) => [x + s * (slot + 6), low, slot, 112], looks: null, looksFirst: [x, low, W - 2 * x, 96], words: null, dots: null, alone: null, path: (i) => [x, low + i * 268, W - 2 * x, 256], end: low + 4 * 268 };
}

export const actLayout = (width, tall, last = false) => (width < ACT_SMALL ? actNarrow(width, tall) : last ? ACT_LAST : ACT_WIDE);
