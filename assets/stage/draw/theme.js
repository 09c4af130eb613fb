// State colours come from the one palette in the payload; light or dark follows the page behind the stage.

const LUMA = [0.2126, 0.7152, 0.0722];

/** Relative luminance of "#rgb", "#rrggbb" or "rgb(r, g, b)"; null when the text is no colour. */
export function luminance(colour) {
  const hex = /^#([0-9a-f]{3,8})$/i.exec(colour.trim())?.[1];
  let parts;
  if (hex && hex.length < 6) parts = [...hex.slice(0, 3)].map((digit) => parseInt(digit + digit, 16));
  else if (hex) parts = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  else parts = /^rgba?\(([^)]+)\)/.exec(colour.trim())?.[1].split(/[\s,/]+/).slice(0, 3).map(Number);
  if (!parts || parts.some(Number.isNaN)) return null;
  const linear = parts.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return linear.reduce((sum, part, at) => sum + part * LUMA[at], 0);
}

export function themeOf(background, prefersDark) {
  const light = background ? luminance(background) : null;
  if (light === null) return prefersDark ? "dark" : "light";
  return light < 0.4 ? "dark" : "light";
}

export function themeNow({ host, themeChoice }) {
  const style = getComputedStyle(host.host ?? host);
  return themeChoice ?? themeOf(style.getPropertyValue("--st-background-color"), matchMedia("(prefers-color-scheme: dark)").matches);
}

/** The colours of now, from a palette of each theme; put on `root` where they are new. */
export function applyTheme(root, palette, theme) {
  const colours = palette[theme];
  if (root.dataset.theme === theme && root.palette === palette) return colours;
  for (const [token, colour] of Object.entries(colours)) root.style.setProperty("--" + token, colour);
  root.dataset.theme = theme;
  root.palette = palette;
  return colours;
}
