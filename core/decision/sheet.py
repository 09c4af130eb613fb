"""The sheet: what all runs together say, also while some are still to come.

Every value over seeds is the least, the median and the most of what the seeds gave: a range of what was seen,
no confidence interval. ``num_seeds`` says on how many of them it rests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from statistics import median

from core.cost import Figure, Prices
from core.decision.order import plan
from core.decision.spec import UNLIMITED, SheetSpec
from core.decision.work import Outcome
from core.load import Kind

HOURS_A_MONTH = 730
"""365 days of 24 hours, a twelfth of them."""

KNEE_SHARE = 0.9
FLAT = 0.05
"""A hit rate that more room raises by less than this is flat: it has no knee."""

DRIFT = 0.03


@dataclass(frozen=True, slots=True)
class Band:
    """Least, median and most over seeds. ``at_least``: a run was stopped early, so all three may be more."""

    low: float
    mid: float
    high: float
    num_seeds: int
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """One size on some number of GPUs; ``gib`` None: no cache.

    Without a cache all the room of the largest size serves requests that run.
    ``hbm_share``: of the room beside weights and reserve. ``hit_rate``: hit tokens / prompt tokens, counted.
    ``ttft_p50``, ``ttft_p95``: seconds; ``queue``: requests waiting, mean over time; ``throughput``: requests
    finished a second, on one GPU, while requests come; all modelled. None: no run yet, too small, or not to
    tell (a run that was stopped early has times only; without a cache there is no hit rate).
    ``too_small``: blocks that the longest request needs, if the size has fewer. ``blocks``: of the pool, 0
    before the first run.
    """

    gib: float | None
    blocks: int
    hbm_share: float | None
    too_small: int | None
    hit_rate: Band | None
    ttft_p50: Band | None
    ttft_p95: Band | None
    queue: Band | None
    throughput: Band | None
    outcomes: tuple[Outcome, ...]

    @property
    def stopped(self) -> bool:
        """Whether a run was left early: it is overloaded."""
        return any(outcome.stopped for outcome in self.outcomes)

    def over(self, slo_s: float) -> Band | None:
        """Share of requests whose first token came later than that."""
        return _band(self.outcomes, lambda outcome: outcome.over(slo_s))


@dataclass(frozen=True, slots=True)
class Cell:
    """So many GPUs with so much room each (``gib`` None: no cache). ``outcomes``: one a seed."""

    gpus: int
    gib: float | None
    num_seeds: int
    outcomes: tuple[Outcome, ...]

    @property
    def p95(self) -> tuple[float, ...]:
        """Seconds, one a seed that has run and fits."""
        return tuple(outcome.quantile(0.95) for outcome in self.outcomes if outcome.too_small is None)

    @property
    def ttft_p95(self) -> Band | None:
        """The same as a band, which says whether a run was stopped early."""
        return _band(self.outcomes, lambda outcome: outcome.quantile(0.95))

    @property
    def too_small(self) -> int | None:
        """Blocks that the longest request needs, if there are fewer."""
        return max((one.too_small for one in self.outcomes if one.too_small is not None), default=None)

    @property
    def settled(self) -> bool:
        """Whether all seeds have run, or none needs to: the size is too small."""
        return len(self.outcomes) == self.num_seeds or self.too_small is not None

    def over(self, slo_s: float) -> Band | None:
        """Share of requests whose first token came later than that."""
        return _band(self.outcomes, lambda outcome: outcome.over(slo_s))

    def holds(self, slo_s: float) -> tuple[int, int]:
        """Of how many seeds that have run p95 is at or under this level, and how many have run."""
        return sum(outcome.holds(slo_s) for outcome in self.outcomes), len(self.outcomes)


@dataclass(frozen=True, slots=True)
class KindRow:
    """One kind of traffic in one cell. ``num_requests``: counted in all seeds together. ``hit_rate`` is None
    without a cache and where runs were stopped early."""

    kind: Kind
    num_requests: int
    hit_rate: Band | None
    ttft_p95: Band | None
    outcomes: tuple[Outcome, ...]

    def over(self, slo_s: float) -> Band | None:
        """Share of its requests whose first token came later than that."""
        return _band(self.outcomes, lambda outcome: outcome.over(slo_s))


@dataclass(frozen=True, slots=True)
class Knee:
    """The least size that gives 90 % of what more room than the smallest size can gain (``KNEE_SHARE``).

    All are medians over the seeds for which every size has run (``num_seeds``). ``least``: the hit rate of
    the smallest size, ``possible``: that of a cache that never forgets. ``gib`` None: there
    is no knee, because the curve is flat (``flat``: less than ``FLAT`` can be gained), or because no size
    gains so much; ``best_share`` is how much of it the best size gains. Sizes that are too small or
    overloaded are left out.
    """

    gib: float | None
    flat: bool
    least: float
    possible: float
    best_share: float
    num_seeds: int


@dataclass(frozen=True, slots=True)
class Fewest:
    """The fewest GPUs whose p95 holds the level with every seed; ``gpus`` None: none of those tried does.
    ``settled``: no run still to come can change this."""

    gpus: int | None
    settled: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """The fewest GPUs that hold with a cache, and the least size with which they do; both None: nothing tried
    does. ``settled``: no run still to come can change this."""

    gpus: int | None
    gib: float | None
    settled: bool


@dataclass(frozen=True)
class Sheet:
    """Cells of a spec, with the outcomes that there are. ``num_done`` of ``num_runs`` have run."""

    spec: SheetSpec
    cells: tuple[Cell, ...]
    num_done: int
    num_runs: int
    by_place: Mapping[tuple[int, float | None], tuple[Outcome, ...]]

    def points(self, gpus: int) -> tuple[Point, ...]:
        """No cache, then the sizes, on so many GPUs."""
        rows = (None, *self.spec.sizes) if self.spec.sizes else ()
        return tuple(self.point(gpus, gib) for gib in rows)

    def point(self, gpus: int, gib: float | None) -> Point:
        """A size (inf: an unlimited cache) on so many GPUs."""
        return _point(self.spec, gib, self.by_place.get((gpus, gib), ()))

    def cell(self, gpus: int, gib: float | None) -> Cell | None:
        """A cell of the grid; None: not on the sheet."""
        return next((cell for cell in self.cells if (cell.gpus, cell.gib) == (gpus, gib)), None)

    def knee(self, gpus: int) -> Knee | None:
        """The knee of the hit rate on so many GPUs; None: not known yet, or there is no hit rate to tell."""
        sized = [one for one in self.points(gpus) if one.gib is not None and one.too_small is None]
        sized = [one for one in sized if not one.stopped]
        unlimited = self.point(gpus, UNLIMITED)
        seeds = [{one.work.seed for one in point.outcomes} for point in (*sized, unlimited)]
        whole = set.intersection(*seeds)
        if not sized or not whole or unlimited.stopped:
            return None
        reached = [_median_rate(point, whole) for point in sized]
        least, possible = reached[0], _median_rate(unlimited, whole)
        gain = possible - least
        share = (max(reached) - least) / gain if gain > 0 else 1.0
        flat = gain < FLAT - 1e-9
        pairs = zip(sized, reached, strict=True)
        enough = [point.gib for point, rate in pairs if rate - least >= KNEE_SHARE * gain - 1e-9]
        return Knee(enough[0] if enough and not flat else None, flat, least, possible, share, len(whole))

    def fewest(self, gib: float | None, slo_s: float) -> Fewest:
        """The fewest GPUs that hold a level (at most ``spec.ceiling_s``) with every seed, at this size."""
        settled = True
        for cell in (cell for cell in self.cells if cell.gib == gib):
            held, run = cell.holds(slo_s)
            if held == cell.num_seeds:
                return Fewest(cell.gpus, settled)
            settled = settled and (cell.settled or held < run)
        return Fewest(None, settled)

    def finding(self, slo_s: float) -> Finding:
        """What the cells say about a level, cheapest first: few GPUs before little room."""
        settled = True
        for gpus in self.spec.gpus:
            for cell in self.cells:
                if cell.gpus != gpus or cell.gib is None:
                    continue
                held, run = cell.holds(slo_s)
                if held == cell.num_seeds:
                    return Finding(gpus, cell.gib, settled)
                settled = settled and (cell.settled or held < run)
        return Finding(None, None, settled and bool(self.cells))

    def leading(self, slo_s: float) -> int:
        """The fewest GPUs that may still turn out to hold with a cache: those of the finding once it is
        settled. If none can, the fewest without a cache, or the most there are."""
        for gpus in self.spec.gpus:
            for cell in self.cells:
                held, run = cell.holds(slo_s)
                if cell.gpus == gpus and cell.gib is not None and held == run and cell.too_small is None:
                    return gpus
        return self.fewest(None, slo_s).gpus or self.spec.gpus[-1]

    def kinds(self, gpus: int, gib: float | None) -> tuple[KindRow, ...]:
        """The kinds of traffic of one cell, most frequent first."""
        cell = self.cell(gpus, gib)
        rows = [_kind_row(cell, kind) for kind in self.spec.load.mix] if cell is not None else []
        return tuple(sorted((row for row in rows if row.num_requests), key=lambda row: -row.num_requests))

    def monthly(self, gpus: int, prices: Prices) -> Figure:
        """What so many GPUs cost a month: each by the hour, 730 hours. Of servers over several, all cards."""
        value = self.spec.cards(gpus) * prices.per_gpu_hour * HOURS_A_MONTH
        return Figure(value, prices.currency, "modelled", "formula.month")

    def still_warming(self, gpus: int) -> tuple[float, ...]:
        """Sizes where the hit rate still moves: of the counted requests the later half differs from the
        earlier one by more than ``DRIFT``, in the median over seeds."""
        drifts = [(point.gib, _band(point.outcomes, lambda one: one.drift)) for point in self.points(gpus)]
        return tuple(gib for gib, drift in drifts if gib is not None and drift and abs(drift.mid) > DRIFT)


def gather(spec: SheetSpec, outcomes: Iterable[Outcome]) -> Sheet:
    """The sheet of what has been measured so far, in whatever order."""
    works = plan(spec)
    found = {outcome.work: outcome for outcome in outcomes}
    done = [found[work] for work in works if work in found]
    by_place: dict[tuple[int, float | None], tuple[Outcome, ...]] = {}
    for outcome in done:  # seed by seed
        place = (outcome.work.gpus, outcome.work.gib)
        by_place[place] = (*by_place.get(place, ()), outcome)
    rows: tuple[float | None, ...] = (None, *spec.sizes) if spec.sizes else ()
    places = [(gpus, gib) for gpus in spec.gpus for gib in rows]
    cells = tuple(Cell(*place, len(spec.seeds), by_place.get(place, ())) for place in places)
    return Sheet(spec, cells, len(done), len(works), by_place)


def _point(spec: SheetSpec, gib: float | None, outcomes: tuple[Outcome, ...]) -> Point:
    too_small = max((one.too_small for one in outcomes if one.too_small is not None), default=None)
    ran = outcomes if too_small is None else ()
    whole = () if any(outcome.stopped for outcome in ran) else ran
    has_size = gib is not None and gib != UNLIMITED
    return Point(
        gib=gib,
        blocks=max((one.blocks for one in outcomes), default=0),
        hbm_share=gib / spec.free_gib if gib is not None and has_size else None,
        too_small=too_small,
        hit_rate=None if gib is None else _band(whole, lambda outcome: outcome.hit_rate),
        ttft_p50=_band(ran, lambda outcome: outcome.quantile(0.5)),
        ttft_p95=_band(ran, lambda outcome: outcome.quantile(0.95)),
        queue=_band(whole, lambda outcome: outcome.queue),
        throughput=_band(whole, lambda outcome: outcome.throughput),
        outcomes=ran,
    )


def _kind_row(cell: Cell, kind: Kind) -> KindRow:
    parts = [outcome.of(kind) for outcome in cell.outcomes if outcome.too_small is None]
    hit_rate = _band(parts, lambda part: part.hit_rate) if cell.gib is not None else None
    p95 = _band(parts, lambda part: part.quantile(0.95))
    return KindRow(kind, sum(len(part.ttft_s) for part in parts), hit_rate, p95, tuple(parts))


def _median_rate(point: Point, seeds: set[int]) -> float:
    return median(outcome.hit_rate for outcome in point.outcomes if outcome.work.seed in seeds)


def _band(outcomes: Iterable[Outcome], value: Callable[[Outcome], float]) -> Band | None:
    """Over the outcomes that have a value."""
    known = [(value(one), one.stopped) for one in outcomes if one.too_small is None]
    known = [(number, stopped) for number, stopped in known if not isnan(number)]
    if not known:
        return None
    numbers = [number for number, _ in known]
    at_least = any(stopped for _, stopped in known)
    return Band(min(numbers), median(numbers), max(numbers), len(numbers), at_least)
