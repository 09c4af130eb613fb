// The fields of a log's first records as a tree; for each a person chooses what it is. Text enters through textContent only.

const mounted = new WeakMap();
const STYLE = `
.fields { container-type: inline-size; font-family: var(--st-font, system-ui); font-size: 14px; line-height: 1.4; color: var(--st-text-color); }
.fields * { box-sizing: border-box; }
.fields .rows { max-height: 27rem; overflow: auto; border: 1px solid var(--st-border-color); border-radius: .5rem; }
.fields .rows:focus-visible { outline: 3px solid var(--st-primary-color); outline-offset: 1px; }
.fields .row { display: grid; grid-template-columns: minmax(9rem, 2fr) minmax(6rem, 3fr) 4rem 12.5rem; gap: .75rem; align-items: center; padding: .2rem .6rem; min-height: 2.25rem; border-top: 1px solid var(--st-border-color); }
.fields .row:first-child { border-top: 0; }
.fields .row.head { position: sticky; top: 0; z-index: 1; background: var(--st-secondary-background-color); font-weight: 600; }
.fields .row.head span { font-family: inherit; font-size: inherit; }
.fields .row[data-role] { background: color-mix(in srgb, var(--st-primary-color) 9%, transparent); }
.fields .name { padding-left: calc(var(--depth) * 1.1rem); overflow-wrap: anywhere; font-weight: 600; }
.fields .sample { font-family: var(--st-code-font, ui-monospace, monospace); font-size: 13px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.fields .share { text-align: right; font-variant-numeric: tabular-nums; }
.fields select { font: inherit; color: inherit; background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: .4rem; min-height: 2rem; width: 100%; padding: 0 .4rem; cursor: pointer; }
.fields .row[data-role] select { border: 2px solid var(--st-primary-color); font-weight: 600; }
.fields .row[data-proposed] select { border-style: dashed; }
.fields select:focus-visible { outline: 3px solid color-mix(in srgb, var(--st-primary-color) 45%, transparent); outline-offset: 1px; }
@container (max-width: 640px) {
  .fields .rows { max-height: none; overflow: visible; }
  .fields .row { grid-template-columns: 1fr 9rem; gap: .1rem .6rem; padding-block: .4rem; }
  .fields .row.head { display: none; }
  .fields .what { grid-area: 1 / 2; } .fields .name { grid-area: 1 / 1; } .fields .share { grid-area: 2 / 2; } .fields .sample { grid-area: 2 / 1; padding-left: calc(var(--depth) * 1.1rem); }
  .fields select { min-height: 2.75rem; font-size: 16px; }
}
`;

function make(tag, cls, text = "") {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  node.textContent = text;
  return node;
}

function choice(row, { roles, none, fits, what, proposed }, tell) {
  const select = make("select", ""), box = make("div", "what");
  const option = (value, text) => select.append(Object.assign(make("option", "", text), { value }));
  option("", none);
  const likely = roles.filter(([role]) => row.fits.includes(role)), others = roles.filter(([role]) => !row.fits.includes(role));
  for (const [role, word] of likely) option(role, role === row.role ? word : fits.replace("{role}", word));
  for (const [role, word] of others) option(role, word);
  select.value = row.role;
  select.setAttribute("aria-label", row.proposed ? `${row.path}: ${what} (${proposed})` : `${row.path}: ${what}`);
  select.addEventListener("change", () => tell({ path: row.path, role: select.value }));
  box.append(select);
  return box;
}

function drawRow(row, data, tell) {
  const node = make("div", "row");
  node.style.setProperty("--depth", row.depth);
  if (row.role) node.dataset.role = row.role;
  if (row.proposed) node.dataset.proposed = "";
  const name = make("span", "name", row.name), sample = make("span", "sample", row.sample);
  name.title = row.path;
  sample.title = row.sample;
  node.append(name, sample, make("span", "share", data.percent.replace("{n}", row.share)), choice(row, data, tell));
  return node;
}

export default function ({ data, parentElement, setTriggerValue }) {
  let root = mounted.get(parentElement);
  if (!root) {
    const style = make("style", "", STYLE);
    root = make("div", "fields");
    root.append(make("div", "rows"));
    root.firstChild.tabIndex = 0;
    root.firstChild.setAttribute("role", "group");
    parentElement.append(style, root);
    mounted.set(parentElement, root);
  }
  const box = root.firstChild, held = document.activeElement, at = box.scrollTop;
  const focused = [...box.querySelectorAll("select")].findIndex((one) => one === (parentElement.getRootNode?.().activeElement ?? held));
  const head = make("div", "row head");
  for (const [cls, word] of [["name", data.columns[0]], ["sample", data.columns[1]], ["share", data.columns[2]], ["", data.columns[3]]]) head.append(make("span", cls, word));
  head.style.setProperty("--depth", 0);
  box.setAttribute("aria-label", data.title);
  box.replaceChildren(head, ...data.rows.map((row) => drawRow(row, data, (told) => setTriggerValue("pick", told))));
  box.scrollTop = at;
  if (focused >= 0) box.querySelectorAll("select")[focused]?.focus({ preventScroll: true });
}
