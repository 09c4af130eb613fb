"""A sheet with all one needs to tell it: the load, the machine, the choice, the language. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from core.decision import Band, Cell, Fewest, Point, Sheet
from ui.decision.setup import Choice
from ui.machine.machine import Machine
from ui.monitor.setup import LoadSetup
from ui.words.i18n import Lang, listed, run_on, t
from ui.words.numbers import digits, never_full, seconds

_ONE_S = 0.9995
"""From here on a time reads as 1 s and not as 1,000 ms."""


@dataclass(frozen=True)
class Asked:
    sheet: Sheet
    choice: Choice
    load: LoadSetup
    machine: Machine
    lang: Lang

    def say(self, key: str, **args: object) -> str:
        """A sentence of the sheet."""
        return t(f"decision.{key}", self.lang, **args)

    def say_of(self, room: str, key: str, **args: object) -> str:
        """A sentence of another page."""
        return t(f"{room}.{key}", self.lang, **args)

    def listed(self, items: Iterable[str]) -> str:
        """One beside another."""
        return listed(items, self.lang)

    def join(self, *sentences: str) -> str:
        """One behind another."""
        return run_on(sentences, self.lang)

    @property
    def done(self) -> bool:
        """Nothing is left to compute."""
        return self.sheet.num_done == self.sheet.num_runs

    @property
    def knee_gib(self) -> float | None:
        """The knee, if any size tried reaches it."""
        return self.sheet.knee.gib if self.sheet.knee is not None else None

    # -- the finding ----------------------------------------------------------------------------------------

    def fewest(self, gib: float | None) -> Fewest:
        """For the chosen service level."""
        return self.sheet.fewest(gib, self.choice.level_s)

    @cached_property
    def found(self) -> tuple[float | None, Fewest]:
        """The least size that gets by with the fewest GPUs, and how many. No size and no GPUs: none of those
        tried holds the level."""
        all_of = {gib: self.fewest(gib) for gib in self.sheet.spec.sizes}
        settled = bool(all_of) and all(fewest.settled for fewest in all_of.values())
        holding = {gib: one.gpus for gib, one in all_of.items() if one.gpus is not None}
        if not holding:
            return None, Fewest(None, settled)
        least = min(holding.values())
        return min(gib for gib, gpus in holding.items() if gpus == least), Fewest(least, settled)

    @cached_property
    def size(self) -> float | None:
        """The size that the numbers are about: the one chosen, else that of the finding, else the knee, else
        the largest."""
        sizes = self.sheet.spec.sizes
        for wanted in (self.choice.size, self.found[0], self.knee_gib):
            if wanted in sizes:
                return wanted
        return sizes[-1] if sizes else None

    @property
    def point(self) -> Point | None:
        """That size on the curves."""
        return None if self.size is None else self.sheet.point(self.size)

    @property
    def gpus(self) -> int:
        """How many GPUs the numbers about times are for: the fewest that hold, else those of the curves."""
        of_size = self.fewest(self.size).gpus if self.size is not None else None
        return of_size or self.sheet.spec.curve_gpus

    @property
    def cell(self) -> Cell | None:
        """That size on that many GPUs."""
        return self.sheet.cell(self.gpus, self.size)

    # -- numbers in words -----------------------------------------------------------------------------------

    def cards(self, gpus: int) -> int:
        """Single GPUs, where one copy of the model lies on several."""
        return self.sheet.spec.cards(gpus)

    @property
    def most_cards(self) -> int:
        """The most that were tried."""
        return self.cards(self.sheet.spec.gpus[-1])

    @property
    def level(self) -> str:
        """The service level with its unit."""
        return f"{self.choice.level_ms:,} {self.say('ms')}"

    @property
    def grid_title(self) -> str:
        """What the grid is about."""
        spec = self.sheet.spec
        if spec.load.clients is None:
            return self.say("grid.title", level=self.level, rate=f"{spec.rate:g}")
        return self.say("grid.title.clients", level=self.level, n=spec.load.clients)

    def percent(self, share: float, places: int = 1) -> str:
        """With its sign, as the language sets it."""
        return self.say("percent", n=never_full(share, places) if share else "0")

    def gib(self, gib: float | None) -> str:
        """A size, or that there is no cache."""
        return self.say("no_cache") if gib is None else f"{gib:g} GiB"

    def time(self, value_s: float) -> str:
        """Milliseconds below a second, seconds above; the unit only where it is seconds."""
        return f"{1000 * value_s:,.0f}" if value_s < _ONE_S else seconds(value_s)

    def short_time(self, value_s: float) -> str:
        """The same with two digits: for a cell, an axis."""
        return self.time(value_s) if value_s < _ONE_S else f"{float(f'{value_s:.2g}'):g} s"

    def span(self, band: Band | None) -> str:
        """Least to most of a time in one unit; one number where both read the same."""
        if band is None:
            return "–"
        low, high = self.time(band.low), self.time(band.high)
        if band.low < _ONE_S <= band.high < 120:
            low = digits(band.low)
        elif low != high:
            low = low.removesuffix(" s")
        text = low if low == high else f"{low}–{high}"
        return f"≥ {text}" if band.at_least else text

    def with_unit(self, band: Band | None) -> str:
        """Least to most of a time, with its unit."""
        text = self.span(band)
        return text if band is None or text.endswith((" s", " min", " h")) else f"{text} {self.say('ms')}"

    def share(self, band: Band | None, places: int = 1) -> str:
        """The middle of a share."""
        if band is None:
            return "–"
        if 0 < band.mid < 0.0005:
            return self.say("under", share=self.percent(0.001))
        return ("≥ " if band.at_least else "") + self.percent(band.mid, places)

    def amount(self, band: Band | None) -> str:
        """The middle of a number."""
        return "–" if band is None else f"{band.mid:,.{2 if band.mid < 10 else 1}f}"

    def money(self, gpus: int) -> float:
        """A month of so many, at the machine's own price."""
        return self.sheet.monthly(gpus, self.machine.prices).value or 0.0


def short_money(value: float, sign: str) -> str:
    """An amount with three digits: $1.46k, $730."""
    for limit, letter in ((1e6, "M"), (1e4, "k")):
        if value >= limit:
            return f"{sign}{value / (1e6 if letter == 'M' else 1e3):.3g}{letter}"
    return f"{sign}{value:,.0f}"
