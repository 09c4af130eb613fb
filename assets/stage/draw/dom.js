// Small DOM tools. Text enters the page through textContent and setAttribute only.

const SVG = "http://www.w3.org/2000/svg";
/** 16 x 16 outlines; a leading "f" means filled, otherwise stroked. Fonts have no say in how a glyph looks. */
const PATHS = {
  circle: "fM8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12z", triangle: "fM8 1.5L15 14.5H1z", square: "fM2.5 2.5h11v11h-11z",
  diamond: "fM8 .8L15.2 8L8 15.2L.8 8z", pentagon: "fM8 1.2L15.2 6.6L12.4 14.8H3.6L.8 6.6z", cross: "fM5.8 1.5h4.4v4.3h4.3v4.4h-4.3v4.3H5.8v-4.3H1.5V5.8h4.3z",
  check: "M2.5 8.5L6.5 12.5L13.5 4", plus: "M8 2.5V13.5M2.5 8H13.5", times: "M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5",
  ring: "M8 3a5 5 0 1 1-3.5 1.5", void: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zM3.5 12.5L12.5 3.5", copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM8 5v3.2l2.2 1.6", chain: "M6.6 9.4L9.4 6.6M7.3 5.2L9 3.5a2.5 2.5 0 0 1 3.5 3.5L10.8 8.7M8.7 10.8L7 12.5A2.5 2.5 0 0 1 3.5 9L5.2 7.3",
  lines: "M2 4.5h12M2 8h12M2 11.5h12", home: "M2 8L8 2.5L14 8M4 7v6.5h8V7", dots: "fM2 7h2.5v2.5H2zM6.8 7h2.5v2.5H6.8zM11.5 7h2.5v2.5h-2.5z",
  next: "fM4.5 2.5v11L12.5 8z", pause: "fM4 3h3v10H4zM9 3h3v10H9z", flag: "M4 14.5V2.5h8l-2 3l2 3H4",

  bowl: "M1.8 8h12.4a6.2 5.5 0 0 1-12.4 0zM5.5 5.8q-1-1.2 0-2.4M9 5.8q-1-1.2 0-2.4",

  left: "M14 8H2.5M7 3.5L2.5 8L7 12.5", right: "M2 8h11.5M9 3.5L13.5 8L9 12.5", up: "M8 14V2.5M3.5 7L8 2.5L12.5 7", down: "fM4 6h8L8 11z",
  screen: "M1.8 3h12.4v8H1.8zM5 14h6M8 11v3",
};

export function iconPath(name) {
  return PATHS[name].replace(/^f/, "");
}

export function icon(name, cls = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "ico " + (PATHS[name].startsWith("f") ? "fill " : "") + cls);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", iconPath(name));
  svg.append(path);
  return svg;
}

/** make("div", "slot", [children]) ; a string child becomes a text node. */
export function make(tag, cls = "", kids = []) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  node.append(...(Array.isArray(kids) ? kids : [kids]));
  return node;
}

/** Parts that stand apart for the ear too: without it, what is read on two of them is one word. */
export const apart = (kids) => kids.flatMap((kid) => [kid, " "]);

/** A node that one can point at and that the keyboard reaches. */
export function makeThing(cls, kids) {
  const node = make("div", cls, apart(kids));
  node.tabIndex = 0;
  node.setAttribute("role", "button");
  return node;
}

/** A button that does nothing by itself: what it stands for is in its data. */
export function makeButton(cls, kids = [], data = {}) {
  const button = make("button", cls, kids);
  button.type = "button";
  Object.assign(button.dataset, data);
  return button;
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttr(node, name, value) {
  if (value === false && name.startsWith("aria-")) value = "false"; // a state that is off is not the same as none
  if (value === null || value === false || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

/** What a screen reader calls a node. */
export const setName = (node, name) => setAttr(node, "aria-label", name);

/** A thing is called what is to be read on it (people who speak to their computer say that), then what it means. */
export function nameThing(node, meaning) {
  const words = node.textContent.replace(/\s+/g, " ").trim();
  setName(node, words ? words + ": " + meaning : meaning);
}

export const focusOn = (node) => node.focus({ preventScroll: true });

/** A canvas of that many units, with as many dots as the screen has for them; returns its clean context. */
export function sharpen(canvas, width, height, scale = 1) {
  const zoom = Math.max(1, scale * devicePixelRatio), dots = { width: Math.round(width * zoom), height: Math.round(height * zoom) };
  if (canvas.width !== dots.width || canvas.height !== dots.height) Object.assign(canvas, dots);
  Object.assign(canvas.style, { width: width + "px", height: height + "px" });
  const paint = canvas.getContext("2d");
  paint.setTransform(zoom, 0, 0, zoom, 0, 0);
  paint.clearRect(0, 0, width, height);
  return paint;
}

/** Puts a node at stage units (x, y); size only where given. Remembers both: asking the layout for them would cost a layout. */
export function place(node, x, y, w = node.stageW, h = node.stageH) {
  if (node.stageX !== x || node.stageY !== y) node.style.transform = `translate(${x}px,${y}px)`;
  if (node.stageW !== w) node.style.width = w + "px";
  if (node.stageH !== h) node.style.height = h + "px";
  Object.assign(node, { stageX: x, stageY: y, stageW: w, stageH: h });
}

export const isShown = (node) => Boolean(node?.isConnected && !node.closest(".off"));

/** Keyed children: nodes live on as long as their key does, in the order of `items` (which is the focus order). */
export function keyed(parent, items, keyOf, create, update) {
  const old = parent.keyedNodes ?? new Map();
  const now = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const node = old.get(key) ?? create(item);
    old.delete(key);
    now.set(key, node);
    update(node, item);
  }
  for (const node of old.values()) node.remove();
  let at = 0;
  for (const node of now.values()) {
    if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
    at++;
  }
  parent.keyedNodes = now;
  return now;
}

/** Link keys: `all` light the node up, `own` (default: all) are what pointing at it asks for. */
export function setKeys(node, all, own) {
  setAttr(node, "data-k", all.join(" "));
  setAttr(node, "data-h", (own ?? all).join(" "));
}

export function swapIcon(holder, name) {
  if (holder.iconName === name) return;
  holder.iconName = name;
  holder.replaceChildren(...(name ? [icon(name)] : []));
}

/** Rectangle of a node in stage units, whatever the scale. What was placed with a size knows it without a layout. */
export function rectIn(node) {
  const { stageX: x, stageY: y, stageW: w, stageH: h } = node;
  if (w !== undefined && h !== undefined) {
    const zone = node.closest(".zone");
    return zone && zone !== node ? { x: zone.stageX + x, y: zone.stageY + y, w, h } : { x, y, w, h };
  }
  const floor = node.closest(".stage"), base = floor.getBoundingClientRect(), box = node.getBoundingClientRect(), scale = base.width / floor.offsetWidth;
  return { x: (box.left - base.left) / scale, y: (box.top - base.top) / scale, w: box.width / scale, h: box.height / scale };
}
