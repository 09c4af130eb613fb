"""Findings in words and as HTML: every name in both languages, every text a text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from core.traffic.diagnosis.candidates import REPAIRS
from core.traffic.diagnosis.causes import CAUSES
from core.traffic.diagnosis.kinds import KINDS
from core.traffic.diagnosis.shown import Aligned
from core.traffic.misses import REASONS
from ui.traffic.aligned import aligned_html
from ui.words.i18n import LANGS, Lang, placeholders, t, table

NAMES = (
    *(f"traffic.cause.{one}" for one in CAUSES),
    *(f"traffic.kind.{one}" for one in KINDS),
    *(f"traffic.repair.{one}" for one in REPAIRS),
    *(f"traffic.repair.{one}.cost" for one in REPAIRS),
    *(f"traffic.reason.{one}" for one in REASONS),
    *(f"traffic.why.{one}" for one in (*REASONS, "differs_block")),
)


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_can_be_found_has_words(name: str) -> None:
    both = [table(lang)[name] for lang in LANGS]
    assert all(both)
    assert len({frozenset(placeholders(text)) for text in both}) == 1


@pytest.mark.parametrize("lang", LANGS)
def test_no_words_are_left_over(lang: Lang) -> None:
    """What is said of a cause that is no longer looked for is said of nothing."""
    families = r"traffic\.(?:cause|kind|repair|reason|why)\."
    known = [key for key in table(lang) if re.match(families, key)]
    assert set(known) == set(NAMES)


class Texts(HTMLParser):
    """What is read, and the tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.read: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.read.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)


def drawn(*rows: tuple[str, Aligned]) -> Texts:
    html = aligned_html(rows, ("same", "<changes>", "lost"), lambda key, **args: t(key, "en", **args))
    return Texts(html)


def test_texts_of_prompts_are_never_markup() -> None:
    bad = "<img src=x onerror=y>&amp;</style><script>"
    found = drawn(
        (bad, Aligned(0, (bad, "10:01", f"{bad} \n"))), ("r2", Aligned(1, (bad, bad, "\u202e\u200b")))
    )
    assert found.tags == {"style", "div", "span", "mark", "i"}
    assert "".join(found.read).count("<img src=x onerror=y>") == 5  # the beginning once more, for phones
    assert "<img␣src=x␣onerror=y>" in "".join(found.read)
    assert "<changes>" in found.read


def test_white_space_is_seen_and_what_differs_is_marked() -> None:
    html = aligned_html(
        [("a", Aligned(0, ("Now: ", "10:01", "\n\nGo"))), ("b", Aligned(1, ("Now: ", "10:45", "\n\nGo")))],
        ("same", "changes", "lost"),
        lambda key, **args: t(key, "en", **args),
    )
    assert html.count("↵") == 4
    assert "10:<mark>01</mark>" in html
    assert "10:<mark>45</mark>" in html
    assert len(aligned_html([("a", Aligned(0, ("", "x", "")))], ("", "", ""), lambda key, **_: key)) > 0
