"""Your traffic for whoever decides: one clock, captions that follow settings, rules, quotas, lower bounds."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.cost import GPUS, MODELS, CostModel
from core.traffic.analysis import Analysis
from core.traffic.settings import Settings
from tests.app.test_traffic import VIEWS, link_of, metrics, paste, rows, state_of
from tests.app.visit import calm, choose, texts, visit
from ui.words.formula_words import error_words
from ui.words.i18n import LANGS, Lang, t

A, C = list(range(1, 33)), [100 + place for place in range(32)]


def captions(at: AppTest) -> str:
    return "\n".join(str(one.value) for one in at.caption)


def analysis_of(at: AppTest) -> Analysis:
    """The one that is shown."""
    found = [one for one in state_of(at).computed.values() if isinstance(one, Analysis)]
    slots, ttl_s = (at.number_input(key=f"traffic_{name}").value for name in ("slots", "ttl"))
    size = at.selectbox(key="traffic_block").value
    return next(one for one in found if one.settings == Settings(size, slots, ttl_s))


def table_with(at: AppTest, column: str) -> Any:
    """The first table that has the column."""
    return next(one.value for one in at.dataframe if column in one.value.columns)


def timed(*prompts: tuple[list[int], float]) -> str:
    return rows(*({"token_ids": [*tokens, 9], "timestamp": at} for tokens, at in prompts))


def blocks() -> str:
    """Two tenants, ids of 512 tokens, an hour apart, with dates of one day."""
    ids = ([1, 2, 3], [1, 2, 4], [5, 6], [5, 7])
    return rows(
        *(
            {
                "timestamp": 3_600_000 * number,
                "input_length": 512 * len(ids[number % 4]) - 5,
                "output_length": 1,
                "hash_ids": list(ids[number % 4]),
            }
            for number in range(12)
        )
    )


def of_tenants() -> str:
    rows_ = []
    for number in range(40):
        tokens = [number % 2, *range(20 + number // 2 % 7), number]
        tenant = "first" if number % 4 else "second"
        rows_.append({"token_ids": tokens, "tenant": tenant, "timestamp": 1_777_633_200 + 1800 * number})
    return rows(*rows_)


# -- one clock -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ttl_s", [299.999, 300.0, 0.0, 1e6])
def test_the_headline_the_curve_and_the_sweeps_say_one_number(ttl_s: float) -> None:
    """A at 0, C at 300, A at 300, kept for 300 seconds: 46.3 % above and 89.9 % below on one page."""
    at = paste(visit("traffic", lang="en", ya="4~~"), timed((A, 0), (C, 300), (A, 300)))
    choose(at, "traffic_block", 4)
    choose(at, "traffic_ttl", ttl_s)
    rate = "32.3 %" if ttl_s >= 300 else "0.0 %"
    assert metrics(at)[0] == rate
    analysis = analysis_of(at)
    assert analysis.curve.rates[-1] == analysis.hit_rate
    choose(at, "traffic_view", "sweeps")
    assert f"At {ttl_s:g} s: {rate}" in captions(at)
    choose(at, "traffic_view", "overview")
    if ttl_s < 300:
        choose(at, "traffic_rule", "anthropic_5m")
        assert metrics(at)[-1] == t("traffic.verdict.short", "en")
        choose(at, "traffic_rule_minimum", 0)
        assert metrics(at)[-1] == t("traffic.verdict.longer", "en")
        assert t("traffic.verdict.room", "en") not in texts(at)


@pytest.mark.parametrize("lang", LANGS)
def test_no_caption_stands_under_another_setting(lang: Lang) -> None:
    """Every sentence that depends on the time to live names it, in every view; none is left of another."""
    at = paste(visit("traffic", lang=lang), of_tenants())
    choose(at, "traffic_block", 4)
    choose(at, "traffic_slots", 30)
    for ttl_s in (3600.0, 7200.0, None):
        choose(at, "traffic_ttl", ttl_s)
        named = None if ttl_s is None else t("traffic.curve.ttl", lang, ttl=f"{ttl_s:g}")
        basis = None if ttl_s is None else t("traffic.basis.ttl", lang, seconds=f"{ttl_s:g}")
        others = [f"{other:g}" for other in (3600.0, 7200.0) if other != ttl_s]
        for view in VIEWS:
            choose(at, "traffic_view", view)
            said = captions(at)
            assert (basis is None) or basis in said, view
            for other in others:
                assert t("traffic.basis.ttl", lang, seconds=other) not in said, view
                assert t("traffic.curve.ttl", lang, ttl=other) not in said, view
            if view == "overview":
                assert (named is None) or named in said
                best = t("traffic.best" if ttl_s is None else "traffic.best.no_ttl", lang)
                assert at.metric[1].label == best
                assert at.metric[0].value == t(
                    "unit.percent", lang, n=f"{100 * (analysis_of(at).hit_rate or 0):.1f}"
                )
            if view == "sweeps":
                assert (t("traffic.orders.no_ttl", lang) in said) == (ttl_s is not None)
                pinned = t("traffic.pinning.ttl", lang, ttl=f"{ttl_s:g}") if ttl_s is not None else ""
                assert pinned in said
    choose(at, "traffic_view", "overview")
    for slots in (12, 25):
        choose(at, "traffic_slots", slots)
        assert t("traffic.basis.slots", lang, slots=str(slots)) in captions(at)


def test_sample_numbers_name_their_block_size() -> None:
    at = visit("traffic", lang="en")
    assert "come again in blocks of 16" in captions(at)
    choose(at, "traffic_block", 256)
    said = captions(at)
    assert "come again in blocks of 256" in said
    assert "in blocks of 16." not in said


# -- numbers to decide by ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_the_headline_has_the_least_memory_and_the_spread(lang: Lang) -> None:
    at = visit("traffic", lang=lang)
    assert at.metric[2].label == t("traffic.enough", lang)
    found = next(value for key, value in state_of(at).computed.items() if key[0] == "enough")
    gib = CostModel(MODELS["Llama-2-7B"], GPUS["A100"]).gib(found.slots, 16).value  # type: ignore[attr-defined]
    assert at.metric[2].value == f"{gib:.2f} GiB"
    assert "Llama-2-7B" in (at.metric[2].help or "")
    assert "bf16" in (at.metric[2].help or "")
    told = next(said for said in captions(at).splitlines() if "1,319" in said)
    assert "90.0" in told
    assert "209" in told


@pytest.mark.parametrize("lang", LANGS)
def test_the_rule_of_the_verdict_is_chosen_dated_and_kept_in_the_link(lang: Lang) -> None:
    at = visit("traffic", lang=lang, yj="anthropic_5m~~~")
    assert "2026-" in captions(at)
    assert t("traffic.rule.below.show", lang) in captions(at)
    choose(at, "traffic_rule", "openai_old")
    assert at.number_input(key="traffic_rule_minimum").value == 1024
    assert at.number_input(key="traffic_rule_write").value == 1.0
    assert t("traffic.rule.step", lang, n=128) in captions(at)
    choose(at, "traffic_rule_minimum", 2048)
    query = link_of(at)
    assert query["yj"] == "openai_old~2048~~"
    again = visit("traffic", **query)
    assert again.selectbox(key="traffic_rule").value == "openai_old"
    assert again.number_input(key="traffic_rule_minimum").value == 2048
    assert metrics(again)[-1] == t("traffic.verdict.short", lang)
    choose(again, "traffic_rule", "own")
    assert link_of(again)["yj"] == "own~~~"
    assert metrics(again)[-1] == t("traffic.verdict.worth", lang)
    assert t("traffic.rule.below.show", lang) not in captions(again)


@pytest.mark.parametrize("lang", LANGS)
def test_hours_percentiles_and_quotas_of_tenants(lang: Lang) -> None:
    at = choose(paste(visit("traffic", lang=lang), of_tenants()), "traffic_view", "sources")
    assert t("traffic.quota.need", lang) in captions(at)
    choose(at, "traffic_block", 4)
    choose(at, "traffic_slots", 30)
    assert sorted(table_with(at, "own_slots")["own_slots"]) == [15, 15]
    choose(at, "traffic_quota", "tokens")
    by_tokens = sorted(table_with(at, "own_slots")["own_slots"])
    assert by_tokens != [15, 15]
    assert sum(by_tokens) == 30
    assert {"p10", "p50", "p90", "length_p50", "below"} <= set(table_with(at, "verdict").columns)
    choose(at, "traffic_key", "hour")
    assert t("traffic.hours.dates", lang) in captions(at)
    hours = table_with(at, "verdict")
    assert list(hours["source"])[:2] == ["2026-05-01 11:00", "2026-05-01 12:00"]


# -- lower bounds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_blocks_that_cut_the_logs_own_are_lower_bounds_in_every_view(lang: Lang) -> None:
    at = paste(visit("traffic", lang=lang), blocks())
    said = t("traffic.lower_bound", lang, size=16, own=512)
    assert said not in texts(at)
    choose(at, "traffic_block", 16)
    for view in VIEWS:
        choose(at, "traffic_view", view)
        assert any(said == str(one.value) for one in at.info), view
        assert t("traffic.basis.lower_bound", lang) in captions(at), view
    choose(at, "traffic_view", "compare")
    table = table_with(at, "a")
    rates = [row for _, row in table.iterrows() if "%" in row["a"]]
    assert rates
    assert all(row["a"].startswith("≥") for row in rates)
    choose(at, "traffic_view", "overview")
    assert all(one.startswith("≥") for one in (*metrics(at)[:2], metrics(at)[3]))
    assert metrics(at)[2].startswith("≈")
    told = [str(one.value) for one in (*at.markdown, *at.caption)]
    plain = (t("traffic.spread.bound", lang), error_words(lang), t("machine.help", lang))
    told = [one for one in told if not any(known in one for known in plain)]
    signs = [(sign, one) for one in told for sign in re.findall(r"(.{0,4})\b\d[\d,.]* ?%", one)]
    assert signs
    assert [one for sign, one in signs if not set(sign) & {"≥", "≤"}] == []
    assert any("≤" in one for one in told)
    again = visit("traffic", **link_of(at))
    assert again.warning.len == 0
    choose(at, "traffic_block", 512)
    assert "≥" not in texts(at)


def test_the_stage_says_so_too() -> None:
    at = paste(visit("traffic", lang="en"), blocks())
    choose(at, "traffic_block", 16)
    choose(at, "traffic_view", "misses")
    at.session_state["traffic_rows_0"] = {"selection": {"rows": [0], "columns": []}}
    state_of(at).picked = 4
    calm(at.run())
    at.button(key="traffic_watch").click()
    at.run()
    assert t("traffic.basis.lower_bound.stage", "en") in at.session_state["moment"].note


# -- who counts the tokens -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_that_no_real_tokenizer_is_here_is_said_where_texts_are_counted(
    lang: Lang, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("core.backends.models.log_tokenizers", "ui.traffic.tokenizers"):
        monkeypatch.setattr(f"{module}.has_qwen", lambda: False)
        monkeypatch.setattr("ui.traffic.tokenizers.offered", lambda: ("teaching",))
    at = paste(visit("traffic", lang=lang), rows({"prompt": "a b c d"}, {"prompt": "a b c e"}))
    assert t("traffic.tokenizer.none_real", lang) in captions(at)
    paste(at, json.dumps({"token_ids": [1, 2, 3]}))
    assert t("traffic.tokenizer.none_real", lang) not in captions(at)
