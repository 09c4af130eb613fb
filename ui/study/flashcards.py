"""A deck of flash cards: what was not known comes back after a few others, until all is known.

    01.0302.02      cards known . cards still in the deck, next one first . those of them that were missed

That text stands in the visitor's own link; nothing of it is kept on the server.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace

LATER = 3
"""So many other cards come before one that was missed."""


@dataclass(frozen=True, slots=True)
class Deck:
    """``queue``: cards still to be known, the next one first. ``missed``: not known at some time."""

    queue: tuple[int, ...]
    known: tuple[int, ...] = ()
    missed: frozenset[int] = frozenset()

    @property
    def num_cards(self) -> int:
        """All cards."""
        return len(self.queue) + len(self.known)

    @property
    def card(self) -> int | None:
        """The card on the table; None: all are known."""
        return self.queue[0] if self.queue else None

    @property
    def num_again(self) -> int:
        """Cards in the deck that were missed before."""
        return len(self.missed & set(self.queue))

    def drawn(self, allowed: Container[int]) -> int | None:
        """The next of the allowed cards; None: all of them are known."""
        return next((card for card in self.queue if card in allowed), None)

    def knew(self, card: int | None = None) -> Deck:
        """The card (of the table, unless named) is known and leaves the deck."""
        card = self.card if card is None else card
        if card not in self.queue:
            return self
        rest = tuple(one for one in self.queue if one != card)
        return replace(self, queue=rest, known=(*self.known, card))

    def again(self, card: int | None = None, allowed: Collection[int] | None = None) -> Deck:
        """The card was not known: it comes back after a few others, of the allowed ones if some are named."""
        card = self.card if card is None else card
        if card is None:
            return self
        known = tuple(one for one in self.known if one != card)
        rest = tuple(one for one in self.queue if one != card)
        places = [place for place, one in enumerate(rest, 1) if allowed is None or one in allowed]
        place = places[min(LATER, len(places)) - 1] if places else 0
        return Deck((*rest[:place], card, *rest[place:]), known, self.missed | {card})


def dealt(order: Iterable[int]) -> Deck:
    """All cards in this order, none known."""
    return Deck(tuple(order))


def new_deck(num_cards: int) -> Deck:
    """All cards in order, none known."""
    return Deck(tuple(range(num_cards)))


def to_text(deck: Deck) -> str:
    """The deck as a link carries it; nothing for one that was never touched."""
    if deck == new_deck(deck.num_cards):
        return ""
    return ".".join(map(_pack, (deck.known, deck.queue, sorted(deck.missed))))


def from_text(text: str, num_cards: int) -> Deck | None:
    """Back from ``to_text``; None if it cannot be read. Cards it does not name go to the end of the deck."""
    parts = [_unpack(part, num_cards) for part in text.split(".")]
    if len(parts) != 3 or None in parts:
        return None
    known, queue, missed = (tuple(dict.fromkeys(part or ())) for part in parts)
    queue = tuple(card for card in queue if card not in known)
    rest = [card for card in range(num_cards) if card not in known and card not in queue]
    return Deck((*queue, *rest), known, frozenset(missed))


def _pack(cards: Sequence[int]) -> str:
    return "".join(f"{card + 1:02d}" for card in cards)


def _unpack(text: str, num_cards: int) -> list[int] | None:
    if len(text) % 2 or len(text) > 2 * 99 or not (text.isascii() and (text.isdigit() or not text)):
        return None
    cards = [int(text[i : i + 2]) - 1 for i in range(0, len(text), 2)]
    return cards if all(0 <= card < num_cards for card in cards) else None
