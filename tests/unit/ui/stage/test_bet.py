"""A bet: in tokens and in links, to the token; per cent as older links have it; whatever a browser tells."""

from __future__ import annotations

import pytest

from ui.stage.bet import MAX_TOKENS, Bet, bet_from_link, read_bet


@pytest.mark.parametrize(
    ("link", "bet"),
    [
        *(("16t", Bet(16)), ("0t", Bet(0)), ("999999t", Bet(MAX_TOKENS))),
        *(("0", Bet(0, "percent")), ("40", Bet(40, "percent")), ("100", Bet(100, "percent"))),
    ],
)
def test_a_link_brings_a_bet_back_as_it_was(link: str, bet: Bet) -> None:
    assert bet_from_link(link) == bet
    assert bet.to_link() == link


@pytest.mark.parametrize(
    "link", [None, "", "t", "101", "-1", "1.5t", "16T", "1000000t", "１６t", "16t\n", "none"]
)
def test_what_is_no_bet_is_none(link: str | None) -> None:
    assert bet_from_link(link) is None


@pytest.mark.parametrize(("told", "n"), [(0, 0), (16, 16), (33.0, 33)])
def test_what_the_stage_tells_is_understood(told: float, n: int) -> None:
    assert read_bet({"tokens": told}) == Bet(n)


@pytest.mark.parametrize(
    "told", [None, 7, [], {}, *({"tokens": one} for one in (-1, 0.5, True, "9", None, 1e9, float("nan")))]
)
def test_a_browser_may_tell_anything(told: object) -> None:
    assert read_bet(told) is None


def test_the_bet_as_a_share() -> None:
    assert [Bet(16).percent_of(32), Bet(40, "percent").percent_of(32), Bet(0).percent_of(0)] == [50, 40, 0]
    assert [Bet(16).percent, Bet(40, "percent").percent] == [None, 40]
