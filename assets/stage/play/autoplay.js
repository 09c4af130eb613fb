// On the start page the example plays by itself, slowly, until a person lays a hand on the stage.
import { forward, pausePlay } from "./player.js";
import { saveAddress } from "./address.js";

const AUTO_MS = 1600;

/** Starts once per story; under reduced motion the stage stands still (at a step that tells something). */
export function startAuto(S) {
  if (S.auto || S.touched || S.reduced || !S.data.flags?.autoplay) return;
  S.auto = S.playing = true;
  S.onPlay();
  const later = () => (S.playTimer = setTimeout(tick, AUTO_MS / S.speed));
  const tick = () => {
    if (!S.auto) return;
    if (document.hidden || S.part) return later();
    if (S.k >= S.run.log.events.length) return pausePlay(S);
    forward(S, "block");
    later();
  };
  later();
}

/** A hand on the stage ends it. The play button and Space mean "pause" then, so they must still find it playing. */
function endAuto(S, event) {
  S.touched = true;
  if (!S.auto) return;
  const target = event.composedPath()[0];
  const isPlay = event.type === "keydown" ? event.key === " " && target.tagName !== "BUTTON" : target.closest?.("[data-do=play]");
  if (!isPlay) pausePlay(S);
  S.auto = false;
  clearTimeout(S.playTimer);
  saveAddress(S);
}

export function wireAuto(S) {
  for (const name of ["keydown", "pointerdown", "focusin"]) S.root.addEventListener(name, (event) => endAuto(S, event), true);
}
