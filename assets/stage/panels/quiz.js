// Predict, observe, explain: the run stops before an event that carries `ask`; score = first try only.
import { make, makeButton, setAttr } from "../draw/dom.js";
import { refuseNext } from "../draw/controls.js";
import { sayNow } from "./live.js";

export const mayAsk = ({ flags, runB, hidden }) => flags.ask && !runB && !hidden.has("quiz");

/** What a question needs on the screen, besides its words, as `hide` calls it. */
const NEEDS = { lane: ["lane"], pool: ["pool"], choice: [] };

/** A question without its words, or without what one would choose from, is not asked. */
const canAsk = ({ hidden }, { ask }) => Boolean(ask) && !["story", ...NEEDS[ask.kind]].some((name) => hidden.has(name));

/** Is this event's question still to be answered? */
export const isOpen = (stage, event) => canAsk(stage, event) && !stage.asks.has(event.i);

/** Does a question stand open before the next event? */
export const isAsking = (stage) => mayAsk(stage) && stage.k < stage.events.length && isOpen(stage, stage.events[stage.k]);

/** All that may be chosen: a block (-1: none), a slot, the place of an option. */
export const choicesOf = (ask) => Object.keys(ask.said).map(Number).sort((a, b) => a - b);

/** In the lane: no block hits. It has a key of its own, for every digit is a block. */
export const NONE_HITS = -1;

/** The choice that a digit stands for: blocks and slots have their own numbers, options count from 1. */
export const choiceOfDigit = (ask, digit) => (ask.kind === "choice" ? digit - 1 : Object.keys(ask.said).some((choice) => choice > 9 && choice.startsWith(digit)) ? null : digit); // of #11 the first digit would answer

/** The choice that a thing with these link keys stands for, or null. */
export function choiceOfThing(ask, keys) {
  const start = { lane: "blk:" + ask.rid + ":", pool: "slot:" }[ask.kind], key = start && keys.find((one) => one.startsWith(start));
  return key ? Number(key.slice(start.length)) : null;
}

/** What the words of a question and of its verdict may name. */
export const askArgs = ({ ask, args }) => ({ ...args, ...ask.args });

const HELD = { lane: (choice, t) => (choice < 0 ? t("stage.ask.none") : String(choice)), pool: (choice) => "#" + choice, choice: (choice) => String(choice + 1) };

/** Hands raised for a choice, a number for each round. */
const handsFor = (rounds, choice) => rounds.map((round) => round[choice + 1] ?? 0);

function optionKnob({ events, k, votes, t }, choice, key, words) {
  const counts = handsFor(votes.get(k) ?? [], choice), text = t(words, askArgs(events[k]));
  const tally = counts.some(Boolean) ? [make("span", "hands", counts.join(" → "))] : [];
  return makeButton("btn option", [make("span", "", text), make("kbd", "", String(key)), ...tally], { option: choice });
}

/** At the right of an open question: options, or "none"; being shown; the room's second vote. */
export function questionKnobs(stage) {
  const { events, k, votes, t } = stage, { ask } = events[k], rounds = votes.get(k) ?? [];
  const knobs = (ask.options ?? []).map((words, at) => optionKnob(stage, at, at + 1, words));
  if (ask.kind === "lane") knobs.push(optionKnob(stage, NONE_HITS, "x", "stage.ask.none"));
  knobs.push(makeButton("btn show", [make("span", "", t("stage.ask.show")), make("kbd", "", "s")], { do: "reveal" }));
  if (rounds.length === 1) knobs.push(makeButton("btn word", t("stage.ask.again"), { do: "revote" }));
  if (ask.kind !== "choice") knobs.push(...voteBars(rounds, choicesOf(ask).filter((choice) => choice >= 0), ask, t));
  return knobs;
}

/** The room's hands, one bar for each choice that got any and for each round; the second round stands under the first. */
function voteBars(rounds, choices, ask, t) {
  const most = Math.max(1, ...rounds.flat().filter(Boolean));
  const bar = (count) => Object.assign(make("i", "hand", String(count)), { style: `width:${18 + (60 * count) / most}px` });
  return choices.filter((choice) => handsFor(rounds, choice).some(Boolean)).map((choice) =>
    make("span", "votes", [make("kbd", "", HELD[ask.kind](choice, t)), make("span", "", handsFor(rounds, choice).map(bar))]));
}

/** At the right of a verdict: the steps that decide, the room's hands, or that one more question comes. */
export function verdictKnobs(stage) {
  const { feedback, t } = stage, { ask, right, rounds, again } = feedback;
  if (again) return [make("span", "note", t("stage.ask.watch"))];
  if (isAsking(stage)) return [make("span", "note", t("stage.ask.next"))];
  const bars = voteBars(rounds, choicesOf(ask), ask, t);
  return right ? bars : [...bars, makeButton("btn word", t("stage.ask.replay"), { do: "replay" })];
}

/** How a question is answered without seeing it: its options, or which keys stand for blocks and slots. */
export function optionsTold({ events, k, t }) {
  const { ask } = events[k], args = askArgs(events[k]);
  if (ask.options) return t("stage.ask.options") + " " + ask.options.map((words, at) => at + 1 + ": " + t(words, args)).join("; ");
  const last = choicesOf(ask).at(-1);
  return t(ask.kind === "lane" ? "stage.ask.blocks" : "stage.ask.slots", { last });
}

/** Next over an open question never runs past it: the press points at it, and from then on the bench says what is wanted. */
export function nudgeQuestion(stage, redraw) {
  const { zones, events, k, t } = stage, args = askArgs(events[k]);
  stage.nudged = k;
  redraw(stage);
  refuseNext(stage);
  setAttr(zones.G, "data-nudge", "1");
  setTimeout(() => setAttr(zones.G, "data-nudge", null), 400);
  sayNow(stage, t("stage.ask.first") + " " + t(events[k].ask.question, args) + " " + optionsTold(stage));
}

function giveFeedback(stage, given) {
  const { k: at, events, votes } = stage;
  stage.feedback = { ...given, ask: events[at].ask, args: askArgs(events[at]), again: false, rounds: votes.get(at) ?? [] };
}

/** Takes a choice as the answer to the open question; false where it is none. */
export function answerQuestion(stage, choice) {
  const { k: at, asks, votes, api, events: { [at]: { ask } } } = stage;
  if (!(choice in ask.said)) return false;
  const right = ask.answers.includes(choice);
  asks.set(at, stage.seen > at ? { shown: true } : { choice, right });
  giveFeedback(stage, { choice, right });
  if (stage.seen > at) return true; // who has seen what comes does not guess
  api.setTriggerValue?.("answer", { id: ask.id, event: at, choice, right, first: true, votes: votes.get(at) ?? [] });
  return true;
}

/** "Show me": no guess, so nothing is told to the page; the choice that is explained is a right one. */
export function showAnswer(stage) {
  const { k: at, asks, events } = stage;
  asks.set(at, { shown: true });
  giveFeedback(stage, { choice: events[at].ask.answers[0], right: false, shown: true });
}

/** Shift and the key of a choice: one more raised hand for it; the second round is counted apart from the first. False where there is nothing to vote on. */
export function addHand(stage, choice) {
  if (!isAsking(stage)) return false;
  const { ask } = stage.events[stage.k];
  if (!(choice in ask.said)) return false;
  const rounds = stage.votes.get(stage.k) ?? [[]], round = rounds.at(-1);
  for (let j = 0; j <= choice + 1; j++) round[j] ??= 0;
  round[choice + 1]++;
  stage.votes.set(stage.k, rounds);
  return true;
}

export function secondVote(stage) {
  const rounds = stage.votes.get(stage.k);
  if (rounds?.length === 1) rounds.push([]);
}
