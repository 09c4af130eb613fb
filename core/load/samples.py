"""What a page draws: curves over time bins, the density map, the hottest prefixes. Plain values, bounded."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass

import numpy as np

from core.cost import Basis
from core.engine.engine import Engine
from core.engine.hash_chain import hash_chain
from core.load.bins import Bins, Column
from core.load.ledger import Ledger
from core.load.records import Records, Side, by_bin
from core.load.spec import TICKS_PER_S
from core.load.stream import Stream
from core.timeline.snapshot import LEVELS, slot_letters

WINDOW_S = 60.0
"""What "the last minute" is, whatever the bins."""
MOST_CELLS = 4096
AGES = 10

Curve = list[float | None]


@dataclass(frozen=True, slots=True)
class Flag:
    """Something a person did, on the time axis: a knob's name and its new value, ``block_size``,
    ``burst``."""

    at_s: float
    name: str
    value: float | str | None


@dataclass(frozen=True, slots=True)
class Samples:
    """Curves over complete bins from number ``start`` on, ``bin_s`` modelled seconds each.

    hit_rate, _window, _total: hit tokens / tokens looked up in the bin, in the 60 s before its end, in all.
    in_use, cached, partial, kept_out, empty: shares of the usable blocks (``Levels``).
    evicted_per_s, expired_per_s: blocks pushed out by need of room, cap or force, and by TTL. With and
    without the cache: ttft_p50, ttft_p95, seconds, of requests whose first token falls into the bin;
    throughput, requests finished per second; queue, requests that wait; inside, requests in flight (waiting
    or served).

    Shares are from 0 to 1; None: nothing to say (no request in the bin). ``generation`` rises when bins
    were merged: then everything drawn so far is out of date; ``widened_s`` is when that last happened. Hit
    rates and occupancy are counted by the engine; TTFT, throughput and the time axis itself are modelled.
    """

    generation: int
    bin_s: float
    widened_s: float | None
    window_s: float
    start: int
    end_s: list[float]
    curves: dict[str, Curve]
    flags: tuple[Flag, ...]
    time_basis: Basis = "modelled"
    hit_basis: Basis = "counted"

    def to_json(self) -> dict[str, object]:
        """As JSON values, numbers with 6 significant digits."""
        data: dict[str, object] = asdict(self)
        data["curves"] = {name: [_short(x) for x in curve] for name, curve in self.curves.items()}
        data["flags"] = [asdict(flag) for flag in self.flags]
        return data


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def take_samples(records: Records, bins: Bins, count: int, since: int, flags: tuple[Flag, ...]) -> Samples:
    """The curves of bins ``since`` … ``count - 1``."""
    width = bins.width_s
    since = min(max(since, 0), count)
    borders = bins.edges(count)[since:]
    part = slice(since, count)
    queries, hits = (np.cumsum(bins.sums[name][:count]) for name in ("queries", "hits"))
    evicted = bins.sums["evicted.reused"] + bins.sums["evicted.cap"] + bins.sums["evicted.forced"]
    curves: dict[str, Curve] = {
        "hit_rate": _rates(bins.sums["hits"][part], bins.sums["queries"][part]),
        "hit_rate_window": _window(records.admissions, borders[1:]),
        "hit_rate_total": _rates(hits[part], queries[part]),
        "evicted_per_s": (evicted[part] / width).tolist(),
        "expired_per_s": (bins.sums["evicted.ttl"][part] / width).tolist(),
        "queue_with": _known(bins.levels["cached.queue"][part]),
        "queue_without": _known(bins.levels["plain.queue"][part]),
        "inside_with": _known(bins.levels["cached.inside"][part]),
        "inside_without": _known(bins.levels["plain.inside"][part]),
    }
    for name in LEVELS:
        curves[name] = _known(bins.levels[name][part])
    for name, side in (("with", records.cached), ("without", records.plain)):
        curves[f"ttft_p50_{name}"], curves[f"ttft_p95_{name}"] = _ttft(records, side, borders)
        curves[f"throughput_{name}"] = _finished(records, side, borders, width)
    end_s = borders[1:].tolist()
    return Samples(bins.generation, width, bins.widened_s, WINDOW_S, since, end_s, curves, flags)


def _rates(part: Column, whole: Column) -> Curve:
    return [p / w if w else None for p, w in zip(part.tolist(), whole.tolist(), strict=True)]


def _known(values: Column) -> Curve:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _window(admissions: Ledger, ends: Column) -> Curve:
    """Hit tokens / tokens looked up by who was admitted in the ``WINDOW_S`` before each end."""
    high = np.searchsorted(admissions.at_s, ends, side="right")
    after = np.where(ends > WINDOW_S, ends - WINDOW_S, -1.0)  # moment 0 belongs to the first minute
    low = np.searchsorted(admissions.at_s, after, side="right")
    queries, hits = (
        np.concatenate([[0.0], np.cumsum(admissions.column(name), dtype=np.float64)])
        for name in ("num_tokens", "hit")
    )
    return _rates(hits[high] - hits[low], queries[high] - queries[low])


def _ttft(records: Records, side: Side, borders: Column) -> tuple[Curve, Curve]:
    """Median and 95th percentile of the TTFT of all requests whose first token falls into each bin."""
    first = side.first_s[: records.reach]
    known = ~np.isnan(first)
    waits = first[known] - side.arrival_s[: records.reach][known]
    bins = by_bin(first[known], waits, borders)
    return [_percentile(values, 0.5) for values in bins], [_percentile(values, 0.95) for values in bins]


def _percentile(values: list[float], share: float) -> float | None:
    """Of sorted values; between two of them in proportion, as numpy's ``quantile`` does."""
    if not values:
        return None
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def _finished(records: Records, side: Side, borders: Column, width: float) -> Curve:
    """Requests finished per second in each bin."""
    ends = np.sort(side.finished_s[: records.reach])  # nan sorts to the end
    counts: list[int] = np.diff(np.searchsorted(ends, borders, side="right")).tolist()
    return [count / width for count in counts]


# -- density map --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SlotMap:
    """One letter per cell (those of ``slot_letters``) and one digit for its age.

    Age 0: used within the last modelled second; each digit more doubles that; 9: longer ago, or never. A cell
    stands for ``slots_per_cell`` slots in a row: its letter is the most frequent, its age the youngest.
    """

    letters: str
    ages: str
    slots_per_cell: int


def take_slot_map(engine: Engine, most: int = MOST_CELLS) -> SlotMap:
    """The pool now. O(slots)."""
    letters = slot_letters(engine)
    clock = engine.view.clock
    last_uses = (last_use for _, _, last_use, _ in engine.view.block_states())
    ages = [_age(None if moment is None else clock - moment) for moment in last_uses]
    size = max(-(-len(letters) // most), 1)
    if size > 1:
        starts = range(0, len(letters), size)
        letters = "".join(Counter(letters[k : k + size]).most_common(1)[0][0] for k in starts)
        ages = [min(ages[k : k + size]) for k in starts]
    return SlotMap(letters, "".join(map(str, ages)), size)


def _age(ticks: int | None) -> int:
    if ticks is None:
        return AGES - 1
    return min((ticks // TICKS_PER_S).bit_length(), AGES - 1)


# -- the hottest prefixes -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HotPrefix:
    """A popular text: how many requests of each bin began with it, and how much of their prompts was reused.

    ``tag``: the first four hex digits of its first block's hash, if the text stands at the very beginning.
    """

    name: str
    tag: str | None
    num_requests: int
    hit_rate: float | None
    counts: list[int]


def hottest(
    records: Records, stream: Stream, bins: Bins, count: int, block_size: int, top: int
) -> list[HotPrefix]:
    """The prefixes that most requests began with, most frequent first (ties: lower number first)."""
    prefix = records.prefix[: records.reach]
    totals = np.bincount(prefix[prefix >= 0], minlength=len(stream.prefixes))
    order = np.argsort(-totals, kind="stable")[:top]
    return [
        _hot(records, stream, bins.edges(count), block_size, int(place), int(totals[place]))
        for place in order
        if totals[place] > 0
    ]


def _hot(
    records: Records, stream: Stream, edges: Column, block_size: int, place: int, total: int
) -> HotPrefix:
    mine = records.prefix[: records.reach] == place
    times = np.sort(records.cached.arrival_s[: records.reach][mine])
    hit = records.cached.hit[: records.reach][mine]
    admitted = hit >= 0
    prompts = int(records.num_prompt[: records.reach][mine][admitted].sum())
    text = stream.prefixes[place]
    hashes = hash_chain(text.ids(), block_size) if not text.name.startswith("rag") else []  # type: ignore[arg-type]
    return HotPrefix(
        name=text.name,
        tag=hashes[0].hex()[:4] if hashes else None,
        num_requests=total,
        hit_rate=int(hit[admitted].sum()) / prompts if prompts else None,
        counts=np.diff(np.searchsorted(times, edges, side="right")).tolist(),
    )
