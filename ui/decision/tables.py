"""The rows of a sheet: GPUs against memory, the sizes, the kinds of traffic; all of it as CSV. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Literal

from core.csv_table import csv_text
from core.decision import Band, Cell, Outcome, Point
from ui.decision.asked import ONE_S, Asked

State = Literal["first", "holds", "some", "fails", "small", "open"]
"""Of a cell: the first that holds; holds; only some seeds hold; no seed holds; a request has no room; seeds
are still to come."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A cell as it is drawn: its state, what stands in it, and what it says at length."""

    state: State
    text: str
    words: str


def grid_rows(asked: Asked) -> list[tuple[float | None, list[Drawn]]]:
    """No cache, then each size: a cell for every number of GPUs."""
    spec = asked.sheet.spec
    rows = []
    for gib in (None, *spec.sizes):
        fewest = asked.fewest(gib)
        first = fewest.gpus if fewest.settled else None
        rows.append((gib, [_drawn(asked, gpus, gib, gpus == first) for gpus in spec.gpus]))
    return rows


def _drawn(asked: Asked, gpus: int, gib: float | None, first: bool) -> Drawn:
    """A tick or a cross only where no run to come can take it away, and the finding stands."""
    cell = asked.sheet.cell(gpus, gib)
    assert cell is not None, "the sheet has every cell of its spec"
    held, run = cell.holds(asked.choice.level_s)
    place = asked.say("cell.place", n=asked.cards(gpus), size=asked.gib(gib))
    if cell.too_small is not None:
        return Drawn("small", "–", asked.say("cell.small", place=place))
    band, seeds = cell.ttft_p95, asked.seeds_words(run)
    if band is None:
        return Drawn("open", "…", asked.say("cell.open", place=place, seeds=seeds))
    told = {"place": place, "held": held, "all": run, "p95": asked.span(band)}
    if not (cell.settled and asked.decided):
        more = ">" if band.at_least else ""
        return Drawn(
            "open", more + asked.short_time(band.mid), asked.say("cell.open.so_far", seeds=seeds, **told)
        )
    if held == run:
        return Drawn(
            "first" if first else "holds", _value(asked, cell, holds=True), asked.say("cell.holds", **told)
        )
    if held:
        return Drawn("some", f"{held}/{run}", asked.say("cell.some", **told))
    return Drawn("fails", _value(asked, cell, holds=False), asked.say("cell.fails", **told))


def _value(asked: Asked, cell: Cell, *, holds: bool) -> str:
    """The slowest seed's p95: what decides whether all hold; the fastest one's where even that fails."""
    deciding = (max if holds else min)(cell.outcomes, key=lambda outcome: outcome.quantile(0.95))
    more = ">" if deciding.stopped else ""
    return f"{'✓' if holds else '✕'} {more}{_on_its_side(asked, deciding.quantile(0.95))}"


def _on_its_side(asked: Asked, value_s: float) -> str:
    """A time with as many digits as it takes to stand on the same side of the level as it does."""
    level_ms, value_ms = asked.choice.level_ms, 1000 * value_s
    in_s, start = value_s >= ONE_S, 0 if value_s >= 10 else 1
    for places in range(0 if not in_s else start, 6):
        read = round(value_s, places) * 1000 if in_s else round(value_ms, places)
        if (read > level_ms) == (value_ms > level_ms):
            break
    return f"{value_s:.{places}f} s" if in_s else f"{value_ms:,.{places}f}"


# -- by size, by kind -------------------------------------------------------------------------------------

SIZE_COLUMNS = ("gib", "hbm", "hit", "p50", "p95", "queue", "throughput", "over")
KIND_COLUMNS = ("kind", "hit", "p95", "over")


def size_rows(asked: Asked) -> list[tuple[Point, list[str]]]:
    """Each size on the number of GPUs that the sheet is about, and without a cache; least to most of
    the seeds there are."""
    rows = []
    for point in sorted(asked.points, key=lambda one: one.gib is None):
        share = "–" if point.hbm_share is None else asked.percent(point.hbm_share, 0)
        size = asked.say("no_cache") if point.gib is None else f"{point.gib:g}"
        if point.too_small is not None:
            rows.append((point, [size, share, asked.say("too_small"), *["–"] * 5]))
            continue
        cells = [
            size,
            share,
            asked.share(point.hit_rate),
            asked.span(point.ttft_p50),
            asked.span(point.ttft_p95),
            asked.amount(point.queue),
            asked.amount(point.throughput),
            asked.share(point.over(asked.choice.level_s)),
        ]
        rows.append((point, cells))
    return rows


def kind_rows(asked: Asked) -> list[list[str]]:
    """Each kind of traffic at the size and the number of GPUs that the numbers are about."""
    return [
        [
            asked.say(f"kind.{row.kind}"),
            asked.share(row.hit_rate),
            asked.span(row.ttft_p95),
            asked.share(row.over(asked.choice.level_s)),
        ]
        for row in asked.sheet.kinds(asked.gpus, asked.size)
    ]


# -- CSV --------------------------------------------------------------------------------------------------

CSV_HEAD = (
    *("gpus", "gib_per_gpu", "kind", "measure", "low", "mid", "high", "seeds", "at_least", "unit", "basis"),
    *("mix", "requests_per_s_all_gpus", "clients_all_gpus", "model", "gpu", "block_size", "seed_numbers"),
    *("requests_a_run", "runs_done", "runs_in_all"),
)
Row = tuple[object, ...]


def sheet_csv(asked: Asked) -> str:
    """Everything on the sheet, one number a row, with its unit, its basis and its load. Numbers in full."""
    rows = (*_curve_rows(asked), *_cell_rows(asked), *_kind_csv(asked))
    about = _about(asked)
    return csv_text([CSV_HEAD, *((*row, *about) for row in rows)])


def _about(asked: Asked) -> Row:
    """What every number is about: one row alone still tells it."""
    spec, sheet, machine = asked.sheet.spec, asked.sheet, asked.machine
    open_rate = spec.rate if spec.load.clients is None else ""
    seeds = " ".join(map(str, spec.seeds))
    return (
        *(asked.load.mix, open_rate, spec.load.clients or "", machine.model, machine.gpu),
        *(spec.config.block_size, seeds, spec.num_requests, sheet.num_done, sheet.num_runs),
    )


def _curve_rows(asked: Asked) -> Iterator[Row]:
    level, cards = asked.choice.level_s, asked.cards(asked.gpus)
    for point in asked.points:
        size = "" if point.gib is None else point.gib
        if point.hbm_share is not None:
            share = Band(point.hbm_share, point.hbm_share, point.hbm_share, 0)
            yield _row((cards, size, ""), "hbm_share", share, "share of free HBM", "yours")
        if point.too_small is not None:
            yield (cards, size, "", "too_small", "", point.too_small, "", "", "", "blocks needed", "counted")
        yield from _rows(
            (cards, size, ""),
            {
                ("hit_rate", "share of prompt tokens", "counted"): point.hit_rate,
                ("ttft_p50", "s", "modelled"): point.ttft_p50,
                ("ttft_p95", "s", "modelled"): point.ttft_p95,
                ("queue", "requests waiting", "modelled"): point.queue,
                ("throughput", "requests/s a GPU", "modelled"): point.throughput,
                (f"over_{asked.choice.level_ms}_ms", "share of requests", "modelled"): point.over(level),
            },
        )


def _cell_rows(asked: Asked) -> Iterator[Row]:
    level, prices = asked.choice.level_s, asked.machine.prices
    for cell in asked.sheet.cells:
        place = (asked.cards(cell.gpus), "" if cell.gib is None else cell.gib, "")
        found = {("grid_ttft_p95", "s", "modelled"): cell.ttft_p95}
        found[(f"grid_over_{asked.choice.level_ms}_ms", "share of requests", "modelled")] = cell.over(level)
        yield from _rows(place, found)
        yield from _seeds(place, cell)
        held, run = cell.holds(level)
        yield (
            *place,
            f"holds_{asked.choice.level_ms}_ms",
            "",
            held,
            "",
            run,
            "",
            "seeds that hold",
            "modelled",
        )
    for gpus in asked.sheet.spec.gpus:
        cost = asked.money(gpus)
        yield (asked.cards(gpus), "", "", "month", "", cost, "", "", "", prices.currency, "yours")


def _seeds(place: Row, cell: Cell) -> Iterator[Row]:
    for outcome in cell.outcomes:
        yield (
            *place,
            f"seed_{outcome.work.seed}_ttft_p95",
            "",
            _p95(outcome),
            "",
            1,
            outcome.stopped,
            "s",
            "modelled",
        )


def _p95(outcome: Outcome) -> object:
    value = outcome.quantile(0.95)
    return "" if isnan(value) else value


def _kind_csv(asked: Asked) -> Iterator[Row]:
    size = "" if asked.size is None else asked.size
    for row in asked.sheet.kinds(asked.gpus, asked.size):
        place = (asked.cards(asked.gpus), size, row.kind)
        yield (*place, "requests", "", row.num_requests, "", "", "", "requests", "counted")
        found = {
            ("hit_rate", "share of prompt tokens", "counted"): row.hit_rate,
            ("ttft_p95", "s", "modelled"): row.ttft_p95,
        }
        over = row.over(asked.choice.level_s)
        found[(f"over_{asked.choice.level_ms}_ms", "share of requests", "modelled")] = over
        yield from _rows(place, found)


def _rows(place: Row, found: dict[tuple[str, str, str], Band | None]) -> Iterator[Row]:
    for (measure, unit, basis), band in found.items():
        if band is not None:
            yield _row(place, measure, band, unit, basis)


def _row(place: Row, measure: str, band: Band, unit: str, basis: str) -> Row:
    seeds = band.num_seeds or ""
    return (*place, measure, band.low, band.mid, band.high, seeds, band.at_least, unit, basis)
