"""Blocks of a log that are cut: every number that follows from hits says that it is a bound."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel, Prices
from core.traces.options import ReadOptions
from core.traffic.bounds import paid_bound, verdict_bound
from core.traffic.providers import Rule, WritePrices
from core.traffic.settings import Settings
from core.traffic.summary import summarise
from tests.unit.core.traces.logs import read_rows
from ui.report.page import report_html
from ui.words.formula_words import error_words
from ui.words.i18n import LANGS, Lang, t

# What does not follow from hits, or speaks of the computation itself. A new number has to be placed.
_KNOWN = """
prompt_tokens num_tokens num_requests num_below requests refused first line block begins total share
first_slots repeats largest block_size num_slots in_flight ttl_s example unshared bytes_per_slot write read
num_refused p10 p50 p90 slots minimum step first_different_token of_causes nothing_lost unknown
new by_setting advised
differs grown evicted expired all too_short lost same changes equal before common num_changed
"""
_LISTS = frozenset(("points", "cliff", "idle_ttl", "curve", "exact"))


def cut_log() -> dict[str, Any]:
    """Two tenants with growing conversations in blocks of 512, read in blocks of 16, in too few slots."""
    rows = []
    for number in range(60):
        talk = number % 6
        ids = [100 * talk + place for place in range(1 + number // 6)]
        row = {"timestamp": 60_000 * number, "input_length": 512 * len(ids), "output_length": 1}
        rows.append({**row, "hash_ids": ids})
    trace = read_rows(*rows)
    requests = tuple(replace(one, tenant=f"t{at % 2}") for at, one in enumerate(trace.requests))
    cost = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
    settings = [Settings(16, 500, 600.0)]
    return summarise(replace(trace, requests=requests), settings, cost, Prices(), ReadOptions().tokenizer)


@pytest.fixture(scope="module")
def summary() -> dict[str, Any]:
    return cut_log()


def _unmarked(value: Any, path: str = "run") -> Iterator[str]:
    """Paths of numbers that no object marks."""
    if isinstance(value, list):
        for one in value:
            yield from _unmarked(one, f"{path}[]")
    if not isinstance(value, dict):
        return
    marked = value.get("bounds", {} if value.get("lower_bound", True) else value)  # False: cuts nothing
    for name, one in value.items():
        here = f"{path}.{name}"
        if name in marked or name in ("bounds", "settings"):
            continue
        if name in _LISTS and isinstance(one, list):
            yield here
        elif isinstance(one, int | float) and not isinstance(one, bool):
            if name not in _KNOWN.split():
                yield here
        else:
            yield from _unmarked(one, here)


def test_every_number_of_the_json_that_follows_from_hits_is_marked(summary: dict[str, Any]) -> None:
    (run,) = summary["runs"]
    assert run["lower_bound"]
    assert all(run[name] for name in ("quotas", "causes", "worst", "idle_ttl", "enough_for", "over_time"))
    assert sorted(set(_unmarked(run))) == []
    assert run["below_minimum"]["bounds"] == {"rate_by_rule": "lower", "share_paid": "upper"}
    assert run["enough_for"]["bounds"]["gib"] == "either"
    assert {one["block_size"]: "bounds" in one for one in run["block_sizes"]} == {
        size: size % 512 != 0 for size in (16, 512, 1024, 2048, 4096)
    }


@pytest.mark.parametrize("lang", LANGS)
def test_every_number_of_the_report_that_follows_from_hits_is_marked(
    lang: Lang, summary: dict[str, Any]
) -> None:
    """It said "183,252 slots, 7.3 % instead of 8.1 % (counted)", GiB, seconds saved, 120.0 % of the price."""
    body = re.sub(r"<style.*?</style>", "", report_html(summary, lang), flags=re.DOTALL)
    pieces = re.split(r"</?(?:p|td|th|li|div|title|text|summary|h\d)\b[^>]*>", body)
    told = [unescape(re.sub(r"<[^>]+>", "", piece)) for piece in pieces]
    for line in told:
        if not _exempt(line, lang):
            numbers = re.findall(r"(.{0,2})(\b\d[\d,.]* ?(?:%|GiB))", line)
            assert all(before.strip() in ("≥", "≤", "≈") for before, _ in numbers), line
    (run,) = summary["runs"]
    assert f"≈ {run['enough_for']['slots']:,}" in body
    assert f"≤ {run['peak_blocks_if_all_ran_at_once']['shared']:,}" in body
    names = ("seconds", "hours", "tokens", "share", "linear")
    ending = t("traffic.savings.words", lang, **dict.fromkeys(names, "")).rpartition("**")[2]
    assert [line.count("≥") for line in told if ending in line] == [5]


def _exempt(line: str, lang: Lang) -> bool:
    """Axes, sizes that cut nothing, names, how far modelled time is off, percentiles with one sentence."""
    size = re.fullmatch(r"([\d,]+): [\d.]+%", line)
    whole = size is not None and int(size[1].replace(",", "")) % 512 == 0
    names = (t("traffic.enough", lang), t("traffic.enough.mark", lang, n=""), t("traffic.spread.bound", lang))
    named = any(name.strip() in line for name in (*names, error_words(lang)))
    return whole or named or re.fullmatch(r"\d+%", line) is not None


def test_a_log_that_is_not_cut_has_no_bounds() -> None:
    rows = [{"token_ids": [1, 2, 3, number]} for number in range(3)]
    cost = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
    found = summarise(read_rows(*rows), [Settings(1)], cost, Prices(), ReadOptions().tokenizer)
    text = json.dumps(found["runs"])
    assert '"bounds"' not in text
    assert '"lower_bound": true' not in text
    assert not {"≥", "≤", "≈"} & set(report_html(found, "en"))


def test_which_way_a_price_or_a_verdict_can_be_wrong() -> None:
    """More hits pay less only where reading is cheaper than storing; "worth it" can then only get truer."""
    usual, same, dearer = (Rule(prices=WritePrices(1.0, read)) for read in (0.1, 1.0, 1.5))
    assert [paid_bound(one) for one in (usual, same, dearer)] == ["upper", None, "lower"]
    assert [verdict_bound("worth", one) for one in (usual, dearer)] == [None, "either"]
    assert verdict_bound("little", usual) == "lower"
    assert verdict_bound("short", dearer) is None


def _prompts(seed: int) -> list[list[int]]:
    """Prompts that part inside blocks of 512, some of them come again whole."""
    dice = np.random.default_rng(seed)
    made: list[list[int]] = [dice.integers(0, 99, 700).tolist()]
    for _ in range(50):
        old = made[int(dice.integers(len(made)))]
        kept = old[: int(dice.integers(1, len(old) + 1))] if dice.random() < 0.8 else old
        made.append([*kept, *dice.integers(0, 99, int(dice.integers(1, 600))).tolist()][:1800])
    return made


def _in_blocks(prompts: list[list[int]]) -> list[dict[str, Any]]:
    known: dict[tuple[int, ...], int] = {}
    return [
        {
            "timestamp": 9000 * number,
            "input_length": len(prompt),
            "output_length": 1,
            "hash_ids": [
                known.setdefault(tuple(prompt[:end]), len(known))
                for end in range(512, len(prompt) + 512, 512)
            ],
        }
        for number, prompt in enumerate(prompts)
    ]


def _pairs(cut: Any, true: Any, path: str = "run") -> Iterator[tuple[str, str, float, float]]:
    """Path, kind, number of the cut log and of the true one; only of objects that both have."""
    if isinstance(cut, list) and isinstance(true, list) and len(cut) == len(true):
        for one, other in zip(cut, true, strict=True):
            yield from _pairs(one, other, f"{path}[]")
    if isinstance(cut, dict) and isinstance(true, dict):
        for name in cut.keys() & true.keys():
            kind, mine, theirs = cut.get("bounds", {}).get(name), cut[name], true[name]
            if isinstance(mine, dict) and "value" in mine:
                mine, theirs = mine["value"], theirs["value"]
            if kind in ("lower", "upper") and isinstance(mine, int | float):
                yield f"{path}.{name}", kind, mine, theirs
            elif name not in ("causes", "worst"):  # other rows in each
                yield from _pairs(mine, theirs, f"{path}.{name}")


@pytest.mark.parametrize(("seed", "slots", "ttl_s"), [(1, None, None), (2, 400, None), (3, 250, 120.0)])
def test_the_bounds_hold_against_the_prompts_themselves(seed: int, slots: int, ttl_s: float) -> None:
    prompts = _prompts(seed)
    tokens = [{"token_ids": prompt, "timestamp": 9.0 * at} for at, prompt in enumerate(prompts)]
    cost = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
    settings = [Settings(16, slots, ttl_s)]
    cut, true = (
        summarise(read_rows(*rows), settings, cost, Prices(), ReadOptions().tokenizer)["runs"][0]
        for rows in (_in_blocks(prompts), tokens)
    )
    assert cut["prompt_tokens"] == true["prompt_tokens"]
    found = list(_pairs(cut, true))
    assert len({path for path, *_ in found}) > 15
    wrong = [one for one in found if (one[2] - one[3]) * (1 if one[1] == "lower" else -1) > 1e-9]
    assert wrong == []
    assert any(one[2] != one[3] for one in found)
