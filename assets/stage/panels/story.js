// Zone G (what happened, why it matters) and the quiet face of zone Q (the last three captions).
import { icon, make, makeButton, setAttr, setKeys, setName, setText } from "../draw/dom.js";
import { captionOf, chipKeys, languagesOf, plainText, toldAt } from "../words/narrate.js";
import { requestMark } from "../draw/lane.js";
import { toldKey } from "../draw/told.js";

function drawPiece({ order, t }, piece, event) {
  if (piece.kind === "text") return make(piece.strong ? "strong" : "span", "", piece.text);
  const chip = piece.name === "req" ? requestMark(order, piece.text) : make("span", "", piece.text);
  chip.classList.add("chip", "c-" + piece.name);
  chip.tabIndex = 0;
  chip.setAttribute("role", "button");
  setName(chip, t("stage.chip." + piece.name, { value: piece.text }));
  setKeys(chip, chipKeys(piece, event));
  return chip;
}

function drawLine(stage, cls, pieces, event, lang) {
  const line = make("p", cls, pieces.map((piece) => drawPiece(stage, piece, event)));
  line.lang = lang;
  return line;
}

/** Step 0 has no event: it says what is about to happen and which key starts it. */
function openingEntries({ lang: shown, run, events, tIn }) {
  return languagesOf(shown).map((lang) => {
    const piece = (key) => [{ kind: "text", text: tIn(lang, key, { n: events.length }) }];
    return { lang, what: piece("stage.start.what"), why: piece(toldKey(run, "stage.start.why")), noodle: [] };
  });
}

export function drawStory(stage, event) {
  const { zones, data, lang, flags, t } = stage, { body } = zones.G;
  const entries = event ? captionOf(data.text, lang, toldAt(event, stage.level)) : openingEntries(stage);
  const lines = [];
  for (const { lang, what } of entries) lines.push(drawLine(stage, "what", what, event, lang));
  for (const { lang, why } of entries) if (why.length) lines.push(drawLine(stage, "why", why, event, lang));
  const noodle = entries.filter((entry) => entry.noodle.length).map((entry) => plainText(entry.noodle)).join(" · ");
  if (flags.noodle && noodle) lines.push(make("p", "noodle-line", [icon("bowl"), " " + noodle]));
  const { ms } = event?.args ?? {};
  if (ms) lines.push(make("p", "note measured", t("stage.measured", event.args)));
  body.replaceChildren(...lines);
  setAttr(body, "data-both", entries.length > 1 ? "1" : null);
  announce(stage, entries.map((entry) => plainText([...entry.what, { text: " " }, ...entry.why])).join(" "));
}

/** Long captions get smaller letters. Measured last of all in a step: whatever is drawn after it would cost a second layout. */
export function fitStory({ zones }) {
  const { body } = zones.G;
  for (const tight of [null, "1", "2"]) {
    setAttr(body, "data-tight", tight);
    if (body.scrollHeight <= body.clientHeight + 1) break;
  }
}

/** One polite message per step; while keys rain down only the last one is spoken. */
function announce(stage, message) {
  clearTimeout(stage.liveTimer);
  stage.liveTimer = setTimeout(() => setText(stage.live, stage.t("stage.count", { step: stage.k, total: stage.events.length }) + ". " + message), 150);
}

export function drawRecent({ zones, events, k, lang, t, caption }) {
  const rows = [];
  for (let j = Math.max(0, k - 4); j < k - 1; j++) {
    const line = caption(events[j], languagesOf(lang)[0]);
    rows.push(makeButton("past", [make("span", "no", String(j + 1)), make("span", "line", line)], { seek: j + 1 }));
  }
  const empty = make("p", "note", t("stage.recent.none"));
  zones.Q.body.replaceChildren(...(rows.length ? rows : [empty]));
  setText(zones.Q.titleNode, t("stage.recent"));
}
