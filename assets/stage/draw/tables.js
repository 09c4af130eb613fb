// Zones B, D and E: hash table, block table, totals or pseudocode.
import { keyed, make, makeThing, place, setAttr, setKeys, setName, setText, swapIcon } from "./dom.js";
import { rowWindow, TITLE_H } from "./layout.js";
import { peakTable } from "../time/steps.js";
import { codeLineOf, NUM_CODE_LINES } from "./view.js";
import { requestMark } from "./lane.js";
import { toldTotals } from "./told.js";

const ROW_H = 28, ROWS = 7;

function makeRow() {
  const tag = make("span", "stag"), arrow = make("span", "to"), slots = make("span", "sid");
  return Object.assign(makeThing("row", [tag, arrow, slots]), { tag, arrow, slots });
}

const slotNames = (slots) => slots.slice(0, 2).map((id) => "#" + id).join(" ") + (slots.length > 2 ? " +" + (slots.length - 2) : "");

/** A tag that is asked for but not on the board gets a ghost row: an empty place one can point at. */
function tableRows(frame, event) {
  const rows = Object.entries(frame.table).map(([hash, slots]) => ({ tag: hash.slice(0, 4), hash, slots }));
  const asked = event && (event.op === "probe" || event.op === "miss") && event.hash;
  if (asked && !frame.table[asked]) rows.push({ tag: asked.slice(0, 4), hash: asked, slots: [], ghost: event.op });
  return rows;
}

/** Returns the drawn rows by tag. */
export function drawHashTable({ zones, plan, lang, t }, frame, event) {
  const zone = zones.B, rows = tableRows(frame, event);
  const fit = 2 * ROWS, perCol = fit / 2;
  const at = event?.hash ? rows.findIndex((row) => row.hash === event.hash) : -1;
  const [first, last] = rowWindow(rows.length, at, fit);
  const colW = ((plan.B?.[2] ?? 216) - 12) / 2;
  const nodes = keyed(zone.body, rows.slice(first, last).map((row, j) => ({ ...row, j })), ({ hash }) => hash, makeRow, (row, item) => {
    place(row, 6 + Math.floor(item.j / perCol) * colW, TITLE_H + (item.j % perCol) * ROW_H, colW - 4, ROW_H - 4);
    const told = event?.hash === item.hash ? event.op : event?.op === "probe" || event?.op === "match";
    const stamp = [item.tag, item.slots, item.ghost, told, lang].join();
    if (row.stamp === stamp) return;
    row.stamp = stamp;
    setText(row.tag, item.tag);
    setText(row.arrow, item.ghost ? "" : "→");
    setText(row.slots, item.ghost ? (item.ghost === "miss" ? "×" : "?") : slotNames(item.slots));
    setAttr(row, "data-ghost", item.ghost ?? null);
    setAttr(row, "data-asked", event?.op === "probe" || event?.op === "match" ? (item.hash === event.hash ? "1" : "0") : null);
    setAttr(row, "data-new", event?.op === "register" && item.hash === event.hash ? "1" : null);
    setKeys(row, ["tag:" + item.tag, ...item.slots.map((id) => "slot:" + id)]);
    setName(row, t("stage.a11y.row", { tag: item.tag, slots: slotNames(item.slots) || "-" }));
  });
  setText(zone.aside, rows.length > fit ? first + 1 + "–" + last + " / " + rows.length : "");
  return new Map([...nodes].map(([hash, node]) => [hash.slice(0, 4), node]));
}

export function drawBlockTable({ lang, t, order, t1 }, zone, run, k, rid, width) {
  const frame = run.frames[k], live = frame.reqs[rid]?.btable ?? [];
  const peak = rid ? peakTable(run.frames, k, rid) : [];
  const table = live.length >= peak.length ? live : peak;
  const stamp = rid + lang;
  if (zone.titleNode.stamp !== stamp) {
    zone.titleNode.stamp = stamp;
    zone.titleNode.replaceChildren(make("span", "", t("stage.zone.D")), ...(rid ? [requestMark(order, rid)] : []));
  }
  const event = run.log.events[k - 1];
  const two = table.length > 8, spot = event?.rid === rid && event?.b != null ? event.b : table.length - 1;
  const [first, last] = rowWindow(table.length, spot, 16);
  const colW = (width - 12) / (two ? 2 : 1);
  const items = table.slice(first, last).map(([slot, how], j) => ({ slot, how, b: first + j, j, freed: first + j >= live.length }));
  const create = () => {
    const logical = make("span", "logical"), arrow = make("span", "to", "→"), slot = make("span", "sid"), look = make("span", "look"), word = make("span", "note");
    return Object.assign(makeThing("drow", [logical, arrow, slot, look, word]), { logical, slotName: slot, look, word });
  };
  const nodes = keyed(zone.body, items, ({ b }) => b, create, (row, item) => {
    place(row, 6 + Math.floor(item.j / 8) * colW, TITLE_H + (item.j % 8) * 25, colW - 4, 24);
    setText(row.logical, String(item.b));
    setText(row.slotName, "#" + item.slot);
    swapIcon(row.look, item.how === "hit" ? "check" : "plus");
    setText(row.word, two ? "" : t1(item.freed ? "stage.freed" : item.how === "hit" ? "stage.state.reused" : "stage.state.computed"));
    setAttr(row, "data-how", item.how);
    setAttr(row, "data-two", two ? "1" : null);
    setAttr(row, "data-freed", item.freed ? "1" : null);
    setName(row, t("stage.a11y.drow", { block: item.b, slot: item.slot }));
    setKeys(row, ["blk:" + rid + ":" + item.b, "slot:" + item.slot, "req:" + rid], ["blk:" + rid + ":" + item.b, "slot:" + item.slot]);
  });
  setText(zone.aside, table.length > 16 ? first + "–" + (last - 1) : "");
  return nodes;
}

const percent = (part, whole) => (whole ? Math.round((100 * part) / whole) + " %" : "–");

export function drawTotals({ run, zones, t, tLines }, zone, frame, other) {
  const { totals, slots, queue } = frame;
  const free = queue.length, all = Object.keys(slots).length;
  const cached = queue.filter((id) => slots[id].hash).length;
  const values = zone === zones.E && run.log.meta.told ? toldTotals(frame) : [["reused", totals.hits, "hit"], ["computed", totals.computed, "miss"], ["rate", percent(totals.hits, totals.queries), "hit"],
    ["evicted", totals.evicted, "evict"], ["inuse", all - free, "others"], ["cached", cached, "cached"]];
  const create = () => {
    const value = make("span", "big"), name = make("span", "note");
    return Object.assign(make("div", "total", [value, name]), { value, name });
  };
  zone.body.querySelector(".codebox")?.remove();
  setText(zone.titleNode, t("stage.zone.E"));
  keyed(zone.body, values, ([id]) => id, create, (node, [id, value, hue]) => {
    setText(node.value, String(value));
    setText(node.name, tLines("stage.total." + id));
    setAttr(node, "data-hue", hue);
    setAttr(node, "data-differs", other?.[id] !== undefined && other[id] !== value ? "1" : null);
  });
}

/** Code drawer: the same 14 lines for every step, the line of this op lit. */
export function drawCode({ t, t1 }, zone, event) {
  if (!zone.body.querySelector(".codebox")) {
    zone.body.replaceChildren(make("ol", "codebox", Array.from({ length: NUM_CODE_LINES }, () => make("li"))));
    zone.body.keyedNodes = null;
  }
  setText(zone.titleNode, t("stage.zone.code"));
  [...zone.body.firstChild.children].forEach((line, at) => {
    setText(line, t1("stage.code." + at));
    setAttr(line, "aria-current", codeLineOf(event) === at ? "step" : null);
  });
}
