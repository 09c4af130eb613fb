"""What is sent to a cluster: requests in order of arrival, from a seeded stream or from a recorded list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.errors import TraceError
from core.load.prompts import Arrival, Segment
from core.load.run import max_tokens_for
from core.load.spec import LoadSpec
from core.load.stream import RequestStream
from core.types import MAX_TOKEN_ID, EngineConfig


@dataclass(frozen=True, slots=True)
class Job:
    """One request; ``session``: who says it, where that is known; ``text``: the prompt as characters."""

    arrival: Arrival
    session: str | None = None
    text: str | None = None


def stream_jobs(spec: LoadSpec, config: EngineConfig) -> Iterator[Job]:
    """An open stream of ``core.load``. A chat or an agent's task is a session, named by its first own text.

    Raises:
        ConfigError: the pool is too small for the stream's common parts.
    """
    stream = RequestStream(spec, max_tokens_for(spec, config))
    while not stream.ended:
        arrival = stream.take()
        goes_on = arrival.kind in ("chat", "agent") and len(arrival.segments) > 1
        yield Job(arrival, arrival.segments[1].name if goes_on else None)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request of a log that names its blocks: ``block_ids``, one a chain of blocks, so that equal ids
    mean equal content from the first token on; the last may stand for a block that is not full. Seconds,
    tokens."""

    at_s: float
    num_tokens: int
    num_output: int
    block_ids: Sequence[int]
    session: str | None = None


def recorded_jobs(rows: Iterable[Recorded], block_size: int, *, most_output: int | None = None) -> list[Job]:
    """Jobs whose tokens share exactly what the ids share: token = dense id x ``block_size`` + place.
    Answers are tokens that nobody else has. ``most_output``: cut answers to so many tokens (1: a card that
    only prefills).

    Raises:
        TraceError: ids that do not cover the prompt, or more tokens than there are ids for.
    """
    dense: dict[int, int] = {}
    jobs: list[Job] = []
    next_answer = MAX_TOKEN_ID + 1
    sessions = Sessions()
    for number, row in enumerate(rows):
        if row.num_tokens < 1 or len(row.block_ids) * block_size < row.num_tokens:
            message = f"Request {number + 1} has {row.num_tokens} tokens and {len(row.block_ids)} block ids."
            raise TraceError(
                "trace.ids_count",
                message,
                num_ids=len(row.block_ids),
                num_tokens=row.num_tokens,
                block_size=block_size,
            )
        ids = [dense.setdefault(one, len(dense)) for one in row.block_ids]
        num_output = max(row.num_output if most_output is None else min(row.num_output, most_output), 1)
        next_answer -= num_output
        if next_answer < len(dense) * block_size:
            message = "The log has more tokens than there are token ids. Take fewer requests."
            raise TraceError("cluster.too_many", message, most=MAX_TOKEN_ID)
        arrival = Arrival(
            number, row.at_s, "free", -1,
            tuple(_segments(ids, row.num_tokens, block_size)),
            Segment(f"answer{number}", next_answer, 0, num_output),
        )  # fmt: skip
        session = row.session or sessions.of(ids[: row.num_tokens // block_size])
        jobs.append(Job(arrival, session))
    return jobs


def _segments(ids: Sequence[int], num_tokens: int, block_size: int) -> Iterator[Segment]:
    """The blocks' tokens; neighbours by id are one segment."""
    begin = 0
    while begin < len(ids):
        end = begin + 1
        while end < len(ids) and ids[end] == ids[end - 1] + 1:
            end += 1
        length = min(end * block_size, num_tokens) - begin * block_size
        if length > 0:
            yield Segment(f"b{ids[begin]}", ids[begin] * block_size, 0, length)
        begin = end


class Sessions:
    """Who goes on with what, guessed for a log that does not say: a prompt that begins with all full blocks
    of an earlier one (of at least two, so that a system prompt alone binds nobody) is its next turn."""

    def __init__(self) -> None:
        self._at_end: dict[int, str] = {}  # the last full block of somebody's latest prompts
        self._num = 0

    def of(self, full: Sequence[int]) -> str:
        """The session of a prompt with these full blocks."""
        found = next((self._at_end[one] for one in reversed(full) if one in self._at_end), None)
        if found is None:
            self._num += 1
            found = f"s{self._num}"
        if len(full) > 1:
            self._at_end.setdefault(full[-1], found)
        return found
