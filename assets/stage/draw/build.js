// The fixed furniture of a stage: zones, layers, buttons. Built once per host element.
import { icon, make, place, setAttr, setText } from "./dom.js";
import { HELP_ROWS } from "../words/keys.js";
import { WIDE, STACK, FORK, FORK_STACK } from "./layout.js";
import { toldKey } from "./told.js";

const ZONES = [["A", "lane"], ["B", "table"], ["C", "pool"], ["D", "btable"], ["E", "totals"], ["F", "queue"], ["G", "story"], ["Q", "quiz"], ["H", "time"]];

/** [action, icon] of the control row; the name of an action is stage.key.<action>, its panel is what `hide` names. */
const LEFT = [["first", "first"], ["back", "back"], ["play", "play"], ["next", "next"], ["last", "last"]];
const JUMPS = [["nextMiss", "next"], ["nextEvict", "next"]];
const RIGHT = [["bookmark", "flag"], ["fork", "fork"], ["ask", "bubble"], ["log", "list"], ["inspect", "lens"], ["table", "grid"],
  ["code", "code"], ["noodle", "bowl"], ["lang", "globe"], ["theme", "half"], ["presenter", "screen"], ["full", "full"], ["help", "help"]];
const KEYS_OF = new Map(HELP_ROWS.map(([keys, action]) => [action, keys]));
/** Names that the payload's `hide` may list, besides zones by letter or panel (lane, table, pool, btable, totals, queue, story, quiz, time). */
const PANEL_OF = { fork: "fork", ask: "quiz", log: "log", inspect: "inspect", table: "tables", code: "code", noodle: "noodle", lang: "lang" };

function buildZone(name, panel) {
  const title = make("h3", "ztitle");
  const aside = make("div", "zaside");
  const body = make("div", "zbody");
  const zone = make("section", "zone z" + name, [title, aside, body]);
  zone.dataset.panel = panel;
  return Object.assign(zone, { titleNode: title, aside, body });
}

function buildButton([action, glyph]) {
  const button = make("button", "btn", [icon(glyph)]);
  button.type = "button";
  button.dataset.do = action;
  if (PANEL_OF[action]) button.dataset.panel = PANEL_OF[action];
  return button;
}

function buildControls() {
  const level = make("div", "seg lvl");
  for (const name of ["micro", "block", "request"]) {
    const button = make("button", "btn word");
    button.type = "button";
    button.dataset.level = name;
    level.append(button);
  }
  level.setAttribute("role", "group");
  const slower = make("button", "btn", ["−"]), speed = make("output", "speed"), faster = make("button", "btn", ["+"]);
  slower.dataset.do = "slower";
  faster.dataset.do = "faster";
  const pace = make("div", "seg pace", [slower, speed, faster]);
  const jumps = JUMPS.map((item) => {
    const button = buildButton(item);
    button.classList.add("word");
    button.prepend(make("span"));
    return button;
  });
  const row = make("div", "controls", [...LEFT.map(buildButton), level, ...jumps, pace, make("span", "grow"), ...RIGHT.map(buildButton)]);
  return Object.assign(row, { level, speed });
}

export function buildStage(host) {
  const zones = Object.fromEntries(ZONES.map(([name, panel]) => [name, buildZone(name, panel)]));
  const head = make("div", "head", [make("h2", "name"), make("ol", "phases"), make("div", "count")]);
  const tabs = make("div", "tabs", ["E", "B"].map((name) => Object.assign(make("button", "btn word"), { type: "button" })));
  [...tabs.children].forEach((tab, at) => (tab.dataset.tab = "EB"[at]));
  const track = make("div", "track", [make("canvas", "ticks"), make("div", "playhead")]);
  track.tabIndex = 0;
  const controls = buildControls();
  zones.H.body.append(track, controls);
  const ring = make("div", "ring"), lines = document.createElementNS("http://www.w3.org/2000/svg", "svg"), fly = make("div", "fly");
  lines.setAttribute("class", "lines");
  for (const layer of [ring, lines, fly]) layer.setAttribute("aria-hidden", "true");
  const drawers = make("div", "drawers"), tip = make("div", "tip"), live = make("div", "live");
  live.setAttribute("aria-live", "polite");
  setAttr(tip, "hidden", "");
  const order = [head, ...["A", "B", "C", "D"].map((name) => zones[name]), tabs, ...["E", "F", "G", "Q", "H"].map((name) => zones[name])];
  const stage = make("div", "stage", [...order, ring, lines, fly, drawers, tip, live]);
  const hint = make("div", "hint"), blank = make("div", "blank");
  const root = make("div", "broth", [stage, hint, blank]);
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  host.append(root);
  return { host, root, stage, zones, head, tabs, track, controls, ring, lines, fly, drawers, tip, live, hint, blank };
}

/** Places all zones for the host's width; the stage is drawn in its own units and scaled as a whole. */
export function fitStage(S) {
  const full = document.fullscreenElement !== null && S.root.matches(":fullscreen");
  const width = full ? innerWidth : S.root.clientWidth || 1280;
  S.narrow = width < 900 && !full;
  S.plan = S.narrow ? (S.runB ? FORK_STACK : STACK) : S.runB ? FORK : WIDE;
  const { w, h } = S.plan;
  S.scale = full ? Math.min(width / w, innerHeight / h) : width / w;
  const [left, top] = full ? [(width - w * S.scale) / 2, (innerHeight - h * S.scale) / 2] : [0, 0];
  Object.assign(S.stage.style, { width: w + "px", height: h + "px", transform: `translate(${left}px,${top}px) scale(${S.scale})` });
  S.root.style.height = full ? "" : h * S.scale + "px";
  setAttr(S.root, "data-mode", S.narrow ? "stack" : S.runB ? "fork" : "wide");
  for (const [name, zone] of Object.entries({ ...S.zones, head: S.head, tabs: S.tabs })) {
    const spot = S.plan[name];
    const tabbed = S.plan === STACK && (name === "B" || name === "E") && S.tab !== name;
    const hidden = !spot || tabbed || S.hidden.has(zone.dataset.panel) || S.hidden.has(name);
    zone.classList.toggle("off", hidden);
    if (spot) place(zone, ...spot);
  }
}

/** Names of everything fixed, in the language shown. */
export function nameStage(S) {
  const t = S.t;
  for (const [name, zone] of Object.entries(S.zones)) zone.setAttribute("aria-label", t("stage.zone." + name));
  for (const name of ["B", "C", "E", "F"]) setText(S.zones[name].titleNode, t("stage.zone." + name));
  for (const button of S.controls.querySelectorAll("[data-do]")) {
    const label = t("stage.key." + button.dataset.do), keys = KEYS_OF.get(button.dataset.do);
    setAttr(button, "aria-label", label);
    setAttr(button, "title", keys ? label + " [" + keys + "]" : label);
    if (S.hidden.has(button.dataset.panel)) button.classList.add("off");
    else button.classList.remove("off");
  }
  for (const [action] of JUMPS) setText(S.controls.querySelector(`[data-do=${action}] span`), S.t1("stage.short." + action));
  for (const button of S.controls.level.children) {
    const key = "stage.level." + button.dataset.level, word = button.dataset.level === "request" ? toldKey(S, key) : key;
    setText(button, S.t1(word));
    setAttr(button, "title", t(word));
  }
  S.controls.level.setAttribute("aria-label", t("stage.level"));
  for (const tab of S.tabs.children) {
    setText(tab, t("stage.zone." + tab.dataset.tab));
    setAttr(tab, "aria-pressed", tab.dataset.tab === S.tab);
  }
  S.root.setAttribute("aria-label", t("stage.name"));
  S.track.setAttribute("aria-label", t("stage.track"));
  setText(S.hint, S.t1("stage.hint"));
}
