// The caption above the picture is the bench of the wide stage, moved into the phone: the same words, question and verdict, read once.
import { drawStory } from "../panels/story.js";

export function adoptBench({ phone, zones }) {
  if (zones.G.parentNode !== phone.bench) phone.bench.append(zones.G);
}

/** Back to its place in the wide stage; always false: this is no phone. */
export function returnBench({ phone, zones, floor }) {
  if (phone && zones.G.parentNode === phone.bench) floor.insertBefore(zones.G, zones.H);
  return false;
}

/** Chips in a caption are things to point at; a finger has no use for targets that small. */
export function drawBench(stage) {
  const { zones, event } = stage;
  drawStory(stage, event);
  Object.assign(zones.G.body, { fitted: 1 }).style.setProperty("--fit", 1); // here the zone grows, not the words shrink
  for (const chip of zones.G.querySelectorAll(".chip")) ["role", "tabindex", "data-k", "data-h"].forEach((name) => chip.removeAttribute(name));
}
