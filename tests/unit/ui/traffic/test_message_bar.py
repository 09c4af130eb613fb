"""The bar of a message, what a phone shows of rows beside each other, and a repair of two causes in words."""

from __future__ import annotations

import re

import pytest

from core.traffic.diagnosis.findings import Also, Bar, Offer
from core.traffic.diagnosis.shown import Aligned
from ui.traffic.aligned import aligned_html
from ui.traffic.message_bar import bar_html, bar_words
from ui.words.i18n import LANGS, Lang, t


def say_in(lang: Lang):  # type: ignore[no-untyped-def]
    return lambda key, **args: t(key, lang, **args)


@pytest.mark.parametrize("lang", LANGS)
def test_the_bar_is_as_wide_as_its_tokens_and_says_so(lang: Lang) -> None:
    bar = Bar((9, 5, 241))
    html = bar_html(bar, "messages[0].content", say_in(lang))
    assert re.findall(r'class="(.)" style="flex:(\d+) 0 0"', html) == [("a", "9"), ("v", "5"), ("z", "241")]
    words = bar_words(bar, "messages[0].content", say_in(lang))
    assert words in html
    for number in ("255", "1–9", "10–14", "15"):
        assert number in words


def test_parts_without_a_token_are_neither_drawn_nor_told() -> None:
    html = bar_html(Bar((0, 5, 3)), "prompt", say_in("en"))
    assert 'class="a"' not in html
    assert "equal again" in html
    assert "1–5 change" in html


@pytest.mark.parametrize("lang", LANGS)
def test_what_changes_once_more_is_not_told_as_equal(lang: Lang) -> None:
    """A branch, a commit, a number of files: the commit stood under "equal again"."""
    bar = Bar((3, 1, 7, 6, 2))
    html = bar_html(bar, "prompt", say_in(lang))
    kinds = re.findall(r'class="(.)" style="flex:(\d+) 0 0"', html)
    assert kinds == [("a", "3"), ("v", "1"), ("z", "7"), ("v", "6"), ("z", "2")]
    words = bar_words(bar, "prompt", say_in(lang))
    assert t("traffic.bar.one", lang, first=4) in words
    assert t("traffic.bar.lost_and_changes", lang, lost=9, changes=6) in words
    assert "4–4" not in words
    row = aligned_html(
        [("r1", Aligned(0, ("On ", "fix", ", commit ", "d82", ".")))], ("", "", ""), say_in(lang)
    )
    assert re.findall(r'<span class="(\w)[ end]*">', row) == ["a", "a", "v", "z", "v", "z"]


def test_a_phone_has_the_common_head_once() -> None:
    rows = [("r1", Aligned(0, ("Now: ", "09:00", " rest"))), ("r2", Aligned(1, ("Now: ", "09:07", " rest")))]
    html = aligned_html(rows, ("equal", "changes", "lost"), say_in("en"))
    head = html[html.index('<div class="head"') : html.index('<div class="r">')]
    assert head.count("Now:") == 1
    assert ".broth-al .z,.broth-al .a{display:none}" in html


def test_different_heads_are_not_told_as_one() -> None:
    rows = [("r1", Aligned(0, ("One ", "09:00", ""))), ("r2", Aligned(1, ("Two ", "09:07", "")))]
    html = aligned_html(rows, ("equal", "changes", "lost"), say_in("en"))
    head = html[html.index('<div class="head"') : html.index('<div class="r">')]
    assert "One" not in head


def test_a_text_is_never_markup() -> None:
    html = bar_html(Bar((1, 1, 1)), "<script>", say_in("en"))
    assert "<script>" not in html


@pytest.mark.parametrize("lang", LANGS)
def test_two_repairs_are_told_as_one_offer(lang: Lang) -> None:
    offer = Offer("cut_to_day", 0.9, 10, 4, None, None, Also("tool_order", "tools", "sort_tools"))
    assert offer.also is not None
    first, second = (
        t(f"traffic.repair.{one}", lang, value=None) for one in (offer.repair, offer.also.repair)
    )
    words = t("traffic.finding.both", lang, first=first, second=second, path=offer.also.path)
    assert first in words
    assert second in words
    assert "tools" in words
