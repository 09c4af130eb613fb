"""The course's text: both languages have the same parts with the same holes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from core.scenario.scenario import run
from core.timeline.event_log import EventLog
from tests.stage_runs import frames_of, log_of, scenario_of, stage_log_of
from ui.course.lessons import FOLDER, chapter_names, part, parts
from ui.course.mine import my_scenario, our_prompt
from ui.frame.static_files import ROOT
from ui.stage.payload import stage_log
from ui.teacher.places import PLACES
from ui.words.i18n import LANGS, Lang, TextError, placeholders


def test_both_languages_have_the_same_chapters() -> None:
    english, chinese = ({path.name for path in (FOLDER / lang).glob("*.md")} for lang in ("en", "zh"))
    assert english == chinese


@pytest.mark.parametrize("chapter", chapter_names())
def test_a_chapter_has_the_same_parts_and_holes_in_both_languages(chapter: str) -> None:
    english, chinese = parts(chapter, "en"), parts(chapter, "zh")
    assert list(english) == list(chinese)
    assert all(english.values())
    assert all(chinese.values())
    for name in english:
        assert placeholders(english[name]) == placeholders(chinese[name]), name


def test_an_unknown_part_is_our_error() -> None:
    chapter = chapter_names()[0]
    with pytest.raises(TextError, match="no part"):
        part(chapter, "nowhere", "en")


def test_no_blank_where_chinese_text_was_broken_into_lines() -> None:
    """The only blanks left beside Chinese stand where the other side is a number, a hole or a Latin word."""
    wide = r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]"
    for chapter in chapter_names():
        for name, text in parts(chapter, "zh").items():
            assert not re.search(rf"{wide}\*{{0,2}}\n\*{{0,2}}{wide}|[，。：；、（]\n[^\n]", text), (
                chapter,
                name,
            )


def test_chinese_is_never_set_in_italics() -> None:
    for chapter in chapter_names():
        for name, text in parts(chapter, "zh").items():
            assert not re.search(r"(?<!\*)\*(?!\*)", text), (chapter, name)


def reuses_what_is_not_computed(preset: str) -> bool:
    """Whether a request of the run takes over a block that is planned and not computed yet."""
    return too_early(log_of(preset), stage_log_of(preset)["events"], scenario_of(preset).config.block_size)


def too_early(log: EventLog, steps: list[dict[str, Any]], size: int) -> bool:
    frames = frames_of(log, steps)
    return any(
        step["op"] == "touch" and frames[step["i"]]["slots"][str(step["slot"])]["fill"] < size
        for step in steps
    )


def test_the_story_reuses_nothing_that_is_not_computed_yet() -> None:
    """Chapter 5 explains that a tag stands in the table while its step is planned. Before that, and in the
    teacher's lessons, whoever reuses a block finds it computed: once chapter 3 did not."""
    assert reuses_what_is_not_computed("P8")
    shown = {preset for place in PLACES.values() if (preset := place.preset)}
    for chapter in ("ch01", "ch02", "ch03", "ch04"):
        source = (ROOT / "pages" / f"{chapter}.py").read_text("utf-8")
        found = re.findall(r'course_run\("(\w+)"', source)
        assert found or "my_run(" in source, chapter
        shown |= set(found)
    assert {preset for preset in shown if reuses_what_is_not_computed(preset)} == set()


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("size", [1, 4, 8])
def test_nor_does_the_prompt_of_the_course(lang: Lang, size: int) -> None:
    scenario = my_scenario(lang, our_prompt(lang), block_size=size)
    log = run(scenario)
    steps = stage_log(scenario, log, "")["events"]
    assert any(step["op"] == "touch" for step in steps)
    assert not too_early(log, steps, size)
