"""The experiments of the page by name: what each runs, how long it takes, what was kept of earlier ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from core.backends.decoders.device import cpu_name
from core.backends.decoders.loader import Model
from core.backends.experiments.break_reports import Story, broken_reuse, texts_astray
from core.backends.experiments.content_only import shuffled_documents
from core.backends.experiments.hits import hit_pairs, hit_sweep, long_prompt, saving_claim
from core.backends.experiments.machines import nearest
from core.backends.experiments.prefix import why_prefix
from core.backends.experiments.report import Json, Report
from core.backends.experiments.serving import decoding, many_users
from core.backends.progress import Cancelled, Progress
from core.csv_table import csv_text
from ui.prefill.models import SMALL, Choice
from ui.prefill.servers import measure_engines

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "measured"
MACHINES = FOLDER / "machines"
"""A folder for each class of machine (``machines.py``), a file for each decoder and model."""

Experiment = Callable[[Model, Progress, Cancelled], Report]
LONG, OWN_PART = 8192, 128
_LARGE = 20e6
"""Parameters from which on fewer rounds must do."""


def _pair(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    few: dict[str, Any] = {"runs": 3, "rounds": 2, "warm_ups": 1} if _is_large(model) else {}
    return hit_pairs(model.backend(), progress=progress, cancelled=cancelled, **few)


def _sweep(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    runs = 3 if _is_large(model) else 5
    return hit_sweep(model.backend(), runs=runs, progress=progress, cancelled=cancelled)


def _users(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    few: dict[str, Any] = {"users": 20, "runs": 1} if _is_large(model) else {}
    return many_users(model.backend(), progress=progress, cancelled=cancelled, **few)


def _long(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    """As long as the model takes, where that is less."""
    shared = min(LONG, (model.spec.max_positions - OWN_PART) // 16 * 16)
    few: dict[str, Any] = {"runs": 1, "rounds": 2} if _is_large(model) else {}
    case = (shared + OWN_PART, shared)
    return long_prompt(model.backend(), case, progress=progress, cancelled=cancelled, **few)


def _decode(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    places = [place for place in (16, 128, 512, 1024) if place < model.spec.max_positions]
    few: dict[str, Any] = {"runs": 3, "rounds": 1} if _is_large(model) else {}
    return decoding(model.backend(), positions=places, progress=progress, cancelled=cancelled, **few)


def _saving(model: Model, progress: Progress, cancelled: Cancelled) -> Report:
    few: dict[str, Any] = {"runs": 3, "rounds": 1, "warm_ups": 1} if _is_large(model) else {}
    return saving_claim(model.backend(), progress=progress, cancelled=cancelled, **few)


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
    "engines": measure_engines,
}

SECONDS = {
    "pair": 2.5, "sweep": 9.0, "users": 20.0, "long": 31.0, "decode": 5.0, "saving": 7.0,
    "prefix": 0.1, "breaks": 2.0, "documents": 4.0, "astray": 0.6, "engines": 6.0,
}  # fmt: skip
"""About what each takes for the model S with numpy on one core of 2024."""

_FEWER = {"pair": 0.35, "sweep": 0.3, "users": 0.07, "long": 0.5, "decode": 0.45, "saving": 0.25,
          "documents": 0.2, "engines": 0.6}  # fmt: skip
"""How much of that a large model does."""


def _is_large(model: Model) -> bool:
    return model.spec.num_parameters > _LARGE


def expected_s(experiment: str, work: float) -> float:
    """About how long it takes where a prompt is ``work`` times that of the model S."""
    if work > 4:
        return SECONDS[experiment] * _FEWER.get(experiment, 1.0) * work
    return max(0.5, SECONDS[experiment] * work)


# -- what was kept --------------------------------------------------------------------------------------


@cache
def kept() -> tuple[Report, ...]:
    """All results that came with the lab, of every class of machine, each with device, date and versions."""
    texts = [path.read_text("utf-8") for path in sorted(MACHINES.glob("*/*.json"))]
    return tuple(Report.from_json(data) for text in texts for data in json.loads(text))


@cache
def examples() -> tuple[Json, ...]:
    """What a report looks like: by these a file from outside is checked (``checked.py``)."""
    found = [report.to_json() for report in kept()]
    told = [one for one in found if one["experiment"] == "engines"]
    silent = {
        "cached_share": None,
        "prompt_tokens": None,
    }  # not every engine tells, and ours alone is a result
    return (*found, *({**one, "rows": [{**row, **silent} for row in one["rows"]]} for one in told))


@cache
def stories() -> tuple[Story, ...]:
    """Pairs of prompts that differ near their beginning."""
    return tuple(Story(**story) for story in json.loads((FOLDER / "stories.json").read_text("utf-8")))


def kept_report(experiment: str, choice: Choice) -> Report | None:
    """The kept result nearest to this machine and to the choice: same model and library, same model,
    anything."""
    found = nearest([report for report in kept() if report.experiment == experiment], cpu_name())

    def far(report: Report) -> tuple[bool, bool, bool]:
        return not has_model(report, choice), report.backend != choice.library, report.model != "S"

    return min(found, key=far, default=None)


def has_model(report: Report, choice: Choice) -> bool:
    """Whether a report that came with the lab, or as a file, is of the chosen model."""
    if choice.model == SMALL:
        return report.model.lower().startswith("smollm2")
    return report.model == choice.model


# -- to take home ---------------------------------------------------------------------------------------


def as_json(report: Report) -> str:
    """The whole report, as ``Report.from_json`` reads it."""
    return json.dumps(report.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(report: Report) -> str:
    """Its rows, each with what one must know to believe it; the byte order mark is for spreadsheets."""
    known = {
        name: getattr(report, name) for name in ("experiment", "model", "backend", "device", "date", "runs")
    }
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
