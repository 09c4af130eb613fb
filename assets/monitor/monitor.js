// The monitor: a running load as Python computed it, played out smoothly between two messages. It decides nothing about the cache.
import { focusOn, make, setAttr, setName, swapIcon } from "../stage/draw/dom.js";
import { formatText, labelText, lookUp } from "../stage/words/narrate.js";
import { applyTheme, themeNow } from "../stage/draw/theme.js";
import { wearSheet } from "../stage/draw/sheet.js";
import { emptyBuffer, nextHead, takeBins } from "./buffer.js";
import { drawMonitor, nameMonitor } from "./draw.js";
import { readData } from "../stage/time/unpack.js";
import { buildMonitor } from "./build.js";
import { emptyOwed, hearMessage, pressPlay, tellNow } from "./tell.js";

const FRAME_MS = 100, TICK_MS = 1150;
const monitors = new WeakMap();
/** Bins that were here before the page was left: there is something to draw at once. */
const parkedBuffers = new Map();

function createMonitor(host, css) {
  const monitor = Object.assign(buildMonitor(), { host, api: {}, undo: [], buffer: null, head: { at: 0, since: 0 }, owed: emptyOwed() });
  host.append(monitor.root);
  monitor.t = (key, args) => labelText(monitor.data.text, monitor.data.lang, key, args);
  monitor.t1 = (key, args) => formatText(lookUp(monitor.data.text, monitor.data.lang === "both" ? "zh" : monitor.data.lang, key) ?? key, args);
  wireMonitor(monitor);
  wearSheet(monitor, css, "monitor.css", import.meta.url, () => ((monitor.dressed = true), revealMonitor(monitor)));
  return monitor;
}

function revealMonitor(monitor) {
  if (!monitor.dressed || !monitor.data || !monitor.root.style.visibility) return;
  monitor.root.style.visibility = "";
  const idle = document.activeElement === document.body || !document.activeElement;
  if (idle) focusOn(monitor.root);
  drawMonitor(monitor);
}

const isPlaying = ({ owed, data }) => owed.playing ?? data.state.playing;

/** Pause answers here and now; Python hears of it and follows. */
function flipPlay(monitor) {
  pressPlay(monitor.owed, !isPlaying(monitor), Date.now());
  showPlay(monitor);
  tellPython(monitor, 0);
}

function tellPython({ owed, api }, ms) {
  const told = tellNow(owed, ms);
  if (told) api.setTriggerValue?.("told", told);
}

function showPlay(monitor) {
  const playing = isPlaying(monitor);
  swapIcon(monitor.play, playing ? "pause" : "next");
  setName(monitor.play, monitor.t(playing ? "monitor.pause" : "monitor.go"));
  setAttr(monitor.play, "title", monitor.t(playing ? "monitor.pause" : "monitor.go") + " [" + monitor.t1("monitor.space") + "]");
  setAttr(monitor.root, "data-playing", playing ? "1" : null);
}

function onMonitorKey(monitor, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[rc]$/i.test(event.key)) return event.stopPropagation(); // Streamlit would rerun, or offer to clear its cache
  if (event.key === "Escape") monitor.card.hidden = true;
  if (event.key !== " " || event.composedPath()[0].tagName === "BUTTON") return;
  event.preventDefault();
  event.stopPropagation();
  flipPlay(monitor);
}

/** "modelled" is a button: its formula and what goes into it stand on a card. */
function showFormula({ card, t, data, root }, button) {
  const same = !card.hidden && card.about === button;
  card.hidden = same;
  card.about = button;
  if (same) return;
  const lines = t("monitor.formula." + button.dataset.formula, data.machine).split("\n");
  card.replaceChildren(...lines.map((line) => make("p", "", line)));
  const base = root.getBoundingClientRect(), box = button.getBoundingClientRect();
  card.style.transform = `translate(${Math.max(0, Math.min(box.left - base.left, base.width - 440))}px,${Math.max(0, box.top - base.top - card.offsetHeight - 6)}px)`;
}

function wireMonitor(monitor) {
  monitor.root.addEventListener("keydown", (event) => onMonitorKey(monitor, event));
  monitor.root.addEventListener("click", (event) => {
    const button = event.composedPath().find((node) => node.dataset && ("formula" in node.dataset || "play" in node.dataset));
    if (!button) return void (monitor.card.hidden = true);
    if ("play" in button.dataset) flipPlay(monitor);
    else showFormula(monitor, button);
  });
  const sizes = new ResizeObserver(() => monitor.data && drawMonitor(monitor));
  sizes.observe(monitor.root);
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now(), ms = now - before;
    before = now;
    tellPython(monitor, ms);
    if (!monitor.data || document.hidden || !isPlaying(monitor)) return;
    const head = nextHead(monitor.head, newestOf(monitor), ms, TICK_MS);
    const moved = head.at !== monitor.head.at;
    monitor.head = head;
    if (moved && !monitor.still) drawMonitor(monitor, true);
  }, FRAME_MS);
  monitor.undo.push(() => sizes.disconnect(), () => clearInterval(timer));
}

const newestOf = ({ buffer }) => buffer.ends[buffer.ends.length - 1] ?? 0;

function takeMessage(monitor, data) {
  const fresh = monitor.buffer?.run !== data.run;
  monitor.data = data;
  monitor.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (fresh) {
    monitor.buffer = parkedBuffers.get(data.run) ?? emptyBuffer(data.run);
    monitor.head = { at: newestOf(monitor), since: 0 };
    parkedBuffers.clear();
  }
  const generation = monitor.buffer.generation, joined = takeBins(monitor.buffer, data.samples);
  hearMessage(monitor.owed, data.state.heard, joined);
  if (!joined) return;
  const jumps = monitor.still || !data.state.playing || generation !== monitor.buffer.generation;
  monitor.head = { at: jumps ? newestOf(monitor) : Math.min(monitor.head.at, newestOf(monitor)), since: 0 };
}

export function mountMonitor(component) {
  const { parentElement: host } = component, data = readData(component);
  let monitor = monitors.get(host);
  if (!monitor) monitors.set(host, (monitor = createMonitor(host, component.css)));
  monitor.api = component;
  takeMessage(monitor, data);
  monitor.colours = applyTheme(monitor.root, data.palette, themeNow(monitor));
  monitor.ink = (curve) => monitor.colours[data.inks[curve]];
  monitor.root.lang = data.lang === "both" ? "zh" : data.lang;
  nameMonitor(monitor);
  showPlay(monitor);
  drawMonitor(monitor);
  revealMonitor(monitor);
  return () => {
    parkedBuffers.set(monitor.buffer.run, monitor.buffer);
    for (const undo of monitor.undo) undo();
    monitor.root.remove();
    monitors.delete(host);
  };
}

export default mountMonitor;
