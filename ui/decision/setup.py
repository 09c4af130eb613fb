"""What a decision sheet is asked beyond the load and the machine: kept in the link. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.cost import CostModel
from core.decision import SheetSpec, sizes_for
from core.load import LoadSpec
from core.types import EngineConfig
from ui.frame.link import LinkPart, whole
from ui.machine.machine import Machine
from ui.monitor.setup import LoadSetup

LEVELS_MS = (150, 300, 500, 1000)
LEAST_MS, MOST_MS = 10, 10_000
"""A run of the grid stops where its p95 is known to be the largest of these."""
LEAST_RATE, MOST_RATE = 0.1, 200.0
MOST_CLIENTS = 1_000
USUAL_GPUS = 2
GPUS = (1, 2, 3, 4, 5, 6)
SIZES_GIB = tuple(step * 2.0**power for power in range(-2, 8) for step in (1.0, 1.5))
"""What can be chosen: powers of two and what lies halfway."""
MOST_SIZES = 7
"""Rows that one screen and one sheet of paper have room for."""

_NUMBERS = {  # field -> name in a link, least, most
    "level_ms": ("dl", LEAST_MS, MOST_MS),
    "gpus": ("dn", GPUS[0], GPUS[-1]),
    "clients": ("dc", 1, MOST_CLIENTS),
}
_RATE, _SIZES, _SIZE = "dr", "dz", "ds"


@dataclass(frozen=True, slots=True)
class Choice:
    """``level_ms``: 95 of 100 first tokens shall come sooner. ``rate``: requests a second of all GPUs
    together, or ``clients`` if its clients wait, None for the usual (``total_rate``). ``sizes_gib``: GiB on
    each GPU, none for the usual ones. ``size``, ``gpus``: what the numbers, and on how many GPUs the curves
    too, are about; None for what is found."""

    level_ms: int = 300
    rate: float | None = None
    clients: int | None = None
    sizes_gib: tuple[float, ...] = ()
    size: float | None = None
    gpus: int | None = None

    @property
    def level_s(self) -> float:
        """The service level in seconds."""
        return self.level_ms / 1000


def fitting_sizes(cost: CostModel) -> tuple[float, ...]:
    """Of the sizes on offer those for which the machine has room beside the weights."""
    return SheetSpec(LoadSpec(), EngineConfig(), cost, SIZES_GIB, 1.0).sizes


def total_clients(load: LoadSetup, choice: Choice) -> int | None:
    """Clients of all GPUs together, where the load has any; usually as many for each of two servers."""
    return None if load.clients is None else choice.clients or USUAL_GPUS * load.clients


def total_rate(load: LoadSetup, choice: Choice) -> float:
    """Requests a second of all GPUs together: if nothing else is chosen, two servers like the load's one."""
    return choice.rate or USUAL_GPUS * load.rate


def times_the_load(load: LoadSetup, choice: Choice) -> float:
    """All GPUs together get so many times what the load's one server gets."""
    clients = total_clients(load, choice)
    return total_rate(load, choice) / load.rate if clients is None else clients / (load.clients or clients)


def sheet_spec(load: LoadSetup, machine: Machine, choice: Choice) -> SheetSpec:
    """All that decides what is computed; the service level and prices are no part of it."""
    cost, stream = machine.cost(), replace(load.spec(), clients=total_clients(load, choice))
    return SheetSpec(
        load=stream,
        config=load.config(),
        cost=cost,
        sizes_gib=choice.sizes_gib or sizes_for(stream, cost) or SIZES_GIB,
        rate=total_rate(load, choice),
        gpus=GPUS,
        ceiling_s=MOST_MS / 1000,
    )


# -- links --------------------------------------------------------------------------------------------


def to_query(choice: Choice) -> dict[str, str]:
    """What differs from the usual, as query parameters."""
    usual, query = Choice(), {}
    for name, (short, _, _) in _NUMBERS.items():
        if getattr(choice, name) != getattr(usual, name):
            query[short] = str(getattr(choice, name))
    if choice.rate is not None:
        query[_RATE] = f"{choice.rate:g}"
    if choice.sizes_gib:
        query[_SIZES] = "~".join(f"{size:g}" for size in choice.sizes_gib)
    if choice.size is not None:
        query[_SIZE] = f"{choice.size:g}"
    return query


def from_query(query: Mapping[str, str]) -> tuple[Choice, list[str]]:
    """Back, and the names of parameters that could not be used."""
    found: dict[str, Any] = {}
    lost: list[str] = []

    def take(short: str, name: str, value: object) -> None:
        if value is not None:
            found[name] = value
        elif short in query:
            lost.append(short)

    for name, (short, least, most) in _NUMBERS.items():
        take(short, name, whole(query.get(short), least, most))
    take(_RATE, "rate", _rate(query.get(_RATE, "")))
    sizes = [_size(text) for text in query.get(_SIZES, "")[:120].split("~")]
    chosen = {size for size in sizes if size is not None}
    fine = len(chosen) == len(sizes) <= MOST_SIZES
    take(_SIZES, "sizes_gib", tuple(sorted(chosen)) if fine else None)
    take(_SIZE, "size", _size(query.get(_SIZE, "")))
    return Choice(**found), lost


def _size(text: str) -> float | None:
    return {f"{size:g}": size for size in SIZES_GIB}.get(text)


def _rate(text: str) -> float | None:
    try:
        rate = float(text[:8])
    except ValueError:
        return None
    return rate if LEAST_RATE <= rate <= MOST_RATE else None


_WORDS = {
    "dl": "decision.level",
    "dn": "decision.on_gpus",
    "dc": "decision.clients",
    _RATE: "decision.rate",
    _SIZES: "decision.sizes",
    _SIZE: "decision.size",
}
CHOICE = LinkPart("decision_choice", Choice, _WORDS, from_query, to_query)
