"""The leak test can fail: each thing that would give an answer away is planted and seen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.leaks import Seen, filled, leaks
from tests.stage_runs import frames_of, log_of, steps_of
from ui.words.i18n import LANGS, Lang, table

CLEAN = {
    "names": "",
    "live": "",
    "tip": "",
    "head": "",
    "card": "",
    "loud": 0,
    "lane": "",
    "bench": "?",
}


def asked(kind: str) -> dict[str, Any]:
    """The first question of a kind in the worked example that comes behind its first request."""
    return next(one for one in steps_of("P0") if one.get("ask", {}).get("kind") == kind and one["i"] > 20)


def clean(kind: str) -> Seen:
    """A stage that shows a question and nothing else."""
    step = asked(kind)
    rid = step["ask"]["rid"]
    blocks = [{"keys": [f"blk:{rid}:{b}"], "state": "plain", "spot": False} for b in range(4)]
    slots = [{"keys": [f"slot:{slot}"], "state": "cached", "spot": False} for slot in range(1, 11)]
    tags = [{"text": "?", "icons": 0, "state": ""}] * 4
    rows = [{"text": "9503", "asked": None, "ghost": None}]
    seen = {"blocks": blocks, "slots": slots, "tags": tags, "rows": rows, "queue": ["front", "back"]}
    return {**CLEAN, **seen, "step": step["i"], "asking": True}


def found(kind: str, lang: Lang = "en", **planted: Any) -> list[str]:
    step = asked(kind)
    hashes = frames_of(log_of("P0"), steps_of("P0"))[step["i"]]["reqs"][step["ask"]["rid"]]["hashes"]
    return leaks({**clean(kind), **planted}, steps_of("P0"), hashes if kind != "lane" else [], lang)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", ["lane", "pool", "choice"])
def test_a_clean_stage_has_no_leak(kind: str, lang: Lang) -> None:
    assert found(kind, lang) == []


@pytest.mark.parametrize("state", ["hit", "miss", "new", "skip"])
def test_a_block_that_is_drawn_as_decided(state: str) -> None:
    blocks = clean("lane")["blocks"]
    assert found("lane", blocks=[{**blocks[0], "state": state}, *blocks[1:]])


def test_a_tag_before_it_is_made() -> None:
    tag = next(one["tag"] for one in steps_of("P0") if one["op"] == "hash" and one["rid"] == "R1")
    assert found("lane", tags=[{"text": tag, "icons": 0, "state": ""}])


def test_a_tag_with_a_mark() -> None:
    assert found("lane", tags=[{"text": "?", "icons": 1, "state": ""}])


@pytest.mark.parametrize("row", [{"asked": "1", "ghost": None}, {"asked": None, "ghost": "miss"}])
def test_a_row_that_is_pointed_at(row: dict[str, Any]) -> None:
    assert found("lane", rows=[{"text": "9503", **row}])


@pytest.mark.parametrize("lang", LANGS)
def test_the_plan_in_the_lane(lang: Lang) -> None:
    plan = table(lang)["stage.lane.plan"].replace("{hit}", "8").replace("{rest}", "6")
    assert found("lane", lang, lane=plan)


def test_another_request_in_the_lane() -> None:
    assert found("lane", blocks=[])


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("place", ["bench", "live", "tip", "names", "head"])
@pytest.mark.parametrize("kind", ["lane", "pool", "choice"])
def test_a_verdict_before_its_time(kind: str, place: str, lang: Lang) -> None:
    for key in asked(kind)["ask"]["said"].values():
        text = filled(key, asked(kind)["args"] | asked(kind)["ask"].get("args", {}), lang)
        assert found(kind, lang, **{place: f"… {text} …"})


@pytest.mark.parametrize("lang", LANGS)
def test_the_caption_of_a_step_that_decides(lang: Lang) -> None:
    match = next(one for one in steps_of("P0", lang) if one["op"] == "match")
    assert found("lane", lang, bench=filled("cap.match.what", match["args"], lang))


def test_a_timeline_that_shows_what_comes() -> None:
    assert found("choice", loud=12)


def test_a_card_with_the_result() -> None:
    assert found("choice", card="20 of 58")


def test_a_slot_that_is_marked() -> None:
    answer = asked("pool")["ask"]["answers"][0]
    slots = [{**one, "spot": one["keys"] == [f"slot:{answer}"]} for one in clean("pool")["slots"]]
    assert found("pool", slots=slots)


@pytest.mark.parametrize("lang", LANGS)
def test_a_queue_that_says_who_goes(lang: Lang) -> None:
    assert found("pool", lang, queue=[{"en": "HEAD: next out", "zh": "最先离开"}[lang]])


def test_a_stage_behind_its_question() -> None:
    """A stop of a lesson that opens on the event instead of before it."""
    assert found("lane", step=asked("lane")["i"] + 1) == ["no question stands open here"]
    assert found("lane", asking=False) == ["no question stands open here"]
