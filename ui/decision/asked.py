"""A sheet with all one needs to tell it: the load, the machine, the choice, the language. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from core.decision import Band, Cell, Fewest, Finding, Knee, Point, Sheet
from ui.decision.setup import Choice
from ui.machine.machine import Machine
from ui.monitor.setup import LoadSetup
from ui.words.i18n import Lang, listed, run_on, t
from ui.words.numbers import digits, never_full, seconds

ONE_S = 0.9995
"""From here on a time reads as 1 s and not as 1,000 ms."""


@dataclass(frozen=True)
class Asked:
    sheet: Sheet
    choice: Choice
    load: LoadSetup
    machine: Machine
    lang: Lang
    left_s: float | None = None
    """Real seconds that the rest of the computing may take."""

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

    # -- the finding ----------------------------------------------------------------------------------------

    def fewest(self, gib: float | None) -> Fewest:
        """For the chosen service level."""
        return self.sheet.fewest(gib, self.choice.level_s)

    @cached_property
    def found(self) -> Finding:
        """For the chosen service level."""
        return self.sheet.finding(self.choice.level_s)

    @property
    def decided(self) -> bool:
        """Whether the finding stands, with the cache and without: no run still to come can change it."""
        return self.found.settled and self.fewest(None).settled

    @cached_property
    def gpus(self) -> int:
        """How many GPUs all numbers and curves are for: as chosen, else as found, or as it looks so far."""
        return self.choice.gpus or self.sheet.leading(self.choice.level_s)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The sizes on that many GPUs, first without a cache."""
        return self.sheet.points(self.gpus)

    @cached_property
    def knee(self) -> Knee | None:
        """The knee on that many GPUs, once all its seeds have run."""
        knee = self.sheet.knee(self.gpus)
        return knee if knee is not None and knee.num_seeds == self.num_seeds else None

    @property
    def knee_gib(self) -> float | None:
        """The knee, if there is one."""
        return self.knee.gib if self.knee is not None else None

    @cached_property
    def size(self) -> float | None:
        """The size that the numbers are about: the one chosen, else that of the finding, else the largest."""
        sizes = self.sheet.spec.sizes
        for wanted in (self.choice.size, self.found.gib):
            if wanted in sizes:
                return wanted
        return sizes[-1] if sizes else None

    @property
    def cell(self) -> Cell | None:
        """That size on that many GPUs."""
        return self.sheet.cell(self.gpus, self.size)

    @property
    def num_seeds(self) -> int:
        """How many seeds each number will rest on."""
        return len(self.sheet.spec.seeds)

    @property
    def seeds_so_far(self) -> str:
        """On how many seeds the curves rest while some are still to come; nothing after that."""
        run = [len(one.outcomes) for one in self.points if one.too_small is None]
        least, most = min(run, default=self.num_seeds), max(run, default=self.num_seeds)
        if least == self.num_seeds:
            return ""
        return self.seeds_words(str(least) if least == most else f"{least}–{most}")

    def seeds_words(self, run: int | str) -> str:
        """So many of all."""
        return self.say("seeds", run=run, all=self.num_seeds)

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
        return f"{1000 * value_s:,.0f}" if value_s < ONE_S else seconds(value_s)

    def short_time(self, value_s: float) -> str:
        """The same with two digits: for a cell."""
        return self.time(value_s) if value_s < ONE_S else f"{float(f'{value_s:.2g}'):g} s"

    def tick(self, value_s: float) -> str:
        """For an axis, always with its unit."""
        text = self.short_time(value_s)
        return f"{text} {self.say('ms')}" if value_s < ONE_S else text

    def span(self, band: Band | None) -> str:
        """Least to most of a time in one unit, which stands behind; one number where both read the same."""
        if band is None or (band.at_least and not band.low):  # at least nothing says nothing
            return "–"
        low, high = self.time(band.low), self.time(band.high)
        if band.low < ONE_S <= band.high < 120:
            low = digits(band.low)
        elif low != high:
            low = low.removesuffix(" s")
        text = self._range(band, low, high)
        return text if text.endswith((" s", " min", " h")) else f"{text} {self.say('ms')}"

    def share(self, band: Band | None, places: int = 1) -> str:
        """Least to most of a share."""
        if band is None:
            return "–"
        low, high = (never_full(value, places) if value else "0" for value in (band.low, band.high))
        if 0 < band.high < 0.0005:
            return self.say("under", share=self.percent(0.001))
        return self._range(band, low, high, self.say("percent", n="{n}"))

    def amount(self, band: Band | None) -> str:
        """Least to most of a number."""
        return "–" if band is None else self._range(band, *(_short(value) for value in (band.low, band.high)))

    def _range(self, band: Band, low: str, high: str, unit: str = "{n}") -> str:
        text = low if low == high else f"{low}–{high}"
        return ("≥ " if band.at_least else "") + unit.replace("{n}", text)

    def money(self, gpus: int) -> float:
        """A month of so many, at the machine's own price."""
        return self.sheet.monthly(gpus, self.machine.prices).value or 0.0


def _short(value: float) -> str:
    """Two digits behind the point below ten, one below a hundred."""
    return f"{value:,.{2 if value < 10 else 1 if value < 100 else 0}f}"


def short_money(value: float, sign: str) -> str:
    """An amount with three digits: $1.46k, $730."""
    for limit, letter in ((1e6, "M"), (1e4, "k")):
        if value >= limit:
            return f"{sign}{value / (1e6 if letter == 'M' else 1e3):.3g}{letter}"
    return f"{sign}{value:,.0f}"
