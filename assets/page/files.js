// Files that only a browser can make: a picture as PNG, a page on paper. Text enters through textContent only.

const mounted = new WeakMap();
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

const DO = { png: savePng, print };

function actionButton(action, say) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = action.label;
  button.addEventListener("click", async () => {
    try {
      await DO[action.kind](action);
      say(action.done);
    } catch {
      say(action.failed);
    }
  });
  return button;
}

export default function ({ data, parentElement }) {
  let root = mounted.get(parentElement);
  if (!root) {
    const style = document.createElement("style");
    style.textContent = STYLE;
    root = document.createElement("div");
    root.className = "files";
    parentElement.append(style, root);
    mounted.set(parentElement, root);
  }
  const told = document.createElement("span");
  told.setAttribute("role", "status");
  const parts = data.actions.map((action) => actionButton(action, (words) => (told.textContent = words)));
  if (data.preview) {
    const picture = document.createElement("img");
    picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(data.preview);
    picture.alt = data.alt;
    parts.unshift(picture);
  }
  root.replaceChildren(...parts, told);
}
