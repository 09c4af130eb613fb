"""Streamed answers: many records of one request, each with the usage so far. They become one.

A chunk is known by what it calls itself (OpenAI's `object` "chat.completion.chunk", events of Anthropic and
of the Responses API by their `type`, Gemini's parts by `responseId`): the last usage counts. Where records
only share an id, they are parts of one answer if they say the same of the prompt and the answer grows: a
retry that was billed does not. Sources: the streaming references of OpenAI, Anthropic and Gemini; vLLM's
`continuous_usage_stats`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

from core.traces.building.repeats import Origin
from core.traces.model import TraceRequest
from core.traces.usage import Usage

_EVENTS = ("message_start", "message_delta", "message_stop", "ping")
_STARTS = ("response.", "content_block_", "thread.", "turn.", "item.")
ENOUGH = 3
"""Records under one id whose answer grows: two might be a retry."""


def is_part(data: Mapping[str, Any]) -> bool:
    """Whether a record is one piece of a streamed answer."""
    kind, name = data.get("object"), data.get("type")
    if isinstance(kind, str) and kind.endswith(".chunk"):
        return True
    if isinstance(name, str) and (name in _EVENTS or name.startswith(_STARTS)):
        return "messages" not in data and "request" not in data
    return stream_of(data) is not None and isinstance(data.get("candidates"), list) and "request" not in data


def stream_of(data: Mapping[str, Any]) -> str | None:
    """The name of the answer of which a record is a piece."""
    inner = data.get("response")
    holders = [data, inner] if isinstance(inner, dict) else [data]
    for holder in holders:
        for name in ("responseId", "response_id", "id"):
            if isinstance(holder.get(name), str) and holder[name]:
                return str(holder[name])
    return None


@dataclass(frozen=True, slots=True)
class Whole:
    """Requests, where they stood and their answers' ids, after their parts were put together."""

    requests: list[TraceRequest]
    origins: list[Origin]
    also: dict[int, str]
    num_parts: int
    num_streams: int


def put_together(
    requests: Sequence[TraceRequest],
    origins: Sequence[Origin],
    also: Mapping[int, str],
    made: frozenset[str] | set[str],
    parts: frozenset[int] | set[int],
) -> Whole:
    """Each streamed answer as one request, in the place of its first part. `parts`: places of records that
    are known to be pieces; `made`: ids that the log does not have. O(n)."""
    named: defaultdict[str, list[int]] = defaultdict(list)
    for place, request in enumerate(requests):
        if request.request_id not in made and not request.has_identity and request.usage is not None:
            named[request.request_id].append(place)
    found, gone, num_streams = list(requests), set[int](), 0
    for places in named.values():
        if len(places) < 2 or not (parts.issuperset(places) or _grows([requests[p] for p in places])):
            continue
        num_streams += 1
        gone.update(places[1:])
        found[places[0]] = _whole([requests[place] for place in places])
    kept = [place for place in range(len(found)) if place not in gone]
    new = {place: number for number, place in enumerate(kept)}
    return Whole(
        [found[place] for place in kept],
        [origins[place] for place in kept],
        {new[place]: name for place, name in also.items() if place in new},
        len(gone) + num_streams,
        num_streams,
    )


def _grows(rows: Sequence[TraceRequest]) -> bool:
    """Whether records say the same of the prompt, one after the other with more of the answer."""
    first = rows[0]
    outputs = [row.num_output for row in rows]
    if any(count is None for count in outputs) or any(row.model != first.model for row in rows):
        return False
    if any(_prompt(row.usage) != _prompt(first.usage) for row in rows):
        return False
    counts = [count or 0 for count in outputs]
    enough = len(rows) >= ENOUGH or counts[0] <= 1
    return enough and counts[0] < counts[-1] and all(a <= b for a, b in pairwise(counts))


def _prompt(usage: Usage | None) -> tuple[int | None, int | None, int | None] | None:
    return None if usage is None else (usage.prompt_tokens, usage.cached_tokens, usage.written_tokens)


def _whole(rows: Sequence[TraceRequest]) -> TraceRequest:
    """The first record with the last usage; what that leaves out is as the parts before it said."""
    last = rows[-1]
    usages = [row.usage for row in rows if row.usage is not None]
    usage = usages[-1]
    for earlier in reversed(usages[:-1]):
        missing = {
            one.name: getattr(earlier, one.name) for one in fields(Usage) if getattr(usage, one.name) is None
        }
        if usage.prompt_tokens is None or usage.cached_tokens is None:
            usage = replace(usage, **missing)
    return replace(rows[0], usage=usage, num_output=last.num_output, num_tokens=last.num_tokens)
