"""What Monitor ran, Finish reports; counted once more from the load itself."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from core.load import LoadRun
from tests.app.test_finish import rows
from tests.app.visit import go_to, texts, visit
from ui.finish import far
from ui.machine.machine import Machine
from ui.monitor.deeds import Deed, LoadPlan, to_query
from ui.monitor.setup import LoadSetup
from ui.words.i18n import LANGS, Lang, t
from ui.words.numbers import digits, never_full, seconds

CROWDED = LoadSetup(seed=3, rate=16.0, pool=2048)
"""More than one GPU of the usual machine can serve without a cache."""


def plain_run(setup: LoadSetup, until_s: float, cap_at: tuple[int, int] | None = None) -> LoadRun:
    run = LoadRun(setup.spec(), setup.config(), Machine().cost())
    if cap_at is not None:
        run.advance(seconds=cap_at[0])
        run.set_policy("cache_cap", cap_at[1])
    run.advance(seconds=until_s - run.now_s)
    return run


def headline(run: LoadRun, lang: Lang) -> str:
    summary = run.summary()
    told = {"n": digits(run.cached.num_taken), "time": seconds(run.now_s)}
    return t("finish.load.headline", lang, rate=never_full(summary.hit_rate.value or 0), **told)


def percent(share: float, lang: Lang) -> str:
    return t("decision.percent", lang, n=never_full(share))


def test_without_a_load_the_lesson_stands_alone() -> None:
    at = visit("finish", lang="en")
    assert t("finish.load.title", "en") not in [one.value for one in at.subheader]
    assert t("finish.lesson.title", "en") not in [one.value for one in at.subheader]
    assert "lu" not in at.query_params


@pytest.mark.parametrize("lang", LANGS)
def test_a_link_makes_the_load_again_and_reports_it(lang: Lang) -> None:
    plan = LoadPlan(CROWDED, (Deed(5, "cache_cap", 900),))
    at = visit("finish", lang=lang, lu="20", **to_query(plan))
    run = plain_run(CROWDED, 20.0, (5, 900))
    assert at.header[0].value == headline(run, lang)
    titles = [one.value for one in at.subheader]
    assert titles[:2] == [t("finish.load.title", lang), t("finish.lesson.title", lang)]
    table = rows(at)
    sides = ((run.records.cached, run.cached), (run.records.plain, run.plain))
    late, p95, waiting = [], [], []
    for side, server in sides:
        come = [n for n in range(len(side.arrival_s)) if side.arrival_s[n] == side.arrival_s[n]]
        ttft = [side.first_s[n] - side.arrival_s[n] for n in come if side.first_s[n] == side.first_s[n]]
        open_s = [server.now_s - side.arrival_s[n] for n in come if side.first_s[n] != side.first_s[n]]
        open_s += [server.now_s - arrival.at_s for arrival in server.door]
        over = sum(wait > 0.3 for wait in ttft), sum(wait > 0.3 for wait in open_s)
        late.append(percent(sum(over) / (len(ttft) + over[1]), lang))
        place = 0.95 * (len(ttft) - 1)
        low, rest = int(place), place % 1
        ttft.sort()
        p95.append(seconds(ttft[low] + rest * (ttft[low + 1] - ttft[low])))
        waiting.append(len(open_s))
    assert table[t("finish.load.late", lang, level=seconds(0.3))][:2] == late
    assert table[t("finish.load.p95", lang)][:2] == p95
    assert waiting[1] > 0
    assert t("finish.load.behind.without", lang, n=waiting[1]) in texts(at)
    assert t("finish.load.busy.open", lang) in texts(at)
    kinds = [row for row in run.by_kind(0.3) if row.kind is not None]
    assert len(kinds) > 3
    for row in kinds:
        cells = table[t(f"decision.kind.{row.kind}", lang)]
        assert cells[:2] == [digits(row.num_requests), percent(row.hit_rate.value or 0.0, lang)]


def test_a_load_of_this_session_is_reported_and_its_address_gives_it_again() -> None:
    at = visit("monitor", lang="en", lr="8", s="P1")
    at.session_state["load"].playing = True
    for _ in range(3):
        at.run()
    stood = at.session_state["load"].run
    at = go_to(at, "finish")
    assert stood.now_s > 0
    assert at.header[0].value == headline(stood, "en")
    assert at.session_state["load"].playing, "looking at the report does not stop it"
    query = dict(at.query_params.items())
    assert query["lu"] == f"{stood.now_s:.0f}"
    again = visit("finish", **query)
    assert rows(again) == rows(at)


def test_a_load_that_takes_long_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.monitor.repeat.SLICE_S", 0.0)
    monkeypatch.setattr("ui.monitor.repeat.NUM_SLICES", 1)
    at = visit("finish", lang="en", lr="8", lu="20")
    assert t("finish.load.far", "en", seconds=0, goal=20) in [one.value for one in at.info]
    assert t("finish.lesson.title", "en") in [one.value for one in at.subheader]
    monkeypatch.setattr("ui.monitor.repeat.SLICE_S", 60.0)
    at = at.button("finish_repeat").click().run()
    assert at.header[0].value == headline(plain_run(LoadSetup(rate=8.0), 20.0), "en")


def test_another_load_has_not_run_yet() -> None:
    at = visit("monitor", lang="en", lu="300")
    assert at.query_params["lu"] == "300"
    at.selectbox("load_rate").select(2.0).run()
    assert "lu" not in at.query_params


@pytest.mark.parametrize("text", ["0", "-3", "many", "1e3", "9999999"])
def test_a_damaged_length_is_named(text: str) -> None:
    assert far.from_query({"lu": text}) == (None, ["lu"])


@pytest.mark.parametrize("lang", LANGS)
def test_what_was_done_to_the_load_stands_in_its_report(lang: Lang) -> None:
    """Settings that are not the usual ones, knobs turned and rush hours, each with its moment."""
    first = LoadSetup(rate=2.0, cache_cap=64, ttl_s=2, admit_after=3)
    plan = LoadPlan(first, (Deed(4, "cache_cap", 100), Deed(6, "burst"), Deed(7, "ttl_s")))
    at = visit("finish", lang=lang, lu="30", **to_query(plan))
    said = texts(at)

    def flag(name: str, value: int) -> str:
        return t(f"monitor.flag.{name}", lang, value=value)

    for name, value in (("cache_cap", 64), ("ttl", 2), ("admit_after", 3)):
        assert flag(name, value) in said
    rush = t("finish.load.rush", lang, factor="4", seconds="20")
    for what, second in ((flag("cache_cap", 100), 4), (rush, 6), (t("finish.load.no.ttl", lang), 7)):
        assert t("finish.load.deed", lang, what=what, second=second) in said
    assert t("finish.load.decide.calm", lang) in said
    assert t("finish.load.decide.rate", lang, rate=4) + ("。" if lang == "zh" else ".") in said
    assert t("finish.load.decide.times", lang, times=2) in said
    calm = texts(visit("finish", lang=lang, lu="10", lr="2"))
    assert t("finish.load.decide.calm", lang) not in calm
    assert rush not in calm


def test_money_is_what_busy_time_shows_and_a_rush_is_in_its_month() -> None:
    setup = LoadSetup(mix="system")
    at = visit("finish", lang="en", lu="90", **to_query(LoadPlan(setup, (Deed(20, "burst"),))))
    run = LoadRun(setup.spec(), setup.config(), Machine().cost())
    run.advance(seconds=20)
    run.burst(seconds=20, factor=4)
    run.advance(seconds=70)
    saved = run.summary().saved_busy.value
    assert saved is not None
    assert 0 < saved < (run.summary().saved_prefill.value or 0) / 3
    a_month = saved / 3600 * Machine().prices.per_gpu_hour * 730 * 3600 / run.now_s
    said = texts(at).replace("\\$", "$")
    assert f"**{seconds(saved)}**" in said
    assert f"about ${a_month:,.0f} in a month" in said
    assert t("finish.load.worth.rush", "en") in said
    assert t("finish.load.idle.more", "en") in said


def test_agents_whose_tools_work_say_so() -> None:
    said = texts(visit("finish", lang="en", lm="agents", ln="4", lk="2", lu="40"))
    assert t("finish.load.tools", "en", tool="6", share="10", seconds="2") in said
    assert t("finish.load.closed", "en", n=4, seconds=2) not in said


def test_the_load_s_address_stands_beside_the_stage_s() -> None:
    query = {"lr": "2", "lc": "64", "ld": "4C2s", "lu": "10", "lang": "en"}
    at = visit("finish", **query)
    at.session_state["export_tab"] = "link"
    found = [one.value for one in at.run().code]
    assert len(found) == 2
    load, stage = (dict(parse_qsl(urlsplit(one).query)) for one in found)
    assert load.items() >= query.items()
    assert urlsplit(found[0]).path.endswith("/finish")
    assert "lu" not in stage
    assert urlsplit(found[1]).path.endswith("/execute")
