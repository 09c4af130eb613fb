"""The static renderer: golden frames, escaped text, every state told apart without colour.

After a wanted change of the picture: ``BROTH_GOLDEN=write python -m pytest tests/unit/ui/svg/test_svg.py``.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from core.scenario.reader import load_scenario
from core.scenario.scenario import run
from core.timeline.frame import Frame, apply
from tests.stage_runs import scenario
from ui.stage.payload import stage_log
from ui.stage.setup import preset_text
from ui.svg import render_svg
from ui.svg.scene import STATES

GOLDEN = Path(__file__).parents[3] / "golden" / "frames.json.gz"
# five moments: slots reserved, a hit block shared, a miss computed, an eviction, a pool at rest
MOMENTS = {
    "reserved": ("three", "alloc"),
    "shared": ("P0", "touch"),
    "computed": ("P0", "compute"),
    "evicted": ("P9", "evict"),
    "rest": ("P1", "done"),
}


@cache
def steps_of(scenario_id: str, lang: str) -> dict[str, Any]:
    scenario = load_scenario(preset_text(scenario_id), lang=lang)
    return stage_log(scenario, run(scenario), scenario_id)


def frame_after(log: dict[str, Any], op: str) -> tuple[Frame, dict[str, Any]]:
    frame = log["init"]
    for step in log["events"]:
        frame = apply(frame, step["patch"])
        if step["op"] == op:
            return frame, step
    raise AssertionError(op)


def picture(moment: str, lang: str, theme: str, *, blanks: bool = False) -> str:
    scenario_id, op = MOMENTS[moment]
    log = steps_of(scenario_id, lang)
    frame, step = frame_after(log, op)
    size = log["meta"]["block_size"]
    return render_svg(
        frame,
        block_size=size,
        lang=lang,
        theme=theme,
        step=step,
        pieces=log["pieces"],
        title=moment,
        blanks=blanks,
    )


def all_pictures() -> dict[str, str]:
    return {
        f"{moment}/{lang}/{theme}": picture(moment, lang, theme)
        for moment in MOMENTS
        for lang in ("en", "zh")
        for theme in ("light", "dark")
    }


def test_twenty_golden_frames() -> None:
    pictures = all_pictures()
    if os.environ.get("BROTH_GOLDEN") == "write":
        text = json.dumps(pictures, ensure_ascii=False, indent=0).encode()
        GOLDEN.write_bytes(gzip.compress(text, mtime=0))
    golden = json.loads(gzip.decompress(GOLDEN.read_bytes()))
    assert len(golden) == 20
    assert pictures == golden


@pytest.mark.parametrize("name", list(MOMENTS))
def test_frames_are_well_formed(name: str) -> None:
    ElementTree.fromstring(picture(name, "en", "light"))


def test_a_state_is_told_by_more_than_colour() -> None:
    """Border width, dash and glyph together tell all states apart in grey."""
    signs = {(width, dash, glyph, "url" in fill) for fill, _, width, dash, glyph, _ in STATES.values()}
    assert len(signs) == len(STATES)


def numbers(svg: str) -> list[str]:
    """The lines of the ledger, in English."""
    words = [element.text or "" for element in ElementTree.fromstring(svg).iter()]
    names = ("reused", "computed", "reserved", "waiting", "asked")
    return [
        text
        for text in words
        if text.removeprefix("= ").partition(" ")[2] in names and text[:1] in "=0123456789"
    ]


def test_what_is_planned_is_drawn_as_reserved_and_not_as_computed() -> None:
    log = steps_of("three", "en")
    reserved, step = frame_after(log, "register")
    svg = render_svg(reserved, block_size=4, lang="en", step=step, pieces=log["pieces"])
    assert numbers(svg) == ["0 reused", "0 computed", "11 reserved", "0 waiting", "= 11 asked"]
    assert "reserved" in svg.partition("Block table")[2]
    computed, step = frame_after(log, "append")
    svg = render_svg(computed, block_size=4, lang="en", step=step, pieces=log["pieces"])
    assert numbers(svg) == ["0 reused", "11 computed", "0 reserved", "0 waiting", "= 11 asked"]


def test_a_tag_that_is_known_is_drawn_thin_and_a_registered_one_bold() -> None:
    """A block that the last token of an answer fills gets a tag, and is never stored."""
    log = steps_of("P0", "en")
    frame, step = log["init"], None
    for step in log["events"]:
        frame = apply(frame, step["patch"])
        if step["cap"] == "hash.last":
            break
    svg = ElementTree.fromstring(render_svg(frame, block_size=4, lang="en", step=step, pieces=log["pieces"]))
    known = frame["reqs"]["R0"]["hashes"][4][:4]
    stored = frame["reqs"]["R0"]["hashes"][0][:4]
    weights = {e.text: e.get("font-weight") for e in svg.iter() if e.text in (known, stored)}
    assert weights == {stored: "700", known: None}


def test_text_is_never_markup() -> None:
    data = {
        "schema": 1,
        "id": "x",
        "block_size": 4,
        "num_slots": 4,
        "commands": [
            {"op": "submit", "id": "<b>", "text": "<img src=x onerror=alert(1)> &amp;"},
            {"op": "run"},
        ],
    }
    scenario = load_scenario(data)
    log = stage_log(scenario, run(scenario), "<i>")
    frame, step = frame_after(log, "compute")
    text = render_svg(
        frame, block_size=4, lang="en", step=step, pieces=log["pieces"], title="<script>alert(1)</script>"
    )
    names = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()}
    assert names == {"svg", "defs", "pattern", "rect", "text", "path"}


def test_blanks_hide_tags_counts_and_order() -> None:
    open_picture, gaps = picture("shared", "en", "light"), picture("shared", "en", "light", blanks=True)
    tag = steps_of("P0", "en")["events"][2]["tag"]
    assert tag in open_picture
    assert tag not in gaps
    assert "×2" in open_picture
    assert "×2" not in gaps
    assert "____" in gaps


def test_white_space_is_seen_in_the_picture() -> None:
    """A prompt that begins with a no-break space looked like one that begins with a space."""
    made = scenario([{"op": "submit", "id": "R0", "text": "\u00a0You cook."}, {"op": "run"}], block_size=4)
    log = stage_log(made, run(made), "")
    frame, step = frame_after(log, "done")
    shown = render_svg(frame, block_size=4, lang="en", step=step, pieces=log["pieces"])
    assert ">⍽<" in shown or ">⍽You<" in shown
    assert ">␣cook<" in shown


def test_one_token_of_a_large_block_is_not_drawn_as_none() -> None:
    """Sixteen cells stand for blocks of 64: a block with one token looked empty."""
    text = " ".join("abcdefghi"[number % 9] for number in range(65))
    made = scenario([{"op": "submit", "id": "R0", "text": text}, {"op": "run"}], block_size=64)
    log = stage_log(made, run(made), "")
    frame, step = frame_after(log, "done")
    assert sorted(slot["fill"] for slot in frame["slots"].values() if slot["fill"]) == [1, 64]
    shown = render_svg(frame, block_size=64, lang="en", step=step, pieces=log["pieces"])
    cells = re.findall(r'height="6" rx="1" fill="([^"]+)"', shown)
    assert sum(fill != "none" for fill in cells) == 17
