// Files that only a browser can make: a picture as PNG, a page on paper, a film as a video. Text enters through textContent only.
import { formatOf, record } from "./film.js";

const mounted = new WeakMap(), working = new WeakSet();
const STYLE = `
.files { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; font-family: var(--st-font, system-ui); color: var(--st-text-color); }
.files img { width: 100%; border: 1px solid var(--st-border-color); border-radius: .5rem; }
.files button { font: inherit; color: inherit; background: var(--st-background-color); border: 1px solid var(--st-border-color);
  border-radius: .5rem; padding: .4rem .8rem; min-height: 2.5rem; cursor: pointer; }
.files button:is(:hover, :focus-visible) { border-color: var(--st-primary-color); color: var(--st-primary-color); outline: none; }
.files button:focus-visible { box-shadow: 0 0 0 .2rem color-mix(in srgb, var(--st-primary-color) 40%, transparent); }
`;

const blobUrl = (text, type) => URL.createObjectURL(new Blob([text], { type }));

function save(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The SVG, drawn into a canvas `width` pixels wide: letters and patterns come out as the browser shows them. */
async function savePng({ text, name, width }) {
  const url = blobUrl(text, "image/svg+xml"), picture = new Image();
  picture.src = url;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = Math.round((width * picture.naturalHeight) / picture.naturalWidth);
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  const png = await new Promise((done) => canvas.toBlob(done, "image/png"));
  save(URL.createObjectURL(png), name);
}

/** Opens the page and the print dialogue; where windows may not open, the page is saved instead. */
function print({ text, name }) {
  const url = blobUrl(text, "text/html"), sheet = window.open(url);
  if (!sheet) return save(url, name);
  sheet.addEventListener("load", () => sheet.print());
}

/** Records the film in real time; the same button stops it, and what is recorded until then is saved. */
async function saveVideo(action, say, button) {
  if (!formatOf(globalThis)) throw new Error("nothing records here");
  let stopped = false;
  const stop = (event) => { event.stopImmediatePropagation(); stopped = true; };
  button.addEventListener("click", stop, { capture: true });
  button.textContent = action.stop;
  try {
    const [bytes, type, suffix] = await record(action, (picture) => {
      say(action.progress.replace("{n}", picture + 1).replace("{total}", action.count));
      return !stopped && button.isConnected;
    });
    if (!button.isConnected) return;
    save(URL.createObjectURL(new Blob([bytes], { type })), `${action.name}.${suffix}`);
  } finally {
    button.removeEventListener("click", stop, { capture: true });
    button.textContent = action.label;
  }
}

const DO = { png: savePng, print, video: saveVideo };

function actionButton(action, say) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = action.label;
  button.addEventListener("click", async () => {
    working.add(button);
    try {
      await DO[action.kind](action, say, button);
      say(action.done);
    } catch {
      say(action.failed);
    }
    working.delete(button);
  });
  return button;
}

function showFiles({ data, parentElement }) {
  let root = mounted.get(parentElement);
  if (!root) {
    const style = document.createElement("style");
    style.textContent = STYLE;
    root = document.createElement("div");
    root.className = "files";
    parentElement.append(style, root);
    mounted.set(parentElement, root);
  }
  if ([...root.querySelectorAll("button")].some((button) => working.has(button))) return; // a film is being recorded
  const told = document.createElement("span");
  told.setAttribute("role", "status");
  const parts = data.actions.map((action) => actionButton(action, (words) => (told.textContent = words)));
  if (data.preview) {
    const picture = document.createElement("img");
    // a browser does not tell a picture that its viewer asked for less motion
    const shown = matchMedia("(prefers-reduced-motion: reduce)").matches ? data.preview.replace(/<set [^>]*>/g, "") : data.preview;
    picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(shown);
    picture.alt = data.alt;
    parts.unshift(picture);
  }
  root.replaceChildren(...parts, told);
}

export default showFiles;
