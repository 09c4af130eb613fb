// Predict, observe, explain: the run stops before an event that carries `ask`; score = first try only.
import { make, makeButton, setAttr, setText } from "../draw/dom.js";
import { refuseNext } from "../draw/controls.js";

export const mayAsk = ({ flags, runB, hidden }) => flags.ask && !runB && !hidden.has("quiz");

/** Does a question stand open before the next event? */
export const isAsking = (stage) => Boolean(mayAsk(stage) && stage.events[stage.k]?.ask && !stage.asks.has(stage.k));

/** Options and feedback are text keys; what is no key is shown as it stands (a number, say). */
function optionButton({ events, k, votes, t }, option, index) {
  const counts = (votes.get(k) ?? []).map((round) => round[index] ?? 0), words = make("span", "", t(String(option), events[k].args));
  const tally = counts.some(Boolean) ? [make("span", "hands", counts.join(" → "))] : [];
  return makeButton("btn option", [make("kbd", "", String(index + 1)), words, ...tally], { option: index });
}

export function drawQuestion(stage) {
  const { zones, events, k, votes, t } = stage;
  const { body, titleNode } = zones.Q;
  if (stage.feedback) return drawFeedback(stage);
  const { ask, args } = events[k];
  const question = make("p", "question", t(ask.question ?? "stage.ask." + ask.id, { ...args }));
  const options = make("div", "options", (ask.options ?? []).map((option, index) => optionButton(stage, option, index)));
  if (ask.kind === "click") options.append(make("span", "note", t("stage.ask.click")));
  if (votes.get(k)?.length === 1) options.append(makeButton("btn word", t("stage.ask.again"), { do: "revote" }));
  if (stage.nudged) options.append(make("span", "note", t("stage.ask.skip")));
  setText(titleNode, t("stage.ask.title"));
  body.replaceChildren(question, options);
}

/** The room's hands, one bar per option and round; the second round stands under the first. */
function voteBars(votes, options) {
  const most = Math.max(1, ...votes.flat());
  const bar = (count = 0) => {
    const node = make("i", "hand", String(count));
    node.style.width = 18 + (60 * count) / most + "px";
    return node;
  };
  return Array.from({ length: options }, (_, index) => make("span", "votes", [make("kbd", "", String(index + 1)), make("span", "", votes.map((round) => bar(round[index])))]));
}

function drawFeedback({ feedback, zones, t }) {
  const { right, key, args, replay, votes, options } = feedback, words = key ? t(String(key), args) : "";
  const mark = make("strong", right ? "yes" : "no", t(right ? "stage.ask.right" : "stage.ask.wrong"));
  const more = make("div", "options", votes?.length ? voteBars(votes, options) : []);
  if (feedback.again) more.prepend(make("span", "note", t("stage.ask.slowly")));
  else if (replay) more.prepend(makeButton("btn word", t("stage.ask.replay"), { do: "replay" }));
  zones.Q.body.replaceChildren(make("p", "question", [mark, " ", words]), more);
  setText(zones.Q.titleNode, t("stage.ask.title"));
}

/** The first step over an open question only points at it, and says that the next one skips it. */
export function nudgeQuestion(stage) {
  stage.nudged = true;
  drawQuestion(stage);
  refuseNext(stage);
  setAttr(stage.zones.Q, "data-nudge", "1");
  setTimeout(() => setAttr(stage.zones.Q, "data-nudge", null), 400);
}

export function skipQuestion(stage) {
  stage.nudged = false;
  stage.asks.set(stage.k, { skipped: true });
}

const feedbackKey = (ask, choice, right) => ask.feedback?.[String(choice)] ?? ask.feedback?.[right ? "right" : "wrong"] ?? ask.feedback?.["*"] ?? "";

/** `choice` is an option's index, or the link keys of the thing that was clicked. Returns true when it was taken as an answer. */
export function answerQuestion(stage, choice, reveal) {
  if (!isAsking(stage)) return false;
  const { k: at, votes, asks } = stage, { ask, args } = stage.events[at], clicked = Array.isArray(choice);
  const known = typeof ask.answer === "string" ? ask.answer : Number(ask.answer);
  if (clicked ? ask.kind !== "click" : !(choice in (ask.options ?? []))) return false;
  const right = clicked ? choice.includes(known) : choice === known || ask.options[choice] === known;
  const given = clicked ? choice[0] : choice;
  asks.set(at, { choice: given, right });
  stage.nudged = false;
  const key = feedbackKey(ask, given, right);
  stage.feedback = { right, key, args, replay: !right, again: !right, votes: votes.get(at), options: ask.options?.length };
  stage.api.setTriggerValue?.("answer", { id: ask.id, event: at, choice: given, right, first: true, votes: votes.get(at) ?? [] });
  stage.revealing = true;
  reveal();
  stage.revealing = false;
  return true;
}

/** Shift+digit: one more raised hand for an option; the second round is counted apart from the first. */
export function addHand(stage, index) {
  if (!isAsking(stage) || !(index in (stage.events[stage.k].ask.options ?? []))) return;
  const rounds = stage.votes.get(stage.k) ?? [[]], round = rounds.at(-1);
  round[index] = (round[index] ?? 0) + 1;
  for (let j = 0; j < index; j++) round[j] ??= 0;
  stage.votes.set(stage.k, rounds);
  drawQuestion(stage);
}

export function secondVote(stage) {
  const rounds = stage.votes.get(stage.k);
  if (rounds?.length === 1) rounds.push([]);
  drawQuestion(stage);
}
