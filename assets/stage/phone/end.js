// The end of a run on a phone: the three parts of the card, one under the other, over caption and zones.
import { make, setName } from "../draw/dom.js";
import { cardSections, hasCard } from "../panels/endcard.js";

export const buildPhoneEnd = () => {
  const card = make("div", "pend-card off");
  card.setAttribute("role", "region");
  return card;
};

export function drawPhoneEnd(stage, card) {
  const { k, events, t } = stage;
  if (k !== events.length) stage.cardClosed = null;
  const shown = hasCard(stage) && stage.cardClosed !== k;
  card.classList.toggle("off", !shown);
  card.replaceChildren(...(shown ? cardSections(stage) : []));
  setName(card, t("stage.end.bet"));
}
