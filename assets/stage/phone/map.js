// The map: request, pool and queue in small, always there; an ink frame stands round the one that is shown.
import { icon, make, makeButton, setAttr, setName, setText } from "../draw/dom.js";
import { eventsOf, slotView } from "../draw/view.js";
import { laneViews } from "../draw/laneview.js";
import { toldKey } from "../draw/told.js";
import { miniColumns, runsOf } from "./plan.js";

const FEW_CELLS = 24, FEW_CARDS = 10;

export function buildPhoneMap() {
  const here = make("span", "phere");
  const stops = ["request", "pool", "queue"].map((name, zone) => {
    const mini = make("span", "pmini m-" + name), label = make("span", "plab");
    return Object.assign(makeButton("pstop", [mini, label], { look: zone }), { mini, label, zoneName: name });
  });
  const arrows = stops.slice(1).map(() => make("i", "", [icon("right")]));
  return Object.assign(make("nav", "pmap", [here, stops[0], arrows[0], stops[1], arrows[1], stops[2]]), { here, stops });
}

/** Small cells while each can be seen, otherwise a bar in true proportion. */
function cellsOrBar(states, few) {
  const bar = states.length > few;
  const parts = bar ? runsOf(states) : states.map((state) => ({ state, count: 1 }));
  return { bar, nodes: parts.map(({ state, count }) => {
    const cell = make("i");
    cell.dataset.state = state;
    if (bar) cell.style.flexGrow = count;
    return cell;
  }) };
}

/** Tokens one by one while they are few, then blocks, each in the state of its block. */
function requestStates({ frame, rid, run, peak }) {
  const req = frame.reqs[rid], size = run.log.meta.block_size;
  if (!req) return [];
  const views = laneViews(frame, req, size, peak);
  return req.num_tokens <= FEW_CELLS ? views.flatMap(({ state, tokens }) => tokens.map((one) => one || state)) : views.map(({ state }) => state);
}

/** The pool's bar is sorted by state: its order says nothing at that size. */
function poolStates({ frame, rid, events, k, level }) {
  const told = eventsOf(events, k, level), states = Object.keys(frame.slots).map((id) => slotView(frame, id, rid, told).state);
  return states.length > FEW_CELLS ? states.sort() : states;
}

const queueStates = ({ frame, rid }) => frame.queue.map((id) => slotView(frame, id, rid, null).state);

export function drawPhoneMap(stage, map, zone) {
  const { t1, t, run, ask } = stage;
  const states = [requestStates(stage), poolStates(stage), run.log.meta.told ? [] : queueStates(stage)];
  const slots = states[1].length, cols = [miniColumns(states[0].length, run.log.meta.block_size), slots <= 6 ? 3 : slots <= 12 ? 4 : 8, FEW_CARDS];
  map.stops.forEach((stop, at) => {
    const word = at === 0 ? toldKey(run, "stage.phone.request") : "stage.phone." + stop.zoneName, stamp = states[at].join();
    setText(stop.label, t1(word));
    setName(stop, t("stage.phone.look", { zone: t(word) }));
    setAttr(stop, "aria-current", at === zone ? "true" : null);
    if (stop.mini.stamp === stamp) return;
    stop.mini.stamp = stamp;
    const { bar, nodes } = cellsOrBar(states[at], at === 2 ? FEW_CARDS : FEW_CELLS);
    setAttr(stop.mini, "data-bar", bar ? "1" : null);
    stop.mini.style.setProperty("--cols", cols[at]);
    stop.mini.replaceChildren(...nodes);
  });
  setAttr(map, "data-ends", ask ? null : "1");
  map.here.style.setProperty("--zone", zone);
}
