"""A metric's name on a page: whose it is, and what it says. Proxies write `_` or `.` for the colon."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.traces.meters.families import FAMILIES

_SPLIT = re.compile(rf"({'|'.join(FAMILIES)})[:._](\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Known:
    """A metric that is read: whose, under which name, whether an older name, a gauge, a time of birth."""

    family: str
    name: str
    older: bool = False
    gauge: bool = False
    created: bool = False


def _known() -> dict[tuple[str, str], Known]:
    found: dict[tuple[str, str], Known] = {}
    for family in FAMILIES.values():
        gauges = {family.gauge, family.usage} - {""}
        names = {name for way in family.ways for name in way} | gauges
        newer_of = dict(family.older)
        for name in [*names, *newer_of]:
            newer = newer_of.get(name, name)
            found[family.name, name] = Known(family.name, newer, name != newer, newer in gauges)
            if newer not in gauges:
                found[family.name, f"{name}_created"] = Known(family.name, newer, name != newer, created=True)
    return found


_KNOWN: Mapping[tuple[str, str], Known] = MappingProxyType(_known())


def family_of(metric: str) -> str | None:
    """Whose metric this is by its prefix."""
    found = _SPLIT.fullmatch(metric)
    return found[1] if found else None


def known_metric(metric: str) -> Known | None:
    """What a metric says; None for the many that say nothing about a cache."""
    found = _SPLIT.fullmatch(metric)
    return None if found is None else _KNOWN.get((found[1], found[2].removesuffix("_total")))
