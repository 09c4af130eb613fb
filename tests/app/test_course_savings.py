"""Chapters 4 to 7: the path, what is folded, and the bets on the visitor's own prompt."""

from __future__ import annotations

import base64
import json
import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from core.scenario.use_cases import VARIANTS, hit_rate, outcomes
from tests.app.betting import commit, is_open, widget_of
from tests.app.visit import calm, choose, payload, texts, visit
from ui.course.ch05 import MINE, SITUATIONS
from ui.course.ch06_saving.rulers import RULERS
from ui.course.ch07_uses.counts import USUAL, last_request
from ui.course.lessons import part, parts
from ui.course.mine import my_hits, our_prompt, tokens_of
from ui.stage.own import OwnPrompts, pack_own
from ui.words.i18n import LANGS, MODES, Lang, LangMode, t, table
from ui.words.numbers import never_full, percent
from ui.words.palette import PALETTE

FOLDED = {
    "ch04": ("last", "broken", "race", "weak"),
    "ch05": ("modules",),
    "ch06": ("one", "stage", "sooner", "users", "long", "load", "day"),
    "ch07": ("all", "map", "prefixes"),
}
BETS_OF = {"ch04": "ab", "ch05": "ab", "ch06": "ab", "ch07": "a"}
ODD = OwnPrompts("🍜 `a` $x$ <b>[b](c)", ("", "👍🏽 *why*?", ""))
SEED = 7


def unfolded(name: str, **query: str) -> AppTest:
    """A chapter with everything folded opened."""
    at = visit(name, **query)
    for folded in FOLDED[name]:
        at.session_state[f"{name}-more-{folded}"] = True
    return calm(at.run())


def figures(at: AppTest) -> dict[str, str]:
    """Every chart's data, by the end of its element's id."""
    return {one.proto.id: one.proto.spec for one in at.get("plotly_chart")}


def bars(at: AppTest, key: str) -> list[float]:
    """The sizes of a chart's bars."""
    [spec] = [spec for name, spec in figures(at).items() if name.endswith(f"-{key}")]
    return [trace["x"][0] for trace in json.loads(spec)["data"]]


def pictures(at: AppTest) -> list[str]:
    """The drawings on the page, as SVG text."""
    urls = [one.url for images in at.get("image") for one in images.proto.imgs]
    return [base64.b64decode(url.partition(",")[2]).decode() for url in urls]


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("name", FOLDED)
def test_everything_folded_opens(name: str, lang: LangMode) -> None:
    at = unfolded(name, lang=lang)
    assert [error.value for error in at.error] == []


@pytest.mark.parametrize(("name", "part_of"), [("ch04", "race"), ("ch06", "users"), ("ch07", "map")])
def test_a_link_unfolds_what_it_names(name: str, part_of: str) -> None:
    at = visit(name, lang="en", open=f"{name}.{part_of}")
    assert at.session_state[f"{name}-more-{part_of}"]
    others = [one for one in FOLDED[name] if one != part_of]
    assert not any(at.session_state[f"{name}-more-{one}"] for one in others)


# -- bets ------------------------------------------------------------------------------------------------


def opened(name: str, lang: str, prompt: OwnPrompts | None) -> AppTest:
    """A chapter whose bets are always the same; ``prompt``: whose, None for ours."""
    query = {} if prompt is None else {"mine": pack_own(prompt)}
    at = visit(name, lang=lang, **query)
    at.session_state["bet_dice"] = SEED
    at.session_state["bets_open"] = {}
    return calm(at.run())


@pytest.mark.parametrize("prompt", [None, ODD], ids=["ours", "odd"])
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", BETS_OF)
def test_bets_are_committed_and_told(
    name: str, lang: Lang, prompt: OwnPrompts | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Streamlit's test tool asks for a slider's words from outside of the page, where nobody has a language.
    monkeypatch.setattr("ui.course.bets.lang", lambda: lang)
    at = opened(name, lang, prompt)
    for number, place in enumerate(BETS_OF[name]):
        assert not any((one.key or "") == f"again-{name}-{place}" for one in at.button), "not told yet"
        commit_first(at, name, place)
        assert any((one.key or "") == f"again-{name}-{place}" for one in at.button)
        said = at.query_params["bets"]
        assert len(said.split("_")) == number + 1
        assert said.split("_")[-1].startswith(f"{name[2:]}{place}")
    assert [error.value for error in at.error] == []


def commit_first(at: AppTest, chapter: str, place: str) -> None:
    """Say the first thing that can be said, and commit to it; before that nothing can be."""
    widget = widget_of(at, chapter, place)
    assert widget.value is None
    begin = f"bet-{chapter}-{place}-"
    button = next(one for one in at.button if (one.key or "").startswith(begin))
    typed = widget.type == "number_input"
    if typed:
        button.click()
        calm(at.run())
        assert is_open(at, chapter, place), "an empty field is no answer"
        widget = widget_of(at, chapter, place)
    else:
        assert button.disabled
    first = widget.min if typed else 0
    if widget.type == "select_slider":
        first = float(re.sub(r"[^\d.]", "", widget.options[1]))
    commit(at, chapter, first, place)


@pytest.mark.parametrize("name", BETS_OF)
def test_nothing_is_told_before_somebody_has_committed(name: str) -> None:
    at = opened(name, "en", None)
    told = [key for key in table("en") if re.match(rf"course\.{name}\.bet\.(?!unit)[a-z_]+\.[a-z]", key)]
    assert told
    for key in told:
        words = max(re.split(r"\{[^}]*\}|\*\*", table("en")[key]), key=len)
        assert words not in texts(at), key
    assert not any((button.key or "").startswith("again-") for button in at.button)


# -- on arrival: nothing is told that nobody asked -------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_tags_are_there_and_no_count_before_a_token_is_changed(lang: Lang) -> None:
    at = visit("ch04", lang=lang)
    [drawn] = pictures(at)
    colours = PALETTE["light"]
    assert t("course.ch04.head.tags", lang) not in drawn
    body = drawn.partition("</defs>")[2]
    assert not any(colours[name] in body for name in ("hit", "hit_edge", "miss_edge", "cached"))
    assert part("ch04", "before", lang) in texts(at)
    for name in ("edited", "unchanged"):
        assert max(re.split(r"\{[^}]*\}|\*\*", parts("ch04", lang)[name]), key=len) not in texts(at)
    words = at.text_input(key="ch04-word")
    words.set_value(t("course.ch04.word", lang))
    calm(at.run())
    assert part("ch04", "before", lang) not in texts(at)
    [drawn] = pictures(at)
    assert t("course.ch04.head.tags", lang) in drawn


@pytest.mark.parametrize("lang", LANGS)
def test_ones_own_prompts_come_first_in_chapter_7(lang: Lang) -> None:
    at = visit("ch07", lang=lang)
    assert at.button_group(key="ch07-case").value in ("mine", ["mine"])
    hits = my_hits(lang, our_prompt(lang), block_size=4)
    total = sum(map(len, tokens_of(our_prompt(lang))))
    assert f"{sum(hits)}" not in part("ch07", "guess_mine", lang, about="")
    at = guessing(at, "ch07-guess-mine", "little")
    share = never_full(sum(hits) / total)
    told = part("ch07", "mine", lang, hit=sum(hits), total=total, behind=share)
    assert told in texts(at)
    shown = payload(at)
    assert shown["flags"]["ask"]
    assert "ask" in shown["a"]["events"][shown["flags"]["step"]]


@pytest.mark.parametrize("name", ["ch04", "ch07"])
def test_odd_prompts_are_drawn_and_staged(name: str) -> None:
    for prompt in (ODD, OwnPrompts("a", ("", "", "")), OwnPrompts("一", ("", "二", ""))):
        assert [one.value for one in visit(name, lang="en", mine=pack_own(prompt)).error] == []


# -- chapter 4 -------------------------------------------------------------------------------------------


def test_a_word_of_ones_own_is_changed() -> None:
    at = visit("ch04", lang="en", mine=pack_own(OwnPrompts("One two three four five six.", ("", "", ""))))
    at.selectbox[0].set_value(4)
    calm(at.run())
    at.text_input(key="ch04-word").set_value(" was")
    calm(at.run())
    assert "**4 of 7 tokens still hit, and 0 tags have changed.**" not in texts(at)
    [drawn] = pictures(at)
    assert "was six." in unescape(drawn)
    at.text_input(key="ch04-word").set_value("five")
    calm(at.run())
    assert "Nothing has changed" in texts(at)


# -- chapter 5 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [MINE, *SITUATIONS])
def test_each_situation_and_its_place_in_the_link(name: str) -> None:
    at = visit("ch05", lang="en", open=f"ch05.{name}")
    assert (
        at.button_group(key="ch05-situation").value == [name]
        or name == at.button_group(key="ch05-situation").value
    )
    shown = payload(at)
    assert 0 < shown["flags"]["step"] <= len(shown["a"]["events"])
    [drawn] = pictures(at)
    assert "KVCacheManager" in drawn


def test_prompts_of_ones_own_are_on_the_stage() -> None:
    at = visit("ch05", lang="en", mine=pack_own(ODD))
    assert any("🍜" in "".join(pieces) for pieces in payload(at)["a"]["pieces"].values())


# -- chapter 6 -------------------------------------------------------------------------------------------


GUESSED = "tokens"


def guessing(at: AppTest, key: str, guess: str) -> AppTest:
    """Say what one expects; what was guessed for is told."""
    at.radio(key=key).set_value(guess)
    return calm(at.run())


@pytest.mark.parametrize("lang", LANGS)
def test_no_ruler_says_a_number_before_a_guess(lang: Lang) -> None:
    at = visit("ch06", lang=lang)
    for name in RULERS:
        choose(at, "ch06-ruler", name)
        [drawn] = pictures(at)
        assert "%" not in re.sub(r"<[^>]*>", "", drawn), name
        assert not re.search(r"−\d", drawn + texts(at)), name
    assert GUESSED in RULERS


@pytest.mark.parametrize("lang", LANGS)
def test_results_of_the_rulers_collect(lang: Lang) -> None:
    at = guessing(visit("ch06", lang=lang), "ch06-guess", GUESSED)
    percents = ("−80.0", "−62.8", "−94.7", "−72.0")
    for number, name in enumerate(RULERS):
        choose(at, "ch06-ruler", name)
        [drawn] = pictures(at)
        for place, share in enumerate(percents):
            assert (share in drawn) == (place <= number), (name, share)
    told = texts(at)
    assert part("ch06", "all", lang, guess="A", most="B", saved="C").partition("C")[2] in told
    assert t("course.ch06.ruler.queue", lang) in told, "the queue shrinks most"


def test_the_border_moves_every_ruler() -> None:
    at = guessing(visit("ch06", lang="en"), "ch06-guess", GUESSED)
    at.select_slider(key="ch06-shared").set_value(320)
    calm(at.run())
    assert "**−50.0 %**" in texts(at)
    assert "**−38.9 %**" in texts(choose(at, "ch06-ruler", "time")) or "−39" in texts(at)


def test_a_hundred_users_are_measured_and_others_are_not() -> None:
    at = unfolded("ch06", lang="en")
    assert len(bars(at, "ch06-users-bars")) == 3
    at.slider(key="ch06-users").set_value(1000)
    calm(at.run())
    assert bars(at, "ch06-users-bars") == [pytest.approx(640_000 / 128_512), pytest.approx(2.68, abs=0.01)]


@pytest.mark.parametrize("hit", [0, 512, 608])
def test_claim_model_and_measurement_move_together(hit: int) -> None:
    at = unfolded("ch06", lang="en")
    at.select_slider(key="ch06-timed").set_value(hit)
    calm(at.run())
    claim, model, measured = bars(at, "ch06-one")
    assert claim == 640 / (640 - hit)
    assert 1 <= model <= claim
    assert 0.9 <= measured <= claim


def test_no_claim_is_blue_and_no_model_amber() -> None:
    """Blue is reused and amber computed: once a claim was painted blue and the model amber."""
    theirs = {colours[name].lower() for colours in PALETTE.values() for name in ("hit", "miss")}
    at = unfolded("ch06", lang="en")
    for key, spec in figures(at).items():
        if "strips" in key or key.endswith("-prompt"):
            continue
        for trace in json.loads(spec)["data"]:
            colour = trace.get("marker", {}).get("color") or trace.get("line", {}).get("color")
            assert colour, key
            assert colour.lower() not in theirs, key


def test_a_queue_and_a_bill() -> None:
    at = unfolded("ch06", lang="en")
    at.select_slider(key="ch06-load-rate").set_value(80)
    at.select_slider(key="ch06-day").set_value(100)
    calm(at.run())
    assert "At 80 requests a second" in texts(at)
    assert "100 requests a day" in texts(at)
    assert bars(at, "ch06-bill-provider") == [pytest.approx(0.064), pytest.approx(0.064 - 99 * 512 * 0.9e-6)]


# -- chapter 7 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "variant"), [(case, ends[-1]) for case, ends in VARIANTS.items()])
def test_each_kind_of_use_with_its_stage(case: str, variant: str) -> None:
    at = visit("ch07", lang="en")
    at.button_group(key="ch07-case").set_value(case)
    at.run()
    if len(VARIANTS[case]) > 1:
        at.button_group(key=f"ch07-variant-{case}").set_value(variant)
        at.run()
    calm(at)
    [before] = pictures(at)
    assert t("course.ch07.parts", "en") not in before
    assert "✓" not in before
    assert not re.search(r"\d %", re.sub(r"<[^>]*>", "", before)), "nothing is told before a guess"
    opening = parts("ch07", "en")[case].partition("{")[0]
    assert opening not in texts(at)
    at = guessing(at, f"ch07-guess-{case}", "much")
    usual = USUAL[case]
    rate = percent(hit_rate(outcomes(case, variant, usual.count, usual.shared, usual.own)))
    assert f"**{rate} %**" in texts(at)
    [drawn] = pictures(at)
    assert t("course.ch07.parts", "en") in drawn
    assert f"of {usual.count}, and the last" in drawn, "what is drawn, and what is not"
    shown = payload(at)
    next_step = shown["a"]["events"][shown["flags"]["step"]]
    assert shown["flags"]["ask"]
    assert next_step["ask"]["id"] in ("until", "whole", "chain"), "the stage asks and has told nothing"
    assert next_step["rid"] == (last_request(case) if (case, variant) != ("batch", "same") else "R2")


def test_the_map_says_tokens_and_time() -> None:
    at = unfolded("ch07", lang="en")
    at.select_slider(key="ch07-prefix").set_value(512)
    at.button_group(key="ch07-kind").set_value("time")
    calm(at.run())
    assert "512 tokens of prefix in front of 128 own ones: **80.0 % of the tokens**" in texts(at)
    assert t("tradeoff.prefixes.words", "en", slots=110, room=13) in texts(at)
