"""Which convention a log's usage follows: decided by evidence over all its rows, never by one row's look.

Rows of one shape and model come from one exporter and mean the same (one exporter may differ by provider).
If some of them prove one convention and none the other, all are read so, and the first that proves it is
named. Next, sessions: a turn reads what the turn before it held, so its cached tokens equal the earlier
prompt under the right convention. If nothing decides, both readings stay, and `ReadOptions.usage_reading`
chooses. Which one is the usual: the exporter's, unless the input is in most rows hardly more than what was
cached; under the exclusive reading that would be chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from core.traces.model import TraceRequest
from core.traces.usage import Convention, Reading, Usage

STEP = 128
"""Providers round what was read down to such steps: this little below a prompt, it was that prompt."""
ENOUGH_CHAINED = 2
"""Turns that have to continue their predecessor exactly: one might be chance."""
CLOSE = 0.1
"""Share of the input that is new, up to which input and cached tokens are about the same."""
NOT_CHANCE, AGAINST_TOTALS = 0.2, 0.5
"""Share of the rows with cached tokens that break their documented convention, from which on the exporter is
another one: of few rows it is the row that is wrong. More of them where the totals say what is documented."""


def flipped(row: Usage) -> Usage:
    """The same counts under the other convention."""
    apart = (row.cached_tokens or 0) + (row.written_tokens or 0)
    to: Convention = "exclusive" if row.convention == "inclusive" else "inclusive"
    sign = 1 if to == "exclusive" else -1
    prompt = None if row.prompt_tokens is None else row.prompt_tokens + sign * apart
    rest = None if prompt is None else prompt - (row.cached_tokens or 0)
    return replace(
        row, prompt_tokens=prompt, uncached=rest if to == "exclusive" else None, convention=to, other=None
    )


def with_both(row: Usage) -> Usage:
    """The row with its second reading, where the two differ."""
    apart = (row.cached_tokens or 0) + (row.written_tokens or 0)
    if not apart or row.prompt_tokens is None or row.cached_tokens is None:
        return row
    return replace(row, other=replace(flipped(row), reading="other", other=row))


def decided(requests: Sequence[TraceRequest], reading: Reading) -> list[TraceRequest]:
    """The requests with usage under the convention that the log proves, else under the chosen reading."""
    groups: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for number, request in enumerate(requests):
        if request.usage is not None and request.usage.shape:
            groups[request.usage.shape, request.model].append(number)
    found = list(requests)
    for numbers in groups.values():
        for number, usage in _group(requests, numbers, reading):
            found[number] = replace(found[number], usage=usage)
    return found


def _group(requests: Sequence[TraceRequest], numbers: list[int], reading: Reading) -> list[tuple[int, Usage]]:
    """The rows of one shape that change."""
    rows = [(number, usage) for number in numbers if (usage := requests[number].usage) is not None]
    convention, by = _evidence(requests, rows)
    if convention is None and _close([usage for _, usage in rows]):
        rows = [(number, _usually_inclusive(usage)) for number, usage in rows]
    changed = []
    for number, usage in rows:
        new = usage
        if convention is not None and (usage.other is not None or usage.proof is None or usage.sure):
            new = flipped(usage) if usage.convention != convention else replace(usage, other=None)
        elif usage.other is not None:
            new = usage.read_as(reading)
        if number == by and len(rows) > 1:
            new = replace(new, decides=True)
        if new is not requests[number].usage:
            changed.append((number, new))
    return changed


def _close(rows: list[Usage]) -> bool:
    """Whether undecided inputs are, in most rows, only a little larger than what was read and written."""
    rests = []
    for usage in rows:
        if usage.other is not None:
            inclusive = usage if usage.convention == "inclusive" else usage.other
            given = inclusive.prompt_tokens or 1
            rests.append((given - (usage.cached_tokens or 0) - (usage.written_tokens or 0)) / given)
    return 2 * sum(rest <= CLOSE for rest in rests) > len(rests)


def _usually_inclusive(row: Usage) -> Usage:
    if row.other is None or row.convention == "inclusive":
        return row
    return with_both(replace(row.other, reading="usual", other=None))


def _evidence(
    requests: Sequence[TraceRequest], rows: list[tuple[int, Usage]]
) -> tuple[Convention | None, int | None]:
    """The one convention that rows prove, and the first row that does."""
    proofs = [(number, usage.proof) for number, usage in rows if usage.proof is not None]
    if rows[0][1].sure:
        breaking = [number for number, proof in proofs if proof == "exclusive"]
        if rows[0][1].convention == "exclusive" or not breaking:
            return None, None
        with_cached = [usage for _, usage in rows if usage.cached_tokens]
        kept = any(usage.adds_up and usage.proof != "exclusive" for usage in with_cached)
        enough = (AGAINST_TOTALS if kept else NOT_CHANCE) * len(with_cached)
        return ("exclusive", breaking[0]) if len(breaking) >= enough else (None, None)
    said = {proof for _, proof in proofs}
    if len(said) == 1:
        return proofs[0][1], proofs[0][0]
    return (None, None) if said else _chained(requests, rows)


def _chained(
    requests: Sequence[TraceRequest], rows: list[tuple[int, Usage]]
) -> tuple[Convention | None, int | None]:
    """The convention under which turns of a session read exactly the prompt before them."""
    last: dict[str, Usage] = {}
    hits: dict[Convention, list[int]] = {"inclusive": [], "exclusive": []}
    for number, usage in rows:
        session = requests[number].session
        before = None if session is None else last.get(session)
        if session is not None:
            last[session] = usage
        if before is None or before.other is None or not usage.cached_tokens:
            continue
        for each in (before, before.other):
            if each.prompt_tokens is not None and 0 <= each.prompt_tokens - usage.cached_tokens < STEP:
                hits[each.convention].append(number)
    told = [convention for convention in hits if hits[convention]]
    if len(told) != 1 or len(hits[told[0]]) < ENOUGH_CHAINED:
        return None, None
    return told[0], hits[told[0]][0]
