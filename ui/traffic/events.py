"""A recorded stream of KV events on the page: what it tells, what nobody can know from it, and the way to the
stage."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.traces.engine_facts import EventTotals
from core.traffic.kv_run import KVRun, kv_run
from ui.frame.session import say, tell
from ui.moment.kv_events import events_moment
from ui.moment.link import OF_A_LOG, show_moment
from ui.stage.run import go_to_step
from ui.traffic.state import Log
from ui.words.numbers import Count, digits

PAGE = "traffic"
_COUNTS = ("num_stored", "num_removed", "num_live", "peak_live")


def events_view(log: Log, totals: EventTotals, to_stage: Any) -> None:
    """The stream in numbers; then from which batch on it shall play. ``to_stage``: the page to switch to."""
    st.info(say("traffic.events.told"))
    for cell, name in zip(st.columns(len(_COUNTS)), _COUNTS, strict=True):
        cell.metric(say(f"traffic.events.{name}"), digits(getattr(totals, name)))
    sizes = ", ".join(map(digits, totals.block_sizes)) or "–"
    more = {"batches": digits(totals.num_batches), "cleared": Count(totals.num_cleared), "sizes": sizes}
    st.markdown(say("traffic.events.more", unknown=digits(totals.num_unknown_removed), **more))
    first = _first_batch(len(log.trace.recording))
    told = totals.num_stored + totals.num_removed + totals.num_cleared
    wanted = st.button(
        say("traffic.events.open"), type="primary", key="traffic_events_open", disabled=not told
    )
    if wanted:
        _open(log, first, to_stage)


def _first_batch(num_batches: int) -> int:
    if num_batches < 2:
        return 1
    found = st.number_input(
        say("traffic.events.first", n=digits(num_batches)),
        1,
        num_batches,
        1,
        key="traffic_events_first",
        help=say("traffic.events.first.help"),
    )
    return int(found)


def _open(log: Log, first: int, to_stage: Any) -> None:
    """Put the part that begins with this batch on the stage and go there."""
    run = kv_run(log.trace.recording, first)
    name = log.trace.name[:40]
    title = say("traffic.events.title", name=name, first=run.first, last=run.last, n=run.num_batches)
    show_moment(events_moment(run, name, title, _note(run), PAGE), OF_A_LOG)
    go_to_step(0)
    st.switch_page(to_stage)


def _note(run: KVRun) -> str:
    """What stands under the stage: what is known, what is ours, what is not drawn."""
    words = [say("traffic.events.note")]
    if run.last < run.num_batches:
        words.append(say("traffic.events.part", last=run.last, n=run.num_batches))
    if run.num_idle:
        words.append(say("traffic.events.idle", n=run.num_idle))
    if run.num_left_out:
        words.append(say("traffic.events.left_out", n=run.num_left_out))
    return tell(*words)
