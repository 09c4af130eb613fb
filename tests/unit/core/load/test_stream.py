"""The stream of requests: what is fixed by the seed, what is shared between prompts, when requests come."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from core.errors import ConfigError
from core.load import KINDS, MIXES, Arrival, Burst, LoadSpec, RequestStream
from core.load.arrivals import Arrivals

SPEC = LoadSpec(
    seed=3, rate=10, num_requests=400, num_prefixes=6, prefix_tokens=60, own_tokens=20, output_tokens=10,
    document_tokens=30, think_s=1.0, max_tokens=600,
)  # fmt: skip


def stream_of(spec: LoadSpec) -> list[Arrival]:
    stream = RequestStream(spec, spec.max_tokens)
    return [stream.take() for _ in range(spec.num_requests)]


def tokens_of(arrival: Arrival) -> list[int]:
    return [int(token) for token in arrival.request().token_ids]


def only(kind: str) -> list[Arrival]:
    return stream_of(replace(SPEC, mix={kind: 1.0}))  # type: ignore[dict-item]


@pytest.mark.parametrize("mix", sorted(MIXES))
def test_the_seed_fixes_everything(mix: str) -> None:
    spec = replace(SPEC, mix=MIXES[mix])
    assert stream_of(spec) == stream_of(spec)
    assert stream_of(spec) != stream_of(replace(spec, seed=4))


@pytest.mark.parametrize("kind", KINDS)
def test_requests_are_whole_and_within_bounds(kind: str) -> None:
    for number, arrival in enumerate(only(kind)):
        assert (arrival.number, arrival.kind) == (number, kind)
        request = arrival.request()
        assert len(request.token_ids) == arrival.num_prompt >= 1
        assert len(request.outputs) == arrival.output.length >= 1
        assert arrival.num_tokens <= SPEC.max_tokens
        assert len(arrival.pieces()) == arrival.num_tokens


def test_arrivals_come_in_order_at_the_rate() -> None:
    times = [arrival.at_s for arrival in stream_of(replace(SPEC, num_requests=2000))]
    assert all(a < b for a, b in pairwise(times))
    assert times[-1] == pytest.approx(200, rel=0.1)


def test_popular_texts_follow_zipf() -> None:
    spec = replace(SPEC, mix={"template": 1.0}, num_requests=4000)
    counts = Counter(arrival.prefix for arrival in stream_of(spec))
    first = min(counts)
    weights = [1 / (rank + 1) for rank in range(spec.num_prefixes)]
    for rank, weight in enumerate(weights):
        assert counts[first + rank] / 4000 == pytest.approx(weight / sum(weights), abs=0.03)


def test_templates_share_exactly_their_head() -> None:
    by_prefix: dict[int, list[Arrival]] = {}
    for arrival in only("template"):
        by_prefix.setdefault(arrival.prefix, []).append(arrival)
    for arrivals in by_prefix.values():
        head = arrivals[0].segments[0].length
        prompts = [tokens_of(arrival) for arrival in arrivals]
        assert all(prompt[:head] == prompts[0][:head] for prompt in prompts)
        assert len({prompt[head] for prompt in prompts}) == len(prompts)


def test_a_field_that_stands_early_spoils_what_follows() -> None:
    one, two = [arrival for arrival in only("template_early") if arrival.prefix == 6][:2]
    first, second = tokens_of(one), tokens_of(two)
    shared = next(place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    assert shared == 16
    assert set(first[shared:]) & set(second[shared:])  # the rest of the template is there, further back


def test_a_chat_sends_everything_again() -> None:
    arrivals = only("chat")
    known = {
        tuple(tokens_of(a) + [int(t) for t in a.request().outputs]): a.number for a in arrivals
    }  # what each turn left behind: prompt and answer
    followed = 0
    for arrival in arrivals:
        if len(arrival.segments) == 2:
            continue  # a first turn: system prompt and question
        before = tokens_of(arrival)[: -arrival.segments[-1].length]
        assert known[tuple(before)] < arrival.number
        followed += 1
    assert followed > len(arrivals) / 2


def test_documents_come_in_the_order_of_retrieval_behind_one_instruction() -> None:
    for arrival in only("rag"):
        names = [segment.name for segment in arrival.segments]
        assert names[0] == "instruction"
        assert len(set(names[1:4])) == 3
        assert names[4].startswith("own")


def test_own_texts_are_nobody_elses() -> None:
    seen: set[int] = set()
    for arrival in only("system"):
        own = set(tokens_of(arrival)[arrival.segments[0].length :])
        assert not own & seen
        seen |= own


# -- bursts ---------------------------------------------------------------------------------------------


def times(bursts: tuple[Burst, ...], count: int = 3000) -> list[float]:
    arrivals = Arrivals(5, 10.0, bursts)
    return [arrivals.next() for _ in range(count)]


def test_a_burst_multiplies_the_rate_while_it_lasts() -> None:
    calm, busy = times(()), times((Burst(20, 10, 6),))
    assert [t for t in busy if t < 20] == [t for t in calm if t < 20]
    assert sum(20 <= t < 30 for t in busy) == pytest.approx(600, rel=0.15)
    assert sum(30 <= t < 60 for t in busy) == pytest.approx(300, rel=0.2)


def test_overlapping_bursts_multiply() -> None:
    both = times((Burst(20, 10, 2), Burst(20, 10, 3)))
    assert both == pytest.approx(times((Burst(20, 10, 6),)))


def test_a_burst_announced_late_is_the_same_burst() -> None:
    known, told = Arrivals(5, 10.0, (Burst(20, 10, 6),)), Arrivals(5, 10.0)
    made: list[float] = []
    while not made or made[-1] < 15:
        made.append(told.next())
    told.add(Burst(20, 10, 6))
    made += [told.next() for _ in range(500)]
    assert made == [known.next() for _ in made]


# -- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"rate": 0}, "load.rate"),
        ({"rate": float("nan")}, "load.rate"),
        ({"num_requests": 0}, "load.num_requests"),
        ({"num_requests": 1.5}, "load.num_requests"),
        ({"seed": True}, "load.seed"),
        ({"mix": {}}, "load.mix"),
        ({"mix": {"tea": 1.0}}, "load.mix"),
        ({"mix": {"chat": -1.0}}, "load.mix"),
        ({"num_requests": 200_000, "own_tokens": 50_000}, "load.num_requests"),
        ({"max_tokens": 1}, "load.max_tokens"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(changed: dict[str, object], code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        replace(SPEC, **changed)  # type: ignore[arg-type]
    assert caught.value.code == code


@pytest.mark.parametrize("bad", [(-1, 1, 1), (0, 0, 1), (0, 1, 0), (0, 1, float("inf"))])
def test_a_burst_that_makes_no_sense_is_refused(bad: tuple[float, float, float]) -> None:
    with pytest.raises(ConfigError):
        Burst(*bad)


def test_lengths_shrink_to_a_small_pool() -> None:
    small = LoadSpec().fitted_to(600)
    assert small.longest_common <= 160
    assert small.rate == LoadSpec().rate
    assert LoadSpec().fitted_to(10**6) == LoadSpec()
