"""Why only the prefix: nothing on the page answers the bet; the engine does; a prompt of one's own."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest

from core.backends.experiments.prefix import PROMPT, WORD
from tests.app.visit import calm, choose, press, texts, visit
from ui.prefill.experiments import kept_report
from ui.prefill.models import Choice
from ui.prefill.prefix import NONE
from ui.prefill.prefix_payload import digest
from ui.prefill.state import PrefillState
from ui.words.i18n import LANGS, Lang, fill, t, table

WAIT_S = 30


def opened(lang: Lang = "en") -> AppTest:
    at = visit("prefill", lang=lang)
    at.session_state["prefill"] = PrefillState(choice=Choice("numpy", "XS"))
    return choose(at, "prefill_section", "prefix")


def bet(at: AppTest, blocks: list[int]) -> AppTest:
    report = at.session_state["prefill"].results.get(("prefix", Choice("numpy", "XS")))
    report = report or kept_report("prefix", Choice("numpy", "XS"))
    assert report is not None
    at.button_group(key=f"prefill_bet_{digest(report)}").set_value(blocks)
    at = calm(at.run())
    return press(at, "prefill_bet_place")


def reused(lang: Lang) -> str:
    """What the kept result's sentence begins with."""
    return fill(table(lang)["prefill.prefix.reused"].partition("{all_mb}" if lang == "zh" else "{mb}")[0], {
        "blocks": "0, 1" if lang == "en" else "0、1", "hit": 32, "all": 88,
    })  # fmt: skip


@pytest.mark.parametrize("lang", LANGS)
def test_the_bet_is_open_until_it_is_placed(lang: Lang) -> None:
    at = opened(lang)
    said = texts(at)
    assert t("prefill.prefix.bet", lang, before="beef", after="fish", block=2) in said
    assert reused(lang) not in said
    assert table(lang)["prefill.prefix.why.whole"][:10] not in said
    assert table(lang)["prefill.equal"][:12] not in said, "bitwise equal logits would say: nothing was reused"
    at = bet(at, [0, 3, 4])
    said = texts(at)
    assert t("prefill.prefix.bet.other", lang, bet="0, 3, 4" if lang == "en" else "0、3、4") in said
    assert reused(lang) in said
    assert t("prefill.prefix.why.whole", lang, n=6, block=2) in said
    assert not [button for button in at.button if button.key == "prefill_bet_place"]


def test_the_right_bet_is_told_so_and_outlives_another_page() -> None:
    at = bet(opened(), [1, 0])
    for name in ("tradeoffs", "prefill"):
        at.session_state["visited"] = name
        calm(at.run())
    assert t("prefill.prefix.bet.right", "en", bet="0, 1") in texts(at)


def test_nothing_chosen_is_no_bet() -> None:
    at = opened()
    button = next(button for button in at.button if button.key == "prefill_bet_place")
    assert button.disabled
    assert "Your bet" in texts(bet(at, [NONE]))


def test_who_only_wants_to_see_places_no_bet() -> None:
    said = texts(press(opened(), "prefill_bet_skip"))
    assert reused("en") in said
    assert "Your bet" not in said


def send(at: AppTest, prompt: str, word: str, instead: str) -> AppTest:
    at.text_area(key="prefill_prefix_prompt").set_value(prompt)
    at.text_input(key="prefill_prefix_word").set_value(word)
    at.text_input(key="prefill_prefix_instead").set_value(instead)
    at = press(at, "prefill_prefix_send")
    deadline = time.monotonic() + WAIT_S
    while at.session_state["prefill"].job is not None and time.monotonic() < deadline:
        calm(at.run())
    return at


def test_a_prompt_of_ones_own_begins_a_new_bet() -> None:
    words = " ".join(f"w{number}" for number in range(40))
    at = send(bet(opened(), [0]), f"{words} **x** <b>", "w0", "$a|b$ c")
    said = texts(at)
    assert t("prefill.prefix.bet", "en", before="w0", after="\\$a\\|b\\$ c", block=0) in said
    said = texts(bet(at, [NONE]))
    assert t("prefill.prefix.reused.none", "en", all=43) in said
    assert t("prefill.prefix.why.moved", "en", n=1) in said
    assert t("prefill.prefix.random", "en") in said


@pytest.mark.parametrize(
    ("word", "instead", "key"),
    [("owl", "x", "error.backend.no_word"), (WORD, WORD, "error.backend.same_word")],
)
def test_a_change_that_is_none_is_refused(word: str, instead: str, key: str) -> None:
    at = send(opened(), PROMPT, word, instead)
    assert [str(error.value) for error in at.error] == [t(key, "en", word=word).replace(".", "\\.")]
