// The bench: what happens, why, the question, the verdict, and the one button. It is always in the same place.
import { languagesOf, lookUp, parseTemplate, plainText } from "../stage/words/narrate.js";
import { tokenKids } from "./paint.js";
import { tagsShown } from "./rows.js";

const OLD_TOKEN = "\u0001", NEW_TOKEN = "\u0002";
const BENCH_EDGE = { tag: "tagged", miss: "computed", reserve: "reserved", compute: "computed", keep: "kept", hit: "reused", rest: "computed", end: "reused" };

/** A sentence in pieces: what is named for the first time is marked, a tag is written as one, a token stands in a frame. */
function sentenceKids(pieces, tokens = []) {
  return pieces.flatMap(({ kind, text, strong }) => {
    if (kind === "chip") return [["code", "", text]];
    if (strong) return [["mark", "", text]];
    return text.split(/([\u0001\u0002])/).filter(Boolean).map((part) => (part === OLD_TOKEN || part === NEW_TOKEN ? ["span", "piece", ...tokenKids(tokens[part === OLD_TOKEN ? 0 : 1])] : part));
  });
}

function changedLine(act, part) {
  const { edit, data, beat } = act, variant = data.variants[edit.at][edit.v], fresh = tagsShown(act, 0).filter((tag, b) => tag !== beat.reqs[0].tags[b]).length;
  const key = part === "why" ? "act.changed.why" : fresh < beat.reqs[0].tags.length ? "act.changed.one.what" : "act.changed.all.what";
  return { key, args: { old: OLD_TOKEN, new: NEW_TOKEN, could: data.could, hit: variant.hit }, tokens: [data.pieces[0][edit.at], variant.text] };
}

/** The lines of the bench, each [class, key, args, tokens, sign]. */
function actLines(act) {
  const { beat, edit, guess, right, two } = act;
  if (edit) return ["what", "why"].map((part) => [part, changedLine(act, part)]);
  const [what, why] = ["what", "why"].map((part) => [part, { key: `act.${beat.name}.${part}`, args: beat.args }]);
  if (guess === null) return [what, why];
  const verdict = ["said", { key: act.meant, args: beat.args, sign: right }];
  return two ? [what, verdict] : [what, verdict, why];
}

const parseLine = (act, lang, { key, args }) => parseTemplate(lookUp(act.data.text, lang, key) ?? key, args);

function signKids(act, lang, sign) {
  if (sign === undefined) return [];
  const words = lookUp(act.data.text, lang, sign ? "act.right" : "act.wrong");
  return [["b", sign ? "ok" : "no", (sign ? "✓ " : "✕ ") + words], " "];
}

/** One message a step, for who listens: the verdict first. */
export function benchWords(act) {
  const say = ([, line]) => languagesOf(act.data.lang).map((lang) => {
    const sign = line.sign === undefined ? "" : lookUp(act.data.text, lang, line.sign ? "act.right" : "act.wrong") + " ";
    return sign + plainText(parseLine(act, lang, line)).replace(OLD_TOKEN, line.tokens?.[0]).replace(NEW_TOKEN, line.tokens?.[1]);
  }).join(" ");
  const lines = actLines(act);
  return [...lines.filter(([cls]) => cls === "said"), ...lines.filter(([cls]) => cls !== "said")].map(say).join(" ");
}

function addButtons(act, sheet) {
  const { L, t, t1, i, last, open, data, edit } = act, first = data.path[0];
  if (edit) sheet.add("keep", L.keep, "btn quiet", [t("act.changed.back")], { act: "edit:off" });
  if (last) sheet.add("next", L.next, "btn next", [t1("path." + first.id) + " →"], { act: "take:" + first.runs[0].s });
  else sheet.add("next", L.next, "btn next" + (open ? " shut" : ""), [open ? "↑ " + t1("act.click") : t("act.next") + " →"], { act: "next", off: open ? "true" : undefined });
  if (edit && L.mode === "phone") return;
  if (last) sheet.add("back", L.back, "btn quiet", ["↺ " + t1("act.again")], { act: "again" });
  else if (i > 0) sheet.add("back", L.back, "btn quiet", ["← " + (L.mode === "phone" ? t1 : t)("act.back")], { act: "back" });
}

export function addBench(act, sheet) {
  const { L, beat, open, edit, data } = act;
  sheet.add("bench", L.bench, "bench " + (open ? "ask" : edit ? "computed" : BENCH_EDGE[beat.name] ?? ""));
  const lines = actLines(act).flatMap(([cls, line]) => languagesOf(data.lang).map((lang, j) => ["p", cls + (j ? " second" : ""), ...signKids(act, lang, line.sign), ...sentenceKids(parseLine(act, lang, line), line.tokens)]));
  if (act.open && act.refused === act.i) lines.splice(languagesOf(data.lang).length, L.mode === "wide" && !act.two ? 0 : lines.length, ["p", "refused", "↑ " + act.t1("act.click.first")]);
  const cap = edit && L.mode === "wide" ? [...L.cap.slice(0, 2), L.keep[0] - L.cap[0] - 16, L.cap[3]] : L.cap;
  sheet.add("cap", cap, "cap", lines);
  addButtons(act, sheet);
}
