"""The pairs of a log by what they differ in and where: one group is one thing to repair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.replay.prefix_tree import TELL_EVERY, Progress
from core.traces.model import TraceRequest
from core.traces.pieces import paths_of
from core.traffic.diagnosis.causes import Cause, causes_of
from core.traffic.diagnosis.pairs import Pair
from core.traffic.diagnosis.places import place_of
from core.traffic.diagnosis.repairs_text import Spot
from core.traffic.diagnosis.rewriting import target_of
from core.traffic.diagnosis.skeletons import Skeleton, skeleton_of

MOST_GROUPS = 12
_MOST_TEXTS = 40
_MOST_TEMPLATES = 8
"""Of one place."""
_OF_THE_LOG: tuple[Cause, ...] = (
    "tool_order",
    "tool_subset",
    "json_key_order",
    "stripped_thinking",
    "trimmed_history",
    "edited_turn",
)
"""Looked for everywhere in the log, wherever a pair showed it."""


@dataclass
class Group:
    """``path``: where it is seen first. ``spot``: for changing texts the place, and the fixed parts of what
    stands there. ``texts``: some of them."""

    cause: Cause
    path: str
    role: str
    pairs: list[Pair] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    spot: Spot | None = None
    texts: list[str] = field(default_factory=list)
    changed: frozenset[int] = frozenset()
    """Requests whose prompt the best repair so far changes."""

    @property
    def lost(self) -> float:
        """How much it is about; only for what to try first."""
        return sum(pair.shared for pair in self.pairs)


def groups_of(
    requests: Sequence[TraceRequest], pairs: Sequence[Pair], progress: Progress | None = None
) -> list[Group]:
    """Those with most in common first."""
    found: dict[object, Group] = {}
    texts: list[Group] = []
    said = _said(requests)
    for done, pair in enumerate(pairs):
        if progress is not None and done % TELL_EVERY == 0:
            progress(done, len(pairs))
        segments = requests[pair.request].segments
        part, place = segments[pair.mine], paths_of(segments)[pair.mine]
        for cause in causes_of(requests, pair):
            path = place_of(place, cause)
            if cause == "edited_turn" and (requests[pair.request].session, place) not in said:
                continue
            if cause == "changing_text":
                _add_text(texts, requests, pair, path, place)
                continue
            key = cause if cause in _OF_THE_LOG else (cause, place)
            group = found.setdefault(key, Group(cause, path, part.role))
            group.pairs.append(pair)
            group.paths.add(place)
            if len(group.texts) < _MOST_TEXTS:
                group.texts += [part.text or "", _other(requests, pair)]
    ordered = sorted([*found.values(), *texts], key=lambda group: -group.lost)
    return ordered[:MOST_GROUPS]


def _said(requests: Sequence[TraceRequest]) -> set[tuple[str | None, str]]:
    """Places of last messages, by session: what stood there once was said in a turn, and is no state."""
    found: set[tuple[str | None, str]] = set()
    for request in requests:
        target = target_of(request.segments)
        if target is not None:
            found.add((request.session, paths_of(request.segments)[target]))
    return found


def _other(requests: Sequence[TraceRequest], pair: Pair) -> str:
    return requests[pair.other].segments[pair.theirs].text or ""


def _add_text(
    groups: list[Group], requests: Sequence[TraceRequest], pair: Pair, path: str, place: str
) -> None:
    """To the group of this place whose texts have most in common with these two."""
    part = requests[pair.request].segments[pair.mine]
    mine, other = part.text or "", _other(requests, pair)
    here = [group for group in groups if group.spot is not None and group.spot.path == place]
    for group in here:
        if group.spot is None or (group.spot.path, group.role) != (place, part.role):
            continue
        skeleton = group.spot.skeleton
        wider = skeleton
        for text in (mine, other):
            if wider.spans(text) is None:
                wider = wider.with_text(text)
        if wider.spans(mine) is not None and _is_kept(wider, skeleton):
            _put(group, pair, wider, mine, other)
            return
    if len(here) >= _MOST_TEMPLATES:
        return
    made = Group("changing_text", path, part.role, paths={place})
    _put(made, pair, skeleton_of(other).with_text(mine), mine, other, place)
    groups.append(made)


def _is_kept(wider: Skeleton, skeleton: Skeleton) -> bool:
    """Whether most of what the texts had in common still is; two texts may share chance lines."""
    return 2 * wider.num_fixed >= skeleton.num_fixed


def _put(group: Group, pair: Pair, skeleton: Skeleton, mine: str, other: str, place: str = "") -> None:
    group.pairs.append(pair)
    group.spot = Spot(place or (group.spot.path if group.spot else ""), group.role, skeleton)
    if len(group.texts) < _MOST_TEXTS:
        group.texts += [mine, other]
