"""Which of the three formats a line is: cache scenario, scheduler scenario or case."""

from __future__ import annotations

from enum import Enum

from core.conformance.cache_replay import replay_cache
from core.conformance.case_replay import replay_case, why_not
from core.conformance.fields import Fields
from core.conformance.findings import Findings
from core.conformance.sched_replay import replay_sched

_SCHED_OPS = ("add", "step", "abort")


class Format(Enum):
    """The formats, each recognised by what only it has."""

    CACHE = "cache scenario"
    SCHED = "scheduler scenario"
    CASE = "case"


def recognise(line: Fields) -> Format:
    """The format of a line, or an error that says what was looked for."""
    value = line.value
    if isinstance(case := value.get("input"), dict) and "kind" in case:
        return Format.CASE
    if isinstance(config := value.get("config"), dict) and isinstance(ops := value.get("ops"), list):
        steps = any(isinstance(op, dict) and op.get("op") in _SCHED_OPS for op in ops)
        return Format.SCHED if steps or "max_num_seqs" in config else Format.CACHE
    raise line.place.problem(
        "format", "no known format: expected `config` and `ops`, or `input` with a `kind`"
    )


def replay(line: Fields) -> Findings | str:
    """Replay one line; for a case of a kind that is not this engine's the reason why it is skipped."""
    kind = recognise(line)
    name = line.text("id", "") if kind is Format.CASE else line.text("name", "")
    findings = Findings(line.place, name or "(no name)")
    if kind is Format.CASE:
        if reason := why_not(line):
            return reason
        replay_case(line, findings)
    elif kind is Format.SCHED:
        replay_sched(line, findings)
    else:
        replay_cache(line, findings)
    return findings
