"""Chapters 6 and 7 answer when their sliders and choices are moved."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from core.scenario.use_cases import VARIANTS, hit_rate, outcomes
from tests.app.visit import calm, payload, texts, visit
from ui.course.ch07_uses.counts import USUAL, last_request
from ui.course.lessons import part
from ui.words.i18n import t
from ui.words.numbers import percent


def figures(at: AppTest) -> dict[str, str]:
    """Every chart's data, by the end of its element's id."""
    return {one.proto.id: one.proto.spec for one in at.get("plotly_chart")}


def bars(at: AppTest, key: str) -> list[float]:
    """The sizes of a chart's bars."""
    [spec] = [spec for name, spec in figures(at).items() if name.endswith(f"-{key}")]
    return [trace["x"][0] for trace in json.loads(spec)["data"]]


def test_a_hundred_users_are_measured_and_others_are_not() -> None:
    at = visit("ch06", lang="en")
    assert len(bars(at, "ch06-users-bars")) == 3
    at.slider(key="ch06-users").set_value(1000)
    calm(at.run())
    assert bars(at, "ch06-users-bars") == [pytest.approx(640_000 / 128_512), pytest.approx(2.68, abs=0.01)]


@pytest.mark.parametrize("hit", [0, 512, 608])
def test_claim_model_and_measurement_move_together(hit: int) -> None:
    at = visit("ch06", lang="en")
    at.select_slider(key="ch06-shared").set_value(hit)
    calm(at.run())
    claim, model, measured = bars(at, "ch06-one")
    assert claim == 640 / (640 - hit)
    assert 1 <= model <= claim
    assert 0.9 <= measured <= claim


def test_a_queue_and_a_bill() -> None:
    at = visit("ch06", lang="en")
    at.select_slider(key="ch06-rate").set_value(80)
    at.select_slider(key="ch06-day").set_value(100)
    calm(at.run())
    assert "At 80 requests a second" in texts(at)
    assert "100 requests a day" in texts(at)
    assert bars(at, "ch06-bill-provider") == [pytest.approx(0.064), pytest.approx(0.064 - 99 * 512 * 0.9e-6)]


@pytest.mark.parametrize(("case", "variant"), [(case, ends[-1]) for case, ends in VARIANTS.items()])
def test_each_kind_of_use_with_its_stage(case: str, variant: str) -> None:
    at = visit("ch07", lang="en")
    at.button_group(key="ch07-case").set_value(case)
    at.run()
    if len(VARIANTS[case]) > 1:
        at.button_group(key=f"ch07-variant-{case}").set_value(variant)
        at.run()
    calm(at)
    usual = USUAL[case]
    rate = percent(hit_rate(outcomes(case, variant, usual.count, usual.shared, usual.own)))
    assert f"**{rate} %**" in texts(at)
    shown = payload(at)
    step = shown["a"]["events"][shown["flags"]["step"] - 1]
    assert (step["op"], step["rid"]) == ("plan", last_request(case))


def test_the_map_says_tokens_and_time() -> None:
    at = visit("ch07", lang="en")
    at.select_slider(key="ch07-prefix").set_value(512)
    at.button_group(key="ch07-kind").set_value("time")
    calm(at.run())
    assert "512 tokens of prefix in front of 128 own ones: **80.0 % of the tokens**" in texts(at)
    assert t("tradeoff.prefixes.words", "en", slots=110, room=13) in texts(at)
    assert part("ch07", "all", "en") in texts(at)
