"""A guess comes before a kept result: nothing answers it, one press does; the truth is the shown report's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm, choose, press, texts, visit
from ui.prefill.about import claimed, times
from ui.prefill.experiments import kept_report
from ui.prefill.guess import QUESTIONS, Guesses
from ui.prefill.models import Choice
from ui.words.i18n import LANGS, Lang, t
from ui.words.numbers import percent


def fresh(lang: Lang = "en") -> AppTest:
    """A visitor who has not guessed yet."""
    at = visit("prefill", lang=lang)
    at.session_state["prefill_guesses"] = Guesses()
    return calm(at.run())


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("section", QUESTIONS)
def test_the_result_waits_for_the_guess(section: str, lang: Lang) -> None:
    at = choose(fresh(lang), "prefill_section", section)
    assert t(f"prefill.{section}.guess", lang) in texts(at)
    assert not at.get("plotly_chart")
    assert not at.metric
    at = press(at, f"prefill_guess_{section}_0")
    assert t(f"prefill.{section}.guess", lang) not in texts(at)
    assert at.get("plotly_chart") or at.metric


def test_the_guess_stands_beside_what_came_out() -> None:
    report = kept_report("pair", Choice())
    assert report is not None
    truth = times(report.rows[0]["ratio"])
    at = press(fresh(), "prefill_guess_pair_3")
    assert t("prefill.guess.other", "en", guess=claimed(5), truth=truth) in texts(at)
    at = press(fresh(), "prefill_guess_pair_2")
    assert t("prefill.guess.right", "en", guess=claimed(4), truth=truth) in texts(at)
    assert "Your guess" not in texts(press(fresh(), "prefill_guess_pair_skip"))


@pytest.mark.parametrize("section", QUESTIONS)
def test_of_the_options_one_is_near_the_kept_result(section: str) -> None:
    """Within a tenth of the way to the next one, so that nobody is graded by a rounding."""
    question, report = QUESTIONS[section], kept_report(section, Choice())
    assert report is not None
    truth = question.truth(report)
    assert truth is not None
    if question.unit == "times":
        distances = sorted(abs(option / truth - 1) for option in question.options)
        assert distances[0] < 0.15
    else:
        distances = sorted(abs(option - truth) for option in question.options)
    assert distances[0] < distances[1] / 2


def test_nothing_is_told_where_the_report_does_not_say() -> None:
    report = kept_report("engines", Choice())
    assert report is not None
    ours = [row for row in report.rows if row["engine"] != "llama.cpp"]
    assert QUESTIONS["engines"].truth(replace(report, rows=tuple(ours))) is None


def test_the_words_of_a_question_fit_what_is_measured() -> None:
    sweep, saving = kept_report("sweep", Choice()), kept_report("saving", Choice())
    assert sweep is not None
    assert saving is not None
    assert f"{percent(sweep.rows[-1]['fraction'], 0)} %" in t("prefill.sweep.guess", "en")
    assert round(sweep.rows[-1]["linear"]) == 20
    assert len(saving.rows) == 5
