// Text templates -> pieces of a sentence. Pure; drawing them (textContent only) is the panels' business.
// {name} inserts args.name, {n:token|tokens} picks by args.n, **word** is strong.

const CHIP_NAMES = new Set(["req", "slot", "tag", "block", "parent"]);
/** Arguments that are tokens: drawn in a frame, with what is invisible in them (draw/tokens.js). */
const TOKEN_NAMES = new Set(["word", "old", "new"]);
const TOKEN = /\*\*(.+?)\*\*|\{(\w+):([^|}]*)\|([^}]*)\}|\{(\w+)\}/g;

export function parseTemplate(template, args, strong = false) {
  const out = [];
  const text = (value) => value !== "" && out.push({ kind: "text", text: String(value), strong });
  let at = 0;
  for (const found of String(template).matchAll(TOKEN)) {
    text(template.slice(at, found.index));
    at = found.index + found[0].length;
    const [, bold, pluralName, one, many, name] = found;
    if (bold !== undefined) out.push(...parseTemplate(bold, args, true));
    else if (pluralName !== undefined) text(Number(args[pluralName]) === 1 ? one : many);
    else if (CHIP_NAMES.has(name) && args[name] !== undefined && args[name] !== null && args[name] !== "") {
      out.push({ kind: "chip", name, text: chipText(name, args[name]), value: args[name], strong });
    } else if (TOKEN_NAMES.has(name)) out.push({ kind: "token", text: String(args[name] ?? ""), strong });
    else text(args[name] ?? "");
  }
  text(template.slice(at));
  return out;
}

const chipText = (name, value) => (name === "slot" ? "#" + value : String(value));

export const plainText = (pieces) => pieces.map((piece) => piece.text).join("");

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
