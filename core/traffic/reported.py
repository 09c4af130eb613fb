"""What a log reports about itself, per source: for logs with usage, also those that say nothing of the
prompts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.traces.model import Trace, TraceRequest
from core.traces.usage import UsageTotals
from core.traffic.groups import HOURS, KEYS, MOST, MOST_HOURS, Key, values_of


@dataclass(frozen=True, slots=True)
class Reported:
    """One source and what its rows say."""

    name: str
    num_requests: int
    totals: UsageTotals


def reported_by(trace: Trace) -> dict[Key, tuple[Reported, ...]]:
    """Per field with at least two values: the sources with most requests, hours in their own order. Empty
    for a log without usage."""
    if "usage" not in trace.facts:
        return {}
    found: dict[Key, tuple[Reported, ...]] = {}
    zeros = trace.reported().zeros
    for key in KEYS:
        members: dict[str, list[TraceRequest]] = {}
        names = values_of(trace.requests, trace.start_s, key)
        for name, request in zip(names, trace.requests, strict=True):
            members.setdefault(name, []).append(request)
        if len(members) > 1:
            limit = MOST_HOURS if key in HOURS else MOST
            kept = sorted(members, key=lambda name: (-len(members[name]), name))[:limit]
            if key in HOURS:
                kept = [name for name in sorted(members) if name in set(kept)]
            found[key] = tuple(_reported(name, members[name], zeros) for name in kept)
    return found


def _reported(name: str, requests: list[TraceRequest], zeros: int) -> Reported:
    """``zeros``: of the whole log. Who writes a 0 anywhere leaves none out: what is missing here may be
    anything."""
    totals = UsageTotals.of(one.usage for one in requests)
    return Reported(name, len(requests), replace(totals, zeros=zeros))


FAR = 2.0
"""A text so many times shorter than the reported prompt is not the prompt, or not all of it."""


def text_share(trace: Trace) -> float | None:
    """How much of the reported prompt tokens the log's text is, over the requests that have both; None where
    there are none, or where the text may be all of it."""
    both = [
        (one.num_tokens, one.usage.prompt_tokens)
        for one in trace.requests
        if one.has_identity and one.usage is not None and one.usage.prompt_tokens
    ]
    text, reported = (sum(column) for column in zip(*both, strict=True)) if both else (0, 0)
    return text / reported if reported and FAR * text < reported else None
