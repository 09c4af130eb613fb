// The texts of a lecture: those of its stops are {en, zh}, the screen's own stand in the table.

const HOLE = /\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g;

/** {n} is an argument, {n:hand|hands} a word by its number. */
export const fillHoles = (template, args = {}) => template.replace(HOLE, (_, name, one, many) => (one === undefined ? String(args[name] ?? "") : Number(args[name]) === 1 ? one : many));

/** A text of a stop in one language; what is no pair is the same in both. A number keeps its sign on its line. */
export const pick = (text, lang) => String((text && typeof text === "object" ? text[lang] ?? Object.values(text)[0] : text) ?? "").replace(/(\d) %/g, "$1\u00a0%");

/** Two languages: the first leads, the second stands under it, smaller. */
export const eachLang = (text, langs) => langs.map((lang) => [lang, pick(text, lang)]).filter(([, words], at, all) => words && (at === 0 || words !== all[0][1]));

/** `say(key, args)` in the leading language. */
export const sayer = (table, lang) => (key, args) => fillHoles(table?.[lang]?.["lecture." + key] ?? "lecture." + key, args);

export const percentText = (n, lang) => (lang === "zh" ? n + "%" : n + "\u00a0%");
