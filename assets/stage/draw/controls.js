// Below the timeline: a few buttons with names, whether keys are heard, and all else in two menus.
import { icon, make, makeButton, setAttr, setName, setText, swapIcon } from "./dom.js";
import { BUTTON_KEYS, MENU } from "../words/keys.js";
import { LEVELS } from "../time/steps.js";
import { toldKey } from "./told.js";

/** Names that the payload's `hide` may list, besides zones by letter or panel (lane, table, pool, btable, totals, queue, story, quiz, time). */
const PANEL_OF = { fork: "fork", ask: "quiz", log: "log", inspect: "inspect", table: "tables", code: "code", noodle: "noodle", lang: "lang" };
/** Entries that are on or off, and the flag that says so. */
const SWITCHES = new Set(["ask", "code", "noodle", "presenter", "btable", "fork"]);
/** In the menu only where the plan has no button for them. */
const BUTTONS_TOO = new Set(["ask", "presenter"]);

function buildKnob(action, glyph, after, data = { do: action }) {
  const sign = make("span", "sign", [icon(glyph)]), word = make("span", "word"), panel = PANEL_OF[action];
  const button = makeButton("btn b-" + action, after ? [word, sign] : [sign, word], { ...data, ...(panel && { panel }) });
  if (BUTTON_KEYS[action]) setAttr(button, "aria-keyshortcuts", BUTTON_KEYS[action]);
  return Object.assign(button, { sign, word });
}

function buildEntry([action, key]) {
  const word = make("span", "word"), keys = make("kbd", "", key), panel = PANEL_OF[action];
  const entry = makeButton("entry" + (BUTTONS_TOO.has(action) ? " also" : ""), [word, keys], { do: action, ...(panel && { panel }) });
  setAttr(entry, "role", SWITCHES.has(action) ? "menuitemcheckbox" : "menuitem");
  setAttr(entry, "aria-keyshortcuts", key);
  setAttr(keys, "aria-hidden", "true");
  return Object.assign(entry, { word, tabIndex: -1 });
}

function buildLevel(level) {
  const word = make("span", "word"), entry = makeButton("entry", [word], { level });
  setAttr(entry, "role", "menuitemradio");
  return Object.assign(entry, { word, tabIndex: -1 });
}

function buildMenu(name, groups) {
  const menu = make("div", "menu m-" + name, groups);
  setAttr(menu, "role", "menu");
  setAttr(menu, "hidden", "");
  return menu;
}

function buildGroup([name, entries]) {
  const group = make("div", "group", [make("p", "note"), ...entries.map(buildEntry)]);
  setAttr(group, "role", "group");
  return Object.assign(group, { groupName: name });
}

/** The row of buttons and the menus that two of them open; a menu lies on the floor, above all zones. */
export function buildControls() {
  const pick = buildKnob("level", "down", true, { menu: "level" }), more = buildKnob("more", "dots", true, { menu: "more" });
  for (const opener of [pick, more]) setAttr(opener, "aria-haspopup", "menu");
  const hears = make("div", "hears", [make("i", "dot"), make("span", "word")]);
  const row = make("div", "controls", [buildKnob("back", "left"), buildKnob("next", "right", true), buildKnob("play", "next"), make("span", "grow"),
    pick, buildKnob("ask", "check"), hears, make("span", "grow"), buildKnob("presenter", "screen"), more]);
  const menus = { level: buildMenu("level", LEVELS.map(buildLevel)), more: buildMenu("more", MENU.map(buildGroup)) };
  return { controls: Object.assign(row, { pick, more, hears }), menus };
}

/** Words that change with the language only. */
export function nameControls({ run, controls, menus, hidden, speed, t, t1 }) {
  for (const button of controls.querySelectorAll("[data-do]")) {
    const { do: action, panel } = button.dataset;
    setText(button.word, t1("stage.btn." + action));
    setAttr(button, "title", t("stage.key." + action));
    button.classList.toggle("off", hidden.has(panel));
  }
  setText(controls.more.word, t1("stage.btn.more"));
  setAttr(controls.more, "title", t("stage.menu.title"));
  setAttr(controls.pick, "title", t("stage.level"));
  setName(menus.level, t("stage.level"));
  setName(menus.more, t("stage.menu.title"));
  for (const group of menus.more.children) {
    const name = t1("stage.menu." + group.groupName);
    setText(group.firstChild, name);
    setName(group, name);
  }
  for (const entry of menus.more.querySelectorAll(".entry")) {
    setText(entry.word, t1("stage.menu." + entry.dataset.do, { speed }));
    setAttr(entry, "title", t("stage.key." + entry.dataset.do));
    entry.classList.toggle("off", hidden.has(entry.dataset.panel));
  }
  for (const entry of menus.level.children) setText(entry.word, t1(levelKey(run, entry.dataset.level)));
}

const levelKey = (run, level) => (level === "request" ? toldKey(run, "stage.level.request") : "stage.level." + level);

/** Words and states of this step: an open question turns Next into a hint. */
export function drawControls(stage) {
  const { run, runB, controls, menus, flags, feedback, level, playing, speed, t1, k, events } = stage, ask = feedback ? null : stage.ask, ends = k > 0 && k === events.length;
  const [next, play] = ["next", "play"].map((name) => controls.querySelector(".b-" + name));
  setText(next.word, t1(ask ? "stage.btn.guess" : ends ? "stage.btn.end" : "stage.btn.next"));
  swapIcon(next.sign, ask ? "up" : ends ? null : "right");
  setAttr(next, "aria-disabled", ends ? "true" : null);
  setAttr(next, "data-guess", ask ? "1" : null);
  setText(play.word, t1(playing ? "stage.btn.pause" : "stage.btn.play"));
  swapIcon(play.sign, playing ? "pause" : "next");
  setText(controls.pick.word, t1(levelKey(run, level)));
  const on = { ...flags, fork: Boolean(runB) };
  for (const name of ["ask", "presenter"]) setAttr(controls.querySelector(".b-" + name), "aria-pressed", Boolean(on[name]));
  for (const entry of menus.more.querySelectorAll("[role=menuitemcheckbox]")) setAttr(entry, "aria-checked", Boolean(on[entry.dataset.do]));
  for (const entry of menus.level.children) setAttr(entry, "aria-checked", entry.dataset.level === level);
  setText(menus.more.querySelector("[data-do=faster]").word, t1("stage.menu.faster", { speed }));
}

/** Does a key that is pressed now come here? The dot must not lie: hands/hearing.js knows. */
export function drawHearing({ controls: { hears }, t1 }, heard) {
  setAttr(hears, "data-on", heard ? "1" : null);
  setText(hears.lastChild, t1(heard ? "stage.keys.on" : "stage.keys.off"));
}

/** Next was pressed over an open question: it shakes. */
export function refuseNext({ controls, reduced }) {
  const shake = [0, -5, 5, -5, 5, 0].map((x) => ({ transform: `translateX(${x}px)` }));
  if (!reduced) controls.querySelector(".b-next").animate(shake, { duration: 400 });
}
