"""Chapter 5 · The system: three modules at work on one's own prompts; folded: their source and events."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from core.cost import MODELS
from core.engine.events import BlockEvicted, BlockTouched, RequestAdmitted
from core.scenario.scenario import Scenario, run
from core.timeline.event_log import EventLog
from pages.navigation import page
from ui.course.asked import Asked
from ui.course.bets import bet
from ui.course.ch05 import (
    MINE,
    MODULES,
    SITUATIONS,
    Held,
    Move,
    Told,
    at_once,
    held_peak,
    presses,
    situation,
    summary,
    witness,
)
from ui.course.ch05_bets import asked_goes, asked_held, stranger
from ui.course.ch05_bets import at_once as three_at_once
from ui.course.ch05_picture import draw_modules, work_of
from ui.course.chapter import begin_chapter, chapter_stage, end_chapter, pick_one, stage_link
from ui.course.code import Function, place_of, show_source
from ui.course.folded import draw_folded
from ui.course.lessons import show_part
from ui.course.mine import MINE as MY_PROMPT
from ui.course.mine import my_prompt, my_scenario, my_stage_link, my_tokens
from ui.course.page import more, reading
from ui.course.pictures import new_pen, show_picture
from ui.frame.kept import LastFew
from ui.frame.session import lang, plain, say
from ui.frame.shared import Shared
from ui.stage.own import OwnPrompts
from ui.stage.payload import Payload, stage_log
from ui.stage.run import title_of
from ui.stage.setup import Setup, load_setup
from ui.stage.show_me import Wanted, find_step, op_is
from ui.words.tables import markdown_table, show_table

NAME = "ch05"
_RUNS, _OWN_RUNS = Shared(32), LastFew("ch05_runs", 2)
GIB = 2**30
MOST_ROWS = 8
OPENS_ON: dict[str, Wanted] = {
    "users": op_is("touch", ref=10),
    "same_step": op_is("touch", "R1"),
    "lru": op_is("evict"),
    "preempt": op_is("preempt"),
    "version": op_is("miss", "R2"),
}
VLLM_NAMES = ("Scheduler", "CacheController", "BlockManager")
Seen = tuple[dict[str, Any], Payload, list[Told], list[Move]]


def render() -> None:
    """Six situations on the stage, the first with the visitor's own prompts; who did what; two bets."""
    begin_chapter(NAME, page, hook=False)
    text, picture = reading()
    with text:
        show_part(NAME, "hook")
        titles = {name: say(f"course.ch05.situation.{name}") for name in (MINE, *SITUATIONS)}
        name = pick_one(say("course.ch05.situation"), titles, "ch05-situation", NAME)
        counted, shown, told, moves = _seen(name)
        show_part(NAME, name, **counted)
        step = opening_step(name, shown)
        _stage_links(name, step)
    with picture:
        _picture(work_of(told, moves))
    chapter_stage(NAME, shown, step, key=f"stage-{name}")
    modules = partial(_modules, name, shown, step, told, moves)
    draw_folded(NAME, {"modules": modules})
    with more(say("course.ch05.more.names")):
        _names()
    bet(NAME, lambda seed: asked_held(three_at_once(my_tokens(lang()), seed)))
    bet(NAME, _goes, place="b")
    end_chapter(NAME, page)


def _goes(seed: int) -> Asked:
    prompts = my_tokens(lang())
    return asked_goes(stranger(prompts, seed), prompts)


def _stage_links(name: str, step: int) -> None:
    if name == MINE:
        my_stage_link(say("course.ch05.yours"), 1)
    elif not SITUATIONS[name].made:
        wanted = SITUATIONS[name]
        stage_link(say("course.show_me"), wanted.preset, step, **wanted.knobs)


def opening_step(name: str, shown: Payload) -> int:
    """Where the stage opens: of one's own prompts, where most of them use one slot."""
    if name != MINE:
        return find_step(shown, OPENS_ON[name])
    refs = [event["args"]["ref"] for event in shown["events"] if event["op"] == "touch"]
    return find_step(shown, op_is("touch", ref=max(refs)) if refs else op_is("plan", "R1"))


def _seen(name: str) -> Seen:
    """A situation's run, watched. What somebody typed stays with them."""
    if name == MINE:
        runs = _RUNS if MY_PROMPT.get() == OwnPrompts() else _OWN_RUNS
        scenario = at_once(my_scenario(lang()))
        made_from: object = (name, lang(), my_prompt(lang()))
        return runs.get(made_from, lambda: _watched(name, scenario, say("course.ch05.situation.mine")))
    return _RUNS.get(
        (name, lang()),
        lambda: _watched(name, situation(name, lang()), title_of(SITUATIONS[name].preset)),
    )


def _watched(name: str, scenario: Scenario, title: str) -> Seen:
    log = run(scenario)
    told, moves = witness(scenario)
    return numbers(name, log), stage_log(scenario, log, title), told, moves


def _picture(work: dict[str, int]) -> None:
    pen = new_pen()
    height = draw_modules(pen, work)
    counts = {"scheduler": work["Scheduler"], "controller": work["CacheController"]}
    show_picture(pen, height, say("course.ch05.picture", **counts, moves=work["BlockManager"]))


def _names() -> None:
    """Our modules and vLLM's, once."""
    show_part(NAME, "names")
    head = [say(f"course.ch05.names.{name}") for name in ("here", "vllm", "does")]
    kinds = ("module", "vllm", "does")
    rows = [[say(f"course.ch05.{kind}.{name}") for kind in kinds] for name in VLLM_NAMES]
    show_table("ch05", head, rows, "lll")


# -- numbers of the situations ---------------------------------------------------------------------------


def numbers(name: str, log: EventLog) -> dict[str, Any]:
    """What the text of a situation counts in its run."""
    admitted = [event for event in log.events if isinstance(event, RequestAdmitted)]
    if name == MINE:
        counts = [event.ref_count for event in log.events if isinstance(event, BlockTouched)]
        return {"refs": max(counts, default=1)}
    if name == "users":
        held, large = held_peak(log), ten_users()
        each = 16 * MODELS["Llama-2-7B"].kv_bytes_per_token / GIB
        return {
            "shared": held.shared,
            "unshared": held.unshared,
            "large_shared": large.shared,
            "large_unshared": large.unshared,
            "gib_shared": f"{large.shared * each:.3f}",
            "gib_unshared": f"{large.unshared * each:.3f}",
            "model": MODELS["Llama-2-7B"].name,
        }
    if name == "same_step":
        return {"hit": admitted[1].hit_tokens, "total": admitted[1].num_tokens}
    if name == "lru":
        evicted = [event.block_id for event in log.events if isinstance(event, BlockEvicted)]
        return {"slot": evicted[0], "num": len(evicted)}
    if name == "preempt":
        again = next(event for event in admitted if event.resumed)
        return {"hit": again.hit_tokens, "computed": again.num_scheduled}
    return {"before": admitted[1].hit_tokens, "after": admitted[2].hit_tokens}


def ten_users() -> Held:
    """Ten users at once, 512 shared tokens and 128 of their own each, blocks of 16."""
    return held_peak(run(load_setup(Setup("L640"), "en")))


# -- source beside events ----------------------------------------------------------------------------------


def _modules(name: str, shown: Payload, step: int, told: list[Told], moves: list[Move]) -> None:
    show_part(NAME, "modules")
    numbers_of = zip(shown["events"], presses(shown["events"]), strict=True)
    press_of = {one["ev"]: press for one, press in numbers_of}
    opening = shown["events"][step - 1]["ev"]
    teller = told[opening].function.__module__.removeprefix("core.engine.")
    names = {module: say(f"course.ch05.module.{title}") for title, module in MODULES.items()}
    tabs = st.tabs(list(names.values()), default=names.get(teller), key=f"ch05-tabs-{name}")
    for tab, (title, module) in zip(tabs, MODULES.items(), strict=True):
        with tab:
            show_part(NAME, module)
            rows = _move_rows(moves, told) if title == "BlockManager" else _told_rows(told, module)
            _panel(f"ch05-{name}-{module}", rows, press_of, opening)


Row = tuple[Function, int | None, int, str, str]  # who, on which line, event's number, what, values


def _told_rows(told: list[Told], module: str) -> list[Row]:
    return [
        (one.function, one.line, one.index, type(one.event).__name__, summary(one.event))
        for one in told
        if one.function.__module__ == f"core.engine.{module}"
    ]


def _move_rows(moves: list[Move], told: list[Told]) -> list[Row]:
    """A move, and the event that was told next: the free queue itself tells nobody."""
    rows: list[Row] = []
    for move in moves:
        event = told[min(move.next_event, len(told) - 1)].event
        rows.append((move.function, None, move.next_event, move.what, f"→ {type(event).__name__}"))
    return rows


def _panel(key: str, rows: list[Row], press_of: dict[int, int], opening: int) -> None:
    """Source on the left, what it told on the right, beginning where the stage stands."""
    functions = list(dict.fromkeys(row[0] for row in rows))
    counts = [sum(row[0] is function for row in rows) for function in functions]
    teller = next((row[0] for row in rows if row[2] == opening), functions[0])
    code, events = st.columns([11, 9])
    with code:
        chosen = st.selectbox(
            say("course.ch05.function"),
            range(len(functions)),
            index=functions.index(teller),
            format_func=lambda place: f"{functions[place].__qualname__} · {counts[place]}",
            key=key,
        )
        mine = [row for row in rows if row[0] is functions[chosen]]
        show_source(functions[chosen], {row[1] for row in mine if row[1] is not None})
        st.caption(place_of(functions[chosen]))
    with events:
        first = next((place for place, row in enumerate(mine) if row[2] >= opening), 0)
        first = max(min(first, len(mine) - MOST_ROWS), 0)
        head = [say(f"course.ch05.head.{name}") for name in ("step", "event", "values")]
        lines = []
        for _, _, index, what, values in mine[first : first + MOST_ROWS]:
            here = "▶ " if index == opening else ""
            lines.append([f"{here}{press_of.get(index, '')}", f"`{what}`", plain(values)])
        st.markdown(markdown_table(head, lines, "rll"))
        if len(mine) > MOST_ROWS:
            st.caption(say("course.ch05.more", n=len(mine) - MOST_ROWS))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
