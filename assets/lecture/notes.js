// The lecturer's own window: minutes, question, usual answers, what to point at, what the next press does. It follows the projector's.
import { make, makeButton, setAttr, setName } from "../stage/draw/dom.js";
import { clockText, paceOf } from "./pace.js";
import { beatName, beatNow, beatsOf, freshLecture, handsOf, kindOf, sentenceOf, total } from "./state.js";
import { pick } from "./words.js";

function aButton(cls, words, deed, { off = false, name = "" } = {}) {
  const button = makeButton(cls, [words], { deed: JSON.stringify(deed) });
  button.disabled = off;
  if (name) setName(button, name);
  return button;
}

function notesBar({ say, data, deck, decks, sure }) {
  const lang = data.langs[0], script = data.minutes ? say("script", { n: data.minutes }) : "", live = make("span", deck ? "live on" : "live", [make("i", "dot"), decks.size > 1 ? make("b", "", say("many", { n: decks.size })) : say(deck ? "live" : "off")]);
  return make("div", "bar0", [make("span", "warn", say("yours")), make("span", "", pick(data.title, lang) || script), aButton("plain", say(sure ? "sure" : "anew"), ["anew"], { off: !deck }), live]);
}

function noteOf(name, label, kids) {
  return make("dl", "sec " + name, [make("dt", "", label), make("dd", "", kids)]);
}

function drawLeft({ say, data }, state, stop, beat) {
  const lang = data.langs[0], text = (key) => pick(stop[key], lang), shown = beat === "know" && stop.right !== null, beats = make("span", "beats", beatsOf(stop).map((name) => make("i", name === beat ? "now" : "", say(beatName(stop, name)))));
  const seen = make("div", "seen", [make("span", "lb", say("room")), beats, ...(beat === "guess" ? [] : [make("span", "tx", pick(sentenceOf(state, data.stops, stop, beat), lang))])]);
  const mark = make("span", shown ? "mark on" : "mark", say(shown || (beat === "know" && !stop.keep) ? "shown" : "unshown")), where = make("a", "", say("stage"));
  Object.assign(where, { href: stop.link ? new URL(stop.link, document.baseURI).href : "", target: "_blank", rel: "noopener" });
  const parts = [["ask", "q"], ["hear", "hear"], ["truth", "fact"], ["point", "point"]].filter(([key]) => text(key)).map(([key, cls]) => noteOf(cls, say("is." + key), [text(key), ...(key === "truth" ? [" ", mark] : [])]));
  return make("div", "left", [make("div", "h", [make("h1", "", text("title")), make("span", "num", [say("stop", { n: state.at + 1, m: data.stops.length }), ...(stop.minutes ? [say("minutes", { n: stop.minutes })] : []), ...(stop.optional ? [say("optional")] : [])].join(" · "))]), seen, ...parts, ...(stop.link ? [make("p", "where", [where])] : [])]);
}

function drawClock({ say, data }, state, stop, now) {
  const { stops, minutes } = data, { spent, here, slack, share } = paceOf(state, stops, now), plan = make("div", "plan", stops.flatMap((one, n) => [make("i", "seg" + (n < state.at ? " past" : n === state.at ? " now" : "")), make("span", "ml num", String(one.minutes))])), tick = make("i", "tick");
  plan.style.gridTemplateColumns = stops.map((one) => Math.max(0.5, one.minutes) + "fr").join(" ");
  tick.style.left = `calc(${100 * share}% - 2px)`;
  plan.append(tick);
  const whole = minutes || stops.reduce((sum, one) => sum + one.minutes, 0), pace = slack === 0 ? say("ontime") : say(slack > 0 ? "late" : "early", { n: clockText(Math.abs(slack)) });
  if (!whole) return [make("div", "clock num", [make("b", "", clockText(spent)), make("span", "wall", new Date(now).toTimeString().slice(0, 5))])]; // nobody planned minutes
  return [make("div", "clock num", [make("b", "", clockText(spent)), make("span", "", say("of", { n: clockText(whole * 60_000) })), make("span", "wall", new Date(now).toTimeString().slice(0, 5))]), plan,
    make("p", "pace num", [make("b", "", pace), ` · ${say("here", { a: clockText(here), b: clockText(stop.minutes * 60_000) })}`])];
}

function drawCounts({ say, data }, state, stop, beat) {
  const counts = handsOf(state, stop), first = state.first[stop.id], off = beat !== "guess", lang = data.langs[0];
  const rows = stop.options.map((text, k) => make("div", stop.right === k ? "tr yes" : "tr", [make("span", "k", String(k + 1)), make("span", "tx", [pick(text, lang), ...(first ? [make("small", "num", ` ${say("before")} ${first[k]}`)] : []), ...(stop.right === k ? [" ✓"] : [])]),
    aButton("sq", "−", ["hand", [k, -1]], { off, name: say("less", { n: k + 1 }) }), make("span", "n num", String(counts[k])), aButton("sq", "+", ["hand", [k, 1]], { off, name: say("more", { n: k + 1 }) })]));
  return make("div", "tally", [make("div", "th", [make("b", "", [say("hands"), make("span", "num", " " + total(counts))]), aButton("sq wide", say("again"), ["again"], { off: off || total(counts) === 0 })]), ...rows]);
}

/** What the next press forward does, in words. */
function nextWords({ say, data, playing }, state, stop, beat) {
  const lang = data.langs[0], beats = beatsOf(stop), next = beats[state.beat + 1], after = data.stops[state.at + 1];
  if (state.blank) return [say("next.light")];
  if (playing) return [say("next.finish")];
  const page = kindOf(stop) === "page" ? ".page" : "", goes = after ? say("next.stop" + page, { title: pick(after.title, lang) }) : say("next.end" + page);
  if (!next) return [goes];
  return [say(next === "guess" ? "next.guess" : stop.keep ? "next.keep" : stop.options.length ? "next.know" : "next.plain"), ...(after ? [say("after", { title: pick(after.title, lang) })] : [])];
}

/** Of a window that may be pressed at any moment only the clock is drawn anew each second. */
function tickNotes({ root, data, say, state: kept }) {
  const state = kept ?? freshLecture();
  root.querySelector(".time")?.replaceChildren(...drawClock({ say, data }, state, data.stops[state.at], Date.now()));
}

/** The whole window anew; the focus stays on the button that was pressed. */
export function drawNotes(lecture) {
  const { root, data, say } = lecture, state = lecture.state ?? freshLecture(), stop = data.stops[state.at], beat = beatNow(state, data.stops), held = root.getRootNode().activeElement?.dataset?.deed;
  const [what, more] = nextWords(lecture, state, stop, beat), dark = Boolean(state.blank);
  const right = make("div", "right", [make("div", "time"), ...(stop.options.length ? [drawCounts(lecture, state, stop, beat)] : []),
    make("div", "then", [make("small", "", say("next")), make("b", "", what), ...(more ? [make("small", "", more)] : [])]),
    make("div", "ctl", [aButton("", say("back"), ["go", -1]), aButton(dark ? "pressed" : "", say(dark ? "light" : "dark"), ["dark"]), aButton("main", say("forward"), ["go", 1])])]);
  root.replaceChildren(notesBar(lecture), drawLeft(lecture, state, stop, beat), right);
  tickNotes(lecture);
  for (const button of root.querySelectorAll(".ctl button")) button.disabled = !lecture.deck;
  setAttr(root, "data-at", `${state.at}.${state.beat}`);
  if (held) [...root.querySelectorAll("button")].find((button) => button.dataset.deed === held)?.focus();
}

/** Speaks to the window that was last heard of, and follows it; where there are more, it says so. */
export function wireNotes(lecture) {
  const drawn = () => lecture.dressed && lecture.data && drawNotes(lecture);
  lecture.decks = new Set();
  lecture.hear = (said) => {
    if (!said.deck) return;
    lecture.decks[said.gone ? "delete" : "add"](said.deck);
    if (!said.gone) Object.assign(lecture, { deck: said.deck, state: said.state, playing: said.playing });
    else if (said.deck === lecture.deck) (Object.assign(lecture, { deck: null, playing: false }), lecture.wire.tell({ hello: true })); // another one may be there
    drawn();
  };
  lecture.deed = (deed, what) => {
    if (!lecture.deck) return;
    if (deed === "anew" && !lecture.sure) return ((lecture.sure = setTimeout(() => ((lecture.sure = null), drawn()), 4000)), drawn()); // counts are lost: ask once
    if (deed === "anew") (clearTimeout(lecture.sure), (lecture.sure = null));
    lecture.wire.tell({ to: lecture.deck, deed, with: what });
  };
  lecture.root.addEventListener("click", (event) => {
    const button = event.composedPath().find((node) => node.dataset?.deed);
    if (button) lecture.deed(...JSON.parse(button.dataset.deed));
  });
  const ticking = setInterval(() => lecture.dressed && lecture.data && tickNotes(lecture), 1000);
  lecture.undo.push(() => clearInterval(ticking));
}
