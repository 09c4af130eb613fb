// Zone G, the bench: what happened and why; the question that stands open; the verdict with what the choice would have meant.
import { icon, make, makeButton, setAttr, setKeys, setName } from "../draw/dom.js";
import { captionOf, chipKeys, languagesOf, lookUp, parseTemplate, plainText, toldAt } from "../words/narrate.js";
import { isAsking, optionsTold, questionKnobs, verdictKnobs, askArgs } from "./quiz.js";
import { announce } from "./live.js";
import { betArgs, betBench, betSaid, isBetting } from "./bet.js";
import { endsQuietly, quietEnd } from "./endcard.js";
import { countWords, requestMark } from "../draw/lane.js";
import { tickKind } from "../draw/ticks.js";
import { pressAt } from "../time/steps.js";
import { toldKey } from "../draw/told.js";
import { tokenChip } from "../draw/tokens.js";
import { machineCaption, machineOf } from "../draw/machine.js";

function drawPiece({ order, t }, piece, event) {
  if (piece.kind === "token") return tokenChip(piece.text);
  if (piece.kind === "text") return make(piece.strong ? "strong" : "span", "", piece.text);
  const chip = piece.name === "req" ? requestMark(order, piece.text) : make("span", "", piece.text);
  chip.classList.add("chip", "c-" + piece.name);
  chip.tabIndex = 0;
  chip.setAttribute("role", "button");
  setName(chip, t("stage.chip." + piece.name, { value: piece.text }));
  setKeys(chip, chipKeys(piece, event));
  return chip;
}

/** Text pieces of a key in one language; what has no key says nothing. */
const piecesOf = ({ data: { text }, worded }, lang, key, args) => (key ? parseTemplate(lookUp(text, lang, worded(key)) ?? key, args) : []);

/** Step 0 has no event: it says what is about to happen and which key starts it. */
function openingEntries(stage) {
  const { lang: shown, run, events, level } = stage, args = { n: pressAt(events, 0, level).all };
  return languagesOf(shown).map((lang) => ({ lang, noodle: [], what: piecesOf(stage, lang, "stage.start.what", args),
    why: piecesOf(stage, lang, toldKey(run, "stage.start.why"), args) }));
}

/** Before anything plays: what will come, and the bet on it. */
function betEntries(stage) {
  const args = betArgs(stage);
  return languagesOf(stage.lang).map((lang) => ({ lang, noodle: [], what: piecesOf(stage, lang, "stage.bet.what", args), why: piecesOf(stage, lang, "stage.bet.why", args) }));
}

function questionEntries(stage) {
  const { lang: shown, events, k } = stage, { ask } = events[k], args = askArgs(events[k]);
  return languagesOf(shown).map((lang) => ({ lang, noodle: [], what: piecesOf(stage, lang, ask.question, args), why: piecesOf(stage, lang, ask.why, args) }));
}

const MARK = { right: ["yes", "check"], wrong: ["no", "times"], shown: ["shown", "ring"] };

/** Right or not, and what the chosen option would have meant; one piece list a language. */
function verdictEntry(stage, lang) {
  const { choice, right, shown, ask, args } = stage.feedback, name = shown ? "shown" : right ? "right" : "wrong";
  return { name, mark: stage.tIn(lang, "stage.ask." + name), said: piecesOf(stage, lang, ask.said[choice], args) };
}

const markNode = ({ name, mark }) => make("strong", MARK[name][0], [icon(MARK[name][1]), " " + mark]);

function drawLine(stage, cls, pieces, event, lang, before = []) {
  const line = make("p", cls, [...before, ...pieces.map((piece) => drawPiece(stage, piece, event))]);
  line.lang = lang;
  return line;
}

/** All lines, language by language within each kind: what, verdict, why. */
function benchLines(stage, entries, event) {
  const { feedback, flags, t } = stage, lines = [];
  for (const { lang, what } of entries) lines.push(drawLine(stage, "what", what, event, lang));
  if (stage.ask && !feedback && stage.nudged === stage.k) lines.push(make("p", "refused", [icon("up"), " " + t("stage.ask.first")]));
  for (const { lang } of feedback ? entries : []) {
    const verdict = verdictEntry(stage, lang);
    lines.push(drawLine(stage, "verdict", verdict.said, event, lang, [markNode(verdict), " "]));
  }
  const crowded = feedback && entries.length > 1; // a verdict in two languages leaves no room for more
  for (const { lang, why } of crowded ? [] : entries) if (why.length) lines.push(drawLine(stage, "why", why, event, lang));
  if (machineOf(stage) && !stage.edit && !feedback && !stage.ask) lines.push(make("p", "why try", t("stage.machine.try")));
  const noodle = entries.filter((entry) => entry.noodle.length).map((entry) => plainText(entry.noodle)).join(" · ");
  if (flags.noodle && noodle && !feedback) lines.push(make("p", "noodle-line", [icon("bowl"), " " + noodle]));
  if (event?.args?.ms && !stage.ask) lines.push(make("p", "note measured", t("stage.measured", event.args)));
  return lines;
}

/** What is read out: an open question with its options, a verdict before what happened, or the caption with its step. */
function spoken(stage, entries) {
  const { t, k, events, feedback } = stage, said = entries.map(({ what, why }) => plainText([...what, { text: " " }, ...why])).join(" ");
  if (feedback) return entries.map(({ lang }) => verdictEntry(stage, lang)).map(({ mark, said: pieces }) => mark + " " + plainText(pieces)).join(" ") + " " + said;
  if (stage.ask) return t("stage.ask.title") + ": " + said + " " + optionsTold(stage);
  if (isBetting(stage)) return (stage.bet ? betSaid(stage) + ". " : "") + said + (stage.bet ? "" : " " + betSaid(stage));
  const last = k && k === events.length ? t("stage.live.last") + " " : "";
  return last + countWords(stage) + ". " + said;
}

export function drawStory(stage, event) {
  const { zones: { G: zone }, events, k, feedback, data, lang, level } = stage, asking = isAsking(stage) && !feedback;
  const about = asking ? events[k] : event;
  const bets = isBetting(stage), told = () => machineCaption(stage) ?? (bets ? betEntries(stage) : event ? captionOf(data.text, lang, toldAt(event, level)) : openingEntries(stage));
  const entries = asking ? questionEntries(stage) : told();
  const end = endsQuietly(stage) ? quietEnd(stage) : null;
  const knobs = asking ? questionKnobs(stage) : feedback ? verdictKnobs(stage) : stage.edit ? [makeButton("btn word", stage.t("stage.key.putBack"), { do: "putBack" })] : end ? end.knobs : [];
  const lines = end ? [...benchLines(stage, entries, about).slice(0, entries.length), ...end.lines.map((line) => make("p", "why", line))] : benchLines(stage, entries, about);
  if (bets) lines.push(betBench(stage));
  const words = make("div", "words", lines);
  zone.body.replaceChildren(words, ...(knobs.length ? [make("div", "knobs", knobs)] : []));
  setAttr(zone.body, "data-both", entries.length > 1 ? "1" : null);
  setAttr(zone, "data-asking", asking ? "1" : null);
  setAttr(zone, "data-tone", asking ? "ask" : event ? tickKind(event) : null);
  setName(zone, stage.t(asking ? "stage.ask.title" : "stage.zone.G"));
  announce(stage, spoken(stage, entries) + (end ? " " + end.lines.join(" ") : ""));
}

const SMALLER = [1, 0.9, 0.8, 0.7, 0.62, 0.55, 0.48];

/** Long captions get smaller letters, never below 12 px (the sheet sees to that). Measured last of all in a step: whatever is drawn after it would cost a second layout. */
export function fitStory({ zones: { G: { body } } }) {
  for (const part of SMALLER) {
    if (body.fitted !== part) body.style.setProperty("--fit", (body.fitted = part));
    if (body.scrollHeight <= body.clientHeight + 1) break;
  }
}
