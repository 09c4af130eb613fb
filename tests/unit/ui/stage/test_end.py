"""The end of a run: the run to try next is there, is another one, and is chosen by what was believed."""

from __future__ import annotations

import pytest

from tests.stage_runs import PRESETS, steps_of
from ui.stage.bet import Bet
from ui.stage.end import NEXT, end_card, knobs_asked, run_asked
from ui.stage.own import OWN
from ui.stage.setup import Setup
from ui.words.i18n import LANGS, table


def test_every_belief_that_can_fall_has_a_run_to_try() -> None:
    fell = {
        belief
        for name in PRESETS
        for step in steps_of(name)
        if "ask" in step
        for belief in step["ask"]["fell"].values()
    }
    assert fell <= set(NEXT)
    for lang in LANGS:
        assert all(
            f"stage.belief.{belief}{part}" in table(lang) for belief in NEXT for part in ("", ".truth")
        )


@pytest.mark.parametrize("scenario_id", [*PRESETS, OWN])
def test_the_next_run_is_another_one(scenario_id: str) -> None:
    card = end_card(Setup(scenario_id))
    assert scenario_id not in card["next"].values()
    assert set(card["next"]) == {*NEXT, "ok"}
    assert set(card["next"].values()) == set(card["runs"]) <= set(PRESETS)
    for names in card["runs"].values():
        assert all(len(names[lang]) == 2 and all(names[lang]) for lang in LANGS)


def test_without_a_fallen_belief_the_path_goes_on() -> None:
    assert [end_card(Setup(one))["next"]["ok"] for one in PRESETS] == [*PRESETS[1:], PRESETS[0]]


@pytest.mark.parametrize("bet", [None, Bet(0), Bet(40), Bet(40, "percent")])
def test_no_bet_is_no_bet(bet: Bet | None) -> None:
    card = end_card(Setup("P0", bet=bet))
    assert (card["bet"], card["unit"]) == ((None, "tokens") if bet is None else (bet.n, bet.unit))


@pytest.mark.parametrize(
    "told", [None, "P6", {"preset": "../P6"}, {"preset": 6}, {"preset": OWN}, {"knobs": 1}]
)
def test_a_browser_may_tell_anything(told: object) -> None:
    assert run_asked(told) is None
    assert not knobs_asked(told)


def test_what_a_button_tells_is_understood() -> None:
    assert run_asked({"preset": "P6"}) == "P6"
    assert knobs_asked({"knobs": True})
