"""Two causes at once: one hides the other, so the best repair is applied and the rest diagnosed anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.replay.prefix_tree import Progress, build_tree, part_of
from core.scenario.tokenizer import Tokenizer
from core.traces.model import TraceRequest
from core.traces.pieces import Pieces, paths_of
from core.traffic.analysis import Analysis, misses_of, replayed
from core.traffic.diagnosis.candidates import candidates_of
from core.traffic.diagnosis.findings import Also, Offer
from core.traffic.diagnosis.groups import Group, groups_of
from core.traffic.diagnosis.pairs import find_pairs
from core.traffic.diagnosis.rewriting import Requests, Writer
from core.traffic.diagnosis.shown import Change
from core.traffic.diagnosis.trials import in_order, offers_of, run

MOST_REQUESTS = 2_000
"""Of a larger log the second cause shows once the first is repaired and the log is read again."""
Helped = tuple[Group, tuple[Offer, ...]]


def both(
    analysis: Analysis, helped: Sequence[Helped], tokenizer: Tokenizer, progress: Progress | None = None
) -> tuple[Group, Offer] | None:
    """The finding that is repaired first, and its best repair together with the best one of what is left;
    None if there is nothing more to gain."""
    if not helped or len(analysis.requests) > MOST_REQUESTS:
        return None
    group, offers = min(helped, key=lambda one: in_order(one[1][0]))
    first = offers[0]
    requests = _repaired(analysis, group, first, Writer(tokenizer))
    if requests is None:
        return None
    requests = tuple(map(_with_places, analysis.requests, requests))
    left = _again(analysis, requests)
    misses = misses_of(left, part_of(progress, 0, 2))
    found = find_pairs(requests, misses, analysis.settings.block_size)
    others = [one for one in groups_of(requests, found.pairs) if not _is_same(one, group)]
    trials = [(other, one) for other in others for one in candidates_of(other)]
    tried = [other for other in others if any(other is one for one, _ in trials)]
    more = zip(tried, offers_of(left, trials, tokenizer, part_of(progress, 1, 2)), strict=True)
    gaining = [(other, some[0]) for other, some in more if some]
    if not gaining:
        return None
    other, second = min(gaining, key=lambda one: in_order(one[1]))
    return group, _pair(first, other, second, len(analysis.requests))


def _repaired(analysis: Analysis, group: Group, offer: Offer, writer: Writer) -> Requests | None:
    """The log after this offer; of several ways to do it the one that the offer tells of."""
    for one in candidates_of(group):
        if one.repair != offer.repair:
            continue
        requests = one.apply(writer, analysis.requests, None)
        if run(requests, analysis.settings).computed == offer.computed_after:
            return requests
    return None


def _again(analysis: Analysis, requests: Requests) -> Analysis:
    """The same log with other prompts, as far as a diagnosis looks at it."""
    tree = build_tree(requests, analysis.settings.block_size)
    return replace(analysis, requests=requests, tree=tree, result=replayed(requests, tree, analysis.settings))


def _with_places(old: TraceRequest, new: TraceRequest) -> TraceRequest:
    """The new prompt with the places of the old one: by number, or piece by piece where some went."""
    if new is old:
        return old
    paths = paths_of(old.segments)
    if len(new.segments) != len(old.segments):
        places: list[str] = []
        at = 0
        for part in new.segments:
            same = (n for n in range(at, len(old.segments)) if old.segments[n] is part)
            at = next(same, at)
            places.append(paths[min(at, len(paths) - 1)])
            at += 1
        paths = tuple(places)
    return replace(new, segments=Pieces(new.segments, paths))


def _is_same(group: Group, other: Group) -> bool:
    """What is left at the place of the first repair is not a second cause."""
    return group.path == other.path


def _pair(first: Offer, group: Group, second: Offer, num_requests: int) -> Offer:
    changes = [one.change for one in (first, second) if one.change is not None]
    texts = [[one.before, one.after, one.diff] for one in changes]
    change = Change(*("\n".join(parts) for parts in zip(*texts, strict=True)))
    return replace(
        first,
        rate_after=second.rate_after,
        computed_after=second.computed_after,
        num_changed=min(first.num_changed + second.num_changed, num_requests),
        change=change,
        also=Also(group.cause, group.path, second.repair, second.value),
    )
