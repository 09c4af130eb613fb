// The stage on a phone: one zone at a time, which follows the story. Built once inside the stage's root, drawn from step k alone.
import { make, makeButton, setAttr, setText } from "../draw/dom.js";
import { drawPlayhead } from "../draw/timeline.js";
import { buildPhoneHead, drawOtherRun, drawPhoneHead } from "./head.js";
import { buildPhoneMap, drawPhoneMap } from "./map.js";
import { buildRequestZone, drawRequestZone } from "./request.js";
import { buildPoolZone, drawPoolZone } from "./slots.js";
import { buildQueueZone, drawQueueZone } from "./queue.js";
import { buildPhoneFoot, drawPhoneFoot } from "./foot.js";
import { buildPhoneMenu, drawPhoneMenu, showPhoneMenu } from "./menu.js";
import { buildPhoneEnd, drawPhoneEnd } from "./end.js";
import { adoptBench, drawBench, returnBench } from "./caption.js";
import { scrollZones } from "./scroll.js";
import { wireSwipe } from "./swipe.js";
import { phoneZone } from "./plan.js";

function buildPhone(stage) {
  const head = buildPhoneHead(), map = buildPhoneMap(), bench = make("div", "pcap"), other = make("div", "pother off"), nudge = make("p", "pnudge");
  const zones = [buildRequestZone(), buildPoolZone(), buildQueueZone()].map((zone) => Object.assign(zone, { tabIndex: 0 })), track = make("div", "ptrack", zones), follow = makeButton("pfollow off", [], { look: "story" });
  const view = make("main", "pview", [track, follow]), foot = buildPhoneFoot(), end = buildPhoneEnd(), menu = buildPhoneMenu();
  const phone = Object.assign(make("div", "phone", [head, map, make("div", "pwords", [bench, nudge, other]), view, foot, end, menu]), { head, map, bench, nudge, other, zones, track, follow, view, foot, end, menu });
  phone.look = null;
  phone.addEventListener("click", (event) => onTap(stage, event));
  const press = { next: foot.next, back: foot.back };
  wireSwipe(phone, (dx) => (track.style.marginLeft = dx ? dx + "px" : ""), (what) => what && menu.classList.contains("off") && press[what].click());
  stage.floor.insertBefore(phone, stage.drawers);
  return phone;
}

/** Looking at another zone and the menu are the phone's own; all other buttons say what they do to the stage. */
function onTap(stage, event) {
  const button = event.target.closest("[data-look], [data-sheet], .pend-card [data-do=look]");
  if (!button) return;
  const { look, sheet } = button.dataset;
  if (sheet) return showPhoneMenu(stage, sheet === "open");
  if (!look) return stage.phone.end.classList.add("off");
  stage.phone.look = look === "story" ? null : { k: stage.k, asking: stage.phone.asking, zone: Number(look) };
  drawPhone(stage);
}

/** The zone of the story, and the one that is looked at: another one only as long as the step stands. */
function zonesNow({ event, events, k, phone }) {
  const { look, asking } = phone, story = phoneZone(event, asking ? events[k] : null);
  return [story, look && look.k === k && look.asking === asking ? look.zone : story];
}

/** Draws step k; false where the stage is no phone's, whose furniture then stands back. */
export function drawPhone(stage) {
  if (stage.mode !== "phone") return returnBench(stage);
  stage.phone ??= buildPhone(stage);
  const { phone, t } = stage;
  phone.asking = Boolean(stage.ask && !stage.feedback); // a verdict is read before the next question stands
  adoptBench(stage);
  const [story, zone] = zonesNow(stage);
  drawPhoneHead(stage, phone.head);
  drawPhoneMap(stage, phone.map, zone);
  drawOtherRun(stage, phone.other);
  const lane = drawRequestZone(stage, phone.zones[0]);
  drawPoolZone(stage, phone.zones[1]);
  drawQueueZone(stage, phone.zones[2]);
  phone.glided = phone.zone !== zone;
  phone.zone = zone;
  phone.track.style.transform = `translateX(${(-100 * zone) / 3}%)`;
  phone.zones.forEach((one, at) => setAttr(one, "inert", at === zone ? null : ""));
  phone.follow.classList.toggle("off", zone === story);
  setText(phone.follow, t("stage.phone.follow"));
  setText(phone.nudge, t("stage.ask.first")); // seen when the bench is nudged: the sheet sees to that
  setAttr(phone, "data-asking", phone.asking ? "1" : null);
  drawBench(stage);
  drawPhoneFoot(stage, phone.foot);
  drawPhoneEnd(stage, phone.end);
  drawPhoneMenu(stage, phone.menu);
  drawPlayhead(stage);
  scrollZones(stage, lane);
  return true;
}
