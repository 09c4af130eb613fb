"""Real sessions, read where they lie (BROTH_TRACES): usage derived from their blocks by a provider's rule."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import pytest

from core.traces.door.read import read_trace
from core.traces.model import Trace, TraceRequest
from core.traces.usage import Usage
from core.traffic.usage.rules import ANTHROPIC
from core.traffic.usage.sessions import sessions
from core.traffic.usage.turns import Turn
from tests.unit.core.traces.logs import real

LIFE = 300.0


def derived(trace: Trace) -> Trace:
    """Each block stays readable for five minutes after its last use, per model."""
    used: dict[tuple[str | None, int], float] = {}
    found = []
    for request in sorted(trace.requests, key=lambda one: one.arrival_s or 0.0):
        now, size = request.arrival_s or 0.0, trace.block_size or 1
        keys = [(request.model, block) for block in request.block_ids or ()]
        alive = takewhile(lambda key, now=now: now - used.get(key, -1e9) <= LIFE, keys)  # type: ignore[misc]
        read = min(sum(1 for _ in alive) * size, request.num_tokens)
        written = min(len(keys) * size, request.num_tokens) - read
        used.update(dict.fromkeys(keys, now))
        usage = Usage(request.num_tokens, read, written, request.num_output, written, 0)
        found.append(replace(request, usage=usage))
    return replace(trace, requests=tuple(found))


def common(one: TraceRequest, other: TraceRequest, size: int) -> int:
    pairs = zip(one.block_ids or (), other.block_ids or (), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) * size


@pytest.fixture(scope="module")
def judged() -> tuple[Trace, list[list[Turn]]]:
    trace = derived(read_trace(sorted(real("claude_code").glob("trace_*.json"))))
    return trace, [list(one.turns) for one in sessions(trace, ANTHROPIC)]


def test_every_loss_is_explained_by_what_really_happened(judged: tuple[Trace, list[list[Turn]]]) -> None:
    """Nothing but time and content takes a prefix here, so nothing may be unexplained."""
    trace, every = judged
    size = trace.block_size or 1
    resets = [(turns, turn) for turns in every for turn in turns if turn.reset is not None]
    assert len(resets) > 8
    for turns, turn in resets:
        assert turn.reset is not None
        if turn.reset.cause == "ttl":
            assert turn.pause_s is not None
            assert turn.pause_s > LIFE
        else:
            assert turn.reset.cause == "shrank"
            before = [old.request for old in turns if old.number < turn.number]
            nearest = max(common(turn.request, old, size) for old in before)
            assert nearest < (turn.expected or 0)


def test_pauses_beyond_the_life_are_all_found(judged: tuple[Trace, list[list[Turn]]]) -> None:
    """A turn that goes on after more than five minutes, and whose prefix was worth it, has a reset."""
    _, every = judged
    for turns in every:
        for turn in turns:
            late = turn.pause_s is not None and turn.pause_s > LIFE and turn.read == 0
            if late and (turn.expected or 0) > 1024:
                assert turn.reset is not None
                assert turn.reset.cause == "ttl"
