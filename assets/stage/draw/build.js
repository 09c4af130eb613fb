// The fixed furniture of a stage: zones, layers, buttons. Built once per host element.
import { make, place, setAttr, setName, setText } from "./dom.js";
import { buildControls, nameControls } from "./controls.js";
import { modeOf, planOf } from "./layout.js";

const ZONES = [["A", "lane"], ["B", "table"], ["C", "pool"], ["D", "btable"], ["E", "totals"], ["F", "queue"], ["G", "story"], ["H", "time"]];

/** `panel`: what the payload's `hide` calls it. */
export function buildZone(name, panel) {
  const title = make("h3", "ztitle"), aside = make("div", "zaside"), body = make("div", "zbody");
  const zone = make("section", "zone z" + name, [title, aside, body]);
  zone.dataset.panel = panel;
  return Object.assign(zone, { titleNode: title, aside, body });
}

export function buildStage(host) {
  const zones = Object.fromEntries(ZONES.map(([name, panel]) => [name, buildZone(name, panel)]));
  const head = make("div", "head", [make("h2", "name"), make("div", "count")]);
  const track = make("div", "track", [make("canvas", "ticks"), make("div", "playhead")]);
  track.tabIndex = 0;
  const { controls, menus } = buildControls();
  zones.H.body.append(track, controls);
  const ring = make("div", "ring"), lines = document.createElementNS("http://www.w3.org/2000/svg", "svg"), fly = make("div", "fly");
  lines.setAttribute("class", "lines");
  for (const layer of [ring, lines, fly]) layer.setAttribute("aria-hidden", "true");
  const drawers = make("div", "drawers"), tip = make("div", "tip"), live = make("div", "live");
  live.setAttribute("aria-live", "polite");
  setAttr(tip, "hidden", "");
  const order = [head, ...["A", "B", "C", "D"].map((name) => zones[name]), ...["E", "F", "G", "H"].map((name) => zones[name])];
  const floor = make("div", "stage", [...order, ring, lines, fly, ...Object.values(menus), drawers, tip, live]);
  const blank = make("div", "blank");
  const root = make("div", "broth", [floor, blank]);
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  host.append(root);
  return { host, root, floor, zones, head, track, controls, menus, ring, lines, fly, drawers, tip, live, blank };
}

/** Places all zones for the host's width; the stage is drawn in its own units and scaled as a whole. */
export function fitStage(stage) {
  const { root, floor, zones, head, runB, flags, data, hidden: folded } = stage;
  const large = flags.presenter, full = document.fullscreenElement !== null && root.matches(":fullscreen");
  const over = full || (large && Boolean(data.flags?.whole)); // it covers the page: nothing else of it is to be seen
  root.classList.toggle("over", over);
  const width = over ? innerWidth : root.clientWidth || 1280;
  const mode = modeOf(width, { fork: Boolean(runB), large });
  if (mode === "phone") return fitPhone(stage, width);
  const plan = planOf(mode), { w, h } = plan;
  const scale = over ? Math.min(width / w, innerHeight / h) : width / w;
  const [left, top] = over ? [(width - w * scale) / 2, (innerHeight - h * scale) / 2] : [0, 0];
  Object.assign(stage, { mode, plan, scale });
  Object.assign(floor.style, { width: w + "px", height: h + "px", transform: `translate(${left}px,${top}px) scale(${scale})` });
  root.style.height = over ? "" : h * scale + "px";
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
export function nameStage(stage) {
  const { root, zones, track, t } = stage;
  for (const [name, zone] of Object.entries(zones)) setName(zone, t("stage.zone." + name));
  for (const name of ["B", "C", "E", "F"]) setText(zones[name].titleNode, t("stage.zone." + name));
  nameControls(stage);
  setName(root, t("stage.name"));
  setName(track, t("stage.track"));
}
