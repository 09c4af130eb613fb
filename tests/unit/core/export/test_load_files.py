"""A load taken along: the files read back by our own readers, and against what the run itself says."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel
from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.export import Snapshot, curves_csv, openmetrics, requests_csv, requests_jsonl, snapshot
from core.export.curves import curves_bytes
from core.export.metrics import METRICS, TTFT_BUCKETS
from core.export.openmetrics import openmetrics_bytes
from core.export.requests import csv_bytes, jsonl_bytes
from core.load import MIXES, LoadRun, LoadSpec
from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import Analysis, analyse
from core.traffic.meters.fleet import fleet_of
from core.traffic.settings import Settings
from core.types import EngineConfig, Request

COST = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
START_S = 1_800_000_000.0
SLOW, FAST = 0.02, 150.0
"""Requests a second: one after another, or many at once."""


def ran(mix: str, rate: float, pool: int, size: int, num: int = 120, **more: Any) -> LoadRun:
    spec = LoadSpec(seed=11, mix=MIXES[mix], rate=rate, num_requests=num, **more).fitted_to(pool * size)
    run = LoadRun(spec, EngineConfig(size, pool + 1), COST)
    while run.advance(seconds=300):
        pass
    return run


@cache
def busy() -> tuple[LoadRun, Snapshot]:
    """More than the memory holds, faster than the server without a cache can answer."""
    run = ran("mixed", FAST, 256, 16, 300)
    return run, snapshot(run)


def read(taken: Snapshot) -> Trace:
    return read_trace(TraceFile("load.jsonl", requests_jsonl(taken).encode()))


def replayed(run: LoadRun) -> tuple[Trace, Analysis]:
    trace = read(snapshot(run))
    assert trace.num_skipped == 0
    assert trace.block_size == run.config.block_size
    return trace, analyse(trace, Settings(run.config.block_size, run.config.num_usable))


def one_by_one(run: LoadRun, *, answers: bool) -> list[int]:
    """The engine itself on the stream's own tokens, one request after another: hits of each."""
    hits: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, RequestAdmitted):
            hits.append(event.hit_tokens)

    engine = Engine(run.config, note, block_events=False)
    contents = {arrival.number: arrival for arrival in snapshot(run).contents}
    for number in snapshot(run).numbers().tolist():
        request = contents[number].request()
        engine.submit(request if answers else Request(request.request_id, request.token_ids, ()))
        engine.run()
    return hits


# -- requests ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mix", "pool", "size"), [("mixed", 256, 16), ("rag", 96, 8), ("agents", 900, 5)])
def test_the_file_of_requests_replays_as_the_engine_runs(mix: str, pool: int, size: int) -> None:
    """Block ids, read by Your traffic and put through the same pool, give each request the hits that the
    engine gives it on the tokens, one after another; the memory is too small for all. Whatever the size of a
    block: sizes that no published log has are said in every line. Clients who wait for their answers overtake
    one another: the file has them as they came."""
    run = ran(mix, FAST, pool, size, clients=9 if mix == "agents" else None)
    trace, found = replayed(run)
    assert found.hits.tolist() == one_by_one(run, answers=False)
    assert 0 < (found.hit_rate or 0) < found.best_rate
    order = snapshot(run).numbers()
    arrival = run.records.cached.arrival_s[order]
    assert [one.request_id for one in trace.requests] == [f"R{number}" for number in order]
    assert [one.num_tokens for one in trace.requests] == run.records.num_prompt[order].tolist()
    assert [one.num_output for one in trace.requests] == run.records.num_output[order].tolist()
    assert [one.arrival_s for one in trace.requests] == pytest.approx(arrival - arrival[0], abs=2e-6)


def test_one_after_another_it_is_the_rate_that_the_monitor_shows() -> None:
    """No two requests overlap and nobody sends an answer again: nothing is left that could differ."""
    run = ran("templates", SLOW, 4000, 16)
    found = replayed(run)[1]
    assert found.hits.tolist() == run.records.cached.hit.tolist()
    assert found.hit_rate == run.summary().hit_rate.value


def test_what_differs_are_answers_and_what_runs_side_by_side() -> None:
    """A log of prompts knows no answers: a chat's next turn finds the last one in the engine, not in the log.
    And requests that run side by side hold blocks of a memory that one after another would have had alone."""
    chat = ran("chat", SLOW, 20_000, 16, turns=6.0)
    hits = chat.records.cached.hit
    found = replayed(chat)[1].hits
    assert hits.tolist() == one_by_one(chat, answers=True)
    more, longest = hits - found, chat.records.num_output.max()
    assert (more >= 0).all()
    assert more.any()
    assert more.max() <= 16 * math.ceil(8 * longest / 16)
    assert {kind for kind, extra in zip(chat.records.kind, more, strict=True) if extra} == {0}
    rush = ran("templates", 200.0, 96, 16)
    assert replayed(rush)[1].hits.sum() > rush.records.cached.hit.sum()


def test_lines_and_table_say_what_became_of_each() -> None:
    run, _ = busy()
    half = LoadRun(run.spec, run.first_config, COST)
    half.advance(seconds=1.0)
    lines = [json.loads(line) for line in requests_jsonl(snapshot(half)).splitlines()]
    rows = list(csv.DictReader(io.StringIO(requests_csv(snapshot(half)))))
    known, plain = half.records.cached, half.records.plain
    assert len(lines) == len(rows) == half.records.cached.num_arrived
    waiting = 0
    for line, row in zip(lines, rows, strict=True):
        number = int(line["request_id"][1:])
        fate = line["with_cache"]
        admitted = known.hit[number] >= 0
        assert fate["hit_tokens"] == (int(known.hit[number]) if admitted else None)
        assert fate["evicted_blocks"] == (int(known.evicted[number]) if admitted else None)
        first = plain.first_s[number] - plain.arrival_s[number]
        told = line["without_cache"]["ttft_s"]
        waiting += told is None
        assert (told is None) == bool(np.isnan(first))
        assert told is None or told == pytest.approx(first, abs=1e-6)
        assert row["ttft_s_without_cache"] == ("" if told is None else str(told))
        assert row["hit_tokens_with_cache"] == ("" if not admitted else str(known.hit[number]))
    assert 0 < waiting < len(lines)  # what has not happened yet is no 0


def test_after_other_blocks_each_request_has_one_story() -> None:
    """Sent again to a fresh engine: first the look-up that led to the first token, then the rest. Answers
    count once; how often it was looked up makes up the total."""
    run = LoadRun(LoadSpec(seed=3, rate=6.0, num_requests=200), EngineConfig(16, 1025), COST)
    run.advance(requests=80)
    run.restart(32)
    while run.advance(requests=80):
        pass
    rows = list(csv.DictReader(io.StringIO(requests_csv(snapshot(run)))))
    twice = [row for row in rows if row["lookups_with_cache"] == "2"]
    assert twice
    assert {row["lookups_with_cache"] for row in rows} == {"1", "2"}
    for row in rows:
        for side in ("with_cache", "without_cache"):
            times = [float(row[f"{name}_s_{side}"]) for name in ("arrival", "admitted", "first", "finished")]
            assert times == sorted(times)
    ledger = run.records.admissions
    for row in rows:
        mine = ledger.number == int(row["request_id"][1:])
        first = float(row["first_s_with_cache"])
        led = ledger.column("hit")[mine & (ledger.at_s < first)][-1]
        assert int(row["hit_tokens_with_cache"]) == led
    queries = sum(int(row["lookups_with_cache"]) * int(row["input_length"]) for row in rows)
    told = strictly(openmetrics(snapshot(run), "Llama-3-8B", START_S))
    for engine in (0, 1):
        given = told["vllm:generation_tokens_total", labels(engine)][-1][1]
        assert given == run.records.num_output.sum()
    assert told["vllm:prefix_cache_queries_total", labels(0)][-1][1] == queries


def test_the_file_says_why_a_replay_of_its_prompts_has_another_rate() -> None:
    run = LoadRun(
        LoadSpec(seed=17, mix=MIXES["chat"], num_requests=120).fitted_to(8192),
        EngineConfig(16, 513, cache_cap=300, ttl=9000, admit_after=2),
        COST,
    )
    run.advance(seconds=10)
    run.set_policy("cache_cap", 200)
    while run.advance(seconds=30):
        pass
    notes = {note.code: dict(note.values) for note in read(snapshot(run)).notes}
    rate = run.summary().hit_rate.value
    assert rate is not None
    assert notes["run_rate"] == {"rate": f"{100 * rate:.1f}"}
    told = [notes[f"run_{name}"]["value"] for name in ("cap", "sightings", "ttl")]
    assert told == [200, 2, "9"]
    assert "run_changed" in notes
    plain = {note.code for note in read(busy()[1]).notes}
    assert {code for code in plain if code.startswith("run_")} == {"run_rate"}


def test_curves_are_those_of_the_page() -> None:
    run, taken = busy()
    rows = list(csv.reader(io.StringIO(curves_csv(taken))))
    samples = run.samples()
    assert rows[0] == ["end_s", *samples.curves]
    for place, row in enumerate(rows[1:]):
        shown = [curve[place] for curve in samples.curves.values()]
        assert [None if cell == "" else float(cell) for cell in row[1:]] == shown
    assert len(rows) == run.num_bins + 1
    assert any("" in row for row in rows[1:])


@pytest.mark.parametrize(
    ("mix", "more"), [("mixed", {}), ("system", {"prefix_tokens": 2048}), ("agents", {"clients": 16})]
)
def test_sizes_are_told_before_a_file_is_made(mix: str, more: dict[str, int]) -> None:
    run = ran(mix, FAST, 1024, 16, 300, **more)
    taken = snapshot(run)
    come = run.records.cached.turn >= 0
    prompts, hits = run.records.num_prompt[come], run.records.cached.hit[come]
    told = {
        jsonl_bytes(prompts, hits, 16): requests_jsonl(taken),
        csv_bytes(len(prompts)): requests_csv(taken),
        curves_bytes(run.num_bins): curves_csv(taken),
        openmetrics_bytes(run.num_bins): openmetrics(taken, "Llama-3-8B", START_S),
    }
    assert [about / len(text) for about, text in told.items()] == pytest.approx([1] * 4, abs=0.2)


# -- metrics ----------------------------------------------------------------------------------------------

_SAMPLE = re.compile(
    r'(?P<name>[a-zA-Z_:][\w:]*)\{(?P<labels>[a-z_]+="[^"\\\n]*"(?:,[a-z_]+="[^"\\\n]*")*)\} '
    r"(?P<value>\d+(?:\.\d+)?(?:e[+-]\d+)?) (?P<at>\d+\.\d{3})",
    re.ASCII,
)
Told = dict[tuple[str, str], list[tuple[float, float]]]


def strictly(text: str) -> Told:
    """OpenMetrics as its specification wants it: families one after another, each with its type first, times
    of one set of labels going up, and nothing behind ``# EOF``."""
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""]
    told: Told = {}
    family, kind, closed = "", "", set()
    last: dict[tuple[str, str], float] = {}
    before = ""
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            closed.add(family)
            family, kind = line.removeprefix("# TYPE ").split(" ")
            assert family not in closed
            assert not family.endswith(("_total", "_bucket", "_count", "_sum"))
            before = ""
        elif line.startswith("# HELP "):
            assert line.split(" ")[2] == family
        else:
            sample = _SAMPLE.fullmatch(line)
            assert sample is not None, line
            suffix = sample["name"].removeprefix(family)
            assert suffix in {"counter": ("_total",), "gauge": ("",)}.get(kind, ("_bucket", "_count", "_sum"))
            key, at = (sample["name"], sample["labels"]), float(sample["at"])
            told.setdefault(key, []).append((at, float(sample["value"])))
            metric = (family, re.sub(r',le="[^"]*"', "", sample["labels"]))
            assert at >= last.get(metric, 0.0)
            assert metric == before or metric not in last  # no other labels in between
            last[metric], before = at, metric  # type: ignore[assignment]
    return told


@cache
def told() -> Told:
    return strictly(openmetrics(busy()[1], "Llama-3-8B", START_S))


def labels(engine: int, more: str = "") -> str:
    return f'model_name="Llama-3-8B",engine="{engine}",cache="{("on", "off")[engine]}"{more}'


def last(name: str, engine: int, more: str = "") -> float:
    return told()[name, labels(engine, more)][-1][1]


def test_the_metrics_are_vllms_and_end_at_what_the_run_counted() -> None:
    run, _ = busy()
    records, summary = run.records, run.summary()
    assert last("vllm:prefix_cache_hits_total", 0) == summary.saved_tokens.value
    rate = last("vllm:prefix_cache_hits_total", 0) / last("vllm:prefix_cache_queries_total", 0)
    assert rate == summary.hit_rate.value
    assert last("vllm:prefix_cache_queries_total", 1) == 0
    for engine, side in enumerate((records.cached, records.plain)):
        done = ',finished_reason="stop"'
        assert last("vllm:request_success_total", engine, done) == 300
        assert last("vllm:prompt_tokens_total", engine) == records.num_prompt.sum()
        assert last("vllm:generation_tokens_total", engine) == records.num_output.sum()
        assert last("vllm:time_to_first_token_seconds_count", engine) == 300
        waits = float((side.first_s - side.arrival_s).sum())
        assert last("vllm:time_to_first_token_seconds_sum", engine) == pytest.approx(waits)
    evicted = sum(last("broth:evicted_blocks_total", 0, f',cause="{cause}"') for cause in ("reused", "cap"))
    assert evicted == run.bins.sums["evicted.reused"].sum() > 0
    names = {name for name, _ in told()}
    assert names == {name for metric in METRICS for name in metric.names}
    assert not any(name.startswith("vllm:kv_cache") and 'engine="1"' in text for name, text in told())


def test_in_the_middle_of_the_run_every_bucket_counts_what_had_happened() -> None:
    """A second plain count, request by request, at a moment when the slow server is far behind."""
    run, _ = busy()
    place = run.num_bins // 3
    for engine, side in enumerate((run.records.cached, run.records.plain)):
        at, _ = told()["vllm:time_to_first_token_seconds_count", labels(engine)][place]
        had = [k for k in range(300) if side.first_s[k] <= at - START_S]
        waits = [side.first_s[k] - side.arrival_s[k] for k in had]
        for bound in (*TTFT_BUCKETS, math.inf):
            le = "+Inf" if bound == math.inf else repr(bound)
            series = told()["vllm:time_to_first_token_seconds_bucket", labels(engine, f',le="{le}"')]
            assert series[place] == (at, sum(wait <= bound for wait in waits))
        assert 0 < len(had) < 300


def test_our_own_reader_of_metrics_finds_the_same_rate() -> None:
    run, taken = busy()
    text = openmetrics(taken, "Llama-3-8B", START_S)
    trace = read_trace(TraceFile("load.om.txt", text.encode()))
    assert trace.meters is not None
    fleet = fleet_of(trace.meters)
    assert fleet.reported_rate == run.summary().hit_rate.value
    assert fleet.total.queries == run.records.num_prompt.sum()
    assert trace.meters.moments[0].at_s == START_S


def test_a_name_that_would_end_a_label_does_not() -> None:
    text = openmetrics(busy()[1], 'a"b\\c\nd', START_S)
    assert r'model_name="a\"b\\c\nd",engine' in text


def _levels() -> Iterator[tuple[str, int, float]]:
    for (name, text), points in told().items():
        if "kv_cache" in name or "num_requests" in name:
            yield from ((name, int('engine="1"' in text), value) for _, value in points)


def test_levels_are_levels() -> None:
    """Shares of one, whole requests, and never more running than the engine takes."""
    most = replace(busy()[0].config).max_num_seqs
    found = list(_levels())
    assert all(0 <= value <= 1 for name, _, value in found if "kv_cache" in name)
    assert all(value.is_integer() and value >= 0 for name, _, value in found if "num_requests" in name)
    assert max(value for name, _, value in found if "running" in name) <= most
    assert any(value > 0 for name, engine, value in found if "waiting" in name and engine)
