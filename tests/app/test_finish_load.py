"""What Monitor ran, Finish reports; counted once more from the load itself."""

from __future__ import annotations

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
