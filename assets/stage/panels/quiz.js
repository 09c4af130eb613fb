// Predict, observe, explain: the run stops before an event that carries `ask`; score = first try only.
import { make, setAttr, setText } from "../draw/dom.js";

/** The index of the question that stands open before the next event, or false. */
export function isAsking(S) {
  const next = S.run.log.events[S.k];
  return Boolean(S.flags.ask && next?.ask && !S.asks.has(S.k) && !S.runB && !S.hidden.has("quiz"));
}

const askOf = (S) => S.run.log.events[S.k].ask;

/** Options and feedback are text keys; what is no key is shown as it stands (a number, say). */
const wordOf = (S, key, args) => S.t(String(key), args);

function tallyBox(S, index) {
  const rounds = S.votes.get(S.k) ?? [];
  const counts = rounds.map((round) => round[index] ?? 0);
  return counts.some(Boolean) ? make("span", "hands", counts.join(" → ")) : null;
}

function optionButton(S, option, index) {
  const button = make("button", "btn option", [make("kbd", "", String(index + 1)), make("span", "", wordOf(S, option, S.run.log.events[S.k].args))]);
  const tally = tallyBox(S, index);
  if (tally) button.append(tally);
  button.type = "button";
  button.dataset.option = index;
  return button;
}

export function drawQuestion(S) {
  const { body, titleNode } = S.zones.Q;
  if (S.feedback) return drawFeedback(S);
  const ask = askOf(S), event = S.run.log.events[S.k];
  const question = make("p", "question", wordOf(S, ask.question ?? "stage.ask." + ask.id, { ...event.args }));
  const options = make("div", "options", (ask.options ?? []).map((option, index) => optionButton(S, option, index)));
  if (ask.kind === "click") options.append(make("span", "note", S.t("stage.ask.click")));
  const again = make("button", "btn word", S.t("stage.ask.again"));
  again.type = "button";
  again.dataset.do = "revote";
  if ((S.votes.get(S.k) ?? []).length === 1) options.append(again);
  if (S.nudged) options.append(make("span", "note", S.t("stage.ask.skip")));
  setText(titleNode, S.t("stage.ask.title"));
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

function drawFeedback(S) {
  const { right, key, args, replay, votes, options } = S.feedback, words = key ? wordOf(S, key, args) : "";
  const mark = make("strong", right ? "yes" : "no", S.t(right ? "stage.ask.right" : "stage.ask.wrong"));
  const more = make("div", "options", votes?.length ? voteBars(votes, options) : []);
  if (S.feedback.again) more.prepend(make("span", "note", S.t("stage.ask.slowly")));
  else if (replay) {
    const button = make("button", "btn word", S.t("stage.ask.replay"));
    button.type = "button";
    button.dataset.do = "replay";
    more.prepend(button);
  }
  S.zones.Q.body.replaceChildren(make("p", "question", [mark, " ", words]), more);
  setText(S.zones.Q.titleNode, S.t("stage.ask.title"));
}

/** The first step over an open question only points at it, and says that the next one skips it. */
export function nudgeQuestion(S) {
  S.nudged = true;
  drawQuestion(S);
  setAttr(S.zones.Q, "data-nudge", "1");
  setTimeout(() => setAttr(S.zones.Q, "data-nudge", null), 400);
}

export function skipQuestion(S) {
  S.nudged = false;
  S.asks.set(S.k, { skipped: true });
}

const feedbackKey = (ask, choice, right) => ask.feedback?.[String(choice)] ?? ask.feedback?.[right ? "right" : "wrong"] ?? ask.feedback?.["*"] ?? "";

/** `choice` is an option's index, or the link keys of the thing that was clicked. Returns true when it was taken as an answer. */
export function answerQuestion(S, choice, reveal) {
  if (!isAsking(S)) return false;
  const ask = askOf(S), at = S.k, clicked = Array.isArray(choice);
  const known = typeof ask.answer === "string" ? ask.answer : Number(ask.answer);
  if (clicked ? ask.kind !== "click" : !(choice in (ask.options ?? []))) return false;
  const right = clicked ? choice.includes(known) : choice === known || ask.options[choice] === known;
  const given = clicked ? choice[0] : choice;
  S.asks.set(at, { choice: given, right });
  S.nudged = false;
  const key = feedbackKey(ask, given, right);
  S.feedback = { right, key, args: S.run.log.events[at].args, replay: !right, again: !right, votes: S.votes.get(at), options: ask.options?.length };
  S.api.setTriggerValue?.("answer", { id: ask.id, event: at, choice: given, right, first: true, votes: S.votes.get(at) ?? [] });
  S.revealing = true;
  reveal();
  S.revealing = false;
  return true;
}

/** Shift+digit: one more raised hand for an option; the second round is counted apart from the first. */
export function addHand(S, index) {
  if (!isAsking(S) || !(index in (askOf(S).options ?? []))) return;
  const rounds = S.votes.get(S.k) ?? [[]];
  const round = rounds[rounds.length - 1];
  round[index] = (round[index] ?? 0) + 1;
  for (let j = 0; j < index; j++) round[j] ??= 0;
  S.votes.set(S.k, rounds);
  drawQuestion(S);
}

export function secondVote(S) {
  const rounds = S.votes.get(S.k);
  if (rounds?.length === 1) rounds.push([]);
  drawQuestion(S);
}
