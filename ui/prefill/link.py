"""What of the page travels in its link: library, model, and the results that were measured or opened.

A result in a link is what somebody says they measured: it is looked at like a file and labelled as from a
link. It stands there with four digits a number; one that is too long for a link stays in the session.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.backends.experiments.checked import can_come_back, checked
from core.backends.experiments.report import Report
from core.errors import BackendError
from ui.frame.link import LinkPart, Query
from ui.prefill.experiments import examples
from ui.prefill.models import OWN, RANDOM, SMALL, Choice, libraries, models

MOST_CHARS = 6_000
"""Of all results in a link: servers between us and the browser take 8 KB of an address."""

_MOST_BYTES, _MOST_RESULTS = 200_000, 40
_LIBRARY, _MODEL, _RESULTS = "pl", "pm", "pr"

Result = tuple[Choice, Report]


@dataclass(frozen=True)
class Carried:
    """The link's part: what is chosen, the results unpacked and as they stand in the link."""

    choice: Choice = field(default_factory=Choice)
    results: tuple[Result, ...] = ()
    packed: str = ""


def _read(query: Query) -> tuple[Carried, list[str]]:
    usual = Choice()
    library, model = query.get(_LIBRARY, usual.library), query.get(_MODEL, usual.model)
    lost = [_LIBRARY] * (library not in libraries()) + [_MODEL] * (model not in models())
    choice = Choice() if lost else Choice("torch" if library == "torch" else "numpy", model)
    packed = query.get(_RESULTS, "")
    try:
        results = _unpacked(packed) if packed else ()
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error, binascii.Error, BackendError):
        return Carried(choice), [*lost, _RESULTS]
    return Carried(choice, results, packed), lost


def _write(carried: Carried) -> dict[str, str]:
    usual, choice = Choice(), carried.choice
    found: dict[str, str] = {_LIBRARY: choice.library} if choice.library != usual.library else {}
    found |= {_MODEL: choice.model} if choice.model != usual.model else {}
    return found | ({_RESULTS: carried.packed} if carried.packed else {})


CARRIED = LinkPart(
    "prefill_link",
    Carried,
    {_LIBRARY: "prefill.library", _MODEL: "prefill.model", _RESULTS: "prefill.link.results"},
    _read,
    _write,
    only_on="prefill",
)


# -- results as text -------------------------------------------------------------------------------------


def carry(choice: Choice, results: Iterable[Result]) -> tuple[Carried, tuple[Report, ...]]:
    """As many results as a link has room for, the first ones first; and those that had none."""
    taken: list[Result] = []
    left: list[Report] = []
    packed = ""
    for result in results:
        tried = _packed([*taken, result])
        room = len(tried) <= MOST_CHARS and len(taken) < _MOST_RESULTS
        if room and can_come_back(result[1].experiment):
            taken, packed = [*taken, result], tried
        else:
            left.append(result[1])
    return Carried(choice, tuple(taken), packed), tuple(left)


def _packed(results: Sequence[Result]) -> str:
    rows = [[choice.library, choice.model, _short(report.to_json())] for choice, report in results]
    data = json.dumps(rows, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


def _short(value: Any) -> Any:
    """Four digits of every number that is not whole."""
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_short(one) for one in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _unpacked(text: str) -> tuple[Result, ...]:
    if len(text) > MOST_CHARS or not text.isascii():
        raise ValueError("too long")
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), _MOST_BYTES)
    if not unpacker.eof:
        raise ValueError("cut off, or too much")
    rows = json.loads(data)
    if not isinstance(rows, list) or len(rows) > _MOST_RESULTS:
        raise ValueError("no list")
    return tuple((_choice(library, model), checked(report, examples())) for library, model, report in rows)


def _choice(library: Any, model: Any) -> Choice:
    if library not in ("numpy", "torch") or model not in (*RANDOM, SMALL, OWN):
        raise ValueError("unknown")
    return Choice(library, model)
