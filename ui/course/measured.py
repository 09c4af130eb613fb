"""Measurements that the course shows: kept reports of real prefill, each with its machine and its day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from core.backends.decoders.device import cpu_name
from core.backends.experiments.machines import nearest
from core.backends.experiments.report import Json, Report
from ui.prefill.experiments import kept as all_kept

DECODERS = MappingProxyType({"numpy": "numpy-S", "torch": "torch-S"})
"""The same small decoder in two libraries: their names, and the files of their reports."""
LARGER = "numpy-smollm2"
"""A pretrained model: one pair and a sweep."""


@dataclass(frozen=True, slots=True)
class Point:
    """A prompt with and without its hit: times less CPU time, the spread of that, the share saved."""

    total: int
    hit_tokens: int
    ratio: float
    low: float
    high: float
    saved: float

    @property
    def fraction(self) -> float:
        """Hit tokens of all."""
        return self.hit_tokens / self.total


@dataclass(frozen=True, slots=True)
class ManyUsers:
    """Users one after another on one prefix, with the cache and without."""

    users: int
    shared: int
    own: int
    ratio: float
    with_ms: float
    without_ms: float


@dataclass(frozen=True, slots=True)
class NextToken:
    """CPU milliseconds of the next token at one position: with the request's own K and V, and without."""

    position: int
    with_ms: float
    without_ms: float

    @property
    def ratio(self) -> float:
        """Times less CPU time with them."""
        return self.without_ms / self.with_ms


@cache
def kept(name: str) -> Mapping[str, Report]:
    """One decoder's reports by experiment, of the class of machine nearest to this one."""
    backend, _, model = name.partition("-")
    mine = [
        one
        for one in all_kept()
        if one.backend == backend and one.model.partition(" ")[0].lower() == model.lower()
    ]
    return MappingProxyType({one.experiment: one for one in nearest(mine, cpu_name())})


def sweep(name: str) -> tuple[Point, ...]:
    """One prompt length, more and more of it hit."""
    report = kept(name)["sweep"]
    total, full = int(report.settings["total"]), float(report.rows[0]["ms"])
    return tuple(
        Point(
            total,
            row["hit_tokens"],
            row["measured"],
            row["measured_low"],
            row["measured_high"],
            1 - row["ms"] / full,
        )
        for row in report.rows
    )


def pairs(name: str, experiment: str) -> tuple[Point, ...]:
    """Prompts of several lengths: experiment pair, saving or long."""
    return tuple(_pair(row) for row in kept(name)[experiment].rows)


def _pair(row: Json) -> Point:
    names = ("total", "hit_tokens", "ratio", "ratio_low", "ratio_high", "saved")
    return Point(*(row[name] for name in names))


def next_tokens(name: str) -> tuple[NextToken, ...]:
    """Decoding at growing positions."""
    return tuple(
        NextToken(row["position"], row["with"]["cpu_ms"], row["without"]["cpu_ms"])
        for row in kept(name)["decode"].rows
    )


def many_users(name: str) -> ManyUsers:
    """The experiment with many users."""
    report = kept(name)["users"]
    by_side = {row["side"]: row["total_ms"] for row in report.rows}
    settings = report.settings
    return ManyUsers(
        settings["users"],
        settings["shared"],
        settings["own"],
        report.summary["ratio"],
        by_side["cache"],
        by_side["none"],
    )


def where(report: Report) -> dict[str, object]:
    """What one must know to believe a measurement, for a sentence about it."""
    return {
        "backend": report.backend,
        "millions": f"{report.num_parameters / 1e6:,.0f}",
        "device": report.device,
        "threads": report.threads or 0,
        "dtype": report.dtype,
        "date": report.date,
    }
