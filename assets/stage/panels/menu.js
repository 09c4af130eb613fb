// The two menus: open, walk with the arrow keys, close. What an entry does, its data says.
import { focusOn, place, rectIn, setAttr } from "../draw/dom.js";

const openerOf = ({ controls, menu }) => (menu === "level" ? controls.pick : controls.more);
const entriesOf = (menu) => [...menu.querySelectorAll(".entry")].filter((entry) => entry.getClientRects().length);

/** Its foot stands on the row of buttons, above the one that opened it. */
function openMenu(stage, name) {
  const { menus, plan } = stage, menu = menus[name];
  closeMenu(stage);
  stage.menu = name;
  setAttr(menu, "hidden", null);
  const opener = openerOf(stage), box = rectIn(opener), { offsetWidth: w, offsetHeight: h } = menu;
  place(menu, Math.max(8, Math.min(plan.w - w - 24, box.x + box.w - w)), Math.max(8, box.y - h - 6));
  setAttr(opener, "aria-expanded", true);
  focusOn(menu.querySelector("[aria-checked=true][role=menuitemradio]") ?? entriesOf(menu)[0]);
}

/** Returns false when none was open. `back`: the keyboard goes back to the button that opened it. */
export function closeMenu(stage, back = false) {
  const { menus, menu: name } = stage;
  if (!name) return false;
  const opener = openerOf(stage), held = menus[name].contains(stage.host.activeElement);
  stage.menu = null;
  setAttr(menus[name], "hidden", "");
  setAttr(opener, "aria-expanded", false);
  if (held) focusOn(back ? opener : stage.root);
  return true;
}

export const toggleMenu = (stage, name) => (stage.menu === name ? closeMenu(stage, true) : openMenu(stage, name));

/** Keys while a menu is open: "taken", "native" (the browser does it), or null. Letters go on to the stage: they do what the menu says they do. */
export function menuKey(stage, { key }) {
  if (!stage.menu) return null;
  const entries = entriesOf(stage.menus[stage.menu]), at = entries.indexOf(stage.host.activeElement), { length } = entries;
  const to = { ArrowDown: (at + 1) % length, ArrowUp: (at - 1 + length) % length, Home: 0, End: length - 1 }[key];
  if (to !== undefined) focusOn(entries[to]);
  else if (key === "ArrowRight" || key === "ArrowLeft") focusOn(beside(entries, entries[at], key === "ArrowRight" ? 1 : -1));
  else if (key === "Escape" || key === "Tab") closeMenu(stage, true);
  else return key === "Enter" || key === " " ? "native" : null;
  return key === "Tab" ? "native" : "taken";
}

/** The entry at the same height in the next group. */
function beside(entries, entry, dir) {
  const group = dir > 0 ? entry?.parentNode.nextElementSibling : entry?.parentNode.previousElementSibling;
  if (!entry || !group?.contains) return entry;
  const mine = entries.filter((one) => one.parentNode === entry.parentNode), there = entries.filter((one) => one.parentNode === group);
  return there[Math.min(mine.indexOf(entry), there.length - 1)] ?? entry;
}
