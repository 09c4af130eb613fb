"""Findings over a whole log: causes with the repairs that gain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.replay.prefix_tree import Progress, part_of
from core.scenario.tokenizer import Tokenizer
from core.traffic.analysis import Analysis
from core.traffic.diagnosis.candidates import candidates_of
from core.traffic.diagnosis.examples import aligned, bar_of, characters_of, kinds_of_group
from core.traffic.diagnosis.findings import Finding, Offer
from core.traffic.diagnosis.groups import Group, groups_of
from core.traffic.diagnosis.pairs import MOST_MISSES, find_pairs
from core.traffic.diagnosis.settings import of_settings
from core.traffic.diagnosis.together import both
from core.traffic.diagnosis.trials import in_order, offers_of, outcome_of
from core.traffic.misses import Miss

_MOST_OFFERS = 6
_LEAST_SHARE = 0.4
"""Of what the best repair of a finding gains: less is another thing's gain."""


def find_causes(
    analysis: Analysis, misses: Sequence[Miss], tokenizer: Tokenizer, progress: Progress | None = None
) -> tuple[Finding, ...]:
    """All causes whose repair gains, fewest tokens left first; what the wording could not help comes last.
    Empty: nothing to repair, or nothing known."""
    requests, size = analysis.requests, analysis.settings.block_size
    found = find_pairs(requests, misses, size, part_of(progress, 0, 4))
    groups = groups_of(requests, found.pairs, part_of(progress, 1, 4))
    trials = [(group, one) for group in groups for one in candidates_of(group)]
    tried = [group for group in groups if any(group is one for one, _ in trials)]
    offers = offers_of(analysis, trials, tokenizer, part_of(progress, 2, 4))
    helped = [(group, offer) for group, offer in zip(tried, offers, strict=True) if offer]
    pair = both(analysis, helped, tokenizer)
    joined = _joined(helped)
    sampled = found.num_misses > MOST_MISSES
    missed = frozenset(miss.request for miss in misses if miss.reason == "differs") if sampled else None
    texts = [_finding(analysis, group, _with(pair, group, some), missed, tokenizer) for group, some in joined]
    texts.sort(key=lambda one: one.best.computed_after)
    settings = of_settings(analysis, misses, part_of(progress, 3, 4))
    return (*texts, *(one for one in settings if one.cause != "too_short" or not texts))


def _joined(
    helped: Sequence[tuple[Group, tuple[Offer, ...]]],
) -> list[tuple[Group, tuple[Offer, ...]]]:
    """Two groups of the same requests are one finding with the repairs of both, named by what helps most."""
    found: list[tuple[Group, tuple[Offer, ...]]] = []
    for group, offers in sorted(helped, key=lambda one: in_order(one[1][0])):
        for number, (other, others) in enumerate(found):
            if _is_same(group, other):
                known = {offer.repair for offer in others}
                more = [offer for offer in offers if offer.repair not in known]
                found[number] = (other, tuple(sorted((*others, *more), key=in_order)))
                known_requests = {pair.request for pair in other.pairs}
                other.pairs += [pair for pair in group.pairs if pair.request not in known_requests]
                break
        else:
            found.append((group, offers))
    return found


def _is_same(group: Group, other: Group) -> bool:
    """Found in the same requests, or two causes at one place."""
    mine = {pair.request for pair in group.pairs}
    both = mine & {pair.request for pair in other.pairs}
    return 2 * len(both) >= len(mine) or (group.cause != other.cause and group.path == other.path)


def _different(offers: Iterable[Offer]) -> tuple[Offer, ...]:
    """Of two that write the same prompts one is enough."""
    found: dict[object, Offer] = {}
    for offer in sorted(offers, key=in_order):
        keys = any(one.repair == "sort_keys" and one.also is None for one in found.values())
        if offer.repair == "sort_tools_and_keys" and keys:
            continue  # the order of the tools was none of it
        after = None if offer.change is None else offer.change.diff
        found.setdefault((offer.computed_after, after), offer)
    return tuple(found.values())


def _with(pair: tuple[Group, Offer] | None, group: Group, offers: tuple[Offer, ...]) -> tuple[Offer, ...]:
    """The repairs of a finding, and in front of them the two together if this one is repaired first."""
    return offers if pair is None or pair[0] is not group else (pair[1], *offers)


def _finding(
    analysis: Analysis,
    group: Group,
    offers: tuple[Offer, ...],
    missed: frozenset[int] | None,
    tokenizer: Tokenizer,
) -> Finding:
    """``missed``: requests that parted from another one, where not all of them were looked at closely."""
    before = outcome_of(analysis)
    first = group.pairs[0]
    least = _LEAST_SHARE * (before.computed - offers[0].computed_after)
    offers = _different(one for one in offers if before.computed - one.computed_after >= least)
    of_it = frozenset(pair.request for pair in group.pairs)
    number = len(group.pairs)
    if missed is not None:
        number = max(offer.num_changed for offer in offers)
        of_it |= group.changed & missed
    kind, kinds = kinds_of_group(group)
    return Finding(
        group.cause,
        group.path,
        kind,
        characters_of(analysis.requests, group),
        number,
        first.request,
        before.rate,
        before.computed,
        offers[:_MOST_OFFERS],
        kinds,
        aligned(analysis.requests, group),
        bar_of(analysis.requests, group, tokenizer),
        of_it,
    )
