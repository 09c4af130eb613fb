// Zones B and D: hash table and block table; and the pseudocode, which stands in the ledger's place when it is wanted.
import { keyed, make, makeThing, nameThing, place, setAttr, setKeys, setText, swapIcon } from "./dom.js";
import { rowWindow, tableGrid, titleHeight } from "./places.js";
import { peakTable } from "../time/steps.js";
import { codeLineOf, isPromised, NUM_CODE_LINES } from "./view.js";
import { requestMark } from "./lane.js";

function makeRow() {
  const tag = make("span", "stag"), arrow = make("span", "to"), slots = make("span", "sid"), note = make("span", "rnote");
  return Object.assign(makeThing("row", [tag, arrow, slots, note]), { tag, arrow, slots, noteNode: note });
}

const slotNames = (slots) => slots.slice(0, 2).map((id) => "#" + id).join(" ") + (slots.length > 2 ? " +" + (slots.length - 2) : "");

/** While a tag is looked up, nothing tells whether it is there: the verdict's own event does. A missed tag then gets a row with nothing in it. */
function tableRows(frame, told) {
  const rows = Object.entries(frame.table).map(([hash, slots]) => ({ hash, slots, mark: "" }));
  const last = told.at(-1), { op, hash } = last ?? {};
  for (const row of rows) if (told.some((event) => event.hash === row.hash && event.op === "match")) row.mark = "hit";
  for (const row of rows) if (told.some((event) => event.hash === row.hash && event.op === "register")) row.mark = "new";
  if (op === "probe") rows.push({ hash: "?" + hash, tag: hash?.slice(0, 4) ?? "", slots: [], mark: "asked" });
  if (op === "miss" && hash && !frame.table[hash]) rows.push({ hash, slots: [], mark: "miss" });
  return rows.map((row) => ({ tag: row.hash.slice(0, 4), ...row }));
}

const ROW_NOTE = { hit: "✓", asked: "?" };

function drawRow({ t, t1, frame, run }, row, item, cols) {
  const promised = isPromised(frame, item.slots, run.log.meta.block_size);
  setText(row.tag, item.tag);
  setText(row.arrow, item.slots.length ? "→" : "");
  setText(row.slots, slotNames(item.slots));
  setText(row.noteNode, item.mark === "miss" ? t1("stage.row.miss") : ROW_NOTE[item.mark] ?? (promised ? (cols > 1 ? "…" : "… " + t1("stage.state.reserved")) : ""));
  setAttr(row, "data-mark", item.mark || null);
  setAttr(row, "data-promised", promised ? "1" : null);
  setKeys(row, ["tag:" + item.tag, ...item.slots.map((id) => "slot:" + id)]);
  const name = t("stage.a11y.row", { tag: item.tag, at: slotNames(item.slots) || "-" });
  nameThing(row, promised ? name + ", " + t("stage.state.reserved") : name);
}

/** Returns the drawn rows by tag; the one that is asked for under "?". */
export function drawHashTable(stage, frame, told) {
  const { zones, plan, mode, t } = stage, zone = zones.B, rows = tableRows(frame, told), top = titleHeight(mode);
  const { rows: perCol, cols, pitch } = tableGrid(rows.length, plan.B[3], top, mode), fit = perCol * cols;
  const at = rows.findIndex(({ mark }) => mark !== "");
  const [first, last] = rowWindow(rows.length, at, fit), colW = plan.B[2] / cols;
  const nodes = keyed(zone.body, rows.slice(first, last).map((row, j) => ({ ...row, j })), ({ hash }) => hash, makeRow, (row, item) => {
    place(row, Math.floor(item.j / perCol) * colW, top + (item.j % perCol) * pitch, colW - 4, pitch - 4);
    drawRow(stage, row, item, cols);
  });
  setAttr(zone, "data-cols", cols);
  const empty = (zone.emptyNode ??= zone.appendChild(make("p", "note zempty")));
  setText(empty, rows.length ? "" : t("stage.table.none"));
  setText(zone.aside, rows.length > fit ? first + 1 + "–" + last + " / " + rows.length : "");
  return new Map([...nodes].map(([hash, node]) => (hash[0] === "?" ? ["?", node] : [hash.slice(0, 4), node])));
}

function makeTableRow() {
  const names = ["logical", "to", "sid", "stag", "look", "word"], parts = Object.fromEntries(names.map((name) => [name, make("span", name)]));
  parts.to.textContent = "→";
  return Object.assign(makeThing("drow", Object.values(parts)), { parts });
}

const HOW = { hit: ["check", "reused"], new: ["plus", "computed"], reserved: ["dots", "reserved"] };

/** The block table whole: [slot, how] by logical block; rows freed meanwhile stay, struck. */
function tableOf(run, k, rid) {
  const frame = run.frames[k], req = frame.reqs[rid], live = req?.btable ?? [], peak = rid ? peakTable(run.frames, k, rid) : [];
  return (live.length >= peak.length ? live : peak).map(([slot, how], b) => {
    const freed = b >= live.length;
    return { b, slot, freed, how: !freed && how === "new" && frame.slots[slot].fill === 0 ? "reserved" : how, tag: req?.hashes[b]?.slice(0, 4) ?? "" };
  });
}

function drawTableRow({ t, t1 }, row, item, rid, two) {
  const { parts } = row, [glyph, word] = HOW[item.how];
  setText(parts.logical, String(item.b));
  setText(parts.sid, "#" + item.slot);
  setText(parts.stag, item.tag || "–");
  swapIcon(parts.look, item.freed ? null : glyph);
  setText(parts.word, two ? "" : t1(item.freed ? "stage.freed" : "stage.state." + word));
  setAttr(row, "data-how", item.how);
  setAttr(row, "data-freed", item.freed ? "1" : null);
  nameThing(row, t("stage.a11y.drow", { block: item.b, slot: item.slot }));
  setKeys(row, ["blk:" + rid + ":" + item.b, "slot:" + item.slot, "req:" + rid], ["blk:" + rid + ":" + item.b, "slot:" + item.slot]);
}

export function drawBlockTable(stage, zone, run, k, rid, [, , width, height]) {
  const { t, order, mode } = stage, top = titleHeight(mode), table = tableOf(run, k, rid), event = run.log.events[k - 1];
  const { rows: perCol, cols, pitch } = tableGrid(table.length, height, top, mode), fit = perCol * cols;
  const title = (zone.nameNodes ??= [make("span"), make("span")]);
  if (zone.titleNode.firstChild !== title[0]) zone.titleNode.replaceChildren(...title);
  setText(title[0], t("stage.zone.D"));
  keyed(title[1], rid ? [rid] : [], (one) => one, () => requestMark(order, rid), () => {});
  const spot = event?.rid === rid && event?.b != null ? event.b : table.length - 1, [first, last] = rowWindow(table.length, spot, fit), colW = width / cols;
  const nodes = keyed(zone.body, table.slice(first, last).map((item, j) => ({ ...item, j })), ({ b }) => b, makeTableRow, (row, item) => {
    place(row, Math.floor(item.j / perCol) * colW, top + (item.j % perCol) * pitch, colW - 6, pitch - 4);
    drawTableRow(stage, row, item, rid, cols > 1);
  });
  setAttr(zone, "data-cols", cols);
  setText(zone.aside, table.length > fit ? first + "–" + (last - 1) + " / " + table.length : "");
  return nodes;
}

/** The same 14 lines for every step, the line of this op lit. */
export function drawCode({ flags, runB, t, t1 }, zone, event) {
  const box = (zone.codeNode ??= zone.appendChild(make("ol", "codebox", Array.from({ length: NUM_CODE_LINES }, () => make("li")))));
  const on = Boolean(flags.code && !runB);
  box.classList.toggle("off", !on);
  for (const node of [zone.body, zone.sumsNode, zone.aside]) node?.classList.toggle("off", on);
  if (!on) return;
  setText(zone.titleNode, t("stage.zone.code"));
  [...box.children].forEach((line, at) => {
    setText(line, t1("stage.code." + at));
    setAttr(line, "aria-current", codeLineOf(event) === at ? "step" : null);
  });
}
