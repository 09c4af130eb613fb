"""What every chapter shares: heading, stage on a telling step, links that keep their promise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

import streamlit as st

from ui.course.bets import grade_of, road
from ui.course.lessons import chapter_names, show_part
from ui.course.place import opened_at, stands_at
from ui.frame.session import lang_mode, say
from ui.frame.shell import toolbar
from ui.stage.payload import Payload, stage_payload
from ui.stage.run import Run, run_of
from ui.stage.setup import Setup
from ui.stage.show_me import execute_address
from ui.stage.stage import show_stage
from ui.words.i18n import languages, t


def begin_chapter(chapter: str, pages: Callable[[str], Any], *, hook: bool = True) -> None:
    """Toolbar, the road of all chapters, number and title, and the chapter's opening words, unless the page
    has a place of its own for them. ``pages``: name -> page to switch to."""
    toolbar()
    names = chapter_names()
    road(names, pages, f"{say('course.place', n=names.index(chapter) + 1, total=len(names))} · ")
    titles = [t(f"course.{chapter}.title", one) for one in languages(lang_mode())]
    st.subheader(" · ".join(titles), anchor=False)
    if hook:
        show_part(chapter, "hook")


def end_chapter(chapter: str, pages: Callable[[str], Any]) -> None:
    """The chapter's last words, once somebody has bet here, so that none of them answers the bet; and the way
    to its neighbours. ``pages``: name -> page to switch to."""
    if grade_of(chapter) is None:
        st.caption(say("course.recap.first"))
    else:
        show_part(chapter, "recap")
    names = chapter_names()
    place = names.index(chapter)
    back, forth = st.columns(2)
    if place > 0:
        with back:
            st.page_link(pages(names[place - 1]), label=f"← {say(f'course.{names[place - 1]}.title')}")
    if place + 1 < len(names):
        with forth:
            st.page_link(pages(names[place + 1]), label=f"{say(f'course.{names[place + 1]}.title')} →")


def pick_one(label: str, names: Mapping[str, str], key: str, page: str = "") -> str:
    """One of several, always one: at first the first. ``names``: what each is called, in their order.
    ``page``: each is a place of this page, at which a link can open it and to which a reload returns."""
    first = opened_at(page, names) or next(iter(names))
    chosen = st.segmented_control(
        label,
        list(names),
        default=first,
        required=True,
        key=key,
        format_func=names.__getitem__,
        label_visibility="collapsed",
    )
    name = str(chosen or first)
    if page and name != first:
        stands_at(page, name)
    return name


# -- runs -----------------------------------------------------------------------------------------------


def course_run(scenario_id: str, **knobs: Any) -> Run:
    """A preset, knobs applied, as the stage wants it."""
    return run_of(Setup(scenario_id, knobs))


def chapter_stage(
    chapter: str,
    shown: Payload,
    step: int = 0,
    *,
    key: str = "stage",
    ask: bool = False,
    hide: Sequence[str] = (),
    btable: bool = False,
) -> None:
    """The stage inside a chapter, standing on a step. Another ``key`` is another run, with its own step.
    ``hide``: zones that the chapter has not spoken of yet; ``btable``: the block tables stand open."""
    flags = {
        "step": step,
        "go": _go(chapter, key, step),
        "level": "block",
        "ask": ask,
        "hide": ["fork", *hide],
    }
    if btable:
        flags["btable"] = True
    show_stage(stage_payload(shown, None, lang_mode(), flags), key=f"{chapter}-{key}")


def before_question(shown: Payload, rid: str | None = None) -> int:
    """The step before which the stage asks how far a request hits: the last such question, or that of one
    request. A stage that ``ask``s stands there and tells nothing of what comes.

    Raises:
        LookupError: nothing is asked.
    """
    asked = [
        int(step["i"])
        for step in shown["events"]
        if step["op"] == "hash" and step.get("ask") and rid in (None, step.get("rid"))
    ]
    if not asked:
        raise LookupError(f"{shown['meta']['scenario']} asks nothing of a look-up")
    return asked[-1]


def _go(chapter: str, key: str, step: int) -> list[object] | None:
    """Once a chapter changes its run, the step in the address belongs to the run before: ask for ours."""
    shown: dict[str, tuple[str, list[object] | None]] = st.session_state.setdefault("course_shown", {})
    before = shown.get(chapter)
    if before is None:
        shown[chapter] = (key, None)
    elif before[0] != key:
        shown[chapter] = (key, [uuid4().hex, step])
    return shown[chapter][1]


def stage_link(label: str, scenario_id: str, step: int, **knobs: Any) -> None:
    """A link that opens the run in Execute, on that step."""
    st.link_button(label, execute_address(Setup(scenario_id, knobs), step, lang_mode()))
