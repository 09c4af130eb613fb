"""The requests of a load, a line each: what was asked, and what became of it on both servers.

JSONL has the shape of the published Mooncake traces, which trace readers know (ours too): times in
milliseconds, one id per block of the prompt, equal ids for equal content from the first token on. Ids instead
of tokens keep it exact at this block size and ten times smaller. ``hash_block_size`` says what an id covers;
the last id of a prompt may be a partial block.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from xxhash import xxh3_128_intdigest

from core.csv_table import csv_text
from core.export.snapshot import Snapshot
from core.load import KINDS, Arrival
from core.load.records import Side

Json = dict[str, Any]
_TIMES = ("arrival_s", "admitted_s", "first_s", "finished_s")
_BYTES_A_LINE, _BYTES_AN_ID, _BYTES_A_ROW = 400, 8, 105


def requests_jsonl(taken: Snapshot) -> str:
    """One JSON object a line, in order of arrival at the server with the cache. What has not happened yet is
    null. O(tokens of all prompts): about 5 s for 20,000 requests."""
    blocks = dict(_blocks(taken.contents, taken.block_size))
    lines = (_line(taken, number, blocks[number]) for number in taken.numbers().tolist())
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)


def requests_csv(taken: Snapshot) -> str:
    """The same without the ids, for spreadsheets. An empty cell: it has not happened (yet)."""
    head = ["request", "kind", "prompt_tokens", "output_tokens"]
    head += [f"{column}_with_cache" for column in _cached_fate(taken.records.cached, 0)]
    head += [f"{column}_without_cache" for column in _fate(taken.records.plain, 0)]
    rows = (_row(taken, number) for number in taken.numbers().tolist())
    return csv_text([head, *rows])


def jsonl_bytes(taken_prompts: np.ndarray, block_size: int) -> int:
    """About how large the JSONL will be, from the prompts' lengths."""
    ids = int((-(-taken_prompts // block_size)).sum())
    return len(taken_prompts) * _BYTES_A_LINE + ids * _BYTES_AN_ID


def csv_bytes(num_requests: int) -> int:
    """About how large the table will be."""
    return num_requests * _BYTES_A_ROW


def _line(taken: Snapshot, number: int, ids: array[int]) -> Json:
    records = taken.records
    return {
        "request_id": f"R{number}",
        "kind": KINDS[records.kind[number]],
        "timestamp": round(float(records.cached.arrival_s[number]) * 1000, 3),
        "input_length": int(records.num_prompt[number]),
        "output_length": int(records.num_output[number]),
        "hash_block_size": taken.block_size,
        "hash_ids": ids.tolist(),
        "with_cache": _cached_fate(records.cached, number),
        "without_cache": _fate(records.plain, number),
    }


def _row(taken: Snapshot, number: int) -> list[object]:
    records = taken.records
    asked = [f"R{number}", KINDS[records.kind[number]]]
    lengths = [int(records.num_prompt[number]), int(records.num_output[number])]
    fates = (_cached_fate(records.cached, number), _fate(records.plain, number))
    return [*asked, *lengths, *(value for fate in fates for value in fate.values())]


def _fate(side: Side, number: int) -> Json:
    """What became of a request on one server, in modelled seconds."""
    times = {name: float(getattr(side, name)[number]) for name in _TIMES}
    return {"ttft_s": _known(times["first_s"] - times["arrival_s"])} | {
        name: _known(value) for name, value in times.items()
    }


def _cached_fate(side: Side, number: int) -> Json:
    """With the cache also what the engine counted: tokens of the prompt that it reused, blocks of others that
    this request pushed out."""
    hit = int(side.hit[number])
    counted = (None, None) if hit < 0 else (hit, int(side.evicted[number]))
    return dict(zip(("hit_tokens", "evicted_blocks"), counted, strict=True)) | _fate(side, number)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)


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
