"""The requests of a load, a line each: what was asked, and what became of it on both servers.

JSONL has the shape of the published Mooncake traces, which trace readers know (ours too): times in
milliseconds, one id per block of the prompt, equal ids for equal content from the first token on. Ids instead
of tokens keep it exact at this block size and ten times smaller. ``hash_block_size`` says what an id covers;
the last id of a prompt may be a partial block. The first line says under ``run`` what the run was like.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from xxhash import xxh3_128_intdigest

from core.csv_table import csv_text
from core.export.snapshot import Ints, Snapshot
from core.load import KINDS, Arrival
from core.load.records import Counts, Records, Side
from core.load.spec import TICKS_PER_S

Json = dict[str, Any]
_TIMES = ("arrival_s", "admitted_s", "first_s", "finished_s")
_BYTES_A_LINE, _BYTES_A_ROW = 410, 120
_BYTES_OF_AN_OLD_ID = 3.8
"""Ids are counted up, and those that come again are mostly early, short ones."""


def requests_jsonl(taken: Snapshot) -> str:
    """One JSON object a line, in order of arrival at the server with the cache. What has not happened yet is
    null. O(tokens of all prompts): some seconds for 20,000 requests."""
    block_size = taken.config.block_size
    blocks = dict(_blocks(taken.contents, block_size))
    numbers = taken.numbers()
    times = np.round(taken.records.cached.arrival_s[numbers] * 1000, 3).tolist()
    asked, *fates = (_rows(one) for one in (_asked(taken, numbers), *_both(taken, numbers)))
    lines: list[str] = []
    for number, at_ms, line, *became in zip(numbers.tolist(), times, asked, *fates, strict=True):
        line |= {"timestamp": at_ms, "hash_block_size": block_size, "hash_ids": blocks[number].tolist()}
        line |= dict(zip(("with_cache", "without_cache"), became, strict=True))
        line |= {} if lines else {"run": _run(taken)}
        lines.append(f"{json.dumps(line, separators=(',', ':'))}\n")
    return "".join(lines)


def _run(taken: Snapshot) -> Json:
    """Settings and hit rate of the run, so that a replay of the prompts can say why its rate is another."""
    config = taken.config
    return {
        "hit_rate": None if taken.hit_rate is None else round(taken.hit_rate, 6),
        "num_blocks": config.num_usable,
        "cache_cap": config.cache_cap,
        "ttl_s": None if config.ttl is None else config.ttl / TICKS_PER_S,
        "admit_after": config.admit_after,
        "changes": taken.num_changes,
    }


def requests_csv(taken: Snapshot) -> str:
    """The same without the ids, for spreadsheets. An empty cell: it has not happened (yet)."""
    numbers = taken.numbers()
    columns = _asked(taken, numbers)
    for side, fates in zip(("with_cache", "without_cache"), _both(taken, numbers), strict=True):
        columns |= {f"{name}_{side}": column for name, column in fates.items()}
    return csv_text([list(columns), *zip(*columns.values(), strict=True)])


def jsonl_bytes(prompts: Counts, hits: Counts, block_size: int) -> int:
    """About how large the JSONL will be, from the prompts' lengths and how much of them was hit (below 0: not
    known yet)."""
    ids = int((-(-prompts // block_size)).sum())
    new = ids - int(np.maximum(hits, 0).sum()) // block_size
    return round(len(prompts) * _BYTES_A_LINE + _counted_up(new) + (ids - new) * _BYTES_OF_AN_OLD_ID)


def _counted_up(num: int) -> int:
    """Characters of the numbers below this one, a comma behind each."""
    return num + sum(max(num - int(10**places), 0) for places in range(1, len(str(num)))) + num


def csv_bytes(num_requests: int) -> int:
    """About how large the table will be."""
    return num_requests * _BYTES_A_ROW


def _asked(taken: Snapshot, numbers: Ints) -> dict[str, list[Any]]:
    """Columns: what was sent."""
    records = taken.records
    return {
        "request_id": [f"R{number}" for number in numbers.tolist()],
        "kind": [KINDS[kind] for kind in records.kind[numbers].tolist()],
        "input_length": records.num_prompt[numbers].tolist(),
        "output_length": records.num_output[numbers].tolist(),
    }


def _fates(side: Side, numbers: Ints) -> dict[str, list[Any]]:
    """Columns: what became of them on one server, in modelled seconds. What has not happened yet is None."""
    times = {name: getattr(side, name)[numbers] for name in _TIMES}
    waits = {"ttft_s": times["first_s"] - times["arrival_s"], **times}
    return {
        name: [None if math.isnan(value) else value for value in np.round(column, 6).tolist()]
        for name, column in waits.items()
    }


def _counted(records: Records, numbers: Ints) -> dict[str, list[Any]]:
    """Columns: tokens of the prompt that the cache had, blocks of others that the request pushed out, and how
    often it was looked up: more than once if it was sent again to a fresh engine, for blocks of another size.
    Then hit and times are those of the look-up that led to its first token."""
    hits = records.cached.hit[numbers].tolist()
    evicted = records.cached.evicted[numbers].tolist()
    lookups = np.bincount(records.admissions.number, minlength=len(records.kind))
    return {
        "hit_tokens": [None if hit < 0 else hit for hit in hits],
        "evicted_blocks": [None if hit < 0 else blocks for hit, blocks in zip(hits, evicted, strict=True)],
        "lookups": lookups[numbers].tolist(),
    }


def _both(taken: Snapshot, numbers: Ints) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    records = taken.records
    with_cache = _counted(records, numbers) | _fates(records.cached, numbers)
    return with_cache, _fates(records.plain, numbers)


def _rows(columns: Mapping[str, list[Any]]) -> Iterator[Json]:
    names = list(columns)
    return (dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _blocks(contents: Iterable[Arrival], block_size: int) -> Iterator[tuple[int, array[int]]]:
    """Number and block ids of each request. An id stands for a block and everything before it."""
    known: dict[int, int] = {}
    width = block_size * np.dtype(np.uint32).itemsize
    for arrival in contents:
        prompt = np.concatenate([segment.ids() for segment in arrival.segments]).tobytes()
        ids = array("I")
        before = 0
        for start in range(0, len(prompt), width):
            digest = xxh3_128_intdigest(prompt[start : start + width], seed=before)
            ids.append(known.setdefault(digest, len(known)))
            before = ids[-1] + 1
        yield arrival.number, ids
