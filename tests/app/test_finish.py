"""The finish page without a browser: its numbers, its sentences, in every language."""

from __future__ import annotations

import re
from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

from core.scenario.scenario import run
from core.timeline.event_log import EventLog
from tests.app.visit import calm, choose, press, texts, visit
from tests.plain_report import Plain, plain_report
from tests.stage_runs import stage_log_of
from ui.export.panel import run_link
from ui.stage.fork import Fork, forked
from ui.stage.payload import stage_log
from ui.stage.setup import Setup, load_setup, preset_ids
from ui.words.i18n import LANGS, MODES, Lang, LangMode, languages, t
from ui.words.numbers import change, digits, money, percent, seconds

SOME = ("P0", "P1", "P6", "P9", "P9c", "P11", "T10", "L640")
TABLE_ROW = re.compile(r"^\| (.+) \|$", re.M)


@cache
def log_of(preset: str, lang: Lang = "en") -> EventLog:
    return run(load_setup(Setup(preset), lang))


@cache
def plain_of(preset: str) -> Plain:
    return plain_report(log_of(preset))


def rows(at: AppTest) -> dict[str, list[str]]:
    """Every table row of the page: its first cell, and the others."""
    found = {}
    for element in at.markdown:
        for line in TABLE_ROW.findall(str(element.value)):
            first, *others = [cell.strip().replace("\\", "") for cell in line.split(" | ")]
            found[first] = others
    return found


# -- every number, once more from the events -----------------------------------------------------------


@pytest.mark.parametrize("preset", SOME)
def test_headline_and_report(preset: str) -> None:
    at, plain = visit("finish", lang="en", s=preset), plain_of(preset)
    key = "finish.headline" if plain.hits else "finish.headline.zero"
    total = digits(plain.prompt)
    told = t(key, "en", hit=digits(plain.hits), total=total, rate=percent(plain.hits / plain.prompt))
    assert at.header[0].value == told
    said = texts(at)
    config = log_of(preset).config
    assert t("finish.subline", "en", requests=plain.requests, count=config.num_usable, size=config.block_size,
             evicted=plain.evicted) in said  # fmt: skip
    full, hit = 1e3 * plain.full_s / plain.requests, 1e3 * plain.hit_s / plain.requests
    assert (
        t("finish.ours.first", "en", full=digits(full), hit=digits(hit), saved=change(1 - hit / full)) in said
    )
    assert t("finish.ours.guests", "en", ratio=digits(plain.full_s / plain.hit_s)) in said


@pytest.mark.parametrize("preset", SOME)
def test_savings(preset: str) -> None:
    table, plain = rows(visit("finish", lang="en", s=preset)), plain_of(preset)
    saved_s = plain.full_s - plain.hit_s
    by_hour, by_token = saved_s / 3600 * 2.0, plain.hits * (1.0 - 0.1) / 1e6

    def row(name: str) -> list[str]:
        return table[t(f"finish.savings.{name}", "en")][:2]

    assert row("tokens") == [digits(plain.hits), digits(plain.hits * 1_000_000)]
    assert row("gpu") == [seconds(saved_s), seconds(saved_s * 1e6)]
    assert row("ms")[0] == seconds(saved_s / plain.requests)
    assert row("hour") == [money(by_hour, "$"), money(by_hour * 1e6, "$")]
    assert row("token") == [money(by_token, "$"), money(by_token * 1e6, "$")]
    block_gib = log_of(preset).config.block_size * 524_288 / 2**30
    assert row("memory")[0] == t(
        "finish.savings.peak", "en", shared=plain.most_held, unshared=plain.most_unshared,
        gib=digits(plain.most_held * block_gib), gib_unshared=digits(plain.most_unshared * block_gib),
    )  # fmt: skip


@pytest.mark.parametrize("preset", SOME)
def test_side_by_side(preset: str) -> None:
    table, plain = rows(visit("finish", lang="en", s=preset)), plain_of(preset)
    rate = f"{percent(plain.hits / plain.looked_up)} %"
    bare_s = plain.full_s  # nobody is preempted in these
    assert table[t("finish.compare.cached", "en")] == [
        rate, digits(plain.hits), digits(plain.computed), str(plain.evicted), str(plain.most_held),
        seconds(plain.prefill_s), f"×{digits(plain.prefill_s / bare_s)}",
    ]  # fmt: skip
    without = table[t("finish.compare.plain", "en")]
    assert without[:3] == ["–", "0", digits(plain.prompt)]
    assert without[-2:] == [seconds(bare_s), "×1.00"]


@pytest.mark.parametrize("preset", SOME)
def test_the_waterfall_as_a_table(preset: str) -> None:
    table, plain = rows(visit("finish", lang="en", s=preset)), plain_of(preset)
    shown = 0
    for share in (
        "reused",
        "new",
        "evicted",
        "near_miss",
        "last_token",
        "tail",
        "not_admitted",
        "other_world",
    ):
        row = table.get(f"**{t(f'finish.share.{share}', 'en')}**")
        count = plain.shares[share]
        if row is None:
            assert count == 0, share
            continue
        assert row[:2] == [str(count), f"{percent(count / plain.prompt)} %"]
        shown += count
    assert table[t("finish.share.all", "en")][:2] == [str(shown), "100.0 %"] == [str(plain.prompt), "100.0 %"]


@pytest.mark.parametrize("preset", ["P9", "P9b", "P9c", "P10"])
def test_the_evictions_that_hurt(preset: str) -> None:
    at, plain = visit("finish", lang="en", s=preset), plain_of(preset)
    shown = stage_log(load_setup(Setup(preset), "en"), log_of(preset), "")
    forgetting = {
        e["ev"]: e["i"] + 1 for e in reversed(shown["events"]) if e["op"] in ("evict", "ttl", "reset")
    }
    labels = [button.label for button in at.button if (button.key or "").startswith("finish_act_")]
    assert labels == [
        t("finish.evictions.show", "en", step=forgetting[first]) for first, _, _ in plain.worst()
    ]
    said = texts(at)
    for _, tokens, who in plain.worst():
        names = ", ".join(who[:3]) + (" …" if len(who) > 3 else "")
        assert t("finish.evictions.cost", "en", names=names, tokens=tokens) in said


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("preset", preset_ids())
def test_nothing_is_above_a_hundred_percent(preset: str, lang: Lang) -> None:
    at = visit("finish", lang=lang, s=preset, bet="100")
    said = texts(at) + at.header[0].value
    found = [float(number) for number in re.findall(r"(\d+(?:\.\d+)?) ?%", said)]
    assert found
    assert max(found) <= 100


# -- changes tried -------------------------------------------------------------------------------------


def test_every_change_is_a_line_with_its_own_numbers() -> None:
    tried = [Fork(10, "slots", 5), Fork(0, "block_size", 2)]
    at = visit("finish", lang="en", s="P9", tried="~".join(fork.to_link() for fork in tried))
    table = rows(at)
    scenario, log = load_setup(Setup("P9"), "en"), log_of("P9")
    steps = stage_log(scenario, log, "")["events"]
    for fork in tried:
        plain = plain_report(run(forked(scenario, log, steps, fork, "en")))
        name = t("finish.compare.fork", "en", what=t(f"stage.fork.{fork.change}", "en"), value=fork.value,
                 step=fork.step)  # fmt: skip
        row = table[name]
        assert row[0] == f"{percent(plain.hits / plain.looked_up)} %"
        assert row[1:4] == [digits(plain.hits), digits(plain.computed), str(plain.evicted)]
    left = rows(press(at, "finish_forget_forks"))
    assert len(table) - len(left) == len(tried)
    assert "tried" not in at.query_params


def test_a_change_that_cannot_be_made_says_why() -> None:
    at = visit("finish", lang="zh", s="P0", tried="0.slots.2")
    told = [str(info.value) for info in at.info]
    assert len(told) == 1
    assert told[0].startswith(t("stage.fork.slots", "zh"))
    assert "R0" in told[0], "the reason names the request that does not fit"
    assert t("finish.compare.cached", "zh") in rows(at)


def test_what_people_typed_stays_text() -> None:
    at = visit("finish", lang="en", s="P0", tried="0.prompt.%3Cb%3E%7C **x** [a](http:b)")
    said = "\n".join(str(element.value) for element in at.markdown)
    assert "\\<b\\>\\| \\*\\*x\\*\\* \\[a\\]" in said
    figures = [chart.proto.spec for chart in at.get("plotly_chart")]
    assert not any("<b>| **x**" in figure for figure in figures)
    assert any("\\u003cb\\u003e" in figure or "&lt;b&gt;" in figure for figure in figures)


# -- bet, answers, prices ------------------------------------------------------------------------------


@pytest.mark.parametrize(("bet", "key"), [(None, "none"), ("34", "close"), ("90", "high"), ("1", "low")])
@pytest.mark.parametrize("lang", LANGS)
def test_the_bet_meets_the_result(lang: Lang, bet: str | None, key: str) -> None:
    at = visit("finish", lang=lang, s="P0", **({} if bet is None else {"bet": bet}))
    rate = 100 * plain_of("P0").hits / plain_of("P0").prompt
    args = {} if bet is None else {"bet": bet, "off": f"{abs(int(bet) - rate):.1f}"}
    assert t(f"finish.bet.{key}", lang, rate=f"{rate:.1f}", **args) in texts(at)


@pytest.mark.parametrize(("bet", "key"), [(20, "close"), (25, "close"), (58, "high"), (0, "low")])
@pytest.mark.parametrize("lang", LANGS)
def test_a_bet_in_tokens_meets_the_result_in_tokens(lang: Lang, bet: int, key: str) -> None:
    at = visit("finish", lang=lang, s="P0", bet=f"{bet}t")
    hits, total = plain_of("P0").hits, plain_of("P0").prompt
    told = t(f"finish.bet.tokens.{key}", lang, bet=bet, hit=hits, total=total, off=abs(bet - hits))
    assert told in texts(at)


@pytest.mark.parametrize("lang", MODES)
def test_answers_are_told_by_misconception(lang: LangMode) -> None:
    at = visit("finish", lang=lang, s="P0", quiz="P0.hit12x.hit20.touch30_P1.done9x")
    said, leading = texts(at), languages(lang)[0]
    assert t("finish.quiz.score", leading, right=2, n=4) in said
    for name, score in (("until", "1 / 2"), ("touch", "1 / 1"), ("done", "0 / 1")):
        assert re.search(rf"\*\*{score}\*\* · {re.escape(t(f'finish.quiz.{name}', leading))}", said)
    at = press(at, "finish_forget")
    assert t("finish.quiz.none", leading) in texts(at)
    assert "quiz" not in at.query_params


def test_prices_change_the_money_and_nothing_else() -> None:
    at = visit("finish", lang="en", s="L640")
    before = rows(at)
    at = choose(at, "widget_machine_per_gpu_hour", 20.0)
    after = rows(at)
    hour = t("finish.savings.hour", "en")
    assert after[hour] != before[hour]
    assert {key: row for key, row in after.items() if key != hour} == {
        key: row for key, row in before.items() if key != hour
    }
    assert at.query_params["on"] == "Llama-2-7B~A100~1~20~1~0.1"


def test_a_faster_gpu_takes_less_time() -> None:
    at = visit("finish", lang="en", s="L640", on="Llama-2-7B~H100~1~2~1~0.1")
    name = t("finish.compare.plain", "en")
    milliseconds = [
        float(rows(page)[name][-2].split()[0]) for page in (at, visit("finish", lang="en", s="L640"))
    ]
    assert milliseconds[0] < milliseconds[1]


# -- no run --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_without_a_run_there_are_sentences(lang: Lang) -> None:
    at = visit("finish", lang=lang, s="P0", slots="2")
    assert len(at.error) == 1
    assert t("export.none", lang) in [info.value for info in at.info]
    assert at.header == []  # type: ignore[comparison-overlap]
    assert t("finish.recap.breaks.2", lang) in texts(at)


# -- files ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_only_the_open_tab_is_drawn(lang: Lang) -> None:
    at = visit("finish", lang=lang, s="P0")
    names = ("data", "pictures", "film", "handout", "link")
    assert [tab.label for tab in at.tabs] == [t(f"export.{name}", lang) for name in names]
    assert [len(tab.children) > 0 for tab in at.tabs] == [True, False, False, False, False]


def open_tab(at: AppTest, name: str, lang: Lang = "en") -> AppTest:
    at.session_state["export_tab"] = name
    return calm(at.run())


@pytest.mark.parametrize("tab", ["pictures", "film"])
def test_nothing_to_take_home_shows_what_is_still_asked(tab: str) -> None:
    """In a guided run the film went on past the question, to its answer."""
    asked = next(i for i, step in enumerate(stage_log_of("three")["events"]) if "ask" in step)
    at = open_tab(visit("finish", lang="en", s="three", m="guided"), tab)
    assert t("export.open", "en", step=asked) in [info.value for info in at.info]
    last = (
        at.slider(key=f"film_range_{asked}").max
        if tab == "film"
        else at.number_input(key=f"export_step_{asked}").max
    )
    assert last == asked
    at = open_tab(visit("finish", lang="en", s="three", m="walk"), tab)
    assert not at.info


def test_a_film_is_told_before_it_is_made_anew() -> None:
    at = open_tab(visit("finish", lang="en", s="P0"), "film")
    at.slider(key="film_range_127").set_range(10, 20)
    at.selectbox(key="film_level").set_value("micro")
    told = [caption.value for caption in calm(at.run()).caption]
    assert any(words.startswith("11 pictures, 24.0 s, ") for words in told), told


def test_the_link_leaves_bet_and_answers_at_home() -> None:
    at = visit("finish", lang="en", s="P9", bet="40", quiz="P9.hit12x", tried="10.slots.5", slots="6")
    link = open_tab(at, "link").code[0].value
    assert link == "/execute?v=1&s=P9&slots=6&tried=10.slots.5&lang=en"
    assert (
        run_link("http://localhost:1/deep/finish?s=P0", {"s": "P9"}) == "http://localhost:1/deep/execute?s=P9"
    )


@pytest.mark.parametrize("lang", LANGS)
def test_every_tab_draws_something(lang: Lang) -> None:
    at = visit("finish", lang=lang, s="P9")
    for name in ("pictures", "handout", "link", "data"):
        at = open_tab(at, name, lang)
        assert [len(tab.children) > 0 for tab in at.tabs].count(True) == 1
    assert t("export.jsonl.help", lang, n=len(log_of("P9", lang).events)) in texts(at)
