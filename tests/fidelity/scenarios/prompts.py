"""Prompts as people send them, and some that nobody would: shared beginnings, next turns, copies, giants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

LONGEST_MEMORY = 8  # prompts that are still copied or continued
IMAGE_LENGTHS = (1, 2, 3, 6, 11)


@dataclass(frozen=True)
class Habits:
    """How prompts are drawn: shares from 0 to 1; `reach` is the usual longest, as a share of the pool."""

    reach: float = 0.6
    shared: float = 0.67  # prompts that begin as others do
    copies: float = 0.3
    turns: float = 0.25
    giants: float = 0.02
    keys: float = 0.1  # salts and adapters
    images: float = 0.1
    skip_read: float = 0.04


USUAL_HABITS = Habits()


class Prompts:
    """Draws prompts for one scenario. `capacity` in tokens."""

    def __init__(self, rng: Random, habits: Habits, block_size: int, capacity: int) -> None:
        self._rng, self._habits = rng, habits
        self._block_size, self._capacity = block_size, max(capacity, 1)
        self._vocabulary = rng.choice((2, 4, 99, 99))
        self._beginnings = [self.tokens(rng.randint(1, self._longest(0.4))) for _ in range(2)]
        self._seen: list[dict[str, Any]] = []

    def tokens(self, count: int) -> list[int]:
        """So many tokens of the scenario's vocabulary."""
        return [self._rng.randint(1, self._vocabulary) for _ in range(count)]

    def draw(self) -> dict[str, Any]:
        """The fields of a request that make its identity: tokens, and salt, adapter, images if any."""
        rng, habits = self._rng, self._habits
        chance = rng.random()
        if self._seen and chance < habits.copies:
            prompt = self._copy(rng.choice(self._seen))
        elif self._seen and chance < habits.copies + habits.turns:
            prompt = dict(rng.choice(self._seen))
            prompt["tokens"] = prompt["tokens"] + self.tokens(rng.randint(1, self._block_size + 1))
        elif rng.random() < habits.giants:
            prompt = self._with_keys(self.tokens(self._capacity + rng.randint(1, 2 * self._block_size)))
        else:
            head = rng.choice(self._beginnings) if rng.random() < habits.shared else []
            prompt = self._with_keys(head + self.tokens(rng.randint(1, self._longest(habits.reach))))
        if rng.random() < habits.skip_read:
            prompt["skip_read"] = True
        self.remember(prompt)
        return prompt

    def remember(self, prompt: dict[str, Any], more: Sequence[int] = ()) -> None:
        """From now on this prompt, followed by `more`, may be copied and continued."""
        kept = {name: value for name, value in prompt.items() if name != "skip_read"}
        self._seen = [*self._seen, kept | {"tokens": [*prompt["tokens"], *more]}][-LONGEST_MEMORY:]

    def _longest(self, share: float) -> int:
        return max(1, int(self._capacity * share))

    def _copy(self, prompt: dict[str, Any]) -> dict[str, Any]:
        """The same again: often cut to whole blocks (the last must be computed anew), or under other keys."""
        tokens = prompt["tokens"]
        chance = self._rng.random()
        if chance < 0.4 and len(tokens) > self._block_size:
            tokens = tokens[: len(tokens) // self._block_size * self._block_size]
        if chance > 0.8:
            return self._with_keys(list(tokens))
        items = [item for item in prompt.get("mm", []) if item["offset"] + item["length"] <= len(tokens)]
        copy = {name: value for name, value in prompt.items() if name != "mm"} | {"tokens": list(tokens)}
        return copy | ({"mm": items} if items else {})

    def _with_keys(self, tokens: list[int]) -> dict[str, Any]:
        rng, habits = self._rng, self._habits
        prompt: dict[str, Any] = {"tokens": tokens}
        if rng.random() < habits.keys:
            prompt["salt"] = rng.choice(("a", "b", "x", ""))
        if rng.random() < habits.keys:
            prompt["lora"] = rng.choice((["x", "x"], ["x", "y"], ["a", "x"]))
        if rng.random() < habits.images and (items := self._items(len(tokens))):
            prompt["mm"] = items
        return prompt

    def _items(self, num_tokens: int) -> list[dict[str, Any]]:
        """Images in order, none over another. An image's id tells its length: equal ids are equal images."""
        items, place = [], 0
        while len(items) < 4:
            place += self._rng.randint(0, self._block_size + 1)
            length = self._rng.choice(IMAGE_LENGTHS)
            if place + length > num_tokens:
                break
            name = f"{self._rng.choice('pq')}{length}"
            items.append({"id": name, "offset": place, "length": length})
            place += length
        return items
