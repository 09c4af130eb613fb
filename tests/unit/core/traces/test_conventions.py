"""Which convention a log follows: decided over all its rows, shown both ways where nothing decides."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traces.usage import UsageTotals

Row = dict[str, Any]
Counts = tuple[int, int, int, int]
"""All prompt tokens, read, written, output."""


def log_of(usages: list[Any], reading: str = "usual", **more: Any) -> Trace:
    """Chat requests with these usage objects, a session for all."""
    rows = []
    for n, usage in enumerate(usages):
        message = {"role": "user", "content": "x"}
        rows.append({"request_id": f"q{n}", "timestamp": n, "messages": [message], "usage": usage} | more)
    return read(rows, reading)


def langfuse(details: list[Row], reading: str = "usual") -> Trace:
    rows = [
        {
            "id": f"o{n}",
            "traceId": f"t{n}",
            "type": "GENERATION",
            "startTime": f"2026-01-02T10:{n % 60:02d}:00Z",
            "model": "m",
            "input": None,
            "usageDetails": one,
        }
        for n, one in enumerate(details)
    ]
    return read(rows, reading)


def read(rows: list[Row], reading: str = "usual") -> Trace:
    text = "\n".join(json.dumps(row) for row in rows)
    return read_trace(TraceFile("log.jsonl", text), options=ReadOptions(usage_reading=reading))  # type: ignore[arg-type]


# -- exporters: how each writes the same counts ---------------------------------------------------------


def openai(given: Counts) -> Row:
    total, cached, _, out = given
    return {
        "prompt_tokens": total,
        "completion_tokens": out,
        "total_tokens": total + out,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def responses(given: Counts) -> Row:
    total, cached, _, out = given
    return {"input_tokens": total, "output_tokens": out, "input_tokens_details": {"cached_tokens": cached}}


def anthropic(given: Counts) -> Row:
    total, cached, written, out = given
    return {
        "input_tokens": total - cached - written,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": written,
        "output_tokens": out,
    }


def converse(given: Counts) -> Row:
    total, cached, written, out = given
    return {
        "inputTokens": total - cached - written,
        "cacheReadInputTokens": cached,
        "cacheWriteInputTokens": written,
        "outputTokens": out,
        "totalTokens": total + out,
    }


def litellm_now(given: Counts) -> Row:
    _, cached, written, _ = given
    return openai(given) | {"cache_read_input_tokens": cached, "cache_creation_input_tokens": written}


def litellm_once(given: Counts) -> Row:
    """Older proxies leave what was read and written out of the prompt."""
    total, cached, written, out = given
    rest = total - cached - written
    return {
        "prompt_tokens": rest,
        "completion_tokens": out,
        "total_tokens": rest + out,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": written,
    }


def vercel(given: Counts) -> Row:
    total, cached, _, out = given
    counts = {"inputTokens": total, "outputTokens": out, "totalTokens": total + out}
    return counts | {"cachedInputTokens": cached}


def vercel_of_anthropic(given: Counts) -> Row:
    total, cached, _, out = given
    rest = total - cached
    return {"inputTokens": rest, "outputTokens": out, "totalTokens": rest + out, "cachedInputTokens": cached}


def vercel_6(given: Counts) -> Row:
    total, cached, written, out = given
    rest = total - cached - written
    details = {"cacheReadTokens": cached, "cacheWriteTokens": written, "noCacheTokens": rest}
    return {"inputTokens": total, "outputTokens": out, "inputTokenDetails": details}


def langchain(given: Counts) -> Row:
    total, cached, written, out = given
    details = {"cache_read": cached, "cache_creation": written}
    counts = {"input_tokens": total, "output_tokens": out, "total_tokens": total + out}
    return counts | {"input_token_details": details}


def telemetry(given: Counts) -> Row:
    total, cached, written, out = given
    return {
        "gen_ai.usage.input_tokens": total,
        "gen_ai.usage.output_tokens": out,
        "gen_ai.usage.cache_read.input_tokens": cached,
        "gen_ai.usage.cache_creation.input_tokens": written,
    }


def deepseek(given: Counts) -> Row:
    total, cached, _, _ = given
    counts = {"prompt_cache_hit_tokens": cached, "prompt_cache_miss_tokens": total - cached}
    return {"prompt_tokens": total} | counts


def gemini(given: Counts) -> Row:
    """A count of 0 is left out."""
    total, cached, _, out = given
    found = {"promptTokenCount": total, "candidatesTokenCount": out, "totalTokenCount": total + out}
    return found | ({"cachedContentTokenCount": cached} if cached else {})


def gemini_sdk(given: Counts) -> Row:
    total, cached, _, out = given
    counts = {"prompt_token_count": total, "candidates_token_count": out}
    return counts | {"cached_content_token_count": cached or None}


def moonshot(given: Counts) -> Row:
    total, cached, _, out = given
    return {"prompt_tokens": total, "completion_tokens": out, "cached_tokens": cached}


def qwen(given: Counts) -> Row:
    total, cached, written, out = given
    details = {"cached_tokens": cached, "cache_creation_input_tokens": written}
    return {"prompt_tokens": total, "completion_tokens": out, "prompt_tokens_details": details}


def llama_cpp(given: Counts) -> Row:
    total, cached, _, out = given
    return {"prompt_n": total - cached, "cache_n": cached, "predicted_n": out}


def pydantic_ai(given: Counts) -> Row:
    total, cached, written, out = given
    counts = {"cache_read_tokens": cached, "cache_write_tokens": written}
    return {"input_tokens": total, "output_tokens": out} | counts


def openrouter(given: Counts) -> Row:
    total, cached, _, out = given
    counts = {"native_tokens_prompt": total, "native_tokens_cached": cached}
    return counts | {"native_tokens_completion": out}


def cline(given: Counts) -> Row:
    total, cached, written, out = given
    counts = {"cacheReads": cached, "cacheWrites": written}
    return {"tokensIn": total - cached - written, "tokensOut": out} | counts


def opencode(given: Counts) -> Row:
    total, cached, written, out = given
    rest = total - cached - written
    return {"input": rest, "output": out, "reasoning": 0, "cache": {"read": cached, "write": written}}


def invocation(given: Counts) -> Row:
    """Bedrock's log of invocations, and Nova's own answers."""
    total, cached, written, out = given
    counts = {"cacheReadInputTokenCount": cached, "cacheWriteInputTokenCount": written}
    return {"inputTokenCount": total - cached - written, "outputTokenCount": out} | counts


EXPORTERS: list[Callable[[Counts], Row]] = [
    openai,
    responses,
    anthropic,
    converse,
    litellm_now,
    litellm_once,
    vercel,
    vercel_of_anthropic,
    vercel_6,
    langchain,
    telemetry,
    deepseek,
    gemini,
    gemini_sdk,
    moonshot,
    qwen,
    llama_cpp,
    pydantic_ai,
    openrouter,
    cline,
    opencode,
    invocation,
]


def made(dice: random.Random, num: int = 40) -> list[Counts]:
    """Requests of all kinds: cold, warm to a part, almost all read."""
    found: list[Counts] = []
    for _ in range(num):
        total = dice.randint(500, 50_000)
        share = dice.choice((0.0, 0.0, dice.random(), 0.97))
        cached = int(total * share)
        written = dice.choice((0, (total - cached) // 2))
        found.append((total, cached, written, dice.randint(1, 500)))
    return found


def truth(given: list[Counts]) -> float:
    return sum(one[1] for one in given) / sum(one[0] for one in given)


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("seed", range(5))
def test_every_exporters_rate_is_the_true_one(exporter: Callable[[Counts], Row], seed: int) -> None:
    """Under whichever convention; with rows enough of each kind, its own numbers tell it."""
    given = made(random.Random(seed))
    totals = log_of([exporter(one) for one in given]).reported()
    assert totals.known_rate == pytest.approx(truth(given))
    assert totals.num_unknown == totals.num_contradictory == 0
    assert totals.bounds is None


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda one: one.__name__)
def test_what_a_row_alone_leaves_open_is_one_of_two_readings(exporter: Callable[[Counts], Row]) -> None:
    """One row with a small hit proves nothing: the truth is among what is shown."""
    given = [(4000, 500, 0, 20)]
    totals = log_of([exporter(one) for one in given]).reported()
    shown = set(totals.readings.values()) if totals.readings else {totals.known_rate}
    assert truth(given) in shown


# -- decisions ------------------------------------------------------------------------------------------


def test_one_row_decides_for_the_log_and_is_named() -> None:
    rows = [litellm_once(one) for one in ((4000, 500, 0, 20), (4000, 600, 0, 20), (4000, 3900, 0, 20))]
    trace = log_of(rows)
    totals = trace.reported()
    assert totals.ratio_of_sums == 5000 / 12000
    assert (totals.num_ambiguous, totals.readings, totals.deciding_line) == (0, {}, 3)
    (note,) = [one for one in trace.notes if one.code == "usage_exclusive"]
    assert note.values == {"line": 3}


def test_what_is_decided_cannot_be_chosen() -> None:
    rows = [litellm_once(one) for one in ((4000, 500, 0, 20), (4000, 3900, 0, 20))]
    assert log_of(rows, "other").reported() == log_of(rows).reported()


def test_models_may_differ_behind_one_exporter() -> None:
    """A proof about one model's rows says nothing of another's."""
    given = [
        ("a", vercel_of_anthropic((4000, 3900, 0, 9))),
        ("a", vercel_of_anthropic((4000, 100, 0, 9))),
        ("b", vercel((4000, 1000, 0, 9))),
    ]
    message = {"role": "user", "content": "x"}
    rows = [{"messages": [message], "model": model, "usage": usage} for model, usage in given]
    totals = read(rows).reported()
    assert (totals.num_ambiguous, totals.cached_tokens) == (1, 5000)
    assert totals.readings == {"usual": 5000 / 12000, "other": 5000 / 13000}


def test_turns_that_read_the_prompt_before_them_decide() -> None:
    """Each turn reads, but for the step, exactly what the one before it held: under one reading only."""
    totals, prompts = [], [2000, 2600, 3300, 4100]
    for before, now in zip([0, *prompts], prompts, strict=False):
        cached = before // 128 * 128
        totals.append({"inputTokens": now, "cachedInputTokens": cached, "outputTokens": 9})
    found = log_of(totals, session_id="s").reported()
    cached = sum(one["cachedInputTokens"] for one in totals)
    assert found.num_ambiguous == 0
    assert found.ratio_of_sums == cached / sum(prompts)


# -- Langfuse -------------------------------------------------------------------------------------------


def test_a_total_that_is_a_sum_of_all_keys_proves_nothing() -> None:
    """The input was inclusive; both readings are shown, and a click chooses."""
    rows = [{"input": 17903, "input_cached_tokens": 17817, "output": 100, "total": 35820}] * 3
    totals = langfuse(rows).reported()
    assert totals.readings == {"usual": 17817 / 17903, "other": 17817 / 35720}
    assert totals.ratio_of_sums == totals.readings["usual"]
    assert (totals.num_ambiguous, totals.reading_tokens) == (3, {"usual": 3 * 17903, "other": 3 * 35720})
    other = langfuse(rows, "other").reported()
    assert other.ratio_of_sums == 17817 / 35720
    assert other.readings == totals.readings


def test_a_total_of_input_and_output_includes_the_cached() -> None:
    totals = langfuse([{"input": 117231, "cache_read_input_tokens": 115584, "output": 225, "total": 117456}])
    assert totals.reported().ratio_of_sums == 115584 / 117231
    assert totals.reported().readings == {}


def test_an_input_hardly_larger_than_what_was_cached_is_usually_inclusive() -> None:
    """Whatever the keys' names: under the exclusive reading it would be chance."""
    totals = langfuse([{"input": 9844, "cache_read_input_tokens": 9842, "output": 10, "total": 19696}])
    assert totals.reported().readings == {"usual": 9842 / 9844, "other": 9842 / 19686}


def test_an_input_that_holds_the_written_but_not_the_read() -> None:
    """A proxy takes only what was read out of the input; its own total tells."""
    row = {"input": 1500, "cache_read_input_tokens": 8000, "cache_creation_input_tokens": 1400}
    totals = langfuse([row | {"output": 20, "total": 9520}]).reported()
    assert (totals.ratio_of_sums, totals.prompt_tokens, totals.readings) == (8000 / 9500, 9500, {})


def test_a_stream_that_may_include_what_it_wrote() -> None:
    """4,995 or 9,988 prompt tokens: the row cannot tell."""
    usage = {
        "inputTokens": 4995,
        "outputTokens": 19,
        "totalTokens": 10007,
        "cacheReadInputTokens": 0,
        "cacheWriteInputTokens": 4993,
    }
    totals = log_of([usage]).reported()
    assert set(totals.reading_tokens.values()) == {4995, 9988}
    assert set(totals.readings.values()) == {0.0}


# -- missing counts -------------------------------------------------------------------------------------


def missing(given: list[Counts], seed: int = 0) -> list[Row]:
    """A logger that writes null for a miss."""
    rows = [openai(one) for one in given]
    for row in rows:
        if not row["prompt_tokens_details"]["cached_tokens"]:
            row["prompt_tokens_details"] = None
    return rows


@pytest.mark.parametrize("seed", range(10))
def test_misses_written_as_null_lie_within_the_bounds(seed: int) -> None:
    given = made(random.Random(seed))
    totals = log_of(missing(given)).reported()
    assert totals.why == "no_zero_reported"
    assert totals.ratio_of_sums is None
    assert totals.bounds is not None
    low, high = totals.bounds
    assert low == pytest.approx(truth(given))
    hits = [one for one in given if one[1]]
    assert high == pytest.approx(truth(hits))


def test_the_known_case_of_survivors() -> None:
    """Two of ten report 800 of 1,000: 80 % of those that say so, 16 % if the others missed."""
    totals = log_of(missing([(1000, 0, 0, 20)] * 8 + [(1000, 800, 0, 20)] * 2)).reported()
    assert totals.bounds == (0.16, 0.8)


def test_a_log_that_reports_zeros_keeps_the_rate_of_its_known_rows() -> None:
    rows = [openai(one) for one in ((1000, 0, 0, 9), (1000, 800, 0, 9))] + [{"prompt_tokens": 1000}]
    totals = log_of(rows).reported()
    assert (totals.ratio_of_sums, totals.num_unknown, totals.why) == (0.4, 1, "some_unknown")
    assert totals.bounds == (800 / 3000, 1800 / 3000)


def test_a_few_unknown_rows_do_not_matter() -> None:
    rows = [openai(one) for one in ((100_000, 0, 0, 9), (100_000, 80_000, 0, 9))] + [{"prompt_tokens": 100}]
    totals = log_of(rows).reported()
    assert (totals.ratio_of_sums, totals.bounds, totals.num_unknown) == (0.4, None, 1)


def test_nobody_reports_anything() -> None:
    totals = log_of([{"prompt_tokens": 1000}] * 3).reported()
    assert (totals.ratio_of_sums, totals.bounds, totals.num_unknown) == (None, None, 3)


def test_a_format_that_leaves_zeros_out_says_so() -> None:
    given = [(5000, 0, 0, 50), (9500, 0, 0, 50), (18000, 16300, 0, 50)]
    trace = log_of([gemini(one) for one in given])
    assert trace.reported().ratio_of_sums == truth(given)
    assert [note.count for note in trace.notes if note.code == "absent_is_zero"] == [2]


def test_one_broken_row_of_a_documented_shape_is_left_out() -> None:
    """More cached than prompt in one of a hundred: an error, not another convention."""
    rows = [openai((1000, 500, 0, 9))] * 99 + [openai((128, 1920, 0, 9))]
    totals = log_of(rows).reported()
    assert (totals.ratio_of_sums, totals.num_contradictory) == (0.5, 1)


def test_a_documented_shape_that_is_broken_all_the_time_is_another_exporters() -> None:
    rows = [openai((128, 1920, 0, 9))] * 3 + [openai((500, 400, 0, 9))]
    totals = log_of(rows).reported()
    assert (totals.num_contradictory, totals.prompt_tokens) == (0, 3 * 2048 + 900)


def test_totals_of_nothing() -> None:
    assert UsageTotals.of([]).bounds is None


@pytest.mark.parametrize("wrong", [1, 3])
@pytest.mark.parametrize("totals", [True, False])
def test_a_few_rows_that_cannot_be_true_turn_no_convention(wrong: int, totals: bool) -> None:
    """More cached than there is: those rows contradict themselves, the others mean what is documented."""
    rows: list[Row] = [
        {"prompt_tokens": 1000, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 800}}
        | ({"total_tokens": 1005} if totals else {})
        for _ in range(20)
    ]
    for row in rows[5 : 5 + wrong]:
        row["prompt_tokens_details"] = {"cached_tokens": 1500}
    found = log_of(rows).reported()
    assert (found.ratio_of_sums, found.num_contradictory) == (0.8, wrong)


@pytest.mark.parametrize("word", ["NaN", "NULL", "N/A", "None", "-", "\\N", float("nan")])
def test_a_word_for_nothing_is_unknown_and_no_zero(word: object) -> None:
    rows: list[Row] = [
        {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": count}}
        for count in (0, 500, word, 500)
    ]
    found = log_of(rows).reported()
    assert (found.num_known, found.num_unknown, found.known_rate) == (3, 1, 1 / 3)


def test_llama_cpp_says_beside_its_usage_what_was_cached() -> None:
    message = {"role": "user", "content": "x"}
    rows = [
        {
            "messages": [message],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 5},
            "timings": {"cache_n": cached, "prompt_n": 1000 - cached, "predicted_n": 5},
        }
        for cached in (0, 600)
    ]
    found = read_trace(TraceFile("log.jsonl", "\n".join(map(json.dumps, rows)))).reported()
    assert (found.ratio_of_sums, found.prompt_tokens) == (0.3, 2000)
