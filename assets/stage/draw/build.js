// The fixed furniture of a stage: zones, layers, buttons. Built once per host element.
import { icon, make, makeButton, place, setAttr, setName, setText } from "./dom.js";
import { HELP_ROWS } from "../words/keys.js";
import { FORK, LARGE, PHONE_BELOW, WIDE } from "./layout.js";
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

/** `panel`: what the payload's `hide` calls it. */
export function buildZone(name, panel) {
  const title = make("h3", "ztitle"), aside = make("div", "zaside"), body = make("div", "zbody");
  const zone = make("section", "zone z" + name, [title, aside, body]);
  zone.dataset.panel = panel;
  return Object.assign(zone, { titleNode: title, aside, body });
}

function buildButton([action, glyph], cls = "btn") {
  const panel = PANEL_OF[action];
  return makeButton(cls, [icon(glyph)], { do: action, ...(panel && { panel }) });
}

function buildControls() {
  const level = make("div", "seg lvl", ["micro", "block", "request"].map((name) => makeButton("btn word", [], { level: name })));
  level.setAttribute("role", "group");
  const speed = make("output", "speed");
  const pace = make("div", "seg pace", [makeButton("btn", ["−"], { do: "slower" }), speed, makeButton("btn", ["+"], { do: "faster" })]);
  const jumps = JUMPS.map((item) => buildButton(item, "btn word"));
  for (const button of jumps) button.prepend(make("span"));
  const row = make("div", "controls", [...LEFT.map((item) => buildButton(item)), level, ...jumps, pace, make("span", "grow"), ...RIGHT.map((item) => buildButton(item))]);
  return Object.assign(row, { level, speed });
}

export function buildStage(host) {
  const zones = Object.fromEntries(ZONES.map(([name, panel]) => [name, buildZone(name, panel)]));
  const head = make("div", "head", [make("h2", "name"), make("ol", "phases"), make("div", "count")]);
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
  const order = [head, ...["A", "B", "C", "D"].map((name) => zones[name]), ...["E", "F", "G", "Q", "H"].map((name) => zones[name])];
  const floor = make("div", "stage", [...order, ring, lines, fly, drawers, tip, live]);
  const hint = make("div", "hint"), blank = make("div", "blank");
  const root = make("div", "broth", [floor, hint, blank]);
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  host.append(root);
  return { host, root, floor, zones, head, track, controls, ring, lines, fly, drawers, tip, live, hint, blank };
}

/** Places all zones for the host's width; the stage is drawn in its own units and scaled as a whole. */
export function fitStage(stage) {
  const { root, floor, zones, head, runB, flags, hidden: folded } = stage;
  const full = document.fullscreenElement !== null && root.matches(":fullscreen");
  const width = full ? innerWidth : root.clientWidth || 1280;
  if (width < PHONE_BELOW) return fitPhone(stage, width);
  const mode = runB ? "fork" : flags.presenter ? "large" : "wide", plan = { fork: FORK, large: LARGE, wide: WIDE }[mode], { w, h } = plan;
  const scale = full ? Math.min(width / w, innerHeight / h) : width / w;
  const [left, top] = full ? [(width - w * scale) / 2, (innerHeight - h * scale) / 2] : [0, 0];
  Object.assign(stage, { mode, plan, scale });
  Object.assign(floor.style, { width: w + "px", height: h + "px", transform: `translate(${left}px,${top}px) scale(${scale})` });
  root.style.height = full ? "" : h * scale + "px";
  setAttr(root, "data-mode", mode);
  for (const [name, zone] of Object.entries({ ...zones, head })) {
    const spot = plan[name];
    const covered = (name === "D") !== Boolean(flags.btable) && (name === "D" || (name === "E" && flags.btable && plan.D));
    const hidden = !spot || covered || folded.has(zone.dataset.panel) || folded.has(name);
    zone.classList.toggle("off", hidden);
    if (spot) place(zone, ...spot);
  }
}

/** A phone is not scaled: its sheet lays it out, in pixels. The bench and the timeline have a place for those who place them; the sheet knows better. */
function fitPhone(stage, width) {
  const { root, floor, zones } = stage, plan = { w: width, h: 0, G: [0, 0, width, 0], H: [0, 0, width, 0] };
  Object.assign(stage, { mode: "phone", plan, scale: 1 });
  Object.assign(floor.style, { width: "", height: "", transform: "" });
  root.style.height = "";
  setAttr(root, "data-mode", "phone");
  zones.G.classList.remove("off");
}

/** Names of everything fixed, in the language shown. */
export function nameStage({ root, run, zones, controls, track, hint, hidden, t, t1 }) {
  for (const [name, zone] of Object.entries(zones)) setName(zone, t("stage.zone." + name));
  for (const name of ["B", "C", "E", "F"]) setText(zones[name].titleNode, t("stage.zone." + name));
  for (const button of controls.querySelectorAll("[data-do]")) {
    const label = t("stage.key." + button.dataset.do), keys = KEYS_OF.get(button.dataset.do);
    setName(button, label);
    setAttr(button, "title", keys ? label + " [" + keys + "]" : label);
    button.classList.toggle("off", hidden.has(button.dataset.panel));
  }
  for (const [action] of JUMPS) setText(controls.querySelector(`[data-do=${action}] span`), t1("stage.short." + action));
  for (const button of controls.level.children) {
    const key = "stage.level." + button.dataset.level, word = button.dataset.level === "request" ? toldKey(run, key) : key;
    setText(button, t1(word));
    setAttr(button, "title", t(word));
  }
  setName(controls.level, t("stage.level"));
  setName(root, t("stage.name"));
  setName(track, t("stage.track"));
  setText(hint, t1("stage.hint"));
}
