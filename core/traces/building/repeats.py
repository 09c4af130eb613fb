"""Records that were delivered twice: exporters that send at least once repeat what they are not sure of.

A record repeats another one if both carry the same id (the request's, or its answer's) and say the same:
prompt, model, adapter, salt, and usage and answer where both tell them. When it was received may differ; the
first one counts, and takes over the usage if only the other has it. Everything else stays:

* the same id with another content is another request (a retry that was billed, an id that is used again);
* an id under which three or more different contents stand names no request, so nothing under it is dropped;
* prompts of one record repeat each other on purpose (`prompt: [a, a]`);
* without an id nobody knows: rows with the same prompt at the same time are counted, told and kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.traces.left_out import RepeatedRow
from core.traces.model import TraceRequest
from core.traces.problems import Place

Origin = tuple[int, Place]
"""The record's number over all files, and where it stands."""
MOST_CONTENTS = 2
"""Different contents under one id, up to which it still names requests."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The requests without their repetitions; `num_equal`: rows without an id that equal an earlier one."""

    requests: list[TraceRequest]
    repeats: list[RepeatedRow]
    num_equal: int


def without_repeats(
    requests: Sequence[TraceRequest],
    origins: Sequence[Origin],
    made: frozenset[str] | set[str],
    also: Mapping[int, str],
) -> Delivered:
    """Find them. `made`: ids that the log does not have; `also`: a second id by the request's place. O(n)."""
    found = list(requests)
    dropped: dict[int, int] = {}
    for places in _under_one_name(found, made, also):
        for place, first in _repeats(found, origins, places).items():
            dropped.setdefault(place, first)
            if found[first].usage is None:
                found[first] = replace(found[first], usage=found[place].usage)
    repeats = [_row(found[place], origins[place], origins[first]) for place, first in sorted(dropped.items())]
    kept = [request for place, request in enumerate(found) if place not in dropped]
    return Delivered(kept, repeats, _num_equal([one for one in kept if one.request_id in made]))


def _under_one_name(
    requests: Sequence[TraceRequest], made: frozenset[str] | set[str], also: Mapping[int, str]
) -> list[list[int]]:
    """Places of requests that share a name, first by their own ids, then by their answers'."""
    own: defaultdict[str, list[int]] = defaultdict(list)
    answers: defaultdict[str, list[int]] = defaultdict(list)
    for place, request in enumerate(requests):
        if request.request_id not in made:
            own[request.request_id].append(place)
    for place, name in also.items():
        answers[name].append(place)
    return [places for names in (own, answers) for places in names.values() if len(places) > 1]


def _repeats(
    requests: Sequence[TraceRequest], origins: Sequence[Origin], places: Sequence[int]
) -> dict[int, int]:
    """Which of these repeat which earlier one."""
    firsts: list[int] = []  # of each content
    found: dict[int, int] = {}
    for place in places:
        first = next((one for one in firsts if same_content(requests[one], requests[place])), None)
        if first is None:
            firsts.append(place)
        elif not _is_one_record(origins[first], origins[place]):
            found[place] = first
        if len(firsts) > MOST_CONTENTS:
            return {}
    return found


def _is_one_record(one: Origin, other: Origin) -> bool:
    """The same number, and the same place: a reader may number by lines, which begin anew in every file."""
    return one[0] == other[0] and one[1] is other[1]


def same_content(one: TraceRequest, other: TraceRequest) -> bool:
    """Whether two records say the same, whenever they were received."""
    return (
        one.num_tokens == other.num_tokens
        and (one.model, one.adapter, one.salt) == (other.model, other.adapter, other.salt)
        and one.block_ids == other.block_ids
        and one.segments == other.segments
        and _agree(one.num_output, other.num_output)
        and _agree(one.usage, other.usage)
    )


def _agree(one: object, other: object) -> bool:
    return one is None or other is None or one == other


def _row(request: TraceRequest, origin: Origin, first: Origin) -> RepeatedRow:
    place, before = origin[1], first[1]
    return RepeatedRow(request.request_id, place.file, place.line, before.file, before.line)


def _num_equal(requests: Sequence[TraceRequest]) -> int:
    """Requests without an id of their own that equal an earlier one of the same moment."""
    at: defaultdict[tuple[float, int, int | None], list[TraceRequest]] = defaultdict(list)
    count = 0
    for request in requests:
        if request.arrival_s is None or not request.segments:
            continue  # anonymised blocks are too coarse to say anything
        before = at[request.arrival_s, request.num_tokens, request.num_output]
        if any(one.session == request.session and same_content(one, request) for one in before):
            count += 1
        else:
            before.append(request)
    return count
