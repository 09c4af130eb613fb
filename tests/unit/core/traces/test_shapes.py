"""Whatever the files look like in which a log arrives, it is the same log; or it is refused with a reason."""

from __future__ import annotations

import pytest

from core.errors import TraceError
from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.packing.sources import TraceFile
from tests.unit.core.traces.logs import notes
from tests.unit.core.traces.shapes import BASE, SHAPES, lines

STEPS = [row["timestamp"] - BASE[0]["timestamp"] for row in sorted(BASE, key=lambda row: row["timestamp"])]


def rate(trace: Trace, block: int = 16) -> float:
    """The share of prompt tokens in full blocks that an earlier prompt began with; the last token never is."""
    seen: set[tuple[int, ...]] = set()
    hits = total = 0
    for request in trace.requests:
        tokens = tuple(request.tokens().tolist())
        total += len(tokens)
        reused = 0
        while reused + block < len(tokens) and tokens[: reused + block] in seen:
            reused += block
        hits += reused
        seen.update(tokens[:end] for end in range(block, len(tokens) + 1, block))
    return hits / total


def prompts(trace: Trace) -> list[list[str]]:
    return [[segment.text or "" for segment in request.segments] for request in trace.requests]


PLAIN = read_trace(TraceFile("plain", lines(BASE)))
RATE = rate(PLAIN)


def test_the_log_itself() -> None:
    assert len(PLAIN.requests) == 12
    assert 0.5 < RATE < 0.9
    assert [request.arrival_s for request in PLAIN.requests] == STEPS


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape(name: str) -> None:
    shape = SHAPES[name]
    if shape.code is not None:
        with pytest.raises(TraceError) as caught:
            read_trace(TraceFile(shape.name, shape.data))
        assert caught.value.code == shape.code
        return
    trace = read_trace(TraceFile(shape.name, shape.data))
    assert trace.format == shape.format
    assert prompts(trace) == prompts(PLAIN)
    assert rate(trace) == RATE
    assert set(shape.notes) <= set(notes(trace))
    if shape.timed:
        assert [request.arrival_s for request in trace.requests] == pytest.approx(STEPS, abs=0.01)
