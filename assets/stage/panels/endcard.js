// The end of a run: the requests as they went, bet against result, the guesses, the belief that fell, the run to try next.
import { icon, make, makeButton, place, setAttr, setName } from "../draw/dom.js";
import { languagesOf } from "../words/narrate.js";
import { announce } from "./live.js";
import { mayAsk } from "./quiz.js";
import { drawVisible } from "../draw/tokens.js";
import { requestMark } from "../draw/lane.js";

const RAN_ROWS = 6, RAN_WORDS = 16, RAN_CELLS = 64;
const RAN_H = 44, RAN_GAP = 6, RAN_TALL = 34;

/** What the questions came to: [{ask, args, right, shown, belief}], in order of the run. Pure. */
export function guessesOf(events, asks) {
  return [...asks].sort(([a], [b]) => a - b).map(([at, given]) => {
    const { ask, args } = events[at];
    return { ask, args: { ...args, ...ask.args }, right: given.right, shown: Boolean(given.shown), belief: given.right === false ? ask.fell[given.choice] ?? null : null };
  });
}

/** The first belief that a guess was made from and the run refuted; null where none fell. Pure. */
export const fallenOf = (guesses) => guesses.find(({ belief }) => belief)?.belief ?? null;

/** Tokens of each request's prompt by what became of them: {rid, reused, computed, asked}. Pure. */
export const ranOf = (frame, order) => order.filter((rid) => frame.reqs[rid]).map((rid) => {
  const { hit, computed, num_prompt: asked } = frame.reqs[rid], reused = Math.min(hit, asked);
  return { rid, reused, computed: Math.max(0, Math.min(computed, asked) - reused), asked };
});

/** Reused and asked tokens of the whole run, the bet as a share of them, how far it was off. Pure. */
export function betOf({ totals: { hits, queries } }, { n: bet, unit } = { n: null }) {
  const share = bet === null || !queries ? null : unit === "percent" ? bet / 100 : bet / queries;
  return { hits, queries, bet, unit, share, rate: queries ? Math.round((1000 * hits) / queries) / 10 : 0, off: bet === null ? null : Math.abs(bet - hits) };
}

const betNow = ({ frame, bet }) => betOf(frame, bet ?? undefined);

/** On the last step of a run on a page that has cards; a second run beside it has none. */
const ends = ({ k, events, data, runB }) => Boolean(events.length && k === events.length && data.flags?.card && !runB);

/** Where guesses were asked for, the card covers the stage; otherwise the bench alone says what the run saved. */
export const hasCard = (stage) => ends(stage) && mayAsk(stage);
export const endsQuietly = (stage) => ends(stage) && !mayAsk(stage);

/** `longest`: tokens of the longest prompt shown, so that equal tokens stand under each other; `tall`: words have room. */
function ranRow({ order, run: { log } }, { rid, reused, computed, asked }, longest, tall) {
  const words = log.pieces[rid] ?? [], step = Math.ceil(longest / RAN_CELLS), cells = [];
  for (let i = 0; i < asked; i += step) {
    const cell = make("span", "rantok");
    if (tall && longest <= RAN_WORDS) drawVisible(cell, words[i] ?? "");
    setAttr(cell, "data-state", i < reused ? "reused" : i < reused + computed ? "computed" : null);
    cells.push(cell);
  }
  return make("div", "ranrow", [requestMark(order, rid), ...cells]);
}

function ranRows(stage, room) {
  const all = ranOf(stage.frame, stage.order), shown = all.slice(0, RAN_ROWS), rest = all.length - shown.length;
  const height = Math.min(RAN_H, Math.floor((room - (rest ? 22 : 0)) / Math.max(shown.length, 1)) - RAN_GAP);
  const longest = Math.max(1, ...shown.map(({ asked }) => asked)), rows = make("div", "ran", shown.map((row) => ranRow(stage, row, longest, height >= RAN_TALL)));
  rows.style.setProperty("--row", height + "px");
  rows.style.setProperty("--cells", Math.min(longest, Math.ceil(longest / Math.ceil(longest / RAN_CELLS))));
  if (rest) rows.append(make("p", "note", stage.t("stage.end.more", { n: rest })));
  return rows;
}

function betBar({ share, hits, queries }, t) {
  const done = make("i"), bar = make("div", "betbar", [done]);
  done.style.width = (100 * hits) / Math.max(queries, 1) + "%";
  if (share !== null) {
    const mark = make("span", "", "▲ " + t("stage.end.yourbet"));
    mark.style.left = `calc(${Math.min(100, 100 * share)}% - 7px)`;
    if (share > 0.7) mark.style.transform = "translateX(-80%)";
    bar.append(mark);
  }
  return bar;
}

function betWords({ bet, unit, off, rate }, t) {
  if (bet === null) return t("stage.end.nobet");
  if (unit === "percent") return t("stage.end.percent", { bet, rate });
  return t("stage.end.tokens", { bet }) + " " + t(off ? "stage.end.off" : "stage.end.exact", { off });
}

/** Two or three words for a question; all look-ups but the first have the same. */
function guessWords({ ask: { id, question }, args }, t) {
  const looks = question === "stage.ask.lane" || question === "stage.ask.some";
  return t("stage.guess." + (looks && id !== "empty" ? "lane" : id), args);
}

function guessList(guesses, t) {
  const line = (one) => make("li", "", [make("strong", one.right ? "yes" : one.shown ? "shown" : "no", [icon(one.right ? "check" : one.shown ? "dots" : "times")]), guessWords(one, t)]);
  return guesses.length ? make("ul", "guesses", guesses.map(line)) : make("p", "note", t("stage.end.noguess"));
}

function fellLines(guesses, t) {
  const fell = fallenOf(guesses), proven = guesses.some(({ right }) => right) && !guesses.some(({ right }) => right === false);
  if (fell) return [make("p", "big", [make("s", "", t("stage.belief." + fell))]), make("p", "", t("stage.belief." + fell + ".truth"))];
  return [make("p", proven ? "big" : "note", t(proven ? "stage.end.none" : "stage.end.noguess"))];
}

const section = (title, lines) => make("section", "", [make("h4", "", title), ...lines]);

const nextId = ({ data: { flags: { card } } }, fell) => card.next[fell] ?? card.next.ok;

/** The run to try, chosen by the belief that fell: title and question in the languages shown. */
function nextNames(stage, fell) {
  const names = stage.data.flags.card.runs[nextId(stage, fell)];
  return [0, 1].map((at) => [...new Set(languagesOf(stage.lang).map((one) => names[one][at]))].join(" · "));
}

const goKnobs = (stage, fell) => [makeButton("btn first", stage.t("stage.end.go"), { do: "run", run: nextId(stage, fell) }), makeButton("btn", stage.t("stage.end.again"), { do: "again" })];

/** For the bench at the end of a run without questions: the sum, the run to try, two buttons. */
export function quietEnd(stage) {
  const bet = betNow(stage), { hits: hit, queries: total } = bet, [title, question] = nextNames(stage, null), { t } = stage;
  return { lines: [t("stage.end.reused", { hit, total }) + (stage.bet ? " " + betWords(bet, t) : ""), t("stage.end.next") + ": " + title + ". " + question], knobs: goKnobs(stage, null) };
}

function nextLines(stage, fell) {
  const [title, question] = nextNames(stage, fell);
  const go = make("div", "endgo", [...goKnobs(stage, fell), makeButton("btn", stage.t("stage.end.knobs"), { do: "run", run: "" }), makeButton("btn", stage.t("stage.end.look"), { do: "look" })]);
  return [make("p", "big", title), make("p", "", question), go];
}

/** The three parts of the card; a phone may stack them. */
export function cardSections(stage) {
  const { t, events, asks } = stage, guesses = guessesOf(events, asks), bet = betNow(stage);
  const result = [make("p", "big", t("stage.end.reused", { hit: bet.hits, total: bet.queries })), betBar(bet, t)];
  const next = section(t("stage.end.next"), nextLines(stage, fallenOf(guesses)));
  return [section(t("stage.end.bet"), [...result, make("p", "", betWords(bet, t)), make("h4", "", t("stage.end.guesses")), guessList(guesses, t)]),
    section(t("stage.end.fell"), fellLines(guesses, t)), next];
}

export function drawEndCard(stage) {
  const shown = hasCard(stage) && stage.cardClosed !== stage.k;
  if (stage.k !== stage.events.length) stage.cardClosed = null;
  stage.card ??= stage.floor.insertBefore(make("div", "endcard"), stage.drawers);
  stage.card.hidden = !shown;
  stage.root.classList.toggle("carded", shown);
  if (!shown) return stage.card.replaceChildren();
  const { plan, card, t } = stage, { G, H, A } = plan, top = A[1] + 6;
  card.setAttribute("role", "region");
  setName(card, t("stage.end.bet"));
  place(card, G[0], top, G[2], H[1] - top - 6);
  card.replaceChildren(ranRows(stage, G[1] - top), make("div", "endbox", cardSections(stage)));
  announce(stage, [...card.querySelectorAll(".endbox :is(h4, .big, p:not(.big))")].map((node) => node.textContent.replace(/\.$/, "")).join(". "));
}

/** Away with the card, so that the last step is seen; it comes again when one comes back here. */
export function closeCard(stage) {
  stage.cardClosed = stage.k;
  drawEndCard(stage);
}

/** Another run, or this one's knobs: the page sees to both. */
export function chooseRun({ api }, button) {
  api.setTriggerValue?.("run", button.dataset.run ? { preset: button.dataset.run } : { knobs: true });
}
