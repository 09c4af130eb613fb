"""Open arrivals give what they gave before clients could wait: same requests, same times."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from core.load import MIXES, Burst, LoadRun, LoadSpec, RequestStream
from tests.unit.core.load.test_load import CONFIG, COST, SPEC

STREAMS = {
    "chat": "fc4ed58660f9c38c",
    "templates": "66d56fe92a3de37b",
    "rag": "86f181d2bb5d09c8",
    "system": "80885f21ca16bcb5",
    "free": "72835835c01df8a7",
    "mixed": "763015d99a5ab836",
}
RUNS = {3: "2b2bfef5ede23f7d", 11: "d7975b4867c14be3", 77: "2fef26125b024342"}


def digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def stream_digest(spec: LoadSpec) -> str:
    stream = RequestStream(spec, spec.max_tokens)
    made = [stream.take() for _ in range(spec.num_requests)]
    return digest(
        [
            (
                a.number,
                round(a.at_s, 6),
                a.kind,
                a.prefix,
                [(s.name, s.base, s.start, s.length) for s in a.segments],
                *(a.output.base, a.output.length),
            )
            for a in made
        ]
    )


def run_digest(seed: int) -> str:
    run = LoadRun(replace(SPEC, seed=seed), CONFIG, COST)
    run.advance(requests=80)
    run.set_policy("cache_cap", 30)
    run.burst(seconds=1, factor=4)
    while run.advance(requests=25):
        pass
    sides = (run.records.cached, run.records.plain)
    return digest(
        [side.hit.tolist() for side in sides],
        [side.turn.tolist() for side in sides],
        [np.round(times, 6).tolist() for side in sides for times in (side.first_s, side.finished_s)],
    )


@pytest.mark.parametrize("mix", sorted(STREAMS))
def test_open_streams_are_what_they_were(mix: str) -> None:
    spec = replace(SPEC, mix=MIXES[mix], bursts=(Burst(2.0, 1.0, 5.0),))
    assert stream_digest(spec) == STREAMS[mix]


@pytest.mark.parametrize("seed", sorted(RUNS))
def test_open_runs_are_what_they_were(seed: int) -> None:
    assert run_digest(seed) == RUNS[seed]
