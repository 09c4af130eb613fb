"""A measured ratio beside that of counted FLOPs: below, within or above, and why.

The clock's ratio equals the FLOPs' where the processor computes equally many FLOPs a second with and
without the hit. *Below* is the rule: a short pass pays the fixed part (weights are read, operations begin)
for fewer FLOPs. *Above* means that something slowed the long pass only, and wants an explanation. A result
that is kept needs one either way: ``reason`` gives it where this machine's own numbers bear it out, else
"".

``fit``: the three terms fitted to the sweep of the same machine (``fit.py``) give a ratio inside the
interval, within the fit's own error. ``least``: so does a pass that takes what one token over the same
cache takes, and for the rest as long for a FLOP as the long pass; with a long document that one token must
fetch all of its K and V. ``faults``: page faults in the long pass that the short one has not. ``weights``:
decoding, where the time hardly grows with the position: it goes into reading weights, not into FLOPs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from core.backends.experiments.fit import Fit
from core.backends.experiments.measure import ms_of
from core.backends.spec import DecoderSpec

Standing = Literal["below", "within", "above"]
Pass = tuple[int, int, int]
"""New tokens, cached tokens, how many such passes."""

REASONS = ("faults", "least", "fit", "weights")
"""All of them, the most remarkable first: a report with several rows tells one."""

_FAULT_US = 0.5
"""What a page fault takes at least."""


@dataclass(frozen=True, slots=True)
class Stand:
    """One measured interval, the FLOPs' ratio, and the passes on both sides. ``faults``: more of them
    without the hit, a pass; ``ms``: a pass without the hit; ``one_ms``: one token behind the hit."""

    low: float
    high: float
    flops: float
    without: tuple[Pass, ...]
    with_hit: tuple[Pass, ...]
    faults: float = 0.0
    ms: float = 0.0
    one_ms: float | None = None

    @property
    def standing(self) -> Standing:
        """Where it stands."""
        return standing(self.low, self.high, self.flops)


def two_digits(value: float) -> float:
    """As much as a clock knows of a ratio; below 2, where its distance from 1 is what counts, two places."""
    return round(value, 2) if abs(value) < 2 else float(f"{value:.2g}")


def standing(low: float, high: float, flops: float) -> Standing:
    """Where an interval stands, by the digits that are shown."""
    low, high, flops = map(two_digits, (low, high, flops))
    return "below" if high < flops else "above" if low > flops else "within"


def rates(spec: DecoderSpec, total: int, reused: int, full_ms: float, hit_ms: float) -> dict[str, float]:
    """Billions of FLOPs a second on both sides: where they differ, the ratio is not that of the FLOPs."""
    return {
        "full_gflops_s": spec.prefill_flops(total) / full_ms / 1e6,
        "hit_gflops_s": spec.prefill_flops(total - reused, reused) / hit_ms / 1e6,
    }


def stands(experiment: str, rows: Any, summary: Any, settings: Any) -> Iterator[Stand]:
    """What an experiment's report claims about ratios of prefill."""
    if experiment == "users":
        users, shared, own = (settings[name] for name in ("users", "shared", "own"))
        hits = ((shared + own, 0, 1), (own, shared, users - 1))
        bounds = (summary["ratio_low"], summary["ratio_high"], summary["flops"])
        yield Stand(*bounds, ((shared + own, 0, users),), hits)
    for row in rows if experiment in ("pair", "long", "saving", "sweep") else ():
        total, hit = row.get("total", settings.get("total")), row["hit_tokens"]
        name = "measured" if experiment == "sweep" else "ratio"
        without, with_hit = row.get("full", {}), row.get("hit", {})
        more = (without.get("faults") or 0.0) - (with_hit.get("faults") or 0.0)
        yield Stand(
            row[f"{name}_low"], row[f"{name}_high"], row["flops"], ((total, 0, 1),), ((total - hit, hit, 1),),
            more, ms_of(without) if without else 0.0, ms_of(row["one"]) if "one" in row else None,
        )  # fmt: skip


def reason(report: Any, spec: DecoderSpec, fit: Fit) -> str:
    """Why a report stands where it stands; "" where it leaves the FLOPs and the machine's numbers do not
    say why."""
    if report.experiment == "decode":
        return "weights" if ms_of(report.rows[-1]["with"]) < 2 * ms_of(report.rows[0]["with"]) else ""
    found = {
        _reason(one, spec, fit)
        for one in stands(report.experiment, report.rows, report.summary, report.settings)
        if one.standing != "within"
    }
    return "" if "" in found else next((name for name in REASONS if name in found), "")


def leaves(report: Any) -> bool:
    """Whether some interval of the report leaves the ratio of counted FLOPs."""
    if report.experiment == "decode":
        return any(
            standing(row["ratio_low"], row["ratio_high"], row["flops"]) != "within" for row in report.rows
        )
    found = stands(report.experiment, report.rows, report.summary, report.settings)
    return any(one.standing != "within" for one in found)


def _reason(one: Stand, spec: DecoderSpec, fit: Fit) -> str:
    error = 2 * fit.worst_error + 0.02  # of both sides, and of two digits
    for name, told in (("fit", _by_fit(one, spec, fit)), ("least", _by_least(one, spec))):
        if one.low * (1 - error) <= told <= one.high * (1 + error):
            return name
    return "faults" if one.standing == "above" and one.faults * _FAULT_US > 0.02 * one.ms * 1e3 else ""


def _by_fit(one: Stand, spec: DecoderSpec, fit: Fit) -> float:
    """The ratio of the fitted times."""

    def ms(passes: tuple[Pass, ...]) -> float:
        return sum(count * fit.ms(spec, new, cached) for new, cached, count in passes)

    return ms(one.without) / ms(one.with_hit)


def _by_least(one: Stand, spec: DecoderSpec) -> float:
    """The ratio if the hit takes what one token takes, and the rest at the long pass's rate; 0: not known."""
    if one.one_ms is None or not one.ms:
        return 0.0
    ((total, _, _),), ((new, cached, _),) = one.without, one.with_hit
    rest = (spec.prefill_flops(new, cached) - spec.prefill_flops(1, cached)) / spec.prefill_flops(total)
    return one.ms / (one.one_ms + one.ms * rest)
