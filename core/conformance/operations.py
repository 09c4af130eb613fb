"""The loop over a scenario's operations, the same for both recorded formats."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from core.conformance.fields import Fields
from core.conformance.findings import Findings
from core.errors import RequestError

Apply = Callable[[str, Fields, Fields], Mapping[str, Any]]


@dataclass(frozen=True)
class OperationFormat:
    """What operations of one format may hold: fields by verb, and all fields an outcome can have."""

    fields: Mapping[str, Collection[str]]
    outcome: Collection[str]
    ignored: Collection[str] = ()
    empty_if_absent: Collection[str] = ()


def replay_operations(scenario: Fields, form: OperationFormat, apply: Apply, findings: Findings) -> bool:
    """Carry out every operation and compare its outcome. False if the engine cannot follow to the end."""
    for number, op in enumerate(scenario.objects("ops")):
        verb = op.verb(form.fields)
        label = f"op {number} {verb}" + (f" {op.value['id']}" if "id" in op else "")
        findings.unknown_fields(label, op, ("op", "out", *form.fields[verb]))
        recorded = op.object("out")
        try:
            outcome = apply(verb, op, recorded)
        except RequestError as error:  # engine and recording have parted: the rest would be noise
            findings.differ(label, "replay", "an operation that can be carried out", error.message)
            return False
        findings.num_operations += 1
        findings.compare(label, recorded.value, outcome, form.outcome, form.ignored, form.empty_if_absent)
    return True
