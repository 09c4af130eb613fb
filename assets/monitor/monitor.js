// The monitor: a running load as Python computed it, played out smoothly between two messages. It decides nothing about the cache.
import { make, setAttr, swapIcon } from "../stage/draw/dom.js";
import { formatText, labelText, lookUp } from "../stage/words/narrate.js";
import { applyTheme } from "../stage/draw/theme.js";
import { wearSheet } from "../stage/draw/sheet.js";
import { emptyBuffer, nextHead, takeBins } from "./buffer.js";
import { drawMonitor, nameMonitor } from "./draw.js";
import { readData } from "../stage/time/unpack.js";
import { buildMonitor } from "./build.js";

const FRAME_MS = 100, TICK_MS = 1150;
const monitors = new WeakMap();
/** Bins that were here before the page was left: Python sends only new ones. */
const parkedBuffers = new Map();

function createMonitor(host, css) {
  const S = Object.assign(buildMonitor(), { host, api: {}, undo: [], buffer: null, head: { at: 0, since: 0 }, wish: null });
  host.append(S.root);
  S.t = (key, args) => labelText(S.data.text, S.data.lang, key, args);
  S.t1 = (key, args) => formatText(lookUp(S.data.text, S.data.lang === "both" ? "zh" : S.data.lang, key) ?? key, args);
  wireMonitor(S);
  wearSheet(S, css, "monitor.css", import.meta.url, () => ((S.dressed = true), revealMonitor(S)));
  return S;
}

function revealMonitor(S) {
  if (!S.dressed || !S.data || !S.root.style.visibility) return;
  S.root.style.visibility = "";
  const idle = document.activeElement === document.body || !document.activeElement;
  if (idle) S.root.focus({ preventScroll: true });
  drawMonitor(S);
}

const isPlaying = (S) => S.wish ?? S.data.state.playing;

/** Pause answers here and now; Python hears of it and follows. */
function flipPlay(S) {
  S.wish = !isPlaying(S);
  showPlay(S);
  S.api.setTriggerValue?.("play", { playing: S.wish });
}

function showPlay(S) {
  const playing = isPlaying(S);
  swapIcon(S.play, playing ? "pause" : "play");
  setAttr(S.play, "aria-label", S.t(playing ? "monitor.pause" : "monitor.go"));
  setAttr(S.play, "title", S.t(playing ? "monitor.pause" : "monitor.go") + " [" + S.t1("monitor.space") + "]");
  setAttr(S.root, "data-playing", playing ? "1" : null);
}

function onMonitorKey(S, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[rc]$/i.test(event.key)) return event.stopPropagation(); // Streamlit would rerun, or offer to clear its cache
  if (event.key === "Escape") S.card.hidden = true;
  if (event.key !== " " || event.composedPath()[0].tagName === "BUTTON") return;
  event.preventDefault();
  event.stopPropagation();
  flipPlay(S);
}

/** "modelled" is a button: its formula and what goes into it stand on a card. */
function showFormula(S, button) {
  const same = !S.card.hidden && S.card.about === button;
  S.card.hidden = same;
  S.card.about = button;
  if (same) return;
  const lines = S.t("monitor.formula." + button.dataset.formula, S.data.machine).split("\n");
  S.card.replaceChildren(...lines.map((line) => make("p", "", line)));
  const base = S.root.getBoundingClientRect(), box = button.getBoundingClientRect();
  S.card.style.transform = `translate(${Math.max(0, Math.min(box.left - base.left, base.width - 440))}px,${Math.max(0, box.top - base.top - S.card.offsetHeight - 6)}px)`;
}

function wireMonitor(S) {
  S.root.addEventListener("keydown", (event) => onMonitorKey(S, event));
  S.root.addEventListener("click", (event) => {
    const button = event.composedPath().find((node) => node.dataset && ("formula" in node.dataset || "play" in node.dataset));
    if (!button) return void (S.card.hidden = true);
    if ("play" in button.dataset) flipPlay(S);
    else showFormula(S, button);
  });
  const sizes = new ResizeObserver(() => S.data && drawMonitor(S));
  sizes.observe(S.root);
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now(), ms = now - before;
    before = now;
    if (!S.data || document.hidden || !isPlaying(S)) return;
    const head = nextHead(S.head, newestOf(S), ms, TICK_MS);
    const moved = head.at !== S.head.at;
    S.head = head;
    if (moved && !S.still) drawMonitor(S, true);
  }, FRAME_MS);
  S.undo.push(() => sizes.disconnect(), () => clearInterval(timer));
}

const newestOf = (S) => S.buffer.ends[S.buffer.ends.length - 1] ?? 0;

function takeMessage(S, data) {
  const fresh = S.buffer?.run !== data.run;
  S.data = data;
  S.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (fresh) {
    S.buffer = parkedBuffers.get(data.run) ?? emptyBuffer(data.run);
    S.head = { at: newestOf(S), since: 0 };
    parkedBuffers.clear();
  }
  const generation = S.buffer.generation;
  if (!takeBins(S.buffer, data.samples)) return void S.api.setStateValue?.("missing", S.buffer.ends.length);
  const jumps = S.still || !data.state.playing || generation !== S.buffer.generation;
  S.head = { at: jumps ? newestOf(S) : Math.min(S.head.at, newestOf(S)), since: 0 };
  if (S.wish === data.state.playing) S.wish = null;
}

export function mountMonitor(component) {
  const { parentElement: host } = component, data = readData(component.data);
  let S = monitors.get(host);
  if (!S) monitors.set(host, (S = createMonitor(host, component.css)));
  S.api = component;
  takeMessage(S, data);
  applyTheme(S);
  S.root.lang = data.lang === "both" ? "zh" : data.lang;
  nameMonitor(S);
  showPlay(S);
  drawMonitor(S);
  revealMonitor(S);
  return () => {
    parkedBuffers.set(S.buffer.run, S.buffer);
    for (const undo of S.undo) undo();
    S.root.remove();
    monitors.delete(host);
  };
}

export default mountMonitor;
