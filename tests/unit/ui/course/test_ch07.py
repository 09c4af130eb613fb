"""Chapter 7's numbers: every kind of use on the engine, verdicts, the map, and the small runs."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from core.engine.events import RequestAdmitted
from core.scenario.scenario import run
from core.scenario.use_cases import ANSWER, ROLES, VARIANTS, by_part, hit_rate, lengths, outcomes, plan
from core.tradeoffs.tradeoffs import conversation, saving
from pages.ch07 import PANEL_PREFIX, chat_numbers
from ui.course.ch07_uses.counts import (
    PREFIXES,
    SUFFIXES,
    USUAL,
    all_rates,
    drawn,
    last_request,
    share_map,
    small_scenario,
    verdicts,
)
from ui.machine.machine import Machine
from ui.stage.payload import stage_log
from ui.stage.setup import Setup, load_setup
from ui.stage.show_me import find_step, op_is
from ui.words.i18n import LANGS, Lang
from ui.words.numbers import never_full

COST = Machine().cost()
CASES = [(case, variant) for case, variants in VARIANTS.items() for variant in variants]


def test_hit_rates_at_usual_lengths() -> None:
    rates = {pair: round(100 * rate, 1) for pair, rate in all_rates().items()}
    assert rates == {
        ("chat", "turns"): 94.9,
        ("bank", "role"): 89.1,
        ("teacher", "role"): 77.3,
        ("law", "role"): 16.6,
        ("safety", "role"): 93.5,
        ("medical", "late"): 76.0,
        ("medical", "early"): 4.8,
        ("legal", "late"): 38.0,
        ("legal", "early"): 1.5,
        ("review", "late"): 67.3,
        ("review", "early"): 2.2,
        ("batch", "same"): 94.5,
        ("batch", "ab"): 93.9,
        ("rag", "fixed"): 91.2,
        ("rag", "shuffled"): 37.6,
        ("free", "questions"): 0.0,
    }


def test_a_field_at_the_end_leaves_the_whole_template_shared() -> None:
    late, early = outcomes("medical", "late", 20, 512, 128), outcomes("medical", "early", 20, 512, 128)
    assert [one.hit for one in late] == [0] + [512] * 19
    assert [one.hit for one in early] == [0] + [32] * 19, "the opening before the field still hits"
    assert sum(one.total for one in late) == sum(one.total for one in early) == 20 * 640
    assert by_part(early)["template"][1] == 0
    assert hit_rate(late) == 19 * 512 / (20 * 640)


def test_identical_prompts_at_once_hit_within_the_step() -> None:
    found = outcomes("batch", "same", 32, 512, 128)
    assert [one.hit for one in found] == [0] + [624] * 31, "of each its last block is computed"
    two = outcomes("batch", "ab", 32, 512, 128)
    assert [one.hit for one in two] == [0, 512] + [624] * 30


def test_documents_in_another_order_are_other_documents() -> None:
    fixed, shuffled = outcomes("rag", "fixed", 20, 1536, 64), outcomes("rag", "shuffled", 20, 1536, 64)
    assert [one.hit for one in fixed] == [0] + [1536] * 19
    assert min(one.hit for one in shuffled[1:]) == 256, "the opening alone"
    assert {one.kind: one.word for one in verdicts(fixed)} == {
        "opening": "worth",
        "document": "worth",
        "question": "waste",
    }
    assert {one.kind: one.word for one in verdicts(shuffled)} == {
        "opening": "worth",
        "document": "depends",
        "question": "waste",
    }


def test_a_chat_equals_the_formula() -> None:
    found = outcomes("chat", "turns", 10, 500, 50)
    turns = conversation(10, 500, 50, ANSWER, 16)
    assert [(one.total, one.total - one.hit) for one in found] == [
        (one.prompt, one.computed) for one in turns
    ]
    last = found[-1]
    assert (last.total, round(100 * last.hit / last.total, 1), last.total - last.hit) == (3700, 98.6, 52)


def test_the_share_rises_from_turn_to_turn_and_the_time_does_not_fall_with_it() -> None:
    """The page once said that a regular guest is served sooner and sooner."""
    found = outcomes("chat", "turns", 10, 500, 50)
    times = [round(1e3 * COST.compare(one.total, one.hit).hit_s, 1) for one in found]
    assert (times[1], times[-1]) == (13.7, 15.0)
    assert [one.hit / one.total for one in found] == sorted(one.hit / one.total for one in found)
    for shared in (64, 500, 2500, 4096):
        for own in (16, 33, 50, 300, 2048):
            turns = conversation(20, shared, own, ANSWER, 16)
            shares = [1 - one.computed / one.prompt for one in turns]
            assert shares[-1] > shares[1]
            assert all(now > before - 0.03 for before, now in pairwise(shares))
            hits = [COST.compare(one.prompt, one.prompt - one.computed).hit_s for one in turns[1:]]
            assert min(hits) > 0.95 * hits[0], "but for where blocks end"


def test_what_the_text_says_of_a_chat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ch07.MACHINE", SimpleNamespace(get=Machine))
    numbers = chat_numbers(outcomes("chat", "turns", 10, 500, 50))
    assert (numbers["second_ms"], numbers["last_ms"], numbers["without_ms"]) == ("13.7", "15.0", "255.2")


def test_which_prompts_are_drawn() -> None:
    assert drawn(6, 6) == (0, 1, 2, 3, 4, 5)
    assert drawn(10, 6) == (0, 1, 2, 3, 4, 9), "the first ones and the last"
    assert drawn(2, 6) == (0, 1)


def test_free_questions_share_nothing() -> None:
    assert all(one.hit == 0 for one in outcomes("free", "questions", 20, 0, 128))


@pytest.mark.parametrize(("case", "variant"), CASES)
def test_parts_hits_and_strips_add_up(case: str, variant: str) -> None:
    usual = USUAL[case]
    found = outcomes(case, variant, 7, usual.shared, usual.own)
    for one in found:
        assert sum(reused for _, reused, _ in one.split()) == one.hit < one.total
        assert sum(tokens for _, tokens in one.parts) == one.total
    assert sum(hit for _, hit in by_part(found).values()) == sum(one.hit for one in found)


@pytest.mark.parametrize("case", VARIANTS)
def test_lengths_are_what_the_sliders_say(case: str) -> None:
    of = lengths(case, 700, 90)
    first = plan(case, VARIANTS[case][0], 2).prompts[0]
    own = 0 if case == "free" else 700
    assert sum(of[part.rstrip("0123456789")] for part in first) == own + 90


def test_the_map() -> None:
    shares = share_map(16, COST, False)
    at = {(p, s): shares[SUFFIXES.index(s)][PREFIXES.index(p)] for p in PREFIXES for s in SUFFIXES}
    assert at[512, 128] == 0.8
    assert at[2048, 128] == pytest.approx(2048 / 2176)
    assert at[0, 128] == 0.0
    assert at[16, 16] == 0.5
    assert all(at[p, s] < 1 for p, s in at), "the last token is always computed"
    assert max(at.values()) == at[8192, 1] == pytest.approx(8192 / 8193)
    for row in shares:
        assert row == sorted(row), "a longer prefix is never worse"
    times = share_map(16, COST, True)
    assert times[SUFFIXES.index(128)][PREFIXES.index(2048)] == pytest.approx(
        saving(2048, 128, 16, COST).time_share
    )
    assert share_map(512, COST, False)[SUFFIXES.index(128)][PREFIXES.index(256)] == 0.0, (
        "shorter than a block"
    )


def test_prefixes_take_slots_in_a_straight_line() -> None:
    assert PANEL_PREFIX == 128, "what the figure's own words say"
    assert PANEL_PREFIX // 16 == 8


SMALL_HITS = {
    "en": {
        ("chat", "turns"): [0, 20, 28],
        ("medical", "late"): [0, 20, 20],
        ("medical", "early"): [0, 4, 4],
        ("batch", "same"): [0, 16, 16, 16],
    },
    "zh": {("medical", "late"): [0, 28, 28], ("medical", "early"): [0, 8, 8]},
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(("case", "variant"), CASES)
def test_the_small_run_tells_the_same_story(case: str, variant: str, lang: Lang) -> None:
    scenario = small_scenario(case, variant, lang)
    log = run(scenario)
    hits = [event.hit_tokens for event in log.events if isinstance(event, RequestAdmitted)]
    assert hits[0] == 0
    assert hits == SMALL_HITS.get(lang, {}).get((case, variant), hits)
    shown = stage_log(scenario, log, case)
    step = shown["events"][find_step(shown, op_is("plan", last_request(case))) - 1]
    assert step["args"].get("hit", 0) == hits[-1]
    if case == "free":
        assert hits == [0, 0, 0]
    else:
        assert hits[-1] > 0


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_watched_on_its_preset(role: str) -> None:
    assert small_scenario(role, "role", "en") == load_setup(Setup(role), "en")
    assert [one.hit for one in outcomes(role, "role", 4, 320, 40)] == [0, 320, 320, 320]


@pytest.mark.parametrize("lang", LANGS)
def test_in_small_too_the_order_decides(lang: Lang) -> None:
    def reused(case: str, variant: str) -> int:
        log = run(small_scenario(case, variant, lang), block_events=False)
        return sum(event.hit_tokens for event in log.events if isinstance(event, RequestAdmitted))

    for case in ("medical", "legal", "review"):
        assert reused(case, "late") > 2 * reused(case, "early") > 0
    assert reused("rag", "fixed") > reused("rag", "shuffled") > 0


def test_nothing_reads_100_percent_that_is_less() -> None:
    assert [never_full(share, 0) for share in (0.0, 0.8, 0.994, 0.996, 8192 / 8193, 1.0)] == [
        "0", "80", "99", "99.6", "99.99", "100",
    ]  # fmt: skip
    texts = [never_full(share, 0) for row in share_map(1, COST, False) for share in row]
    assert "100" not in texts
