"""Why a hit ends: every reason from tokens whose texts are known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.backends.experiments.hit_end import Held, HitEnd, Reason, hit_end

TEXTS = {1: "cat", 2: "ca", 3: "t", 4: " sat", 5: "\n", 6: "t\n", 7: "category", 8: "dog", 9: "!"}
BEFORE = (("user", "?"), ("assistant", "!"))


class ByNumber:
    """Texts of tokens by ``TEXTS``."""

    def encode(self, text: str) -> list[int]:
        raise AssertionError(f"nobody has to read {text}")

    def pieces(self, text: str) -> list[str]:
        raise AssertionError(f"nobody has to read {text}")

    def texts(self, token_ids: Sequence[int]) -> list[str]:
        return [TEXTS[one] for one in token_ids]

    def decode(self, token_ids: Sequence[int]) -> str:
        return "".join(self.texts(token_ids))


@pytest.mark.parametrize(
    ("held", "sent", "hit", "changed", "reason", "shared"),
    [
        ((1, 4), (1, 4, 5), 2, False, "all", 2),
        ((1, 4), (1, 4), 0, False, "inside", 2),  # one token must be computed, so no full block of two
        ((1, 4, 5, 9, 9), (1, 4, 5), 2, False, "inside", 3),  # the same question asked again
        ((2, 3, 4, 9), (1, 4, 9, 5), 0, True, "changed", 0),  # the visitor's word begins like the one before
        ((2, 3, 4, 9), (1, 4, 9, 5), 0, False, "other_ids", 0),  # "ca" + "t" is "cat"
        ((4, 4, 2, 3), (4, 4, 2, 6, 9), 2, False, "other_ids", 3),  # the end melts into what follows
        ((4, 4, 1, 5), (4, 4, 7, 5), 2, True, "changed", 2),  # "cat" is the beginning of "category"
        ((4, 4, 1, 5), (4, 4, 8, 5), 2, False, "rewritten", 2),
        ((4, 4, 1, 5), (4, 4, 1, 5, 9), 0, False, "evicted", 4),
    ],
)
def test_the_reason(
    held: tuple[int, ...], sent: tuple[int, ...], hit: int, changed: bool, reason: Reason, shared: int
) -> None:
    messages = (("user", "other" if changed else "?"), ("assistant", "!"), ("user", "and?"))
    end = hit_end([Held((9,), BEFORE), Held(held, BEFORE)], sent, messages, (hit, 2), ByNumber())
    assert (end.reason, end.num_shared) == (reason, shared)


def test_where_they_part_is_shown() -> None:
    end = hit_end([Held((4, 2, 3, 4), BEFORE)], (4, 1, 4, 9, 9, 9), BEFORE, (0, 2), ByNumber())
    assert (end.was, end.now) == (("ca", "t", " sat"), ("cat", " sat", "!", "!"))


def test_an_empty_cache() -> None:
    assert hit_end([], (1, 2), BEFORE, (0, 2), ByNumber()) == HitEnd("empty")
