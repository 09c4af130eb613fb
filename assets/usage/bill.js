// The bill of the log beside what it would have been; the resets by what they cost; how all of it is computed.
import { make, makeButton } from "../stage/draw/dom.js";
import { saidIn, signBox } from "./parts.js";

const LISTED = 8;

function stripOf(parts, most) {
  const all = parts.read + parts.written + parts.new, strip = make("span", "bar");
  strip.style.width = Math.max(3, (100 * all) / (most || 1)) + "%";
  for (const [cls, size] of [["read", parts.read], ["written", parts.written], ["fresh", parts.new]]) {
    if (!(size > 0.004 * all)) continue;
    const piece = make("i", cls);
    piece.style.flexGrow = size / all; // shares of one: below that a row would stay partly empty
    strip.append(piece);
  }
  return strip;
}

const billRow = ({ name, note, cost, parts, on, basis }, most) =>
  make("tr", on ? "on" : "", [make("td", "", [...saidIn(name, "name"), ...saidIn(note, "note"), parts ? stripOf(parts, most) : ""]), make("td", "", [make("b", "", cost), ...saidIn(basis, "basis")])]);

function resetList(usage) {
  const { t, data } = usage, marks = [...usage.marks.values()], some = marks.length > LISTED ? marks.slice().sort((a, b) => b.tokens - a.tokens).slice(0, LISTED) : marks;
  const items = some.map((mark) => make("li", "", [makeButton("line", [signBox(mark.cause), make("span", "", [make("b", "", t("usage.turn", { n: data.turns.n[mark.at] })), " ", mark.title[0]]), make("b", "cost", mark.cost ?? "")], { do: "turn:" + mark.at })]));
  const head = some.length < marks.length ? t("usage.resets.dearest", { n: some.length, all: marks.length }) : t(data.several ? "usage.resets.session" : "usage.resets");
  return marks.length ? [make("h3", "", head), make("ul", "resets", items)] : [];
}

export function drawBill(usage) {
  const { bill } = usage.data, sizes = bill.rows.map(({ parts }) => (parts ? parts.read + parts.written + parts.new : 0)), most = Math.max(...sizes, 0);
  const chips = make("p", "chips", bill.chips.map((text) => make("span", "chip", text)));
  const table = make("table", "", [make("tbody", "", bill.rows.map((row) => billRow(row, most)))]);
  const how = make("details", "how", [make("summary", "", bill.how.title), ...bill.how.lines.map((text) => make("p", "", text))]);
  usage.howOpen ??= false;
  how.open = usage.howOpen;
  how.addEventListener("toggle", () => (usage.howOpen = how.open));
  return [make("h2", "", bill.title), ...bill.basis.flatMap((lines, place) => lines.map((text) => make("p", (place ? "second " : "") + "mu", text))), table, chips, how, ...resetList(usage)];
}
