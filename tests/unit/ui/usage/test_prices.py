"""Whose prices a log is billed by: models as providers and proxies write them, formats, a person's own."""

from __future__ import annotations

import re
import tomllib
from datetime import date

from core.traces.model import Trace, TraceRequest
from core.traces.usage import Usage
from ui.usage.prices import FILE, USUAL, offers_of, priced, rule_ids
from ui.usage.setup import UsageSetup, from_query, to_query


def log_of(*models: str | None, format_name: str = "prompts", shape: str = "") -> Trace:
    usage = Usage(1000, 500, shape=shape)
    rows = tuple(
        TraceRequest(str(place), 1000, model=model, usage=usage) for place, model in enumerate(models)
    )
    return Trace("log", format_name, rows, frozenset({"usage"}))


LISTED = {
    "claude-sonnet-4-5-20250929": ("anthropic", 3.0),
    "claude-sonnet-4-5[1m]": ("anthropic", 3.0),
    "us.anthropic.claude-3-5-sonnet-20240620-v1:0": ("anthropic", 3.0),
    "anthropic/claude-opus-4.1": ("anthropic", 15.0),
    "claude-opus-4@20250514": ("anthropic", 15.0),
    "claude-opus-4-5-20251101": ("anthropic", 5.0),
    "claude-opus-5": ("anthropic", 5.0),
    "claude-opus-5-5": ("anthropic", 4.0),
    "claude-3-5-haiku-latest": ("anthropic", 0.8),
    "claude-haiku-4-5": ("anthropic", 1.0),
    "gpt-5-2025-08-07": ("openai", 1.25),
    "gpt-5.1-codex": ("openai", 1.25),
    "gpt-5.2-2025-12-11": ("openai", 1.75),
    "gpt-5-pro-2025-10-06": ("openai", 15.0),
    "gpt-5.2-pro": ("openai", 21.0),
    "gpt-5.6-sol": ("openai_new", 5.0),
    "openai/gpt-5-mini": ("openai", 0.25),
    "gpt-4o-mini-2024-07-18": ("openai", 0.15),
    "gpt-4o-2024-05-13": ("openai", 5.0),
    "azure/gpt-4.1": ("openai", 2.0),
    "gpt-4-turbo-2024-04-09": ("openai", 10.0),
    "o1": ("openai", 15.0),
    "o3": ("openai", 2.0),
    "o3-pro": ("openai", 20.0),
    "gemini-2.5-flash-lite-preview-06-17": ("gemini", 0.1),
    "models/gemini-2.5-pro": ("gemini", 1.25),
    "deepseek-reasoner": ("deepseek", 0.55),
}
UNLISTED = {
    "claude-opus-6": "anthropic",
    "claude-x": "anthropic",
    "gpt-5-turbo": "openai",
    "gpt-4o-audio-preview": "openai",
    "o3-giant": "openai",
    "ft:gpt-4o-mini-2024-07-18:acme::abc": "openai",
    "gpt-5.7-turbo": "openai_new",
    "gpt-9": "openai_new",
    "gemini-2.5-ultra": "gemini",
}


def test_a_model_has_its_own_listed_price_and_no_namesakes() -> None:
    """A name counts whole: a date may stand behind it, another model's name is another model."""
    for model, listed in LISTED.items():
        price = priced(log_of(model)).prices[0]
        assert (price.rules.id, price.rules.per_million) == listed, model
        assert price.listed
        assert not price.guessed
    for model, rule in UNLISTED.items():
        price = priced(log_of(model)).prices[0]
        assert (price.rules.id, price.listed) == (rule, False), model


def test_without_a_model_the_format_or_the_words_of_the_counts_tell() -> None:
    assert priced(log_of(None, format_name="claude_code_transcript")).rules.id == "anthropic"
    assert priced(log_of(None, format_name="codex_rollout")).rules.id == "openai"
    assert priced(log_of("mystery", shape="gemini")).rules.id == "gemini"
    nothing = priced(log_of(None)).prices[0]
    assert nothing.guessed
    assert nothing.model == ""


def test_each_model_has_its_own_price_and_long_prompts_theirs() -> None:
    found = priced(log_of("gpt-5.4", "claude-sonnet-4-5", "claude-sonnet-4-5", None))
    assert [one.model for one in found.prices] == ["claude-sonnet-4-5", "gpt-5.4", ""]
    assert found("gpt-5.4", 272_000).per_million == 2.5
    assert found("gpt-5.4", 272_001).per_million == 5.0
    assert found("claude-sonnet-4-5", 10).id == "anthropic"
    mine = found.edited({"per_million": 7.0, "ttl_s": 60.0, "write_1h": 3.0})
    assert mine("claude-sonnet-4-5", 10**6).per_million == 7.0, "a person's price is for every length"
    assert mine("gpt-5.4", 10).per_million == 2.5, "and of the model that it is shown for"
    assert (mine("gpt-5.4", 10).ttl_s, mine("gpt-5.4", 10).usual_s) == (60.0, None)
    assert mine("gpt-5.4", 10).write_1h is None, "an hour has a price only where it is sold"


def test_a_person_chooses_another_provider() -> None:
    found = priced(log_of("claude-sonnet-4-5"), "deepseek")
    assert found.rules.id == "deepseek"
    assert found.rules.ttl_s is None, "none is stated"
    assert found.rules.write_1h is None
    assert not found.prices[0].listed


def test_the_file_is_dated_and_complete() -> None:
    raw = tomllib.loads(FILE.read_text("utf-8"))
    date.fromisoformat(raw["read_on"])
    assert rule_ids() == tuple(dict.fromkeys(rule_ids()))
    assert all(one.startswith("https://") for one in raw["sources"].values())
    for row in raw["rule"]:
        assert row["from"] in raw["sources"]
        assert offers_of(row["id"])
        assert row["price"][-1]["model"] == USUAL
        for price in row["price"]:
            assert price["per_million"] > 0
            re.compile(price["model"])
            assert price.get("from", "") in ("", *raw["sources"])
            assert price.get("long", [1, 1e9])[1] > price["per_million"]
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
