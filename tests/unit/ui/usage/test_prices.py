"""Whose prices a log is billed by: models as providers and proxies write them, formats, a person's own."""

from __future__ import annotations

import re
import tomllib
from datetime import date

import pytest

from core.traces.model import Trace, TraceRequest
from core.traces.usage import Usage
from ui.usage.prices import FILE, USUAL, offers_of, priced, rule_ids
from ui.usage.setup import EDITS, UsageSetup, from_query, to_query


def log_of(*models: str | None, format_name: str = "prompts", shape: str = "") -> Trace:
    usage = Usage(1000, 500, shape=shape)
    rows = tuple(
        TraceRequest(str(place), 1000, model=model, usage=usage) for place, model in enumerate(models)
    )
    return Trace("log", format_name, rows, frozenset({"usage"}))


@pytest.mark.parametrize(
    ("model", "rule", "price"),
    [
        ("claude-sonnet-4-5-20250929", "anthropic", 3.0),
        ("us.anthropic.claude-3-5-sonnet-20240620-v1:0", "anthropic", 3.0),
        ("anthropic/claude-opus-4.1", "anthropic", 15.0),
        ("claude-opus-4-20250514", "anthropic", 15.0),
        ("claude-opus-4-5-20251101", "anthropic", 5.0),
        ("claude-opus-5", "anthropic", 5.0),
        ("claude-3-5-haiku-latest", "anthropic", 0.8),
        ("claude-haiku-4-5", "anthropic", 1.0),
        ("gpt-5", "openai", 1.25),
        ("gpt-5.1-codex", "openai", 1.25),
        ("gpt-5.2-2025-12-11", "openai", 1.75),
        ("openai/gpt-5-mini", "openai", 0.25),
        ("gpt-4o-mini-2024-07-18", "openai", 0.15),
        ("azure/gpt-4.1", "openai", 2.0),
        ("o3", "openai", 2.0),
        ("gemini-2.5-flash-lite", "gemini", 0.1),
        ("models/gemini-2.5-pro", "gemini", 1.25),
        ("deepseek-reasoner", "deepseek", 0.55),
    ],
)
def test_a_model_has_its_listed_price(model: str, rule: str, price: float) -> None:
    found = priced(log_of(model))
    assert (found.rules.id, found.rules.per_million) == (rule, price)
    assert found.listed
    assert not found.guessed


@pytest.mark.parametrize(
    ("model", "rule"),
    [("claude-opus-5-5", "anthropic"), ("gpt-5.7-turbo", "openai_new"), ("gpt-9", "openai_new")],
)
def test_a_model_that_is_not_in_the_list_is_said_not_to_be(model: str, rule: str) -> None:
    found = priced(log_of(model))
    assert found.rules.id == rule
    assert not found.listed


def test_without_a_model_the_format_or_the_words_of_the_counts_tell() -> None:
    assert priced(log_of(None, format_name="claude_code_transcript")).rules.id == "anthropic"
    assert priced(log_of(None, format_name="codex_rollout")).rules.id == "openai"
    assert priced(log_of("mystery", shape="gemini")).rules.id == "gemini"
    nothing = priced(log_of(None))
    assert nothing.guessed
    assert nothing.model == ""


def test_the_model_with_most_tokens_counts_and_the_others_are_said() -> None:
    found = priced(log_of("gpt-5", "claude-sonnet-4-5", "claude-sonnet-4-5"))
    assert (found.model, found.num_models, found.num_rows) == ("claude-sonnet-4-5", 2, 3)


def test_a_person_chooses_another_provider() -> None:
    found = priced(log_of("claude-sonnet-4-5"), "deepseek")
    assert found.rules.id == "deepseek"
    assert found.rules.ttl_s is None, "none is stated"
    assert found.rules.write_1h is None


def test_the_file_is_dated_and_complete() -> None:
    raw = tomllib.loads(FILE.read_text("utf-8"))
    date.fromisoformat(raw["read_on"])
    assert rule_ids() == tuple(dict.fromkeys(rule_ids()))
    for row in raw["rule"]:
        assert row["source"].startswith("https://")
        assert offers_of(row["id"])
        assert row["price"][-1]["model"] == USUAL
        for price in row["price"]:
            assert price["per_million"] > 0
            re.compile(price["model"])
        rules = priced(log_of(None), row["id"]).rules
        assert 0 < rules.read < 1 <= rules.write_5m
        assert rules.minimum >= 0


def test_what_a_person_changed_travels_in_the_link() -> None:
    setup = UsageSetup("openai", {"per_million": 2.5, "ttl_s": 600.0}, 3)
    assert to_query(setup) == {"yp": "openai~2.5~~~~600", "yw": "3"}
    assert from_query(to_query(setup)) == (setup, [])
    assert from_query({}) == (UsageSetup(), [])
    for broken in ("openai~1", "who~~~~~", "~1e5~~~~", "~-1~~~~", "~nan~~~~", "~" * 300):
        assert from_query({"yp": broken})[1] == ["yp"], broken
    assert from_query({"yw": "-1"})[1] == ["yw"]


def test_an_edited_price_of_an_hour_is_kept_for_providers_that_sell_one() -> None:
    rules = priced(log_of("gpt-5")).rules
    changed = UsageSetup(None, dict.fromkeys(EDITS, 2.0)).changed(rules)
    assert changed.write_1h is None
    assert changed.per_million == 2.0
