// Zone G (what happened, why it matters) and the quiet face of zone Q (the last three captions).
import { icon, make, setAttr, setKeys, setText } from "../draw/dom.js";
import { captionLine, captionOf, chipKeys, plainText } from "../words/narrate.js";
import { requestMark } from "../draw/lane.js";
import { toldKey } from "../draw/told.js";

function drawPiece(S, piece, event) {
  if (piece.kind === "text") return make(piece.strong ? "strong" : "span", "", piece.text);
  const chip = piece.name === "req" ? requestMark(S, piece.text) : make("span", "", piece.text);
  chip.classList.add("chip", "c-" + piece.name);
  chip.tabIndex = 0;
  chip.setAttribute("role", "button");
  chip.setAttribute("aria-label", S.t("stage.chip." + piece.name, { value: piece.text }));
  setKeys(chip, chipKeys(piece, event));
  return chip;
}

function drawLine(S, cls, pieces, event, lang) {
  const line = make("p", cls, pieces.map((piece) => drawPiece(S, piece, event)));
  line.lang = lang;
  return line;
}

/** Step 0 has no event: it says what is about to happen and which key starts it. */
function openingEntries(S) {
  return (S.lang === "both" ? ["zh", "en"] : [S.lang]).map((lang) => {
    const piece = (key) => [{ kind: "text", text: S.in(lang, key, { n: S.run.log.events.length }) }];
    return { lang, what: piece("stage.start.what"), why: piece(toldKey(S, "stage.start.why")), noodle: [] };
  });
}

export function drawStory(S, event) {
  const body = S.zones.G.body;
  const entries = event ? captionOf(S.data.text, S.lang, event) : openingEntries(S);
  const lines = [];
  for (const { lang, what } of entries) lines.push(drawLine(S, "what", what, event, lang));
  for (const { lang, why } of entries) if (why.length) lines.push(drawLine(S, "why", why, event, lang));
  const noodle = entries.filter((entry) => entry.noodle.length).map((entry) => plainText(entry.noodle)).join(" · ");
  if (S.flags.noodle && noodle) lines.push(make("p", "noodle-line", [icon("bowl"), " " + noodle]));
  const { ms } = event?.args ?? {};
  if (ms) lines.push(make("p", "note measured", S.t("stage.measured", event.args)));
  body.replaceChildren(...lines);
  setAttr(body, "data-both", entries.length > 1 ? "1" : null);
  announce(S, entries.map((entry) => plainText([...entry.what, { text: " " }, ...entry.why])).join(" "));
}

/** Long captions get smaller letters. Measured last of all in a step: whatever is drawn after it would cost a second layout. */
export function fitStory(S) {
  const { body } = S.zones.G;
  for (const tight of [null, "1", "2"]) {
    setAttr(body, "data-tight", tight);
    if (body.scrollHeight <= body.clientHeight + 1) break;
  }
}

/** One polite message per step; while keys rain down only the last one is spoken, while it plays by itself none. */
function announce(S, message) {
  clearTimeout(S.liveTimer);
  if (S.auto) return;
  S.liveTimer = setTimeout(() => setText(S.live, S.t("stage.count", { step: S.k, total: S.run.log.events.length }) + ". " + message), 150);
}

export function drawRecent(S) {
  const { events } = S.run.log;
  const rows = [];
  for (let j = Math.max(0, S.k - 4); j < S.k - 1; j++) {
    const row = make("button", "past", [make("span", "no", String(j + 1)), make("span", "line", captionLine(S.data.text, S.lang === "both" ? "zh" : S.lang, events[j]))]);
    row.type = "button";
    row.dataset.seek = j + 1;
    rows.push(row);
  }
  const empty = make("p", "note", S.t("stage.recent.none"));
  S.zones.Q.body.replaceChildren(...(rows.length ? rows : [empty]));
  setText(S.zones.Q.titleNode, S.t("stage.recent"));
}
