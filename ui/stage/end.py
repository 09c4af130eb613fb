"""The end of a run: which run to try next, chosen by the belief that fell, and what its card is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ui.stage.setup import SETUP, Setup, preset_ids
from ui.words.i18n import LANGS, t

NEXT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "unsent": ("P6", "P1"),
        "zero": ("safety", "P2b"),
        "anywhere": ("P3", "P5"),
        "all": ("P9d", "P4"),
        "full": ("P6", "P6b"),
        "everything": ("P9c", "P9"),
        "together": ("T10", "P8"),
        "cleared": ("P1", "P4"),
        "size": ("P9", "P0"),
        "ttl": ("P10", "P9c"),
        "tenants": ("P11", "P3"),
        "weights": ("P11", "P3"),
        "lru": ("P9", "P9b"),
        "copy": ("P8", "T10"),
        "merge": ("P6b", "P11"),
        "decode": ("P4", "P1"),
    }
)
"""Belief -> the preset that shows best how it is, and another one for who stands on that already."""


def end_card(setup: Setup) -> dict[str, Any]:
    """What the stage's last card needs: the bet, and by belief the run to try next ("ok": nothing fell)."""
    known = preset_ids()
    place = known.index(setup.scenario) + 1 if setup.scenario in known else 0
    following = known[place % len(known)]
    chosen = {belief: next(one for one in pair if one != setup.scenario) for belief, pair in NEXT.items()}
    chosen["ok"] = following
    return {
        "bet": None if setup.bet is None else setup.bet.n,
        "unit": "tokens" if setup.bet is None else setup.bet.unit,
        "next": chosen,
        "runs": {run: {lang: _titles(run, lang) for lang in LANGS} for run in set(chosen.values())},
    }


def _titles(run: str, lang: Any) -> list[str]:
    return [t(f"scenario.{run}.{part}", lang) for part in ("title", "question")]


def run_asked(told: object) -> str | None:
    """The preset that a card's button asks for; it comes from a browser."""
    wanted = told.get("preset") if isinstance(told, dict) else None
    return wanted if isinstance(wanted, str) and wanted in preset_ids() else None


def knobs_asked(told: object) -> bool:
    """Whether a card's button asks for the set-up."""
    return isinstance(told, dict) and told.get("knobs") is True


def open_run(preset: str) -> None:
    """Another run in the same mode. The bet was on the one before."""
    SETUP.set(replace(SETUP.get().with_scenario(preset), bet=None))
