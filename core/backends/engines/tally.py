"""What several engines answered, as rows of a report; and who is missing from it, with the reason."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.backends.engines.base import About, First, PromptEngine
from core.backends.experiments.report import Json, Report
from core.errors import BackendError


@dataclass(slots=True)
class Asked:
    """What one engine answered: by hit fraction, and by (users, shared or not), one entry a round."""

    engine: PromptEngine
    sweep: dict[float, list[First]] = field(default_factory=dict)
    crowds: dict[tuple[int, bool], list[list[First]]] = field(default_factory=dict)


def sweep_rows(one: Asked) -> list[Json]:
    """One row for each hit fraction; ratios are of a round with itself."""
    colds = one.sweep[min(one.sweep)]
    rows = []
    for fraction, found in one.sweep.items():
        ratios = [cold.wall_s / first.wall_s for cold, first in zip(colds, found, strict=True)]
        rows.append(
            {
                "part": "sweep",
                "engine": one.engine.about.name,
                "fraction": fraction,
                **_told(found),
                **_spread("wall", [first.wall_s * 1e3 for first in found], "_ms"),
                **_spread("ratio", ratios),
                "num": len(found),
            }
        )
    return rows


def crowd_rows(one: Asked) -> list[Json]:
    """One row for each number of users, with a prefix that was sent before and without."""
    rows = []
    for (users, warm), rounds in one.crowds.items():
        in_order = [sorted(first.wall_s * 1e3 for first in found) for found in rounds]
        rows.append(
            {
                "part": "users",
                "engine": one.engine.about.name,
                "users": users,
                "warm": warm,
                **_told([first for found in rounds for first in found]),
                **_spread("first", [found[0] for found in in_order], "_ms"),
                **_spread("mean", [statistics.mean(found) for found in in_order], "_ms"),
                **_spread("last", [found[-1] for found in in_order], "_ms"),
                "num": len(rounds),
            }
        )
    return rows


def _told(found: Sequence[First]) -> Json:
    """What the engine says of its cache: the mean over the answers, None as soon as one does not tell."""
    shares = [first.cached_share for first in found]
    known = [share for share in shares if share is not None]
    tokens = [first.prompt_tokens for first in found if first.prompt_tokens is not None]
    return {
        "cached_share": statistics.mean(known) if len(known) == len(shares) else None,
        "prompt_tokens": statistics.median(tokens) if len(tokens) == len(found) else None,
    }


def _spread(name: str, values: Sequence[float], unit: str = "") -> Json:
    """Median, smallest and largest."""
    return {
        f"{name}{unit}": statistics.median(values),
        f"{name}_low{unit}": min(values),
        f"{name}_high{unit}": max(values),
    }


def same_first(asked: Sequence[Asked]) -> Json:
    """How often an engine that takes our ids begins its answer as ours does."""
    ours, *others = asked
    found: Json = {"same_first": 0, "compared": 0}
    for one in others:
        if one.engine.about.takes != "tokens":
            continue
        pairs = [
            (mine.text, theirs.text)
            for fraction, answers in ours.sweep.items()
            for mine, theirs in zip(answers, one.sweep[fraction], strict=True)
        ]
        found = {"same_first": sum(mine == theirs for mine, theirs in pairs), "compared": len(pairs)}
    return found


def left_out_text(left_out: Sequence[Json]) -> str:
    """Who was left out and why, as one text: in a report every field is of one kind, whoever was there."""
    return json.dumps(left_out, ensure_ascii=False) if left_out else ""


def left_out_of(report: Report) -> list[tuple[str, BackendError]]:
    """Engines that are not in a report, each with its reason. What cannot be read is left away."""
    try:
        said = json.loads(report.summary["left_out"] or "[]")
        return [
            (str(one["engine"]), BackendError(str(one["code"]), str(one["code"]), **_values(one["values"])))
            for one in said
        ]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return []


def _values(values: Json) -> dict[str, str | int | float]:
    """Numbers and short texts, and no name that an error has otherwise."""
    known = {name: value for name, value in values.items() if isinstance(value, str | int | float)}
    return {name: value for name, value in known.items() if name not in ("self", "code", "message")}


def about_json(about: About) -> Json:
    """As a report keeps it."""
    return {name: getattr(about, name) for name in about.__slots__}
