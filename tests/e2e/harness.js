// A page of its own around the stage: opens a run at a step, leaps, and compares how a step looks with how it looks when it is opened at once.
import { mountStage } from "/assets/stage/stage.js";

const zones = ".head, .zone, .ring";
function plainNode(node) {
  if (node.nodeType === 3) return node.data;
  if (node.classList.contains("off")) return ""; // what nobody sees may be what it was
  const styles = node.style ? [...node.style].map((name) => name + ":" + node.style.getPropertyValue(name)).sort().join(";") : "";
  const names = [...node.attributes].map(({ name }) => name).filter((name) => name !== "style").sort();
  const attributes = names.map((name) => name + "=" + (name === "class" ? [...node.classList].sort().join(" ") : node.getAttribute(name)));
  const picture = node.tagName === "CANVAS" && !node.classList.contains("ticks") ? node.toDataURL().length : "";
  return "<" + [node.tagName, ...attributes, styles, picture].join(" ") + ">" + [...node.childNodes].map(plainNode).join("") + "</>";
}
let unmount = () => {};
function open(data, step) {
  unmount(); // or it would go on listening to the address
  document.querySelector("main")?.remove();
  const host = document.body.appendChild(document.createElement("main"));
  history.replaceState(null, "", "#step=" + step);
  unmount = mountStage({ parentElement: host.attachShadow({ mode: "open" }), data, css: window.css });
  return host.shadowRoot.querySelector("[role=application]");
}
const drawn = (root) => [...root.querySelectorAll(zones)].map(plainNode);
const key = (root, name) => root.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
function leap(step) {
  history.replaceState(null, "", "#step=" + step);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
const stepOf = (root) => Number(root.querySelector(".track").getAttribute("aria-valuenow"));

/** Differences between how a probed step looks when it is opened and when it is reached otherwise. */
window.compare = (data, from, to, probes) => {
  const fresh = new Map(probes.map((step) => [step, drawn(open(data, step))]));
  const root = open(data, from), wrong = [];
  const check = (way) => {
    const step = stepOf(root), wanted = fresh.get(step);
    if (!wanted) return;
    if (way !== "forward" && root.getAnimations({ subtree: true }).length) wrong.push(`${way} to ${step}: something still moves`);
    drawn(root).forEach((zone, at) => {
      if (zone === wanted[at]) return;
      let same = 0;
      while (zone[same] === wanted[at][same]) same++;
      wrong.push(`${way} to ${step}: …${zone.slice(Math.max(0, same - 200), same + 60)}… instead of …${wanted[at].slice(Math.max(0, same - 20), same + 60)}…`);
    });
  };
  while (stepOf(root) < to) { key(root, "ArrowRight"); check("forward"); }
  while (stepOf(root) > from) { key(root, "ArrowLeft"); check("back"); }
  for (const step of [...probes, ...[...probes].reverse(), probes[0], probes.at(-1)]) { leap(step); check("leap"); }
  return wrong.slice(0, 4);
};
window.openStage = open;
window.ready = true;
