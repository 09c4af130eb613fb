"""The decision page without a browser: it computes in pieces, tells its finding, comes back by its link."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from streamlit.testing.v1 import AppTest

from core.decision import Outcome, SheetSpec, Work
from tests.app.visit import calm, choose, texts, visit
from tests.unit.ui.decision.made_up import made_up
from ui.decision import job as runs
from ui.decision.setup import Choice
from ui.words.i18n import LANGS, Lang, t

MEASURED: list[Work] = []


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs by a formula; nothing is left from another test."""
    MEASURED.clear()

    def measuring(spec: SheetSpec, work: Work) -> Generator[None, None, Outcome]:
        MEASURED.append(work)
        yield
        return made_up(spec, work)

    monkeypatch.setattr(runs, "measuring", measuring)
    monkeypatch.setattr(runs, "_RUNS", runs.SharedPieces(2_000))


def job_of(at: AppTest) -> runs.SheetJob:
    found: runs.SheetJob = at.session_state["decision_job"]
    return found


def computed(at: AppTest) -> AppTest:
    """All runs done: what a browser's ticks do one by one."""
    choice: Choice = at.session_state["decision_choice"]
    job_of(at).tick(choice.level_s, choice.gpus, budget_s=60)
    return calm(at.run())


def html(at: AppTest) -> str:
    return "".join(one.proto.body for one in at.get("html"))


@pytest.mark.parametrize("lang", LANGS)
def test_it_draws_first_computes_in_pieces_and_ends_with_a_finding(
    lang: Lang, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "BUDGET_S", 0.0)
    monkeypatch.setattr(runs.SheetJob.tick, "__defaults__", (None, runs.time.perf_counter, 0.0))
    at = visit("decision", lang=lang)
    assert at.title[0].value == t("decision.verdict.open", lang, level=f"300 {t('decision.ms', lang)}")
    assert MEASURED == []
    at = computed(at)
    assert re.search(r"\d", at.title[0].value)
    assert job_of(at).done
    body = html(at)
    for basis in ("counted", "modelled", "yours"):
        assert t(f"decision.basis.{basis}", lang) in body
    assert sum(one.value.count("<svg") for one in at.markdown) == 4, "two curves, each for two widths"


def test_another_service_level_or_price_computes_nothing() -> None:
    at = computed(visit("decision", lang="en"))
    before, said = len(MEASURED), at.title[0].value
    at = choose(at, "decision_level", 1000)
    assert at.title[0].value != said
    at = choose(at, "widget_machine_per_gpu_hour", 3.0)
    at = choose(at, "widget_machine_currency", "€")
    assert "€" in html(at)
    assert len(MEASURED) == before
    assert at.query_params["dl"] == "1000"


def test_a_link_gives_the_sheet_again_and_a_class_computes_it_once() -> None:
    at = computed(visit("decision", lang="en", dl="450", dr="20", dz="4~16", ds="16", dn="3", lm="chat"))
    assert at.session_state["decision_choice"] == Choice(450, 20.0, None, (4.0, 16.0), 16.0, 3)
    count = len(MEASURED)
    assert count == len(job_of(at).works)
    link = {name: value for name, value in at.query_params.items() if name != "lang"}
    again = computed(visit("decision", lang="zh", **link))
    assert len(MEASURED) == count
    assert job_of(again).spec == job_of(at).spec
    more = computed(choose(at, "decision_sizes", [4.0, 8.0, 16.0]))
    assert {work.gib for work in MEASURED[count:]} == {8.0}, "only the new size"
    assert job_of(more).done


def test_runs_on_ones_own_machine_are_not_shared() -> None:
    computed(visit("decision", lang="en", on="my-model~A100~1~2~1~0.1", dz="4"))
    assert not runs._RUNS._made
    assert not runs._RUNS._under_way


def test_what_the_load_is_stands_there_with_a_way_back() -> None:
    at = visit("decision", lang="en", lm="chat", lc="200", ln="5")
    said = texts(at)
    assert "chats of several turns" in said
    assert "cap 200" in said
    assert "10 clients who wait for their answer, on all GPUs (twice Monitor's server, no rush hours)" in said


def test_a_model_without_room_says_so() -> None:
    at = visit(
        "decision",
        lang="en",
        on="my-model~my-GPU~1~2~1~0.1",
        my="80~8192~64~8~128~28672~128256~bf16~bf16~300~0~2000~24",
    )
    assert "no room" in at.title[0].value
