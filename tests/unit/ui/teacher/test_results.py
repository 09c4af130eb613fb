"""The class card: no share above the class, nothing pasted becomes markup, every stop opens."""

from __future__ import annotations

import csv
import re
from io import StringIO

import pytest
from hypothesis import given

from tests.strategies import examples
from tests.unit.ui.study.test_class_count import classes
from ui.stage.show_me import address
from ui.study.class_code import Code, read_codes
from ui.study.class_count import count_class
from ui.study.compared import SHOWS
from ui.study.ideas import RIGHT, SIX
from ui.teacher.card import card_css, card_html
from ui.teacher.example_class import NUM, example_text
from ui.teacher.places import address_of
from ui.teacher.results import STOPS, answers_csv
from ui.teacher.stops import words
from ui.words.i18n import LANGS, Lang, t
from ui.words.palette import PALETTE


@given(classes)
@examples(100)
def test_bars_and_marks_never_say_more_than_there_are(codes: list[Code]) -> None:
    counted = count_class(codes)
    if not counted.num:
        return
    page = card_html(counted, ("en",))
    widths = [float(width) for width in re.findall(r"width:([\d.]+)%", page)]
    assert len(widths) == sum(number > 0 for row in counted.rows for number in row.right.values())
    assert all(0 < width <= 100 for width in widths)
    for marks in re.findall(r'role="img"[^>]*>(.*?)</span>', page):
        assert marks.count("<i") == counted.num


@pytest.mark.parametrize("lang", LANGS)
def test_the_example_says_that_it_is_one(lang: Lang) -> None:
    counted = count_class(read_codes(example_text()).codes)
    page = card_html(counted, (lang,), made_up=True)
    assert t("results.made_up", lang) in page
    assert t("results.made_up", lang) not in card_html(counted, (lang,))
    assert t("six.stamp.belief.a", lang) in page
    assert t("results.of", lang, n=NUM) in page


def test_one_time_alone_is_told_as_such() -> None:
    page = card_html(count_class([Code("aaaaaa", "........")]), ("en",))
    assert t("results.head.before", "en") in page
    assert t("results.fell", "en") not in page
    assert "→" not in page
    assert t("results.new", "en") not in page
    assert not [name for name in SIX if t(f"six.{name}.so", "en") in page], "what is asked again is not told"


def test_who_is_left_aside_is_told() -> None:
    page = card_html(count_class([Code("aaaaaa", "cbbacbab"), Code("aaaaaa", "........")]), ("zh",))
    assert t("results.aside", "zh", n=1) in page


def test_ink_only() -> None:
    """Blue and amber mean reused and computed, and a class is neither."""
    colours = set(re.findall(r"#[0-9A-Fa-f]{3,8}\b", card_css()))
    inks = {PALETTE[theme][name] for theme in PALETTE for name in ("bg", "ink", "muted", "line", "hair")}
    assert colours == inks


def test_large_text_is_large() -> None:
    """Every size that the large layout sets, and none is smaller than 28 of 1080 lines."""
    rules = re.findall(r"\.class-card\.large[^{]*\{[^}]*\}", card_css())
    sizes = [int(size) for rule in rules for size in re.findall(r"font-size:calc\((\d+)\*", rule)]
    assert len(sizes) >= 8
    assert min(sizes) == 28


@pytest.mark.parametrize("name", SIX)
@pytest.mark.parametrize("lang", LANGS)
def test_a_belief_leads_to_its_stop(name: str, lang: Lang) -> None:
    assert words(STOPS[name], "title", lang)
    assert address_of(STOPS[name]).link(lang)


def test_the_table_has_a_line_for_every_option() -> None:
    text = answers_csv(read_codes(example_text()), "en")
    assert text.startswith("\ufeff")
    head, *rows = csv.reader(StringIO(text.removeprefix("\ufeff")))
    assert len(head) == len(rows[0]) == 8
    assert len(rows) == (6 + 8) * 5
    assert sum(row[4] != "" for row in rows) == 6 + len(RIGHT)
    assert all(int(row[5]) <= int(row[7]) == NUM for row in rows)


@pytest.mark.parametrize("lang", LANGS)
def test_a_belief_fell_only_where_more_are_right(lang: Lang) -> None:
    """Who leaves one error for another one has not learned what is so."""
    moved = card_html(count_class([Code("aaaaaa", "bbbacbab")] * 3), (lang,))
    assert t("results.fell.moved", lang) in moved
    assert t("results.fell", lang) + "<" not in moved
    fell = card_html(count_class([Code("aaaaaa", "cbbacbab")] * 3), (lang,))
    assert t("results.fell", lang) + "<" in fell


def test_each_new_situation_has_its_number() -> None:
    page = card_html(count_class([Code("aaaaaa", "cbbacbac")] * 3), ("en",))
    assert re.search(r"Two tools change places <b>3</b>", page)
    assert re.search(r"Two customers with salts <b>0</b>", page)


@pytest.mark.parametrize("name", SHOWS)
@pytest.mark.parametrize("lang", LANGS)
def test_every_wrong_idea_leads_to_a_step(name: str, lang: Lang) -> None:
    assert "#step=" in address(SHOWS[name], lang)
