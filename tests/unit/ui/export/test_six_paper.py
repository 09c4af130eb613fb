"""The sheet on paper: the words of the screen, no answer on a question's page, letters for the code."""

from __future__ import annotations

import re
from html import unescape

import pytest

from ui.export.six_paper import paper_html
from ui.study.class_code import read_codes
from ui.study.ideas import RIGHT, TIMES
from ui.study.six_questions import seed_text
from ui.study.variants import variant
from ui.words.i18n import LANGS, MODES, Lang, LangMode, t

SEEDS = (9507, 12, 1_000_000)


def halves(page: str) -> tuple[str, str]:
    """Questions and answers."""
    questions, _, answers = page.partition("<main>")
    return questions, answers


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("time", TIMES)
def test_a_copy_for_each_seed(time: str, mode: LangMode) -> None:
    page = paper_html(mode, time, SEEDS)
    questions, answers = halves(page)
    assert questions.count("<section>") == len(SEEDS)
    assert questions.count("▢") == len(SEEDS) * len(TIMES[time])
    assert answers.count('<div class="answers">') == len(SEEDS)
    assert "$" not in page
    for seed in SEEDS:
        leading: Lang = "en" if mode == "en" else "zh"
        named = t("sheet.seed", leading, seed=seed_text(seed))
        assert named in questions
        assert named in answers


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("time", TIMES)
def test_paper_says_what_the_screen_says(time: str, lang: Lang) -> None:
    questions, answers = map(unescape, halves(paper_html(lang, time, SEEDS)))
    for seed in SEEDS:
        for name in TIMES[time]:
            asked = variant(name, seed)
            options = "".join(f"<li>{asked.option(letter, lang)}</li>" for letter in asked.order)
            assert f"<p>{asked.ask(lang)}</p><ol>{options}</ol>" in questions
            assert asked.why(lang) in answers
            assert asked.why(lang) not in questions


def test_answers_tell_the_right_number_and_the_codes_letters() -> None:
    answers = halves(paper_html("en", "before", [9507]))[1]
    told = re.findall(r"<li><b>(\d)</b> <code>([^<]+)</code>", answers)
    for (number, letters), name in zip(told, TIMES["before"], strict=True):
        of = dict(one.split("→") for one in letters.split())
        assert of[number] == RIGHT[name]
        assert sorted(of.values()) == ["a", "b", "c", "d"]


def test_a_code_by_hand_is_read() -> None:
    """As the paper says: six letters, a dash, eight, -?."""
    assert t("sheet.paper.coded", "en").count("-?") == t("sheet.paper.coded", "zh").count("-?") == 1
    assert len(read_codes("cbbacb-cbbacbab-?").codes) == 1
