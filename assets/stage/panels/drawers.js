// Cards and drawers above the stage: help, go to step, event log, what-if strip; inspector and tables have files of their own.
import { icon, make, place, setAttr } from "../draw/dom.js";
import { captionLine } from "../words/narrate.js";
import { HELP_ROWS } from "../words/keys.js";
import { drawInspector } from "./inspect.js";
import { drawTables } from "./tableview.js";
import { forkChoices } from "./fork.js";
import { tickKind } from "../draw/timeline.js";

const PLACES = { help: [200, 60, 880, 590], log: [8, 44, 440, 594], inspect: [732, 44, 540, 594], table: [60, 44, 1160, 594], goto: [490, 480, 300, 120], fork: [150, 380, 980, 258] };
const NARROW = { help: [10, 50, 700, 780], log: [8, 44, 704, 560], inspect: [8, 44, 704, 720], table: [8, 44, 704, 980], goto: [210, 300, 300, 120], fork: [8, 44, 704, 420] };
const LOG_ROW_H = 28;

const FILL = { help: fillHelp, log: fillLog, inspect: drawInspector, table: drawTables, goto: fillGoto, fork: fillFork };
/** These follow the step; the others are filled once, when they open. */
const LIVE = new Set(["log", "inspect", "table"]);

export function toggleDrawer(S, name, on = !S.open.has(name)) {
  if (S.hidden.has(name === "table" ? "tables" : name)) return;
  const old = S.open.get(name);
  if (old) {
    old.remove();
    S.open.delete(name);
    if (!on) (old.opener?.isConnected ? old.opener : S.root).focus({ preventScroll: true });
  }
  if (!on) return;
  const title = make("h3", "", S.t("stage.drawer." + name));
  const close = make("button", "btn close", [icon("times")]);
  close.type = "button";
  close.dataset.close = name;
  close.setAttribute("aria-label", S.t("stage.close"));
  const body = make("div", "dbody");
  const drawer = make("div", "drawer d-" + name, [make("div", "dhead", [title, close]), body]);
  drawer.setAttribute("role", "dialog");
  drawer.setAttribute("aria-label", title.textContent);
  Object.assign(drawer, { body, opener: S.host.activeElement });
  const [x, y, w, h] = (S.narrow ? NARROW : PLACES)[name];
  place(drawer, x, y, w, LIVE.has(name) ? h : undefined);
  drawer.style.maxHeight = h + "px";
  S.drawers.append(drawer);
  S.open.set(name, drawer);
  FILL[name](S, body);
  const input = drawer.querySelector("input");
  (input ?? close).focus({ preventScroll: true });
  input?.select();
}

/** The newest one closes first; false when nothing was open. */
export function closeNewest(S) {
  const name = [...S.open.keys()].pop();
  if (!name) return false;
  toggleDrawer(S, name, false);
  return true;
}

export function refreshDrawers(S) {
  for (const [name, drawer] of S.open) if (LIVE.has(name)) FILL[name](S, drawer.body);
}

/** Language or size changed: everything open is built anew. */
export function rebuildDrawers(S) {
  for (const name of [...S.open.keys()]) toggleDrawer(S, name, true);
}

function fillHelp(S, body) {
  const rows = HELP_ROWS.map(([keys, action]) => make("div", "hrow", [make("kbd", "", keys), make("span", "", S.t("stage.key." + action))]));
  body.replaceChildren(make("div", "hgrid", rows), make("p", "note", S.t("stage.help.link")));
}

/** Virtual list: only the rows in view exist, however long the run is. */
function fillLog(S, body) {
  const { events } = S.run.log;
  if (!body.list) {
    body.list = body.appendChild(make("div", "loglist"));
    body.addEventListener("scroll", () => drawLogRows(S, body), { passive: true });
  }
  body.list.style.height = events.length * LOG_ROW_H + "px";
  const height = body.clientHeight || 500, top = (S.k - 1) * LOG_ROW_H;
  if (top < body.scrollTop || top + LOG_ROW_H > body.scrollTop + height) body.scrollTop = Math.max(0, top - height / 2);
  drawLogRows(S, body);
}

function drawLogRows(S, body) {
  const { events } = S.run.log, height = body.clientHeight || 500;
  const first = Math.max(0, Math.floor(body.scrollTop / LOG_ROW_H) - 3), last = Math.min(events.length, Math.ceil((body.scrollTop + height) / LOG_ROW_H) + 3);
  const rows = [];
  for (let j = first; j < last; j++) {
    const row = make("button", "logrow", [make("span", "no", String(j + 1)), make("span", "kind k-" + tickKind(events[j])), make("span", "line", captionLine(S.data.text, S.lang, events[j]))]);
    row.type = "button";
    row.dataset.seek = j + 1;
    setAttr(row, "aria-current", S.k === j + 1 ? "step" : null);
    row.style.top = j * LOG_ROW_H + "px";
    rows.push(row);
  }
  const held = body.list.contains(S.host.activeElement) ? S.host.activeElement.dataset.seek : null;
  body.list.replaceChildren(...rows);
  if (held) (rows.find((row) => row.dataset.seek === held) ?? body.list.closest(".drawer").querySelector(".close")).focus({ preventScroll: true });
}

function fillGoto(S, body) {
  const input = make("input");
  Object.assign(input, { type: "number", min: 0, max: S.run.log.events.length, value: S.k });
  input.setAttribute("aria-label", S.t("stage.drawer.goto"));
  const go = make("button", "btn word", S.t("stage.goto.go"));
  go.type = "submit";
  const form = make("form", "gotoform", [input, make("span", "note", "/ " + S.run.log.events.length), go]);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const step = Number(input.value);
    toggleDrawer(S, "goto", false);
    if (Number.isFinite(step)) S.seek(step);
  });
  body.replaceChildren(form);
}

function forkButton(S, change, value) {
  const label = typeof value === "number" ? String(value) : S.t("stage.fork." + change + "." + value);
  const button = make("button", "btn word", label);
  button.type = "button";
  Object.assign(button, { forkChange: change, forkValue: value });
  button.dataset.do = "sendFork";
  return button;
}

function fillFork(S, body) {
  const rows = forkChoices(S).map(([change, values]) => {
    const name = make("span", "fname", S.t("stage.fork." + change));
    if (values !== "text") return make("div", "frow", [name, ...values.map((value) => forkButton(S, change, value))]);
    const input = make("input"), send = forkButton(S, change, "send");
    input.type = "text";
    input.setAttribute("aria-label", name.textContent);
    send.forkInput = input;
    return make("div", "frow", [name, input, send]);
  });
  if (S.runB) {
    const undo = make("button", "btn word", S.t("stage.fork.undo"));
    undo.type = "button";
    undo.dataset.do = "undoFork";
    rows.unshift(make("div", "frow", [undo]));
  }
  body.replaceChildren(make("p", "note", S.t("stage.fork.hint", { step: S.k })), make("div", "frows", rows));
}

export function sendFork(S, button) {
  const value = button.forkInput ? button.forkInput.value : button.forkValue;
  toggleDrawer(S, "fork", false);
  S.api.setTriggerValue?.("fork", { step: S.k, change: button.forkChange, value });
}

export function undoFork(S) {
  toggleDrawer(S, "fork", false);
  S.api.setTriggerValue?.("fork", { undo: true });
}
