"""Chapter 10: every application's hit rates both ways, and that stage and links show what they promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.events import RequestAdmitted
from core.scenario.scenario import run
from core.scenario.tokenizer import TeachingTokenizer
from pages.ch10 import OPENS_ON, numbers
from tests.strategies import examples
from tests.unit.ui.course.typed import hits_by_comparing, typed_prompts
from ui.course.ch10 import WAYS, Asked, Way, applications, on_stage, outcome, own_setup
from ui.course.ch10_bet import ORDERS, asked, assembled, put_together
from ui.course.ch11_beliefs.words import opening, report_link
from ui.course.lessons import part, parts
from ui.course.said import SEEDS
from ui.stage.own import OwnPrompts
from ui.stage.payload import stage_log
from ui.stage.setup import MAX_OWN_LINK, Setup, from_query, load_setup, pack_own, to_query
from ui.stage.show_me import op_is
from ui.words.i18n import LANGS, Lang, t, table

APPS = applications()
# Hit rate in the good way and in the other, in percent; computed tokens of both.
COUNTED = {
    "customers": (71.5, 0.0, 1779, 6243),
    "agent": (55.3, 0.0, 7640, 17080),
    "completion": (66.4, 0.0, 3763, 12103),
    "rag": (65.9, 7.1, 3828, 10420),
    "chat": (76.5, 45.4, 864, 1464),
    "evaluation": (69.9, 19.3, 1672, 4488),
    "document": (66.5, 0.0, 20180, 60180),
    "labels": (68.9, 0.0, 1476, 4740),
    "translation": (67.9, 6.8, 4112, 7904),
    "picture": (64.6, 5.8, 1174, 3126),
    "judge": (62.3, 0.0, 2774, 7350),
    "tenants": (48.3, 0.0, 3184, 6160),
    "adapters": (70.9, 0.0, 1224, 4200),
    "samples": (73.5, 0.0, 848, 3200),
}


@pytest.mark.parametrize("name", APPS)
def test_both_ways_are_counted(name: str) -> None:
    good, broken = (outcome(APPS[name], way) for way in WAYS)
    assert (round(good.percent, 1), round(broken.percent, 1), good.computed, broken.computed) == COUNTED[name]
    assert numbers(good, broken)["good_computed"] == f"{COUNTED[name][2]:,}"


def test_fourteen_of_them_as_the_lesson_says() -> None:
    assert len(APPS) == 14
    assert set(COUNTED) == set(APPS)
    texts = {f"{name}_{piece}" for name in APPS for piece in ("shared", "breaks")}
    assert set(parts("ch10", "en")) == {"hook", "houses", "good", "result", "bet", "counted", "recap"} | texts


@pytest.mark.parametrize("name", APPS)
def test_both_ways_ask_the_same(name: str) -> None:
    """As many requests; the strips add up to the prompts, and only whole blocks are reused."""
    app = APPS[name]
    ways = [[one for one in app.ways[way] if isinstance(one, Asked)] for way in WAYS]
    assert len(ways[0]) == len(ways[1]) >= 3
    for way in WAYS:
        done = outcome(app, way)
        assert sum(one.tokens for row in done.rows for one in row) == done.prompt_tokens
        assert sum(one.tokens for row in done.rows for one in row if one.hit) == done.hit_tokens
        assert not any(one.hit for one in done.rows[0])


def test_translation_is_shorter_and_dearer() -> None:
    good, broken = (outcome(APPS["translation"], way) for way in WAYS)
    assert broken.prompt_tokens < good.prompt_tokens
    assert broken.computed > good.computed


def test_no_two_pictures_look_alike() -> None:
    prompts = [command for command in on_stage(APPS["picture"], "good", "en").commands if command.request]
    items = [command.request.mm[0] for command in prompts if command.request]
    assert {item.item_id for item in items} == {"photo of a stove"}
    first = prompts[0]
    assert first.prompt.pieces[items[0].offset] == "▦"
    assert items[0].offset + items[0].length < len(first.prompt.ids)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", APPS)
def test_the_stage_shows_the_difference(name: str, way: Way, lang: Lang) -> None:
    scenario = on_stage(APPS[name], way, lang)
    log = run(scenario)
    shown = stage_log(scenario, log, name)
    step = opening(shown, OPENS_ON[way])
    assert OPENS_ON[way][0](shown["events"][step - 1]) or way == "broken"
    hits = [event.hit_tokens for event in log.events if isinstance(event, RequestAdmitted)]
    assert max(hits) <= 24 if way == "broken" else max(hits) >= 8
    assert scenario.config.num_usable <= 64, "it can be drawn"


@pytest.mark.parametrize("lang", LANGS)
def test_the_good_way_reuses_more_on_the_stage_too(lang: Lang) -> None:
    for app in APPS.values():
        rates = []
        for way in WAYS:
            events = run(on_stage(app, way, lang), block_events=False).events
            admitted = [event for event in events if isinstance(event, RequestAdmitted)]
            rates.append(sum(e.hit_tokens for e in admitted) / sum(e.num_tokens for e in admitted))
        assert rates[0] > rates[1], app.name


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("way", WAYS)
def test_a_link_opens_the_same_run(way: Way, lang: Lang) -> None:
    linked = {app.name: own_setup(app, way, lang) for app in APPS.values()}
    assert [name for name, setup in linked.items() if setup is None] == [
        "agent", "chat", "picture", "tenants", "adapters", "samples",
    ]  # fmt: skip
    for name, setup in linked.items():
        if setup is None:
            continue
        assert len(pack_own(setup.own)) <= MAX_OWN_LINK
        arrived, lost = from_query(to_query(setup))
        assert (arrived, lost) == (setup, [])
        ours = stage_log(on_stage(APPS[name], way, lang), run(on_stage(APPS[name], way, lang)), "")
        theirs_scenario = load_setup(arrived, lang)
        theirs = stage_log(theirs_scenario, run(theirs_scenario), "")
        assert theirs["events"] == ours["events"], name


@pytest.mark.parametrize("app", [app for app in APPS.values() if app.preset], ids=lambda app: app.name)
def test_a_preset_opens_on_its_step(app: object) -> None:
    preset = load_setup(Setup(app.preset), "en")  # type: ignore[attr-defined]
    shown = stage_log(preset, run(preset), "")
    assert opening(shown, (op_is("miss", "R1"), op_is("plan", "R3"))) > 0


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", APPS)
def test_words_and_reports(name: str, lang: Lang) -> None:
    app = APPS[name]
    for piece in ("shared", "breaks"):
        assert part("ch10", f"{name}_{piece}", lang, **app.reported)
    assert all(f"course.ch10.part.{one.rstrip('0123456789')}" in table(lang) for one in app.parts)
    assert all(app.parts[one][lang] for one in app.parts)
    assert f"course.ch10.{name}" in table(lang)
    assert len(app.evidence) >= 1
    assert all(report_link(one).startswith(f"[{one}](https://github.com/") for one in app.evidence)
    used = {part for way in WAYS for one in app.ways[way] if isinstance(one, Asked) for part in one.parts}
    assert set(app.parts) == used | {
        one.answer for one in app.ways["good"] if isinstance(one, Asked) and one.answer
    }


# -- the bet -----------------------------------------------------------------------------------------------


@given(typed_prompts(), st.integers(0, SEEDS - 1))
@examples(80)
def test_any_prompt_can_be_put_together_in_another_way(prompt: OwnPrompts, seed: int) -> None:
    one, bet = assembled(prompt, seed), asked(prompt, seed)
    ids = [TeachingTokenizer().encode(text) for text in one.texts]
    assert one.tokens == sum(map(len, ids))
    assert list(one.hits) == hits_by_comparing(ids, one.block)
    assert bet.truth in bet.answers()
    key, words = bet.told(0)
    assert all(t(key, lang, **words) and t(bet.ask, lang, **bet.args) for lang in LANGS)
    assert len({asked(prompt, other).mark for other in range(12)}) > 1
    if one.order == "clock_last":
        assert one.hit >= one.best - 2 * one.block * 2, "it costs hardly more than its own tokens"
    if one.order == "clock_first":
        assert one.hit <= 4, "what hits ends in the time"


def test_each_order_keeps_every_word() -> None:
    told = {order: put_together(order, "11:58", "Be kind.", "Is it hot?") for order in ORDERS}
    assert told == {
        "question_first": "Is it hot? Be kind.",
        "clock_first": "11:58 Be kind. Is it hot?",
        "clock_between": "Be kind. 11:58 Is it hot?",
        "clock_last": "Be kind. Is it hot? 11:58",
    }
    assert put_together("question_first", "11:58", "要亲切。", "有汤吗？") == "有汤吗？要亲切。"
    assert put_together("question_first", "11:58", "Be kind.", "") == "Be kind."
    alike = OwnPrompts("a b c d e", (" f g h i", " f g h k", " f g h l"))
    assert {assembled(alike, seed).order for seed in range(40)} == set(ORDERS)


def test_an_order_that_costs_nothing_is_not_bet_on() -> None:
    """A beginning of whole blocks loses nothing to a time behind it, unless the questions begin alike."""
    apart = OwnPrompts("a b c d e f g h", (" i", " k", " l"))
    found = [assembled(apart, seed) for seed in range(40)]
    assert {one.order for one in found} == {"question_first", "clock_first", "clock_last"}
    assert all(one.hit < one.best or one.order == "clock_last" for one in found)
