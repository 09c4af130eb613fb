// Who hears a key? The stage, when it was clicked or reached with Tab; where it is all of the page, also when nothing else of the page wants it.
import { drawHearing } from "../draw/controls.js";
import { closeMenu } from "../panels/menu.js";
import { onKey } from "./input.js";
import { pausePlay } from "../play/player.js";

/** Things of the page that have a use for keys of their own. */
const WANTS = "input, textarea, select, button, a[href], summary, audio, video, [contenteditable], [tabindex='0']:not(main), [role=slider], [role=dialog], [role=menu], [role=listbox], [role=tablist], [data-testid=stPopoverBody]";
/** While one of these is open the page waits for an answer. */
const OPEN = "[role=dialog], [role=listbox], [data-testid=stPopoverBody]";
/** Of those, the ones that do something at Space. */
const SPACE = "input:not([type=range]), textarea, select, button, a[href], summary, audio, video, [contenteditable]";

const fills = ({ data, root }) => Boolean(data?.flags?.whole) || root.matches(":fullscreen");
const within = (node, names) => Boolean(node?.closest?.(names));

/** Would a key that is pressed now reach the stage? `target`: what has the focus on the page. */
function isHeard(stage, target = document.activeElement) {
  const { host, root } = stage;
  if (!document.hasFocus()) return false;
  if (host.activeElement) return root.contains(host.activeElement);
  return fills(stage) && !within(target, WANTS) && !document.querySelector(OPEN);
}

/** Keys that the page has no use for; the stage's own root hears its keys before they come here. */
function onPageKey(stage, event) {
  const target = event.composedPath()[0];
  if (!stage.data || event.defaultPrevented || stage.host.activeElement) return;
  if (event.key === " " && stage.playing && !within(target, SPACE)) {
    event.preventDefault();
    return pausePlay(stage);
  }
  if (isHeard(stage, target)) onKey(stage, event);
}

/** Listens on the page, and keeps the dot beside the buttons true. Returns what undoes it. */
export function watchKeys(stage) {
  const ears = new AbortController(), { signal } = ears;
  const tell = () => stage.run && drawHearing(stage, isHeard(stage));
  const soon = () => setTimeout(tell, 0); // the focus has moved by then
  addEventListener("keydown", (event) => onPageKey(stage, event), { capture: true, signal });
  addEventListener("pointerdown", ({ target }) => target !== stage.host.host && closeMenu(stage), { capture: true, signal }); // clicks on the stage close it too: hands/input.js
  for (const name of ["focusin", "focusout", "click", "keyup"]) document.addEventListener(name, soon, { capture: true, signal });
  for (const name of ["focus", "blur"]) addEventListener(name, soon, { signal });
  stage.tellHearing = tell;
  return () => ears.abort();
}
