// What the projector shows: head, sentence, picture, options, scaled as a whole. Drawn from the state alone, whichever way it was reached.
import { make, setAttr } from "../stage/draw/dom.js";
import { DECK, fitSentence, langNodes } from "./fit.js";
import { drawOptions } from "./options.js";
import { drawPicture } from "./pictures.js";
import { playActs } from "./play.js";
import { beatName, beatNow, beatsOf, kindOf, sentenceOf } from "./state.js";

const PICTURE = { width: 1776, height: 424 }, TALL = 720;

export function buildDeck() {
  const top = make("div", "top"), head = make("div", "head"), picture = make("div", "pic"), dark = make("div", "dark"), deck = make("div", "deck", [top, head, picture, dark]);
  setAttr(head, "role", "status");
  return { deck, top, head, picture, dark };
}

function drawDeckTop(top, { state, stops, stop, beat, langs, say }) {
  const beats = beatsOf(stop).map((name) => make("span", name === beat ? "now" : "", say(beatName(stop, name)))), road = make("div", "road", stops.map((_, n) => make("i", n < state.at ? "past" : n === state.at ? "now" : "")));
  setAttr(road, "aria-hidden", "true");
  const again = beat === "guess" && state.first[stop.id] ? [make("span", "again", say("second"))] : [], title = kindOf(stop) === "page" ? [] : [make("span", "title", langNodes(stop.title, langs.slice(0, 1)))]; // a page has it in its head
  top.replaceChildren(make("b", "num", `${state.at + 1} / ${stops.length}`), ...title, make("div", "beats", beats.length > 1 ? beats : []), ...again, road);
}

/** A page fills what is below the sentence; where nothing is asked the picture has the room of the options. */
function heightOf(stop, beat) {
  if (stop.join && beat === "look") return TALL;
  return stop.options.length ? PICTURE.height : kindOf(stop) === "run" ? 600 : TALL;
}

/** `look`: state, stops, languages, words. `forward`: the truth is seen to come. Returns the play. */
export function drawDeck(parts, look, { forward, calm, ended }) {
  const { deck, top, head, picture } = parts, { state, stops, langs, lang } = look, stop = stops[state.at], beat = beatNow(state, stops), now = { ...look, stop, beat };
  deck.className = `deck ${beat} ${kindOf(stop)}${stop.options.length ? "" : " tall"}${beat === "look" && stop.join ? " joins" : ""}${forward && !calm ? "" : " still"}${langs.length > 1 ? " two" : ""}`;
  deck.lang = lang;
  deck.querySelector(".opts")?.remove();
  drawDeckTop(top, now);
  const title = make("h1", "", langNodes(sentenceOf(state, stops, stop, beat), langs)), scene = stop.scene[lang] ?? Object.values(stop.scene)[0];
  head.replaceChildren(title);
  const drawn = drawPicture(scene, PICTURE.width, heightOf(stop, beat), now), options = drawOptions(now);
  picture.replaceChildren(drawn.node);
  if (options) picture.after(options);
  fitSentence(title, scene.kind === "words" && beat === "look" ? 84 : langs.length > 1 ? 48 : 62, langs.length > 1 ? 48 : 50);
  drawn.settle?.();
  options?.settle();
  return Object.assign(playActs(beat === "know" ? drawn.acts : [], !forward || calm, ended), { turn: drawn.turn });
}

/** As large as the window allows, in its middle. */
export function fitDeck(deck, width, height) {
  const scale = Math.min(width / DECK.w, height / DECK.h);
  deck.style.transform = `translate(${(width - DECK.w * scale) / 2}px,${(height - DECK.h * scale) / 2}px) scale(${scale})`;
}
