"""Links opened cold: whole ones bring everything back, damaged ones open and say what is lost."""

from __future__ import annotations

import pytest

from pages.navigation import PAGES
from tests.app.visit import has_stage, payload, prompts, setup_of, visit
from ui.stage.bet import Bet
from ui.stage.fork import Fork
from ui.stage.own import OwnPrompts, pack_own
from ui.stage.setup import Setup, to_query
from ui.words.i18n import LANGS, Lang, t

DAMAGED = {
    "scenario": {"s": "P99"},
    "own without prompts": {"s": "own"},
    "own cut off": {"s": "own", "own": pack_own(OwnPrompts("Be kind.", (" Hello",)))[:-9]},
    "a nested pack": {"s": "own", "own": "eNqLjgUAARUAuQ"},
    "numbers": {"slots": "many", "bs": "-1", "ttl": "1e9", "cap": "", "adm": "٣"},
    "choices": {"pol": "lru", "ttlk": "both", "m": "fast"},
    "an old version": {"v": "0"},
    "texts": {"ver": "x" * 999, "salt": "y" * 999},
    "bet and fork": {"bet": "none", "fork": "x.y.z"},
    "markup": {"s": "<script>alert(1)</script>", "m": "<b>"},
    "long": {"s": "P" * 5_000},
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("query", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_link_opens_and_names_what_is_lost(query: dict[str, str], lang: Lang) -> None:
    at = (
        visit("execute", lang=lang, bet="5", **{"cap": "3", **query})
        if "bet" not in query
        else visit("execute", lang=lang, **query)
    )
    assert at.warning.len == 1
    told = at.warning[0].value
    start, end = t("page.link_lost", lang, names="|").split("|")
    assert told.startswith(start)
    assert told.endswith(end)
    assert len(told) > len(start + end)
    assert payload(at)["a"]["meta"]["scenario"] == "P0"
    at.run()
    assert at.warning.len == 0, "said once"


def test_what_is_lost_is_named_as_on_the_page() -> None:
    at = visit("execute", lang="en", s="P99", slots="many", m="fast")
    names = ", ".join([t("knob.num_slots", "en"), t("control.scenario", "en"), t("link.mode", "en")])
    assert at.warning[0].value == t("page.link_lost", "en", names=names)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens_from_a_damaged_link(name: str) -> None:
    at = visit(name, lang="xx", s="P99", slots="0", fork="..", own="@", bet="-1")
    assert at.warning.len == 1
    assert has_stage(at) or name != "execute"


def test_a_whole_link_brings_everything_back() -> None:
    setup = Setup(
        "P9",
        {"num_slots": 5, "ttl": 40, "version": "v2"},
        mode="guided",
        bet=Bet(20, "percent"),
        fork=Fork(7, "ttl", 5),
    )
    at = visit("execute", lang="both", **to_query(setup))
    assert setup_of(at) == setup
    assert at.warning.len == 0
    data = payload(at)
    assert (data["lang"], data["a"]["meta"]["slots"], data["flags"]["ask"]) == ("both", 5, True)
    assert data["b"] is not None


def test_own_prompts_come_back_with_a_link() -> None:
    own = OwnPrompts("Du bist 🍜. ", ("<b>שלום</b>", "二\t三"), "Ja.")
    at = visit("execute", lang="en", **to_query(Setup("own", own=own)))
    assert setup_of(at).own == own
    assert prompts(at) == ["Du bist 🍜. <b>שלום</b>Ja.", "Du bist 🍜. 二\t三Ja."]


def test_half_a_surrogate_pair_in_a_link_does_no_harm() -> None:
    at = visit("execute", lang="en", s="own", own=pack_own(OwnPrompts("a\ud800", ("b",))))
    assert prompts(at) == ["a\ufffdb"]


def test_what_others_add_to_a_link_is_ignored() -> None:
    at = visit("execute", lang="en", s="P4", utm_source="mail", fbclid="1")
    assert at.warning.len == 0
    assert setup_of(at) == Setup("P4")


def test_the_address_follows_the_setup() -> None:
    at = visit("execute", lang="en")
    at.selectbox(key="widget_scenario").set_value("P5")
    at.run()
    assert dict(at.query_params) == {"v": "1", "s": "P5", "lang": "en"}
