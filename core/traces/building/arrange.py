"""From requests in the file's order to requests of a trace: order, clock, scopes, names of their own.

Rules of order. If every request has an arrival, requests are sorted by it (equal ones keep the file's order);
if some have none, the file's order stands and the note says so. The clock starts at the first request.
Sessions keep their rows' order because a turn never arrives before the one it continues.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from core.traces.model import Order, TraceRequest
from core.traces.prompts.blocks import BlockNumbers

Say = Callable[[str, int], None]
"""Takes a note's code and how often."""


def in_order(
    requests: Sequence[TraceRequest], keep_file_order: bool, say: Say
) -> tuple[list[TraceRequest], Order, float | None]:
    """The requests as they are replayed, by which order, and the moment at which their clock starts."""
    found = list(requests)
    if keep_file_order:
        return [replace(one, arrival_s=None) if one.arrival_s else one for one in found], "file", None
    times = [request.arrival_s for request in found if request.arrival_s is not None]
    start = min(times, default=None)
    order: Order = "file"
    if times and len(times) == len(found):
        order = "arrival"
        num_late = sum(now < before for before, now in pairwise(times))
        if num_late:
            say("sorted", num_late)
            found.sort(key=_arrival)
    elif times:
        say("partly_timed", len(found) - len(times))
    return [_shifted(request, start) for request in found] if start else found, order, start


def _arrival(request: TraceRequest) -> float:
    return request.arrival_s or 0.0


def _shifted(request: TraceRequest, start: float) -> TraceRequest:
    return request if request.arrival_s is None else replace(request, arrival_s=request.arrival_s - start)


def with_scopes(
    requests: Sequence[TraceRequest], split_by_model: bool, numbers: BlockNumbers, say: Say
) -> list[TraceRequest]:
    """Keep models, adapters and salts apart; a log with one model needs nothing.

    Requests without a model belong to the only one that is named, or stand by themselves.
    """
    models = {request.model for request in requests if request.has_identity} - {None}
    apart = split_by_model and len(models) > 1
    scoped: dict[tuple[int, str], int] = {}
    found = []
    for request in requests:
        parts = [(request.model or "") if apart else "", request.adapter or "", request.salt or ""]
        scope = json.dumps(parts) if any(parts) else ""
        found.append(_scoped(request, scope, scoped, numbers) if scope else request)
    if apart:
        say("models", len(models))
        unnamed = sum(request.model is None and request.has_identity for request in requests)
        if unnamed:
            say("model_missing", unnamed)
    return found


def _scoped(
    request: TraceRequest, scope: str, scoped: dict[tuple[int, str], int], numbers: BlockNumbers
) -> TraceRequest:
    """The request under its scope; block numbers are made anew, so that they differ between scopes too."""
    if request.block_ids is None:
        return replace(request, scope=scope)
    ids = request.block_ids[:0]
    for number in request.block_ids:
        key = (number, scope)
        if key not in scoped:
            scoped[key] = numbers.private()
        ids.append(scoped[key])
    return replace(request, scope=scope, block_ids=ids)


def with_own_names(requests: list[TraceRequest], say: Say) -> list[TraceRequest]:
    """Every request gets a name of its own: an engine needs that, a log does not promise it."""
    taken: set[str] = set()
    repeats: Counter[str] = Counter()
    found = []
    for request in requests:
        name = request.request_id
        while name in taken:
            repeats[request.request_id] += 1
            name = f"{request.request_id}#{repeats[request.request_id] + 1}"
        taken.add(name)
        found.append(request if name == request.request_id else replace(request, request_id=name))
    if repeats:
        say("renamed", sum(new is not old for new, old in zip(found, requests, strict=True)))
    return found
