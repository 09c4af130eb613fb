// On the start page the example plays by itself, slowly, until a person lays a hand on the stage.
import { forward, pausePlay } from "./player.js";
import { saveAddress } from "./address.js";

const AUTO_MS = 1600;

/** Starts once per story; under reduced motion the stage stands still (at a step that tells something). */
export function startAuto(stage) {
  if (stage.auto || stage.touched || stage.reduced || !stage.data.flags?.autoplay) return;
  stage.auto = stage.playing = true;
  stage.onPlay();
  const later = () => (stage.playTimer = setTimeout(tick, AUTO_MS / stage.speed));
  const tick = () => {
    if (!stage.auto) return;
    if (document.hidden || stage.part) return later();
    if (stage.k >= stage.events.length) return pausePlay(stage);
    forward(stage, "block");
    later();
  };
  later();
}

/** A hand on the stage ends it. The play button and Space mean "pause" then, so they must still find it playing. */
function endAuto(stage, event) {
  stage.touched = true;
  if (!stage.auto) return;
  const target = event.composedPath()[0];
  const isPlay = event.type === "keydown" ? event.key === " " && target.tagName !== "BUTTON" : target.closest?.("[data-do=play]");
  if (!isPlay) pausePlay(stage);
  stage.auto = false;
  clearTimeout(stage.playTimer);
  saveAddress(stage);
}

export function wireAuto(stage) {
  for (const name of ["keydown", "pointerdown", "focusin"]) stage.root.addEventListener(name, (event) => endAuto(stage, event), true);
}
