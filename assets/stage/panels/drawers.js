// Cards and drawers above the stage: help, go to step, event log, what-if strip; inspector and tables have files of their own.
import { focusOn, icon, make, makeButton, place, setAttr, setName, setText } from "../draw/dom.js";
import { HELP_ROWS } from "../words/keys.js";
import { mayAsk } from "./quiz.js";
import { drawInspector } from "./inspect.js";
import { drawTables } from "./tableview.js";
import { tickKind } from "../draw/ticks.js";

const PLACES = { help: [200, 40, 880, 600], log: [8, 44, 440, 594], inspect: [732, 44, 540, 594], table: [60, 44, 1160, 594], goto: [490, 480, 300, 120], fork: [150, 330, 980, 322] };
/** A finger needs taller rows. */
const logRow = ({ mode }) => (mode === "phone" ? 56 : 28);

const FILL = { help: fillHelp, log: fillLog, inspect: drawInspector, table: drawTables, goto: fillGoto, fork: fillFork };
/** These follow the step, all but the last at their full height; the others are filled once, when they open. */
const LIVE = new Set(["log", "inspect", "table", "fork"]);

export function toggleDrawer(stage, name, on = !stage.open.has(name)) {
  const { open, t } = stage;
  if (stage.hidden.has(name === "table" ? "tables" : name)) return;
  const old = open.get(name);
  if (old) {
    old.remove();
    open.delete(name);
    if (!on) focusOn(old.opener?.isConnected ? old.opener : stage.root);
  }
  if (!on) return;
  const title = make("h3", "", t("stage.drawer." + name));
  const close = makeButton("btn close", [icon("times")], { close: name });
  setName(close, t("stage.close"));
  const body = make("div", "dbody");
  const drawer = make("div", "drawer d-" + name, [make("div", "dhead", [title, close]), body]);
  drawer.setAttribute("role", "dialog");
  setName(drawer, title.textContent);
  Object.assign(drawer, { body, opener: stage.host.activeElement });
  const [x, y, w, h] = PLACES[name];
  place(drawer, x, y, w, LIVE.has(name) && name !== "fork" ? h : undefined);
  drawer.style.maxHeight = h + "px";
  stage.drawers.append(drawer);
  open.set(name, drawer);
  FILL[name](stage, body);
  const input = drawer.querySelector("input");
  focusOn(input ?? close);
  input?.select();
}

/** The newest one closes first; false when nothing was open. */
export function closeNewest(stage) {
  const name = [...stage.open.keys()].pop();
  if (!name) return false;
  toggleDrawer(stage, name, false);
  return true;
}

export function refreshDrawers(stage) {
  for (const [name, drawer] of stage.open) if (LIVE.has(name)) FILL[name](stage, drawer.body);
}

/** Language or size changed: everything open is built anew. */
export function rebuildDrawers(stage) {
  for (const name of [...stage.open.keys()]) toggleDrawer(stage, name, true);
}

function fillHelp({ t }, body) {
  const rows = HELP_ROWS.map(([keys, action]) => make("div", "hrow", [make("kbd", "", keys), make("span", "", t("stage.key." + action))]));
  body.replaceChildren(make("div", "hgrid", rows), make("p", "note", t("stage.help.link")));
}

/** Rows of the log: while questions are on, what lies ahead is not told. */
const rowsTold = (stage) => (mayAsk(stage) ? stage.k : stage.events.length);

/** Virtual list: only the rows in view exist, however long the run is. */
function fillLog(stage, body) {
  if (!body.list) {
    body.list = body.appendChild(make("div", "loglist"));
    body.addEventListener("scroll", () => drawLogRows(stage, body), { passive: true });
  }
  const rowH = logRow(stage), height = body.clientHeight || 500, top = (stage.k - 1) * rowH;
  body.list.style.height = rowsTold(stage) * rowH + "px";
  if (top < body.scrollTop || top + rowH > body.scrollTop + height) body.scrollTop = Math.max(0, top - height / 2);
  drawLogRows(stage, body);
}

function drawLogRows(stage, body) {
  const { events, caption, k, host } = stage, rowH = logRow(stage), height = body.clientHeight || 500;
  const first = Math.max(0, Math.floor(body.scrollTop / rowH) - 3), last = Math.min(rowsTold(stage), Math.ceil((body.scrollTop + height) / rowH) + 3);
  const rows = [];
  for (let j = first; j < last; j++) {
    const words = [make("span", "no", String(j + 1)), make("span", "kind k-" + tickKind(events[j])), make("span", "line", caption(events[j]))];
    const row = makeButton("logrow", words, { seek: j + 1 });
    setAttr(row, "aria-current", k === j + 1 ? "step" : null);
    row.style.top = j * rowH + "px";
    rows.push(row);
  }
  const held = body.list.contains(host.activeElement) ? host.activeElement.dataset.seek : null;
  body.list.replaceChildren(...rows);
  if (held) (rows.find((row) => row.dataset.seek === held) ?? body.list.closest(".drawer").querySelector(".close")).focus({ preventScroll: true });
}

function fillGoto(stage, body) {
  const input = make("input");
  Object.assign(input, { type: "number", min: 0, max: stage.events.length, value: stage.k });
  setName(input, stage.t("stage.drawer.goto"));
  const go = make("button", "btn word", stage.t("stage.goto.go"));
  go.type = "submit";
  const form = make("form", "gotoform", [input, make("span", "note", "/ " + stage.events.length), go]);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const step = Number(input.value);
    toggleDrawer(stage, "goto", false);
    if (input.value.trim() && Number.isFinite(step)) stage.seek(step);
  });
  body.replaceChildren(form);
}

function forkButton({ t }, change, value) {
  const label = typeof value === "number" ? String(value) : t("stage.fork." + change + "." + value);
  return Object.assign(makeButton("btn word", label, { do: "sendFork" }), { forkChange: change, forkValue: value });
}

/** Why a choice cannot work at a step, or null; the payload bars each at stretches of steps: [from, to | null, reason, args]. */
function barAt({ t }, barred, step) {
  const bar = barred.find(([from, to]) => from <= step && (to === null || step <= to));
  return bar ? t("stage.fork.why." + bar[2], bar[3]) : null;
}

/** One change with its values, and a line for what of them cannot work at this step. */
function forkRow(stage, change, choices) {
  const name = make("span", "fname", stage.t("stage.fork." + change)), why = make("span", "note fwhy"), row = make("div", "frow", [name]);
  row.bars = choices.map(([value, barred]) => {
    const button = forkButton(stage, change, value === "text" ? "send" : value);
    if (value === "text") {
      const input = (button.forkInput = make("input"));
      input.type = "text";
      setName(input, name.textContent);
      row.append(input);
    }
    row.append(button);
    return { button, barred };
  });
  row.append(why);
  return Object.assign(row, { why });
}

/** What-if: the payload's `forks` are [[change, [[value | "text", barred], ...]], ...]. It follows the step and keeps what is typed. */
function fillFork(stage, body) {
  const { t, k } = stage;
  if (!body.rows) {
    body.hint = make("p", "note");
    body.rows = stage.data.forks.filter(([, choices]) => choices.length).map(([change, choices]) => forkRow(stage, change, choices));
    const undo = make("div", "frow", [makeButton("btn word", t("stage.fork.undo"), { do: "undoFork" })]);
    body.replaceChildren(body.hint, make("div", "frows", stage.runB ? [undo, ...body.rows] : body.rows));
  }
  setText(body.hint, t("stage.fork.hint", { step: k }));
  for (const { bars, why } of body.rows) {
    const reasons = new Map();
    for (const { button, barred } of bars) {
      const reason = barAt(stage, barred, k);
      for (const [name, value] of Object.entries({ "aria-disabled": reason !== null, title: reason, "aria-description": reason })) setAttr(button, name, value);
      if (reason) reasons.set(reason, [...(reasons.get(reason) ?? []), button.textContent]);
    }
    setText(why, [...reasons].map(([reason, labels]) => (labels.length < bars.length ? labels.join(", ") + ": " : "") + reason).join(" "));
  }
}

export function sendFork(stage, button) {
  if (button.getAttribute("aria-disabled") === "true") return;
  const value = button.forkInput ? button.forkInput.value : button.forkValue;
  toggleDrawer(stage, "fork", false);
  stage.api.setTriggerValue?.("fork", { step: stage.k, change: button.forkChange, value });
}

export function undoFork(stage) {
  toggleDrawer(stage, "fork", false);
  stage.api.setTriggerValue?.("fork", { undo: true });
}
