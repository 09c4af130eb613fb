// The bet, before anything plays: how many prompt tokens will not have to be computed? Nothing is set beforehand; Next goes on without one.
import { focusOn, make, setAttr, setName, setText } from "../draw/dom.js";
import { arrivalsOf, promptTotal } from "../time/ledger.js";
import { mayAsk } from "./quiz.js";

/** So many tokens stand as cells; more are one bar. */
const BET_CELLS = 40;
const BET_REST_MS = 900;

export const isBetting = (stage) => Boolean(stage.k === 0 && !stage.ask && mayAsk(stage) && stage.data.flags?.card && !stage.run.log.meta.told && promptTotal(stage.run));

/** What the words of the bet may name. */
export const betArgs = ({ run }) => ({ n: arrivalsOf(run), count: Object.keys(run.log.init.slots).length, total: promptTotal(run) });

/** Tokens that a place on a bar of that width stands for: a cell counts with all before it. Pure. */
export const betAt = (x, width, total) => Math.max(0, Math.min(total, Math.ceil((x / width) * total - 1e-6)));

/** What a key makes of a bet (null: none yet); undefined where it is no key of a slider. Pure. */
export function betByKey(key, bet, total) {
  const big = Math.max(1, Math.round(total / 10)), at = bet ?? 0;
  const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, PageUp: at + big, PageDown: at - big, Home: 0, End: total }[key];
  return to === undefined ? undefined : Math.max(0, Math.min(total, to));
}

/** The bet in tokens, be it told as a share; null where there is none. Pure. */
export const betTokens = (bet, total) => (bet && (bet.unit === "tokens" ? bet.n : (bet.n * total) / 100));

/** Python hears of a bet once, however often it was changed meanwhile. */
export function tellBet(stage) {
  if (!stage.betTimer) return;
  clearTimeout(stage.betTimer);
  stage.betTimer = 0;
  stage.api.setTriggerValue?.("bet", { tokens: stage.bet.n });
}

function setBet(stage, n) {
  clearTimeout(stage.betTimer);
  stage.bet = { n, unit: "tokens" };
  stage.betTimer = setTimeout(() => settleBet(stage), BET_REST_MS);
  fillBar(stage);
}

/** The bet stands: it is told, and the rest of the stage shows it. */
function settleBet(stage) {
  if (!stage.betTimer) return;
  tellBet(stage);
  stage.refresh();
}

/** What Python knows of a bet, unless another one is on its way there. */
export function takeBet(stage, isOther) {
  const { bet = null, unit } = stage.data.flags?.card ?? {};
  if (isOther) clearTimeout(stage.betTimer), (stage.betTimer = 0);
  if (!stage.betTimer) stage.bet = bet === null ? null : { n: bet, unit };
}

export const betSaid = ({ bet, run, t }) => (bet ? t("stage.bet." + bet.unit, { n: bet.n, total: promptTotal(run) }) : t("stage.bet.open"));

function fillBar(stage, hover = null) {
  const { run, bet, betNode: { pick, cells, said }, t } = stage, total = promptTotal(run), n = betTokens(bet, total), kids = [...cells.children];
  const part = (value, at) => String(Math.max(0, Math.min(1, ((value ?? 0) * kids.length) / total - at)));
  kids.forEach((cell, at) => (cell.style.setProperty("--part", part(n, at)), cell.style.setProperty("--hover", part(hover, at))));
  setAttr(pick, "data-bet", bet ? "1" : null);
  setAttr(pick, "data-zero", n === 0 || hover === 0 ? "1" : null);
  setAttr(pick, "aria-valuenow", Math.round(n ?? 0));
  setAttr(pick, "aria-valuetext", betSaid(stage));
  setText(said, hover === null ? betSaid(stage) : t("stage.bet.hover", { n: hover, total }));
}

function wireBar(stage, pick, cells) {
  let drags = false;
  const under = ({ clientX }) => {
    const box = cells.getBoundingClientRect();
    return betAt(clientX - box.left, box.width, promptTotal(stage.run));
  };
  pick.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    drags = true;
    pick.setPointerCapture?.(event.pointerId);
    setBet(stage, under(event));
  });
  pick.addEventListener("pointermove", (event) => (drags ? setBet(stage, under(event)) : fillBar(stage, under(event))));
  pick.addEventListener("pointerleave", () => fillBar(stage));
  pick.addEventListener("pointerup", () => {
    if (!drags) return;
    drags = false;
    settleBet(stage);
    focusOn(stage.root); // clicked, not reached by Tab: the arrow keys mean steps again
  });
  pick.addEventListener("pointercancel", () => (drags = false));
}

function buildBet(stage) {
  const cells = make("span", "betcells"), zero = make("span", "betzero", "0"), pick = make("div", "betpick", [zero, cells]), said = make("span", "betsaid");
  pick.tabIndex = 0;
  setAttr(pick, "role", "slider");
  setAttr(pick, "data-pan", "1"); // a finger that draws here moves the bet, not the step
  wireBar(stage, pick, cells);
  return Object.assign(make("div", "bet", [pick, said]), { pick, cells, said });
}

/** The bar with what stands on it; made once, so that a drawing does not take it out of anybody's hand. */
export function betBench(stage) {
  const node = (stage.betNode ??= buildBet(stage)), total = promptTotal(stage.run), count = stage.mode === "phone" || total > BET_CELLS ? 1 : total;
  if (node.cells.children.length !== count) node.cells.replaceChildren(...Array.from({ length: count }, () => make("i")));
  setName(node.pick, stage.t("stage.bet.name"));
  setAttr(node.pick, "aria-valuemin", 0);
  setAttr(node.pick, "aria-valuemax", total);
  fillBar(stage);
  return node;
}

/** Keys of the bar while it has the focus; Enter leaves it. True where the key was one. */
export function betKey(stage, event) {
  if (!stage.betNode || event.composedPath()[0] !== stage.betNode.pick || event.ctrlKey || event.metaKey || event.altKey) return false;
  const total = promptTotal(stage.run), now = betTokens(stage.bet, total), to = betByKey(event.key, now === null ? null : Math.round(now), total);
  if (to === undefined && event.key !== "Enter") return false;
  event.stopPropagation();
  event.preventDefault();
  if (to !== undefined) setBet(stage, to);
  else settleBet(stage), focusOn(stage.root);
  return true;
}
