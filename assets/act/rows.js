// The two requests: their tokens in blocks, the tags under them, what is linked to what. Pure: a sheet is filled from one beat.
import { tokenKids } from "./paint.js";

const ACT_GLYPHS = ["●", "▲"];
const ACT_MARKS = { reused: "✓", computed: "+", reserved: "…" };

/** The tags on show: those of the beat, or of the variant that was put in place. */
export function tagsShown(act, r) {
  const { beat, edit, data } = act, base = beat.reqs[r].tags;
  return edit && r === 0 ? base.map((tag, b) => data.variants[edit.at][edit.v].tags[b] ?? tag) : base;
}

function addWho(act, sheet, r) {
  const { L, t1, beat, i } = act, { on } = beat.reqs[r], words = on === "done" ? t1("act.state.done") : "";
  sheet.add("who" + r, L.who(r), "who" + (on === "soon" && i > 0 ? " dim" : ""), [["b", "glyph", ACT_GLYPHS[r]], ["span", "", words]]);
}

/** A request that has not come yet is a line of text; on the opening the beginning that both share is underlined. */
function addText(act, sheet, r) {
  const { L, data, i } = act, asked = data.alike.length, same = data.alike.indexOf(false), text = data.pieces[r];
  const kids = i === 0 ? [["span", "alike", text.slice(0, same).join("")], text.slice(same, asked).join("")] : [text.slice(0, asked).join("")];
  sheet.add("text" + r, L.text(r), "text" + (i ? " dim" : " large"), [["span", "", ...kids]]);
}

function addTokens(act, sheet, r) {
  const { L, beat, data, edit, t1, open, chosen } = act, { tokens } = beat.reqs[r], editable = act.editable && r === 0, pick = open && r === 1;
  const near = beat.name === "rest" && r === 1;
  tokens.forEach((state, at) => {
    const changed = editable && edit?.at === at, text = changed ? data.variants[at][edit.v].text : data.pieces[r][at], eq = near && at >= beat.args.reused ? data.alike[at] : null;
    const mark = eq === null ? ACT_MARKS[state] : eq ? "=" : "≠", guess = r !== 1 ? "" : act.rightAt === at ? " answer-at" : act.guess === at ? " guess" : "";
    const cls = `tok ${state}${eq === null ? "" : eq ? " eq" : " ne"}${changed ? " changed" : ""}${editable ? " lit" : ""}${pick || (beat.ask && r === 1) ? " pick" : ""}${guess}${beat.ask && r === 1 && chosen === at ? " taken" : ""}`;
    const name = editable ? t1("act.change", { n: at + 1, text: text.trim() }) : pick ? t1("act.bet.token", { n: at + 1, text: text.trim() }) : undefined;
    sheet.add(`tok${r}.${at}`, L.cell(r, at), cls, [["span", "", ...tokenKids(text)], ...(mark ? [["small", "mark", mark]] : [])], editable ? { act: "edit:" + at, name } : pick ? { act: "answer:" + at, name } : {});
  });
}

/** What stands beside a tag: found in a slot, not found, put there; or how it compares with the tag before the change. */
function sideOf(act, r, b, tag) {
  const { beat, edit, t1 } = act, { blocks, slots, tags } = beat.reqs[r], state = blocks[b];
  if (edit && r === 0) return tag === tags[b] ? ["b", "ok", "= " + t1("act.changed.same")] : ["s", "", tags[b]];
  if (state === "hit") return ["b", "ok", "✓ #" + slots[b]];
  if (state === "miss" || state === "skip") return state === "miss" ? ["b", "no", "✕"] : null;
  return state ? ["b", "no", (state === "reserved" ? "… #" : "+ #") + slots[b]] : null;
}

function addTag(act, sheet, r, b) {
  const { L, edit, beat } = act, tags = tagsShown(act, r), tag = tags[b], box = L.tag(r, b), block = L.block(r, b), state = beat.reqs[r].blocks[b];
  const waits = beat.ask && r === 1;
  if (!tag && !waits) return;
  const differs = edit && r === 0 && tag !== beat.reqs[r].tags[b];
  const cls = waits ? "off" : edit && r === 0 ? (differs ? "diff" : "same") : state === "hit" ? "hit" : state === "miss" ? "miss" : "";
  sheet.add(`tag${r}.${b}`, box, "tag " + cls + (differs && act.flipped ? " flip" : ""), [tag ?? "?"]);
  const side = tag ? sideOf(act, r, b, tag) : null;
  if (side) sheet.add(`side${r}.${b}`, L.side(r, b), "side", [side]);
  if (tag) addWires(act, sheet, { r, b, box, block, side });
}

/** About how wide the label beside a tag is: the arrow ends where it begins. */
const sideWidth = ([, , words], font) => font * [...words].reduce((sum, char) => sum + (char > "\u2e80" ? 1 : 0.6), 0);

/** Four tokens fall in, a tag comes out; and it goes into the next one. */
function addWires({ L, beat }, sheet, { r, b, box, block, side }) {
  const [x, y, w, h] = box, [bx, by, bw, bh] = block, from = b > 0 ? L.tag(r, b - 1) : null;
  if (L.mode === "wide") {
    sheet.wires.push(["funnel" + (beat.name === "tag" ? " strong" : ""), `M${bx + 14} ${by + bh + 1}H${bx + bw - 14}L${x + w - 4} ${y}H${x + 4}z`]);
    const mid = y + h / 2, to = side ? x - 16 - sideWidth(side, L.fs.label) : x - 6;
    if (from) sheet.wires.push(["chain", `M${from[0] + from[2] + 4} ${mid}H${to - 9}`], ["point", `M${to} ${mid}l-11 -6v12z`]);
  } else if (from) {
    sheet.wires.push(["chain", `M${from[0] + 12} ${from[1] + from[3]}V${y}`]);
  }
}

/** K and V, one pair a token; where it is narrow, those of a block in one frame beside it. */
function addNotes({ L, beat, data }, sheet, r) {
  const { tokens, blocks } = beat.reqs[r];
  if (L.mode === "phone") return blocks.forEach((_, b) => sheet.add(`kv${r}.${b}`, L.tag(r, b), "kv", ["K V × " + data.size]));
  tokens.forEach((_, at) => {
    const [x, y, w] = L.cell(r, at);
    sheet.add(`kv${r}.${at}`, [x + w / 2 - 32, y + 70, 64, 28], "kv", ["K V"]);
  });
}

/** One request, as far as it has come. */
export function addRow(act, sheet, r) {
  const { L, beat } = act, req = beat.reqs[r];
  addWho(act, sheet, r);
  if (req.on === "soon") return addText(act, sheet, r);
  (req.cut ? req.blocks : []).forEach((state, b) => {
    sheet.add(`block${r}.${b}`, L.block(r, b), "block " + state);
    if (beat.name !== "cut") addTag(act, sheet, r, b);
  });
  addTokens(act, sheet, r);
  if (beat.name === "cut") addNotes(act, sheet, r);
  if (req.answer) sheet.add("answer" + r, L.answer(r), "answer", [["span", "", "→ ", ...tokenKids(req.answer)]]);
}
