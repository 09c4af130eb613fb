// Which prefix is hot: the ten most popular beginnings, a row each, over the same time axis as the strips.

export const HEAT_ROWS = 10;

/** Counts travel as one character a bin, base 36; more than 35 stays 35. */
export const heatCounts = (text) => [...text].map((letter) => parseInt(letter, 36));

export function drawHeat(paint, { hot, time, top, rowHeight, width, at, colours }) {
  const rows = hot.map(({ counts }) => heatCounts(counts));
  const most = rows.flat().reduce((a, b) => Math.max(a, b), 1);
  rows.forEach((counts, row) => {
    const y = top + row * rowHeight;
    paint.fillStyle = colours.bg;
    paint.fillRect(time.left, y, time.right - time.left, rowHeight - 1);
    paint.fillStyle = colours.hit;
    counts.forEach((count, j) => {
      if (!count || j * width >= at) return;
      const x = time.x(j * width);
      paint.globalAlpha = 0.2 + (0.8 * count) / most;
      paint.fillRect(x, y, Math.max(1, time.x((j + 1) * width) - x), rowHeight - 1);
    });
    paint.globalAlpha = 1;
  });
}
