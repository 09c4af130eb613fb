"""The experiments of the page by name: what each runs, how long it takes, what was kept of earlier ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from core.backends.decoders.loader import Model
from core.backends.experiments.break_reports import Story, broken_reuse, texts_astray
from core.backends.experiments.content_only import shuffled_documents
from core.backends.experiments.hits import hit_pairs, hit_sweep, saving_claim
from core.backends.experiments.prefix import why_prefix
from core.backends.experiments.report import Json, Report
from core.backends.experiments.serving import decoding, many_users
from core.backends.progress import Cancelled, Progress
from core.csv_table import csv_text
from ui.prefill.models import SMALL, Choice

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "measured"
KEPT = ("numpy-S", "torch-S", "numpy-smollm2", "prefix-smollm2")
Experiment = Callable[[Model, Progress, Cancelled], Report]
LONG, OWN_PART = 8192, 128
_LARGE = 20e6
"""Parameters from which on fewer rounds must do."""


def _pair(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    rounds = 4 if _is_large(model) else 9
    return hit_pairs(model.backend(), rounds=rounds, progress=progress, cancelled=cancelled)


def _sweep(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    return hit_sweep(model.backend(), progress=progress, cancelled=cancelled)


def _users(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    users = 20 if _is_large(model) else 100
    return many_users(model.backend(), users=users, progress=progress, cancelled=cancelled)


def _long(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    """As long as the model takes, where that is less."""
    shared = min(LONG, (model.spec.max_positions - OWN_PART) // 16 * 16)
    rounds = 1 if _is_large(model) else 3
    case = (shared + OWN_PART, shared)
    options: dict[str, Any] = {"rounds": rounds, "progress": progress, "cancelled": cancelled}
    return hit_pairs(model.backend(), (case,), name="long", warm_ups=0, **options)


def _decode(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    places = [place for place in (16, 128, 512, 1024) if place < model.spec.max_positions]
    return decoding(model.backend(), positions=places, progress=progress, cancelled=cancelled)


def _saving(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    rounds = 2 if _is_large(model) else 5
    return saving_claim(model.backend(), rounds=rounds, progress=progress, cancelled=cancelled)


def _breaks(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    return broken_reuse(model.backend(), progress=progress, cancelled=cancelled)


def _astray(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    return texts_astray(model, stories(), progress=progress, cancelled=cancelled)


def _prefix(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    return why_prefix(model, progress=progress, cancelled=cancelled)


def _documents(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    requests = 8 if _is_large(model) else 40
    return shuffled_documents(model.backend(), requests=requests, progress=progress, cancelled=cancelled)


EXPERIMENTS: dict[str, Experiment] = {
    "pair": _pair,
    "sweep": _sweep,
    "users": _users,
    "long": _long,
    "decode": _decode,
    "saving": _saving,
    "prefix": _prefix,
    "breaks": _breaks,
    "astray": _astray,
    "documents": _documents,
}

SECONDS = {
    "pair": 1.3, "sweep": 5.0, "users": 11.0, "long": 22.0, "decode": 1.6, "saving": 2.2,
    "prefix": 0.1, "breaks": 2.0, "documents": 4.0, "astray": 0.6,
}  # fmt: skip
"""About what each takes for the model S with numpy on one core of 2024."""


def _is_large(model: Model) -> bool:
    return model.spec.num_parameters > _LARGE


def expected_s(experiment: str, work: float) -> float:
    """About how long it takes where a prompt is ``work`` times that of the model S."""
    fewer = {"pair": 0.5, "users": 0.2, "long": 0.4, "saving": 0.5, "documents": 0.2}
    budgets = {"sweep": 11 * 0.07 * work * 2}  # one warm-up and one round are always made
    if work > 4:
        return max(budgets.get(experiment, 0.0), SECONDS[experiment] * fewer.get(experiment, 1.0) * work)
    return max(0.5, SECONDS[experiment] * work)


# -- what was kept --------------------------------------------------------------------------------------


@cache
def kept() -> tuple[Report, ...]:
    """All results that came with the lab, each with device, date and versions."""
    texts = [(FOLDER / f"{name}.json").read_text("utf-8") for name in KEPT]
    return tuple(Report.from_json(data) for text in texts for data in json.loads(text))


@cache
def stories() -> tuple[Story, ...]:
    """Pairs of prompts that differ near their beginning."""
    return tuple(Story(**story) for story in json.loads((FOLDER / "stories.json").read_text("utf-8")))


def kept_report(experiment: str, choice: Choice) -> Report | None:
    """The kept result nearest to the choice: same model and library, same model, anything."""
    found = [report for report in kept() if report.experiment == experiment]

    def far(report: Report) -> tuple[bool, bool, bool]:
        model = "smollm2" if choice.model == SMALL else choice.model.lower()
        same = report.model.lower().startswith(model)
        return not same, report.backend != choice.library, report.model != "S"

    return min(found, key=far, default=None)


# -- to take home ---------------------------------------------------------------------------------------


def as_json(report: Report) -> str:
    """The whole report, as ``Report.from_json`` reads it."""
    return json.dumps(report.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(report: Report) -> str:
    """Its rows, each with what one must know to believe it; the byte order mark is for spreadsheets."""
    known = {name: getattr(report, name) for name in ("experiment", "model", "backend", "device", "date")}
    rows = [{**known, **_flat(row)} for row in report.rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return "\ufeff" + csv_text([names, *([row.get(name) for name in names] for row in rows)])


def _flat(row: Json, before: str = "") -> Json:
    """Nested tables as ``outer.inner``; lists as JSON."""
    flat: Json = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{name}.")
        else:
            flat[before + name] = json.dumps(value) if isinstance(value, (list, tuple)) else value
    return flat
