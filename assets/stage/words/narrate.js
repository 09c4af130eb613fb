// Text templates -> pieces of a sentence. Pure; drawing them (textContent only) is the panels' business.
// {name} inserts args.name, {n:token|tokens} picks by args.n, {slots*, } joins a list with what stands behind the star, **word** is strong.
import { visiblePieces } from "./visible.js";

/** Arguments that are things on the stage, and the kind of thing; those of lists may hold a mere ellipsis too. */
const CHIP_NAMES = { req: "req", slot: "slot", tag: "tag", block: "block", parent: "parent", slot2: "slot", tag2: "tag",
  reqs: "req", slots: "slot", gone: "slot", held: "slot", front: "slot", tags: "tag" };
/** Without a star such a name is a mere number: {slots} of "4 slots". */
const LISTS = new Set(["reqs", "slots", "gone", "held", "front", "tags"]);
/** Arguments that are tokens: drawn in a frame, with what is invisible in them (draw/tokens.js). */
const TOKEN_NAMES = new Set(["word", "old", "new"]);
const TOKEN = /\*\*(.+?)\*\*|\{(\w+):([^|}]*)\|([^}]*)\}|\{(\w+)(?:\*([^}]+))?\}/g;

export function parseTemplate(template, args, strong = false) {
  const out = [];
  const text = (value) => value !== "" && out.push({ kind: "text", text: String(value), strong });
  let at = 0;
  for (const found of String(template).matchAll(TOKEN)) {
    text(template.slice(at, found.index));
    at = found.index + found[0].length;
    const [, bold, pluralName, one, many, name, joint] = found;
    if (bold !== undefined) out.push(...parseTemplate(bold, args, true));
    else if (pluralName !== undefined) text(Number(args[pluralName]) === 1 ? one : many);
    else (joint ? args[name] ?? [] : [args[name] ?? ""]).forEach((value, place) => {
      if (place) text(joint);
      if (TOKEN_NAMES.has(name) && value !== "") out.push({ kind: "token", text: String(value), strong });
      else if (value === "" || value === "…" || !CHIP_NAMES[name] || (LISTS.has(name) && !joint)) text(value);
      else out.push({ kind: "chip", name: CHIP_NAMES[name], text: chipText(CHIP_NAMES[name], value), value, strong });
    });
  }
  text(template.slice(at));
  return out;
}

const chipText = (name, value) => (name === "slot" ? "#" + value : String(value));

/** Without frames a token stands in quotes, nothing of it invisible. */
const quoted = (text) => "“" + visiblePieces(text).map(([shown]) => shown).join("") + "”";

export const plainText = (pieces) => pieces.map((piece) => (piece.kind === "token" ? quoted(piece.text) : piece.text)).join("");

export function formatText(template, args = {}) {
  return plainText(parseTemplate(template, args));
}

/** Looks a key up in one language, then in the other; a missing key shows itself, so that it is noticed. */
export function lookUp(text, lang, key) {
  return text[lang]?.[key] ?? text.en?.[key] ?? text.zh?.[key];
}

export const languagesOf = (lang) => (lang === "both" ? ["zh", "en"] : [lang]);

/** The words of the interface; in "both" mode one short label holds both languages. */
export function labelText(text, lang, key, args, between = " · ") {
  const parts = languagesOf(lang).map((one) => formatText(lookUp(text, one, key) ?? key, args));
  return parts.length === 2 && parts[0] !== parts[1] ? parts.join(between) : parts[0];
}

/** An event as it is told at a level: the last one of a beat speaks for all of the beat. */
export const toldAt = (event, level) => (level === "beat" && event?.beat ? { ...event, ...event.beat } : event);

/** Caption of an event: [{lang, what, why, noodle}] with pieces, one entry per language shown. */
export function captionOf(text, lang, event) {
  return languagesOf(lang).map((one) => {
    const part = (name) => {
      const key = "cap." + event.cap + "." + name;
      const fallback = name === "what" ? lookUp(text, one, "cap." + event.op + ".what") ?? key : "";
      return parseTemplate(lookUp(text, one, key) ?? fallback, event.args ?? {});
    };
    return { lang: one, what: part("what"), why: part("why"), noodle: part("noodle") };
  });
}

/** One line of plain text for lists, tooltips and the live region. */
export function captionLine(text, lang, event) {
  return captionOf(text, lang, event).map((entry) => plainText(entry.what)).join(" · ");
}

/** Link keys of a caption chip. */
export function chipKeys(piece, event) {
  if (piece.name === "req") return ["req:" + piece.value];
  if (piece.name === "slot") return ["slot:" + piece.value];
  if (piece.name === "block") return event.rid ? ["blk:" + event.rid + ":" + (event.b ?? piece.value)] : [];
  return ["tag:" + piece.value];
}
