"""Chapter 5: its numbers, and that sources and events on the page are what really ran."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from core.engine.events import BlockEvicted, BlockReleased, CacheReset, RequestPreempted
from core.scenario.scenario import run
from pages.ch05 import OPENS_ON, VLLM_NAMES, numbers, opening_step, ten_users
from ui.course.ch05 import MINE, MODULES, SITUATIONS, Held, at_once, situation, summary, witness
from ui.course.ch05_picture import ORDER, work_of
from ui.course.code import marked_source, source_of
from ui.course.mine import my_scenario, our_prompt
from ui.frame.static_files import ROOT
from ui.stage.own import OwnPrompts
from ui.stage.payload import stage_log
from ui.stage.show_me import find_step
from ui.words.i18n import LANGS, Lang

NUMBERS: dict[str, dict[str, Any]] = {
    "users": {
        "shared": 13,
        "unshared": 40,
        "large_shared": 112,
        "large_unshared": 400,
        "gib_shared": "0.875",
        "gib_unshared": "3.125",
        "model": "Llama-2-7B",
    },
    "same_step": {"hit": 12, "total": 15},
    "lru": {"slot": 4, "num": 1},
    "preempt": {"hit": 12, "computed": 5},
    "version": {"before": 12, "after": 0},
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", SITUATIONS)
def test_numbers_and_opening_step(name: str, lang: Lang) -> None:
    scenario = situation(name, lang)
    log = run(scenario)
    assert numbers(name, log) == NUMBERS[name]
    shown = stage_log(scenario, log, name)
    assert 0 < find_step(shown, OPENS_ON[name]) <= len(shown["events"])


def test_ten_users_hold_112_blocks_instead_of_400() -> None:
    assert ten_users() == Held(112, 400)


def test_what_the_texts_say_happens() -> None:
    events = {name: run(situation(name, "en")).events for name in SITUATIONS}
    assert [e.ok for e in events["version"] if isinstance(e, CacheReset)] == [False]
    assert not any(isinstance(e, BlockEvicted) for e in events["version"]), "nothing is deleted"
    assert [e.request_id for e in events["preempt"] if isinstance(e, RequestPreempted)] == ["R1"]
    tails = [e.index for e in events["lru"] if isinstance(e, BlockReleased) and e.request_id == "R0"]
    assert tails == sorted(tails, reverse=True), "the tail is released first"


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_event_has_its_teller(name: str) -> None:
    scenario = situation(name, "en")
    told, moves = witness(scenario)
    assert [one.event for one in told] == list(run(scenario).events)
    for one in told:
        first, lines = source_of(one.function)
        assert "mit" in "".join(lines), "it calls emit, or hands the event to it"
        assert first <= one.line < first + len(lines)
    modules = {one.function.__module__ for one in told}
    assert {f"core.engine.{MODULES[title]}" for title in ("CacheController", "Scheduler")} <= modules
    assert "core.engine.block_manager" not in modules, "it tells nobody, as the page says"
    assert {move.function.__qualname__ for move in moves} >= {"BlockManager.pop", "BlockManager.put_back"}
    assert sys.getprofile() is None


def test_a_mark_stands_on_the_telling_line() -> None:
    told, _ = witness(situation("users", "en"))
    touch = next(one for one in told if one.function.__qualname__ == "CacheController.touch")
    marked = [line for line in marked_source(touch.function, {touch.line}).splitlines() if line[0:1] == "▶"]
    assert len(marked) == 1
    assert "BlockTouched(" in marked[0]
    assert summary(touch.event).startswith("request_id=R1, index=0, block_id=1, ref_count=2")


NOTHING_SHARED = OwnPrompts("a", ("b", "c", "d"))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(("prompt", "refs"), [(None, 3), (NOTHING_SHARED, 1)])
def test_ones_own_prompts_at_once(lang: Lang, prompt: OwnPrompts | None, refs: int) -> None:
    scenario = at_once(my_scenario(lang, prompt or our_prompt(lang)))
    assert [command.op for command in scenario.commands] == ["submit"] * 3 + ["run"]
    log = run(scenario)
    assert numbers(MINE, log) == {"refs": refs}
    shown = stage_log(scenario, log, MINE)
    opened = shown["events"][opening_step(MINE, shown) - 1]
    assert opened["op"] == ("touch" if refs > 1 else "plan")
    assert refs == 1 or opened["args"]["ref"] == refs


def test_the_picture_counts_each_event_once() -> None:
    told, moves = witness(situation("users", "en"))
    work = work_of(told, moves)
    assert work["BlockManager"] == len(moves)
    assert work["Scheduler"] + work["CacheController"] <= len(told)
    assert set(ORDER) == set(VLLM_NAMES) == set(MODULES)


def test_nobody_sorts_by_the_time_that_is_written_down() -> None:
    """The text says so: `last_access` is kept for the stage, and the policies of ours read it once."""
    for module in ("cache_controller", "block_manager", "scheduler"):
        text = (ROOT / "core" / "engine" / f"{module}.py").read_text("utf-8")
        assert not re.search(r"(sorted|sort|min|max)\(.*last_access", text), module
