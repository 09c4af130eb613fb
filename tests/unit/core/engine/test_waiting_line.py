"""The line of those who wait, beside a plain sorted list."""

from __future__ import annotations

from random import Random

from core.engine.sequence import Sequence
from core.engine.waiting_line import MOST_IN_PIECE, WaitingLine
from core.types import EngineConfig, Request

CONFIG = EngineConfig(block_size=2, num_blocks=4)


def waiter(*rank: int) -> Sequence:
    sequence = Sequence(Request(str(rank), (1,)), "", CONFIG)
    sequence.rank = (rank[0], rank[1])
    return sequence


def test_whoever_comes_and_goes_the_line_is_sorted_and_tells_places() -> None:
    random, line, plain = Random(3), WaitingLine(), []
    for number in range(3 * MOST_IN_PIECE):
        sequence = waiter(random.randrange(4), number)
        line.add(sequence)
        plain.append(sequence)
        if random.random() < 0.2:
            leaving = plain.pop(random.randrange(len(plain)))
            line.remove(leaving)
    assert max(map(len, line._pieces)) <= MOST_IN_PIECE < len(plain)  # more of them would be moved
    plain.sort(key=lambda sequence: sequence.rank)
    assert (list(line), len(line), line.first()) == (plain, len(plain), plain[0])
    assert [line.place_of(sequence) for sequence in plain[::97]] == list(range(0, len(plain), 97))
    for sequence in plain:
        assert line.first() is sequence
        line.remove(sequence)
    assert (list(line), len(line)) == ([], 0)


def test_who_comes_in_front_of_all_is_first() -> None:
    line = WaitingLine()
    for number in range(2 * MOST_IN_PIECE, 0, -1):
        line.add(waiter(0, number))
        assert line.first().rank == (0, number)
    line.add(waiter(0, -1))
    assert (line.first().rank, len(line)) == ((0, -1), 2 * MOST_IN_PIECE + 1)
