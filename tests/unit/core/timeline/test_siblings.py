"""The nearest cached sibling, beside a walk through all of them."""

from __future__ import annotations

from random import Random

import pytest

from core.timeline.siblings import Siblings, Tokens


def walked(cached: dict[int, Tokens], tokens: Tokens) -> int | None:
    def merit(number: int) -> tuple[int, int, int]:
        own = cached[number]
        same = [one == other for one, other in zip(own, tokens, strict=True)]
        return sum(same), [*same, False].index(False), -number

    best = max(cached, key=merit, default=None)
    return best if best is not None and merit(best)[0] else None


@pytest.mark.parametrize("num_words", [2, 5, 40])
@pytest.mark.parametrize("num_alike", [0, 2])  # tokens at the beginning of each, as a template has
def test_the_nearest_is_the_one_that_a_walk_finds(num_words: int, num_alike: int) -> None:
    random, siblings = Random(num_words), Siblings()
    cached: dict[int, Tokens] = {}
    gone: dict[int, Tokens] = {}

    def block() -> Tokens:
        return (7,) * num_alike + tuple(random.randrange(num_words) for _ in range(5))

    for turn in range(400):
        back = gone and random.random() < 0.3  # some come back with the number they had
        number, tokens = gone.popitem() if back else (turn, block())
        siblings.add(number, tokens)
        cached[number] = tokens
        if random.random() < 0.6:
            number = random.choice(list(cached))
            siblings.remove(number)
            gone[number] = cached.pop(number)
        if turn > 20:  # the first question comes late
            asked = block()
            assert siblings.nearest(asked) == walked(cached, asked)


def test_nobody_is_near_where_nothing_is_equal_or_nobody_is_left() -> None:
    siblings = Siblings()
    assert siblings.nearest((1, 2)) is None
    siblings.add(0, (3, 2))
    assert siblings.nearest((2, 3)) is None
    assert siblings.nearest((1, 2)) == 0
    siblings.remove(0)
    assert siblings.nearest((3, 2)) is None
