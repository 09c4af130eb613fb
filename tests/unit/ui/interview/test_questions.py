"""Chapter 12: both languages ask the same, every number is right, every link opens on what it promises."""

from __future__ import annotations

import re
from typing import Any

import pytest

from core.engine.events import RequestArrived
from core.scenario.scenario import run
from pages.navigation import PAGES
from ui.interview.numbers import numbers
from ui.interview.questions import SHOWS, num_must, table, words
from ui.interview.runs import COST, hits
from ui.interview.work import routed, uses_to_win
from ui.stage.payload import stage_log
from ui.stage.setup import Setup, load_setup
from ui.stage.show_me import step_of
from ui.study.names import CLAIMS, LEVEL_OF, LEVELS, QUESTIONS, THEMES
from ui.words.i18n import LANGS, Lang, TextError, placeholders

ENTRIES = (*QUESTIONS, *CLAIMS)
TREE = ("ask", "short", "long", "next", "then", "trap", "fails")

# What each link promises: caption, request, block and arguments of the step it opens on.
PROMISED: dict[str, tuple[str, str | None, dict[str, Any]]] = {
    "kv_what": ("compute.answer", "R0", {"block": 4, "n": 1}),
    "kv_memory": ("alloc", "R0", {"block": 4}),
    "kv_paged": ("touch.held", "R1", {"ref": 2}),
    "kv_phases": ("append", "R0", {"n": 1}),
    "match_prefix": ("miss.chain_broken", "R1", {"block": 0}),
    "match_chain": ("miss.chain_broken", "R1", {"block": 6}),
    "match_exact": ("plan.last_token", "R1", {"hit": 8, "n": 4}),
    "match_key": ("miss.salt", "R1", {"block": 0}),
    "match_size": ("plan.not_full", "R1", {"hit": 0, "reused": 0}),
    "match_radix": ("miss.chain_broken", "R1", {"near": 2}),
    "pool_evict": ("evict.reused", "R2", {"cause": "reused"}),
    "pool_ref": ("touch.held", "R9", {"ref": 10}),
    "pool_finished": ("match", "R1", {"block": 0}),
    "pool_generated": ("miss.never_seen", "R1", {"block": 4}),
    "pool_parallel": ("match", "R1", {"block": 0}),
    "pool_preempt": ("preempt", "R1", {}),
    "pool_cliff": ("evict.reused", "R3", {"slot": 1}),
    "work_prompt": ("match", "R1", {"block": 2}),
    "work_change": ("miss.chain_broken", "R1", {"block": 2}),
    "work_tenant": ("match", "R2", {"block": 0}),
    "work_speed": ("plan.last_token", "R1", {"hit": 16, "n": 4}),
    "work_metric": ("plan.not_full", "R1", {"hit": 12, "n": 3}),
    "scale_tiers": ("miss.evicted", "R4", {"block": 0}),
    "scale_tensor": ("alloc.first", "R0", {"block": 0, "slot": 1}),
    "scale_spec": ("append", "R0", {"n": 1}),
    "scale_cascade": ("touch.held", "R9", {"ref": 10}),
    "wrong_merge": ("dup", "R1", {"slot": 4, "other": 3}),
    "wrong_full": ("plan.last_token", "R1", {"hit": 8}),
    "wrong_copy": ("touch.held", "R1", {"ref": 2}),
    "wrong_page": ("miss.evicted", "R4", {"block": 0}),
    "wrong_decode": ("append", "R1", {"n": 1}),
    "wrong_stored": ("compute.full", "R1", {"block": 2}),
    "true_step": ("match", "R1", {"block": 0}),
    "true_double": ("plan.not_full", "R1", {"hit": 0}),
    "true_zero": ("match", "R1", {"block": 0}),
}

# Every number that an answer shows.
RIGHT: dict[str, dict[str, Any]] = {
    "kv_what": {"prompt": 500, "answer": 100, "kept": "599", "again": "54,950"},
    "kv_q": {"tokens": 100, "q": 1, "kv": 100},
    "kv_size": {
        "mha": "512",
        "gqa": "128",
        "large": "320",
        "length": "8,192",
        "gib": "2.5",
        "fit": "467,000",
    },
    "kv_slow": {
        "short": "1,000",
        "long": "100,000",
        "kv_short": "0.1",
        "kv_long": "12.2",
        "weights": "14.0",
        "one": "8.2",
        "many": "11.1",
    },
    "kv_memory": {"reserved": "2,048", "used": 640, "waste": "69", "size": 16, "blocks": 40, "most": 15},
    "kv_paged": {"most": 15, "size": 16},
    "kv_phases": {
        "tokens": "4,096",
        "prefill": "100",
        "each": "0.025",
        "decode": "8.5",
        "many": 32,
        "decode_many": "18.1",
    },
    "kv_heads": {
        "mha": "512",
        "gqa": "128",
        "mla": "36",
        "mqa": "16",
        "mha_room": "81,920",
        "gqa_room": "327,680",
    },
    "kv_sampling": {"hit": 12},
    "match_prefix": {"total": 16, "early": 0, "late": 12},
    "match_chain": {"total": 29, "size": 4, "hit": 24, "computed": 5},
    "match_exact": {"total": 12, "hit": 8, "longer": 13, "hit_longer": 12, "hit_32": 16, "hit_33": 32},
    "match_verify": {"weak": 4, "checked": 0, "strong": 0},
    "match_key": {"total": 15, "other": 0, "same": 12},
    "match_size": {"shared": 10, "hit_2": 10, "hit_4": 8, "hit_8": 8, "hit_16": 0},
    "match_radix": {"total": 12, "by_token": 11, "size": 4, "by_block": 8},
    "pool_evict": {"total": 13, "one": 12, "two": 8, "three": 4},
    "pool_ref": {"users": 10, "held": 13, "unshared": 40},
    "pool_finished": {"hit": 12, "total": 15},
    "pool_generated": {"prompt": 100, "answer": 50, "known": 149, "size": 16, "hit": 144},
    "pool_parallel": {"total": 13, "parts": "13 + 1 + 1 + 1", "sum": 16, "alone": 52},
    "pool_preempt": {"own": 12, "rate": "40", "again": 12, "wrong": "51"},
    "pool_cliff": {"few_slots": 4, "few": "0", "enough_slots": 5, "enough": "83"},
    "work_prompt": {"early": 0, "total": 16, "late": 12},
    "work_change": {"place": 48, "total": 113, "size": 16, "hit": 32, "lost": 81},
    "work_think": {
        "prompt": 48,
        "thought": 40,
        "answer": 16,
        "kept": 96,
        "all": 112,
        "stripped": 48,
        "less": 72,
        "new_kept": 16,
        "new_stripped": 24,
    },
    "work_tenant": {"tokens": "2,000", "cold_ms": "51", "warm_ms": "8"},
    "work_route": {
        "replicas": 4,
        "prefix": "1,000",
        "cold": "4,000",
        "tokens": "2,400",
        "warm_wait": "6,000",
        "warm_cached": "2,000",
        "warm": "6,400",
        "idle_wait": 500,
        "idle": "2,900",
    },
    "work_price": {
        "write": 1.25,
        "read": 0.1,
        "uses": 2,
        "cost": "1.35",
        "saved": "32.5",
        "write_long": "2",
        "uses_long": 3,
        "cost_long": "2.2",
    },
    "work_speed": {
        "computed": 128,
        "total": 640,
        "claim": "5",
        "model": "Llama-3-8B",
        "gpu": "H100",
        "ratio": "2.0",
        "ten": "3.8",
        "hundred": "3.3",
    },
    "work_metric": {"tokens": "52", "requests": "67", "mean": "52", "later": "77"},
    "scale_chunked": {
        "last": "26",
        "neighbours": 31,
        "pieces": 16,
        "prompt": "8,192",
        "sum": "383",
        "whole": "216",
    },
    "scale_disagg": {
        "fast": "11",
        "gib": "0.5",
        "held": "3,072",
        "part": "0.125",
        "prefill": "100",
        "slow": "43",
        "tcp": "429",
        "tokens": "4,096",
    },
    "scale_tiers": {
        "again": "100",
        "disk": "179",
        "even": "5.3",
        "gib": "0.5",
        "host": "21",
        "tokens": "4,096",
    },
    "scale_tensor": {
        "four": "32",
        "heads": 8,
        "room_four": "2,236,768",
        "room_one": "467,296",
        "sixteen": "16",
        "sum": "256",
        "times": "4.8",
        "whole": "128",
    },
    "scale_spec": {"bad": 30, "drafts": 4, "good": 70, "little": "1.4", "much": "2.8", "places": 5},
    "scale_cascade": {
        "merged": "16,384",
        "merged_gib": "2",
        "merged_ms": "10",
        "own": 256,
        "plain": "270,336",
        "plain_gib": "33",
        "plain_ms": "28",
        "prefix": "8,192",
        "requests": 32,
    },
    "scale_window": {
        "every": 6,
        "full": 512,
        "hit": 0,
        "hit_longer": 528,
        "large": 528,
        "last": 64,
        "longer": 552,
        "prompt": 520,
        "share": "27",
        "size": 16,
        "tokens": "8,192",
        "width": "1,024",
    },
    "scale_closed": {
        "answer": 780,
        "brief": 20,
        "cold": "0.67",
        "cold_ms": "42",
        "decode": "8.36",
        "gain": "6",
        "hit": "1,504",
        "most": "7",
        "prompt": "1,600",
        "rate": "94",
        "round_cold": "9.03",
        "round_warm": "8.52",
        "times": "2.4",
        "users": 16,
        "warm": "0.16",
        "warm_ms": "10",
    },
    "true_block": {"hit": 0, "size": 16, "times": 5},
    "true_step": {"parts": "13 + 1 + 1 + 1", "total": 13},
    "true_more": {"hit_32": 16, "hit_33": 32},
    "true_double": {"hit_16": 0, "hit_8": 8, "shared": 10},
    "true_own": {"after": 8, "before": 16, "total": 17},
    "true_again": {"again": 12},
    "true_length": {
        "gpu": "H100",
        "hundred": "3.3",
        "model": "Llama-3-8B",
        "ratio": "2.0",
        "ten": "3.8",
        "total": 640,
    },
    "true_zero": {"hit": 12, "total": 15},
    "wrong_prompt": {"prompt": 100, "answer": 50, "hit": 144},
    "wrong_linear": {"again": "54,950", "kept": "599", "prompt": 500, "answer": 100},
    "wrong_full": {"hit": 8, "total": 12, "share": "67"},
    "wrong_decode": {"decode": "8.5", "tokens": "4,096"},
}


def holes(name: str, lang: Lang) -> frozenset[str]:
    return frozenset().union(*(placeholders(text) for text in table(lang)[name].values()))


def test_there_are_enough_questions_in_every_theme() -> None:
    assert len(QUESTIONS) >= 28
    assert len(set(ENTRIES)) == len(ENTRIES)
    assert all(len(names) >= 5 for names in THEMES.values())
    assert sum(not truth for truth in CLAIMS.values()) >= 8
    assert sum(CLAIMS.values()) >= 8, "one who says false to everything is right half the time at most"


@pytest.mark.parametrize("lang", LANGS)
def test_every_entry_has_its_words(lang: Lang) -> None:
    assert tuple(table(lang)) == ENTRIES
    for name in ENTRIES:
        must = {f"must_{place}" for place in range(1, num_must(name) + 1)}
        wanted = {"claim", "why"} if name in CLAIMS else {*TREE, *must}
        promise = {"show"} if name in SHOWS and not SHOWS[name].page else set()
        assert set(table(lang)[name]) - {"show", "none"} == wanted
        assert promise <= set(table(lang)[name]), name


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_names_three_to_five_things_and_where_it_is_seen(name: str) -> None:
    assert 3 <= num_must(name) <= 5
    assert name in SHOWS
    assert bool(SHOWS[name].page) == ("none" in table("en")[name]), "a step, or why none"


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_asked_and_the_trap_do_not_tell_the_answer(lang: Lang) -> None:
    """A trap may repeat numbers, never the sentence that puts it right; no text stands in two places."""
    for name in QUESTIONS:
        told = [words(name, key, lang) for key in TREE]
        assert len(set(told)) == len(told)
        assert words(name, "fails", lang) not in words(name, "trap", lang)


def test_each_level_has_its_questions() -> None:
    assert set(LEVEL_OF) == set(QUESTIONS)
    assert all(sum(level == one for one in LEVEL_OF.values()) >= 10 for level in LEVELS)


@pytest.mark.parametrize("name", ENTRIES)
def test_both_languages_have_the_same_texts_with_the_same_holes(name: str) -> None:
    english, chinese = table("en")[name], table("zh")[name]
    assert list(english) == list(chinese)
    for key in english:
        assert placeholders(english[key]) == placeholders(chinese[key]), key
        for lang in LANGS:
            told = words(name, key, lang)
            assert told
            assert not set(told) & set("{}")


@pytest.mark.parametrize("name", ENTRIES)
def test_every_number_is_right(name: str) -> None:
    shown = {hole: numbers(name)[hole] for hole in holes(name, "en")}
    assert shown == RIGHT.get(name, {})


@pytest.mark.parametrize("lang", LANGS)
def test_no_rate_is_above_one_hundred(lang: Lang) -> None:
    for name in ENTRIES:
        for key in table(lang)[name]:
            assert all(float(rate) <= 100 for rate in re.findall(r"([\d.]+) ?%", words(name, key, lang)))


def test_an_unknown_entry_is_our_error() -> None:
    with pytest.raises(TextError, match="no nobody"):
        words("nobody", "ask", "en")


# -- what sentences say without a hole -------------------------------------------------------------------


def test_figures_that_belong_to_a_question() -> None:
    assert hits([range(640), [*range(512), *range(9_000, 9_128)]], num_blocks=128)[1] == 512
    assert load_setup(SHOWS["work_speed"].setup(), "en").config.block_size == 4
    assert [hits([range(13)] * 2, block_size=size)[1] for size in (1, 4, 16)] == [12, 12, 0]
    prompts = [
        e.token_ids for e in run(load_setup(Setup("P7"), "en")).events if isinstance(e, RequestArrived)
    ]
    pairs = list(zip(*prompts, strict=False))
    assert (
        next(place for place, (one, two) in enumerate(pairs) if one != two) == numbers("match_size")["shared"]
    )


def test_the_tail_goes_before_the_head() -> None:
    found = [numbers("pool_evict")[name] for name in ("one", "two", "three")]
    assert found == sorted(found, reverse=True)


def test_a_prefix_loses_at_most_a_block_less_one() -> None:
    for shared in range(1, 70):
        old, new = [*range(shared), 7_001, 7_002], [*range(shared), 8_001, 8_002]
        assert 0 <= shared - hits([old, new])[1] <= 15


def test_the_price_of_a_write_comes_back() -> None:
    assert [uses_to_win(write) for write in (1.0, 1.25, 2.0)] == [2, 2, 3]
    assert 1.25 + 0.1 < 2 < 2.0 + 0.1
    assert 2.0 + 2 * 0.1 < 3


def test_the_nearer_replica_loses_when_its_line_is_long() -> None:
    assert routed(500, 2_400, 0) < routed(6_000, 2_400, 2_000)
    assert routed(500, 2_400, 0) > routed(500, 2_400, 2_000)


def test_modelled_gains_rise_and_fall_again() -> None:
    ratios = [COST.compare(640 * times, 512 * times).ratio for times in (1, 10, 100)]
    assert ratios[0] < ratios[2] < ratios[1] < 5
    parts = {part.formula: part.seconds for part in COST.prefill_parts(12_800, 51_200)}
    assert max(parts, key=parts.__getitem__) == "formula.prefill.attention"


def test_chinese_lines_are_joined_without_blanks_between_characters() -> None:
    for name in ENTRIES:
        for text in table("zh")[name].values():
            assert "\n" not in text
            assert not re.search(r"[\u4e00-\u9fff，。：；] [\u4e00-\u9fff]", text), text
            assert not re.search(r"[\u4e00-\u9fff]\{|\}[\u4e00-\u9fff]", text), text


# -- links -----------------------------------------------------------------------------------------------


def test_every_link_to_the_stage_has_a_promise() -> None:
    assert set(PROMISED) == {name for name, show in SHOWS.items() if not show.page}
    assert {show.page for show in SHOWS.values() if show.page} <= set(PAGES)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", PROMISED)
def test_a_link_opens_on_the_step_it_promises(name: str, lang: Lang) -> None:
    show = SHOWS[name]
    scenario = load_setup(show.setup(), lang)
    steps = stage_log(scenario, run(scenario), name)["events"]
    step = steps[step_of(show) - 1]
    caption, request, args = PROMISED[name]
    assert (step["cap"], step.get("rid")) == (caption, request)
    assert {key: step["args"][key] for key in args} == args
    before = [one["op"] for one in steps[: step_of(show)]]
    if name == "pool_parallel":
        assert "compute" not in before, "shared before anything is computed"
    if name == "pool_finished":
        assert before.count("done") == 1
