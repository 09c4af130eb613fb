// The phone's menu: a sheet over the whole width, with what makes sense without a keyboard.
import { focusOn, icon, make, makeButton, setAttr, setName, setText } from "../draw/dom.js";
import { toldKey } from "../draw/told.js";
import { LEVELS } from "../time/steps.js";

/** [action, panel that the page may hide] */
const ROWS = [["play"], ["ask", "quiz"], ["noodle", "noodle"], ["goto"], ["first"], ["log", "log"], ["table", "tables"], ["inspect", "inspect"], ["fork", "fork"], ["lang", "lang"], ["theme"]];
const ON = { ask: ({ flags }) => flags.ask, noodle: ({ flags }) => flags.noodle, play: ({ playing }) => playing };

export function buildPhoneMenu() {
  const title = make("b"), close = makeButton("pmenu", [icon("times")], { sheet: "close" }), name = make("span", "pnote");
  const levels = make("div", "plevels", LEVELS.map((level) => makeButton("plevel", [], { level, sheet: "close" })));
  const rows = ROWS.map(([action]) => makeButton("pitem", [make("span"), make("span", "pnote")], { do: action, sheet: "close" }));
  const sheet = make("div", "psheet off", [make("div", "phead", [title, close]), name, levels, ...rows]);
  sheet.setAttribute("role", "dialog");
  levels.setAttribute("role", "group");
  return Object.assign(sheet, { titleNode: title, close, levelsName: name, levels, rows });
}

/** Opens or shuts it; the focus goes along. */
export function showPhoneMenu(stage, on) {
  const { menu, head } = stage.phone;
  menu.classList.toggle("off", !on);
  focusOn(on ? menu.close : head.menuButton);
}

export function drawPhoneMenu(stage, sheet) {
  const { t, t1, hidden, level, run } = stage;
  setText(sheet.titleNode, t("stage.phone.menu"));
  setName(sheet, t("stage.phone.menu"));
  setName(sheet.close, t("stage.close"));
  setText(sheet.levelsName, t("stage.level"));
  setName(sheet.levels, t("stage.level"));
  for (const button of sheet.levels.children) {
    const key = "stage.level." + button.dataset.level;
    setText(button, t1(button.dataset.level === "request" ? toldKey(run, key) : key));
    setAttr(button, "aria-pressed", button.dataset.level === level);
  }
  ROWS.forEach(([action, panel], at) => {
    const row = sheet.rows[at], on = ON[action]?.(stage);
    row.classList.toggle("off", hidden.has(panel) || (action === "ask" && Boolean(run.log.meta.told)));
    setText(row.firstChild, t("stage.phone.do." + action));
    setText(row.lastChild, on === undefined ? "" : t(on ? "stage.phone.on" : "stage.phone.off"));
    setAttr(row, "aria-pressed", on === undefined ? null : on);
  });
}
