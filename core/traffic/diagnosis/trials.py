"""Repairs run through the engine: on some requests first where the log is large, then on all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.replay.prefix_tree import Progress, build_tree, part_of
from core.scenario.tokenizer import Tokenizer
from core.traces.model import TraceRequest
from core.traffic.analysis import Analysis, Ints, replayed
from core.traffic.diagnosis.candidates import REPAIRS, Candidate
from core.traffic.diagnosis.findings import Offer, least_gain
from core.traffic.diagnosis.groups import Group
from core.traffic.diagnosis.rewriting import Requests, Writer
from core.traffic.diagnosis.shown import change_in
from core.traffic.settings import Settings

FEW = 1_000
"""Requests up to which every repair is run on the whole log."""
_SOME_PAIRS = 250
_MOST_RUNS = 8
_BY_MEANING = {repair: number for number, repair in enumerate(REPAIRS)}
Trial = tuple[Group, Candidate]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A log under a setting: tokens reused (of each request, and of all), tokens of all prompts, the hit rate
    of what was admitted, and the share of all tokens that stand in full blocks and were not reused."""

    of_each: Ints
    hits: int
    tokens: int
    rate: float
    missed: float

    @property
    def computed(self) -> int:
        """Prompt tokens that had to be computed."""
        return self.tokens - self.hits

    def gains_on(self, before: Outcome, least: float | None = None) -> bool:
        """Whether fewer tokens are left, and not only because the prompts became shorter."""
        least = least_gain(before.rate, before.missed) if least is None else least
        return self.computed < before.computed and self.rate >= before.rate + least


def run(requests: Requests, settings: Settings, progress: Progress | None = None) -> Outcome:
    """The log through one cache."""
    tree = build_tree(requests, settings.block_size, progress=part_of(progress, 0, 2))
    result = replayed(requests, tree, settings, part_of(progress, 1, 2))
    return _outcome(result.hit_tokens, result.num_tokens, result.hit_rate, settings)


def outcome_of(analysis: Analysis) -> Outcome:
    """The log as it is."""
    return _outcome(analysis.hits, analysis.lengths, analysis.hit_rate, analysis.settings)


def _outcome(hits: Ints, lengths: Ints, rate: float | None, settings: Settings) -> Outcome:
    size, tokens = settings.block_size, int(lengths.sum())
    missed = int(((lengths - 1) // size * size - hits).sum())
    return Outcome(hits, int(hits.sum()), tokens, rate or 0.0, missed / max(tokens, 1))


def offers_of(
    analysis: Analysis, trials: Sequence[Trial], tokenizer: Tokenizer, progress: Progress | None
) -> list[tuple[Offer, ...]]:
    """One entry per group, in the order of the trials: what gains, fewest tokens left first."""
    writer = Writer(tokenizer)
    worth = _worth_it(analysis, trials, writer, part_of(progress, 0, 2))
    later = part_of(progress, 1, 2)
    found: dict[int, dict[str, Offer]] = {id(group): {} for group, _ in trials}
    for done, (group, one) in enumerate(worth):
        offer = _offer(analysis, group, one, writer, part_of(later, done, len(worth)))
        known = found[id(group)]
        if offer is not None and (one.repair not in known or in_order(offer) < in_order(known[one.repair])):
            known[one.repair] = offer
        writer.forget()
    return [tuple(sorted(offers.values(), key=in_order)) for offers in found.values()]


def in_order(offer: Offer) -> tuple[int, int]:
    """Fewest tokens left; of equals the one that keeps more of the meaning."""
    return offer.computed_after, _BY_MEANING[offer.repair]


def _worth_it(
    analysis: Analysis, trials: Sequence[Trial], writer: Writer, progress: Progress | None
) -> Sequence[Trial]:
    """All of them on a small log; on a large one those that gain most on some of its requests."""
    if len(analysis.requests) <= FEW:
        return trials
    settings = replace(analysis.settings, num_slots=None, ttl_s=None, in_flight=1)
    gains: dict[tuple[int, str], tuple[int, int]] = {}
    for number, (group, one) in enumerate(trials):
        tell = part_of(progress, number, len(trials))
        some = _some(analysis.requests, group)
        before = run(some, settings, part_of(tell, 0, 2))
        after = run(one.apply(writer, some, None), settings, part_of(tell, 1, 2))
        writer.forget()
        if after.gains_on(before):
            gain = before.computed - after.computed, -number
            gains[id(group), one.repair] = max(gain, gains.get((id(group), one.repair), gain))
    return [trials[-number] for _, number in sorted(gains.values(), reverse=True)[:_MOST_RUNS]]


def _some(requests: Requests, group: Group) -> Requests:
    """Requests of the group with those they were compared with, in the log's order."""
    step = max(len(group.pairs) // _SOME_PAIRS, 1)
    pairs = group.pairs[::step][:_SOME_PAIRS]
    numbers = {pair.request for pair in pairs} | {pair.other for pair in pairs}
    return tuple(requests[number] for number in sorted(numbers))


def _offer(
    analysis: Analysis, group: Group, one: Candidate, writer: Writer, progress: Progress | None
) -> Offer | None:
    requests = analysis.requests
    repaired = one.apply(writer, requests, part_of(progress, 0, 2))
    changed = [number for number, new in enumerate(repaired) if new is not requests[number]]
    if not changed:
        return None
    after = run(repaired, analysis.settings, part_of(progress, 1, 2))
    if not after.gains_on(outcome_of(analysis)):
        return None
    group.changed |= frozenset(changed)
    example = _example(requests, group, repaired)
    change = change_in(requests[example], repaired[example], group.path)
    return Offer(one.repair, after.rate, after.computed, len(changed), None, change)


def _example(requests: Sequence[TraceRequest], group: Group, repaired: Requests) -> int:
    """A request of the group that the repair changes; else any that it changes."""
    places = [pair.request for pair in group.pairs]
    numbers = (*places, *(pair.other for pair in group.pairs), *range(len(requests)))
    found: int = next(number for number in numbers if repaired[number] is not requests[number])
    return found
