"""Which repairs are tried for a group: each makes the log anew. What is worth saying the engine decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from core.replay.prefix_tree import Progress
from core.traffic.diagnosis.groups import Group
from core.traffic.diagnosis.kinds import VALUES, cut_to_day, cut_to_hour, kind_of
from core.traffic.diagnosis.repairs_history import as_first_said, untrimmed, without_thinking
from core.traffic.diagnosis.repairs_order import (
    all_tools,
    one_key_order,
    sorted_documents,
    sorted_tools,
    sorted_tools_and_keys,
    stable_keys_first,
)
from core.traffic.diagnosis.repairs_text import (
    Spans,
    Spot,
    dropped,
    moved,
    one_form,
    one_wording,
    rewritten,
)
from core.traffic.diagnosis.rewriting import Change, Requests, Writer

Repair = Literal[
    "one_white_space",
    "one_wording",
    "sort_tools",
    "sort_keys",
    "sort_tools_and_keys",
    "stable_keys_first",
    "sort_documents",
    "keep_history",
    "as_first_said",
    "move_inside",
    "move",
    "cut_to_day",
    "cut_to_hour",
    "same_tools",
    "no_thinking",
    "drop",
    "more_slots",
    "longer_ttl",
    "smaller_blocks",
]
"""What keeps more of the meaning stands in front: of two that gain the same it is the first one said."""
REPAIRS: tuple[Repair, ...] = get_args(Repair)
LOSING: frozenset[Repair] = frozenset(("cut_to_day", "cut_to_hour", "drop", "no_thinking", "as_first_said"))
"""After these the prompt says less than before."""
Apply = Callable[[Writer, Requests, Progress | None], Requests]
_LONGEST_DROPPED = 160
"""Characters: more than that is no date, and nobody can do without it."""
_IN_JSON = set('"{}[]')


@dataclass(frozen=True, slots=True)
class Candidate:
    """One repair of one group."""

    repair: Repair
    apply: Apply


def candidates_of(group: Group) -> list[Candidate]:
    """All that could help."""
    cause = group.cause
    if cause == "changing_text":
        return [] if group.spot is None else _of_text(group.spot, group)
    if cause == "changing_json":
        path = min(group.paths)
        return [Candidate("stable_keys_first", _each(lambda _: stable_keys_first(path, group.texts)))]
    if cause == "shuffled_documents":
        return [Candidate("sort_documents", _each(lambda log: sorted_documents(log, {group.role})))]
    return _FIXED[cause](group)


def first_spans(spot: Spot, texts: list[str]) -> list[str]:
    """What changes first in each of these texts."""
    found = []
    for text in texts:
        spans = spot.skeleton.words(text)
        if spans:
            found.append(text[spans[0][0] : spans[0][1]])
    return found


def _of_text(spot: Spot, group: Group) -> list[Candidate]:
    kind, spans = kind_of(first_spans(spot, group.texts)), spot.whole
    if any(text.lstrip()[:1] in ("{", "[") for text in group.texts):
        if any(_IN_JSON & set(span) for span in _taken(group, spot.skeleton.words)):
            return []
        spans = spot.skeleton.words
    found = [
        Candidate("move", _each(lambda _: moved(spot, spans))),
        Candidate("move", _each(lambda _: moved(spot, spans, in_front=True))),
        Candidate("move_inside", _each(lambda _: moved(spot, spans, inside=True))),
    ]
    if kind == "date_time":
        found.append(Candidate("cut_to_day", _each(lambda _: rewritten(spot, cut_to_day))))
        found.append(Candidate("cut_to_hour", _each(lambda _: rewritten(spot, cut_to_hour))))
    if kind in VALUES and all(len(span) <= _LONGEST_DROPPED for span in _taken(group, spans)):
        found.append(Candidate("drop", _each(lambda _: dropped(spot, spans))))
    return found


def _taken(group: Group, spans: Spans) -> list[str]:
    return [text[start:stop] for text in group.texts for start, stop in spans(text) or []]


def _each(make: Callable[[Requests], Change]) -> Apply:
    """A change of each prompt by itself; ``make`` may look at the whole log first."""

    def apply(writer: Writer, requests: Requests, progress: Progress | None) -> Requests:
        return writer.each(requests, make(requests), progress)

    return apply


_FIXED: dict[str, Callable[[Group], list[Candidate]]] = {
    "tool_order": lambda _: [Candidate("sort_tools", _each(lambda _: sorted_tools))],
    "json_key_order": lambda _: [
        Candidate("sort_keys", _each(lambda _: one_key_order)),
        Candidate("sort_tools_and_keys", _each(lambda _: sorted_tools_and_keys)),
    ],
    "tool_subset": lambda _: [Candidate("same_tools", _each(all_tools))],
    "stripped_thinking": lambda _: [Candidate("no_thinking", _each(lambda _: without_thinking))],
    "trimmed_history": lambda _: [Candidate("keep_history", untrimmed)],
    "edited_turn": lambda _: [Candidate("as_first_said", as_first_said)],
    "white_space": lambda group: [
        Candidate("one_white_space", _each(lambda _: one_form(group.paths))),
        Candidate("one_wording", _each(lambda _: one_wording(group.paths))),
    ],
    "letter_case": lambda group: [Candidate("one_wording", _each(lambda _: one_wording(group.paths)))],
}
