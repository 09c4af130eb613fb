"""The glossary: one source for page and paper, both languages, every link opens on what it promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.scenario.scenario import run
from pages.navigation import PAGES
from ui.course.glossary import Term, breaks, search, terms
from ui.stage.payload import stage_log
from ui.stage.setup import load_setup
from ui.stage.show_me import address, step_of
from ui.words.i18n import LANGS, Lang

DOC = (Path(__file__).resolve().parents[4] / "docs" / "glossary.md").read_text("utf-8")
ON_STAGE = [term for term in terms() if not term.show.page]

# What is seen where these words' links open: the caption of the step.
SEEN = {
    "token": "cut", "request": "arrive", "block": "cut", "not-full block": "free.front",
    "hash tag": "hash.first", "hash chain": "hash.next", "hash table": "register",
    "slot (physical block)": "alloc.first", "cached prefix": "plan.not_full", "block pool": "alloc.first",
    "block table": "touch.held", "ref count": "touch.held", "hit": "match", "miss": "miss.chain_broken",
    "compute (prefill)": "compute.first", "free": "free.front", "free queue (LRU)": "free.back",
    "evict": "evict.reused", "time to live (TTL)": "ttl", "decode": "append", "preempt": "preempt",
    "null block": "alloc.first", "numbers on the stage": "alloc.first",
    "block size": "cut", "salt": "miss.salt", "near miss": "miss.chain_broken",
    "partial hit": "plan.none", "last-token rule": "plan.last_token", "duplicate": "dup",
    "admission": "notstored.sightings", "wait": "wait", "working set": "evict.reused",
    "cliff": "miss.evicted", "tick": "tick", "RAG": "plan.none", "multi-turn chat": "plan.none",
    "template": "plan.none", "tenant": "match", "reserved": "alloc.first", "free, kept": "free.back",
}  # fmt: skip


def english(term: Term) -> str:
    return term.name["en"]


def test_the_paper_says_the_same() -> None:
    rows = []
    for term in terms():
        noodle = " · ".join(text for text in (term.noodle["en"], term.noodle["zh"]) if text) or "–"
        cells = (term.name["en"], term.name["zh"], term.what["en"], term.what["zh"], noodle)
        rows.append("| " + " | ".join(cells) + " |")
    lines = DOC.splitlines()
    assert [line for line in lines if line.startswith("| ")][2:] == rows
    broken = [f"- {one['en']} · {one['zh']}" for one in breaks()]
    assert [line for line in lines if line.startswith("- ")] == broken


@pytest.mark.parametrize("lang", LANGS)
def test_every_word_stands_once_with_one_sentence(lang: Lang) -> None:
    names = [term.name[lang] for term in terms()]
    assert len(set(names)) == len(names) >= 50
    for term in terms():
        what = term.what[lang]
        assert what.endswith(("。", "……") if lang == "zh" else ".")
        assert not set(what) & set("|\n")
        assert len(what) <= (60 if lang == "zh" else 120), what
        assert bool(term.noodle["en"]) == bool(term.noodle["zh"])


def test_the_picture_breaks_in_both_languages() -> None:
    assert len(breaks()) == 5
    assert all(one[lang] for one in breaks() for lang in LANGS)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("引用计数", "ref count"),
        ("REF COUNT", "ref count"),
        ("ttft", "TTFT (time to first token)"),
        ("高汤", "prefix"),
        ("pour out", "evict"),
        ("null block", "null block"),
    ],
)
def test_search_in_either_language(text: str, first: str) -> None:
    assert english(search(text)[0]) == first


def test_search_that_finds_nothing_or_all() -> None:
    assert search("zebra") == []
    assert search("  ") == list(terms())


def test_words_of_the_screen_are_explained() -> None:
    named = " ".join(map(str, terms())).casefold()
    for word in (
        "hit",
        "miss",
        "evict",
        "preempt",
        "salt",
        "ttl",
        "lru",
        "gqa",
        "prefill",
        "decode",
        "working set",
        "reserved",
        "free, kept",
        "block hash",
    ):
        assert word in named


def test_every_word_on_the_stage_has_its_promise() -> None:
    assert {english(term) for term in ON_STAGE} == set(SEEN)
    assert {term.show.page for term in terms()} - {""} <= set(PAGES)


PATH_SHOWS_IT = {
    "prompt",
    "system prompt",
    "KV cache",
    "prefix",
    "private suffix",
    "prefix caching",
    "PagedAttention",
}
"""Words that a chapter speaks of before anything else."""


def test_a_page_is_opened_at_the_place_of_the_word() -> None:
    lost = {english(term) for term in terms() if term.show.page.startswith("ch") and not term.show.place}
    assert lost == PATH_SHOWS_IT


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("term", ON_STAGE, ids=english)
def test_a_link_opens_on_what_it_promises(term: Term, lang: Lang) -> None:
    scenario = load_setup(term.show.setup(), lang)
    steps = stage_log(scenario, run(scenario), "")["events"]
    assert steps[step_of(term.show) - 1]["cap"] == SEEN[english(term)]
    assert address(term.show, lang).endswith(f"#step={step_of(term.show)}")
