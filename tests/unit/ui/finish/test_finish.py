"""What the finish page computes, against a second, plain reading of the same event logs."""

from __future__ import annotations

from functools import cache

import pytest

from core.cost import FORMULAS
from core.report import SHARES, Report, make_report
from core.scenario.scenario import run
from core.timeline.event_log import EventLog
from tests.plain_report import Plain, plain_report, prefill_seconds
from ui.finish.compare import computed, step_of
from ui.finish.lines import LECTURE_TOKENS, lecture_size
from ui.finish.quiz import known_score
from ui.machine.machine import Machine
from ui.stage.payload import Payload, stage_log
from ui.stage.questions import KINDS
from ui.stage.setup import Setup, load_setup, preset_ids
from ui.words.i18n import LANGS, t
from ui.words.numbers import change, digits, money, percent, seconds

CASES = {
    **{name: Setup(name) for name in preset_ids()},
    "few slots": Setup("P0", knobs={"num_slots": 8}),
    "many misses": Setup("P9", knobs={"num_slots": 3}),
    "small blocks": Setup("P4", knobs={"block_size": 2, "num_slots": 24}),
    "cap": Setup("P9", knobs={"num_slots": 10, "cache_cap": 3}),
    "admission": Setup("P9", knobs={"num_slots": 10, "admit_after": 3}),
    "time to live": Setup("P10", knobs={"ttl": 3}),
    "older queue": Setup("P9", knobs={"num_slots": 6, "queue_rule": "all_to_back"}),
}
COST = Machine().cost()


@cache
def case(name: str) -> tuple[EventLog, Payload, Report, Plain]:
    scenario = load_setup(CASES[name], "en")
    log = run(scenario)
    return log, stage_log(scenario, log, name), make_report(log, COST), plain_report(log)


@pytest.mark.parametrize("name", CASES)
def test_every_token_has_one_share_and_the_shares_are_the_whole(name: str) -> None:
    _, _, report, plain = case(name)
    assert {share: report.waterfall.tokens[share] for share in SHARES} == {s: plain.shares[s] for s in SHARES}
    assert sum(plain.shares.values()) == plain.prompt == report.waterfall.total
    parts = [report.waterfall.part(share) for share in SHARES]
    assert sum(parts) == pytest.approx(1.0)
    assert all(0 <= part <= 1 for part in parts)
    assert report.waterfall.tokens["reused"] == plain.hits


@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_of_the_plain_reading(name: str) -> None:
    _, _, report, plain = case(name)
    assert report.num_requests == plain.requests
    assert computed(report) == plain.computed
    assert sum(report.evicted_blocks.values()) == plain.evicted
    assert (report.peak.shared, report.peak.unshared) == (plain.most_held, plain.most_unshared)
    expected = plain.hits / plain.looked_up if plain.looked_up else None
    assert report.hit_rate.value == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("name", CASES)
def test_times_are_those_of_the_formula(name: str) -> None:
    _, _, report, plain = case(name)
    saved = report.savings
    assert saved.tokens.value == plain.hits
    assert saved.gpu_seconds.value == pytest.approx(plain.full_s - plain.hit_s)
    assert report.prefill_s.value == pytest.approx(plain.prefill_s)
    assert saved.ratio.value == pytest.approx(plain.full_s / plain.hit_s)
    assert saved.linear_ratio.value == pytest.approx(plain.prompt / (plain.prompt - plain.hits))
    assert saved.ms_per_request.value == pytest.approx(1e3 * (plain.full_s - plain.hit_s) / plain.requests)
    gib = plain.most_held * report.block_size * 524_288 / 2**30
    assert report.peak_gib.value == pytest.approx(gib)


@pytest.mark.parametrize("name", CASES)
def test_the_evictions_that_hurt_are_the_dearest_and_lead_to_their_step(name: str) -> None:
    log, shown, report, plain = case(name)
    told = [(act.event, act.tokens, list(act.recomputed_by)) for act in report.worst_evictions]
    assert told == plain.worst()
    assert sum(tokens for _, tokens, _ in told) <= report.waterfall.tokens["evicted"]
    for act in report.worst_evictions:
        step = step_of(shown["events"], act.event)
        assert step is not None
        assert shown["events"][step - 1]["ev"] == act.event
        assert shown["events"][step - 1]["op"] in ("evict", "ttl", "reset")
    assert step_of(shown["events"], len(log.events)) is None


def test_the_cases_see_every_share_but_the_rare() -> None:
    seen = {share for name in CASES for share, count in case(name)[3].shares.items() if count}
    assert {
        "reused",
        "new",
        "evicted",
        "near_miss",
        "last_token",
        "tail",
        "not_admitted",
        "other_world",
    } <= seen
    assert any(case(name)[2].worst_evictions for name in CASES)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 0.999, 1.0])
def test_the_lecture_sized_prompt(share: float) -> None:
    full, hit = lecture_size(COST, share)
    reused = min(int(LECTURE_TOKENS * share) // 16 * 16, LECTURE_TOKENS - 16)
    assert full == pytest.approx(1e3 * prefill_seconds(LECTURE_TOKENS, 0))
    assert hit == pytest.approx(1e3 * prefill_seconds(LECTURE_TOKENS - reused, reused))
    assert hit <= full


def test_the_lecture_example_as_published() -> None:
    """640 tokens, 512 of them reused, Llama-2-7B on an A100: 48.9 and 18.2 ms."""
    full, hit = lecture_size(COST, 0.8)
    assert (round(full, 1), round(hit, 1)) == (48.9, 18.2)


@pytest.mark.parametrize("preset", preset_ids())
def test_every_question_of_the_stage_has_its_misconception(preset: str) -> None:
    asked = {step["ask"]["id"] for step in case(preset)[1]["events"] if "ask" in step}
    assert asked <= set(KINDS)
    for name in asked:
        for lang in LANGS:
            assert t(f"finish.quiz.{name}", lang)
            assert t(f"finish.quiz.{name}.truth", lang)


def test_every_formula_on_the_page_has_its_sentence() -> None:
    report = case("P0")[2]
    saved = report.savings
    figures = [saved.tokens, saved.gpu_seconds, saved.money_by_hour, saved.money_by_token, saved.ratio]
    for figure in [*figures, saved.linear_ratio, report.peak_gib, report.prefill_s]:
        assert figure.formula in FORMULAS
        assert t(figure.formula, "en") != t(figure.formula, "zh")


# -- numbers as people read them ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (7, "7"),
        (4_608_000_000, "4,608,000,000"),
        (1234.5, "1,234"),
        (78.94, "78.9"),
        (4.56, "4.56"),
        (0.0123, "0.0123"),
        (0.000004, "0.000004"),
        (-3.5, "−3.50"),
        (99.96, "100.0"),
    ],
)
def test_digits(value: float, text: str) -> None:
    assert digits(value) == text


def test_units_fit() -> None:
    assert [seconds(value) for value in (0.0, 0.0004, 0.276, 19.0, 1182.0, 276_000.0)] == [
        "0 ms", "0.400 ms", "276 ms", "19.0 s", "19.7 min", "76.7 h",
    ]  # fmt: skip
    assert [money(value, "$") for value in (0.0, 0.004, -0.004, 0.66, 4147.2, -3.0)] == [
        "$0", "< $0.01", "−< $0.01", "$0.66", "$4,147.20", "−$3.00",
    ]  # fmt: skip
    assert (percent(0.3448), change(0.6), change(-0.021), change(0.0), change(1e-9)) == (
        "34.5", "−60.0", "+2.1", "0.0", "0.0",
    )  # fmt: skip


def test_answers_of_older_links_count_for_the_lesson_they_stand_for() -> None:
    """The questions have other names now; what was answered under the old ones is not lost."""
    score = {"hit": (1, 2), "partial": (0, 1), "until": (1, 1), "free": (1, 1), "nonsense": (1, 1)}
    assert known_score(score) == {"until": (2, 3), "whole": (0, 1), "free": (1, 1)}
