"""The collected cases about importing logs: units, conventions, scopes, deltas, null, definitions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import TraceError
from core.traces.door.read import read_trace
from core.traces.model import TraceRequest
from core.traces.problems import Place
from core.traces.reported.reading import read_usage
from core.traces.rows import Row
from core.traces.usage import Usage, UsageTotals
from tests.unit.core.traces.logs import (
    CASES,
    error_of,
    full_block_ids,
    hit_blocks,
    jsonl,
    read_rows,
    real,
    unbounded_hits,
)

Json = dict[str, Any]
ALL = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]


def import_rows(case: Json, expected: Json) -> None:
    """Each row by itself is read or refused; refusing names the line and the field."""
    size = case["block_size"]
    for row, valid in zip(case["rows"], expected["valid"], strict=True):
        if valid:
            assert len(read_rows(row, format_name=case["format"], block_size=size).requests) == 1
        else:
            error = error_of(jsonl(row), case["format"], block_size=size)
            assert (error.code, error.values["line"], error.values["field"]) == ("trace.value", 1, "hash_ids")
    trace = read_rows(*case["rows"], format_name=case["format"], block_size=size, skip_broken=True)
    assert (len(trace.requests), trace.num_skipped) == (
        sum(expected["valid"]),
        expected["valid"].count(False),
    )


def import_replay(case: Json, expected: Json) -> None:
    trace = read_rows(*case["rows"], format_name=case["format"], block_size=case["block_size"])
    first, second = trace.requests
    size, length = case["block_size"], second.num_tokens
    assert first.block_ids == second.block_ids
    assert second.block_ids is not None
    naive = len(second.block_ids) * size
    engine = unbounded_hits(trace.requests)[1] * size
    assert (naive, min(naive, length), engine) == (
        expected["naive_hit"],
        expected["clipped_hit"],
        expected["engine_hit"],
    )
    ratios = (round(naive / length, 4), round(engine / length, 4))
    assert ratios == (expected["naive_ratio"], expected["engine_ratio"])
    assert len(second.tokens()) == length  # the partial tail is never a whole block


def session_file(session: Json, scope: str, block_size: int = 64) -> Json:
    length = len(session["hash_ids"]) * block_size + 1  # one token more, so that every block may hit
    request = {"t": 0.0, "type": "n", "in": length, "out": 1, "hash_ids": session["hash_ids"]}
    head = {"id": session["id"], "block_size": block_size, "hash_id_scope": scope}
    return head | {"requests": [request]}


def import_scope(case: Json, expected: Json) -> None:
    local = read_rows(*(session_file(s, s["hash_id_scope"]) for s in case["sessions"]))
    assert unbounded_hits(local.requests) == expected["local"]
    shared = read_rows(*(session_file(s, "global") for s in case["sessions"]))
    assert unbounded_hits(shared.requests) == expected["if_global"]


def import_convention(case: Json, expected: Json) -> None:
    found = []
    for row in case["rows"]:
        ids = list(range(row["n_ids"]))
        if row["format"] == "mooncake":
            data: Json = {"timestamp": 0, "input_length": row["input_length"], "hash_ids": ids}
        else:
            request = {"t": 0, "type": "n", "in": row["input_length"], "out": 1, "hash_ids": ids}
            data = {"id": "s", "block_size": row["block_size"], "requests": [request]}
        trace = read_rows(data)
        assert trace.block_size == row["block_size"]
        found.append(trace.convention)
    assert found == expected["convention"]


def import_delta(case: Json, expected: Json) -> None:
    size = case["block_size"]
    for deltas, hits in ((False, expected["as_full_prompts"]), (True, expected["as_deltas"])):
        trace = read_rows(*case["rows"], deltas=deltas)
        assert [count * size for count in unbounded_hits(trace.requests)] == hits
    trace = read_rows(*case["rows"])  # found out by itself
    assert trace.deltas
    assert [request.num_tokens for request in trace.requests] == expected["effective_prompt_tokens"]


def trace_metric(_case: Json, expected: Json) -> None:
    """One trace, five numbers, computed the plain way from what the reader gives."""
    requests = read_trace(real("mooncake_conversation.jsonl")).requests
    seen: set[int] = set()
    rows = []
    for request in requests:
        assert request.block_ids is not None
        listed = next(
            (i for i, number in enumerate(request.block_ids) if number not in seen), len(request.block_ids)
        )
        rows.append((request, listed, hit_blocks(request, seen)))
        seen.update(request.block_ids)
    found = {
        "token_weighted_clipped": ratio((min(r.num_tokens, k * 512), r.num_tokens) for r, k, _ in rows),
        "token_weighted_engine": ratio((k * 512, r.num_tokens) for r, _, k in rows),
        "block_weighted": ratio((k, len(r.block_ids or ())) for r, k, _ in rows),
        "mean_of_ratios": sum(k * 512 / r.num_tokens for r, _, k in rows) / len(rows),
        "last_half_token_weighted": ratio(
            (min(r.num_tokens, k * 512), r.num_tokens) for r, k, _ in rows[len(rows) // 2 :]
        ),
    }
    assert {name: round(value, 4) for name, value in found.items()} == expected


def ratio(pairs: Any) -> float:
    parts, wholes = zip(*pairs, strict=True)
    return float(sum(parts) / sum(wholes))


def session_of(case: Json) -> tuple[TraceRequest, ...]:
    return read_trace(real(*case["file"].removeprefix("traces/").split("/"))).requests


def trace(case: Json, expected: Json) -> None:
    requests = session_of(case)
    place = next(i for i, r in enumerate(requests) if r.request_id.endswith(f"[{case['request_index']}]"))
    request = requests[place]
    blocks = unbounded_hits(requests)[place]
    found = {
        "blocks": len(request.block_ids or ()),
        "hit_blocks": blocks,
        "hit_tokens": blocks * (request.block_size or 0),
        "prompt_tokens": request.num_tokens,
    }
    assert {name: found[name] for name in expected} == expected


def trace_ttl(case: Json, expected: Json) -> None:
    """A plain second implementation of an idle time to live over the arrivals that the reader gives."""
    requests = session_of(case)
    assert [hits * 64 for hits in unbounded_hits(requests)] == expected["no_ttl_hit_tokens"]
    last_use: dict[int, float] = {}
    found = []
    for request in requests:
        assert request.arrival_s is not None
        live = {block for block, used in last_use.items() if request.arrival_s - used <= case["ttl"]}
        found.append(hit_blocks(request, live) * 64)
        last_use |= dict.fromkeys(full_block_ids(request), request.arrival_s)
    assert found == expected["ttl_hit_tokens"]


def metric(case: Json, expected: Json) -> None:
    totals = UsageTotals.of(Usage(row["blocks"], row["hit"]) for row in case["requests"])
    found = {"mean_of_ratios": totals.mean_of_ratios, "ratio_of_sums": totals.ratio_of_sums}
    assert {name: round(value or 0, 4) for name, value in found.items()} == expected


def usage_log(case: Json, expected: Json) -> None:
    rows = [read_usage(Row(row, Place("log", 1))) for row in case["rows"]]
    totals = UsageTotals.of(rows)
    found = {
        "hit_rates": [row.ratio if row else None for row in rows],
        "known": [row is not None and row.known for row in rows],
        "hit_rate_over_known": totals.ratio_of_sums,
        "unknown_rows": totals.num_unknown,
    }
    assert {name: found[name] for name in expected} == expected


KINDS: dict[str, Callable[[Json, Json], None]] = {
    check.__name__: check
    for check in (
        import_rows,
        import_replay,
        import_scope,
        import_convention,
        import_delta,
        trace_metric,
        trace,
        trace_ttl,
        metric,
        usage_log,
    )
}


@pytest.mark.parametrize("case", ALL, ids=lambda case: case["id"])
def test_case(case: Json) -> None:
    KINDS[case["input"]["kind"]](case["input"], case["expected"])


def test_every_kind_is_used() -> None:
    assert {case["input"]["kind"] for case in ALL} == set(KINDS)


def test_a_wrong_expectation_is_seen() -> None:
    """Each check can fail: the same case with another answer."""
    case = next(case for case in ALL if case["input"]["kind"] == "import_scope")
    with pytest.raises(AssertionError):
        import_scope(case["input"], {"local": [0, 3], "if_global": [0, 3]})
    with pytest.raises((AssertionError, TraceError)):
        import_rows(ALL[6]["input"], {"valid": [True, True, True, True]})
