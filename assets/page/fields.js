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
  select.addEventListener("change", () => tell(row.path, select.value));
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

function drawHead({ columns }) {
  const head = make("div", "row head");
  for (const [place, cls] of ["name", "sample", "share", ""].entries()) head.append(make("span", cls, columns[place]));
  head.style.setProperty("--depth", 0);
  return head;
}

/** What the browser goes on holding after an answer: its choices that Python had not heard when it answered. Of other files: none. */
export function unheard(own, { of, heard }) {
  return { of, last: Math.max(own.last, heard), picks: own.of === of ? own.picks.filter(([n]) => n > heard) : [] };
}

/** One choice more. Each has a number above all before it, also above those of a tree that was taken off the page: `now` in ms. */
export function chosen(own, path, role, now) {
  const last = Math.max(own.last + 1, now);
  return { ...own, last, picks: [...own.picks, [last, path, role]] };
}

/** The rows as a person left them: an answer that is older than a choice does not take it back. */
export function withOwn(rows, { picks }) {
  const roles = new Map(picks.map(([, path, role]) => [path, role]));
  return rows.map((row) => (roles.has(row.path) ? { ...row, role: roles.get(row.path), proposed: false } : row));
}

/** Only what changed is drawn anew, so that an open list stays open when an answer comes. */
function draw(tree) {
  const { box, data } = tree, { rows: told, of, heard, ...words } = data, rows = withOwn(told, tree.own);
  const keys = [words, ...rows.map((row) => [row, words])].map((one) => JSON.stringify(one));
  if (keys.length !== tree.keys.length) box.replaceChildren(...keys.map(() => make("div", "")));
  keys.forEach((key, place) => {
    if (key === tree.keys[place] && keys.length === tree.keys.length) return;
    const old = box.children[place], hasFocus = old.contains(box.getRootNode().activeElement);
    const node = place ? drawRow(rows[place - 1], words, (path, role) => pick(tree, path, role)) : drawHead(words);
    old.replaceWith(node);
    if (hasFocus) node.querySelector("select")?.focus({ preventScroll: true });
  });
  tree.keys = keys;
  box.setAttribute("aria-label", words.title);
}

/** Told is all that Python may not have heard: of two events on the way the later may take the earlier one's place. */
function pick(tree, path, role) {
  tree.own = chosen(tree.own, path, role, Date.now());
  tree.setTriggerValue("pick", { of: tree.own.of, picks: tree.own.picks });
  draw(tree);
}

export default function ({ data, parentElement, setTriggerValue }) {
  let tree = mounted.get(parentElement);
  if (!tree) {
    const root = make("div", "fields"), box = make("div", "rows");
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    root.append(box);
    parentElement.append(make("style", "", STYLE), root);
    mounted.set(parentElement, (tree = { box, keys: [], own: { of: "", last: 0, picks: [] } }));
  }
  Object.assign(tree, { data, setTriggerValue, own: unheard(tree.own, data) });
  draw(tree);
}
