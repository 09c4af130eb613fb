"""What a measurement leaves behind: numbers, and everything one must know to believe them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.backends.base import Difference
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.decoders.device import versions
from core.errors import BackendError

SCHEMA_VERSION = 2
"""1 had one run, whose interval went over its rounds, and no ``reason``; it is still read."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """One experiment. ``rows`` is a table; ``equality`` compares logits with and without reuse (None: not
    asked); ``threads`` is None where the library chose; ``disturbed``: somebody else used the machine
    meanwhile; ``complete``: nobody stopped it; ``reason``: why the ratio is not that of counted FLOPs, in
    one word of ``standing.py``. All have three digits; of a ratio two are told, the clock knows no more."""

    experiment: str
    backend: str
    model: str
    num_parameters: int
    device: str
    dtype: str
    threads: int | None
    date: str
    versions: Mapping[str, str]
    settings: Mapping[str, Any]
    rows: tuple[Json, ...]
    summary: Json
    equality: Difference | None
    disturbed: bool
    complete: bool
    reason: str = ""

    @property
    def runs(self) -> int:
        """How many runs the interval goes over; of a single one it goes over the rounds."""
        return int(self.settings.get("runs", 1))

    def to_json(self) -> Json:
        """As it is kept and exported."""
        return {"schema": SCHEMA_VERSION, **asdict(self), "rows": list(self.rows)}

    @classmethod
    def from_json(cls, data: Json) -> Report:
        """A kept report.

        Raises:
            BackendError: another schema, or fields that are not a report's.
        """
        try:
            if data["schema"] not in (1, SCHEMA_VERSION):
                raise KeyError(f"schema {data['schema']}")
            values = {name: data[name] for name in cls.__dataclass_fields__ if name != "reason"}
            values["reason"] = data.get("reason", "")
            equality = values["equality"]
            values["equality"] = None if equality is None else Difference(**equality)
            return cls(**{**values, "rows": tuple(values["rows"])})
        except (KeyError, TypeError, AttributeError) as problem:
            message = f"This is no report of a measurement ({problem}). Export it again."
            raise BackendError("backend.report", message) from problem


def report(
    experiment: str,
    backend: DecoderBackend[Any],
    settings: Json,
    rows: Iterable[Json],
    *,
    summary: Json | None = None,
    equality: Difference | None = None,
    disturbed: bool = False,
    complete: bool = True,
) -> Report:
    """A report of now and here."""
    return Report(
        experiment=experiment,
        backend=backend.name,
        model=backend.spec.name,
        num_parameters=backend.spec.num_parameters,
        device=backend.device,
        dtype=backend.dtype,
        threads=backend.threads if backend.holds_threads else None,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        versions=versions(),
        settings=settings,
        rows=tuple(map(_as_known, rows)),
        summary=_as_known(summary or {}),
        equality=equality,
        disturbed=disturbed,
        complete=complete,
    )


def worst(differences: Iterable[Difference]) -> Difference:
    """The largest of several differences: equal only if all are."""
    found = list(differences)
    return Difference(
        max((each.max_abs for each in found), default=0.0),
        all(each.bitwise for each in found),
        all(each.same_argmax for each in found),
    )


def _as_known(values: Json) -> Json:
    """Numbers with three digits of a time, a rate or a ratio: one more than is told of a ratio."""
    return {name: _digits(name, value) for name, value in values.items()}


def _digits(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return _as_known(value)
    if not isinstance(value, float):
        return value
    known = name == "ms" or name.endswith(("_ms", "_gflops_s")) or _plain(name) in _THREE
    return float(f"{value:.3g}") if known else value


_THREE = ("ratio", "measured", "saved", "flops", "worst_error", "tokens_ratio")


def _plain(name: str) -> str:
    return name.removesuffix("_low").removesuffix("_high")
