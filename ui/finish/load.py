"""The finish page's report of the load: what Monitor ran, in numbers, each with its basis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.cost import Figure
from core.decision import HOURS_A_MONTH
from core.errors import BrothError
from core.load import KindSide, KindSummary, Summary
from ui.decision.setup import CHOICE
from ui.frame.formulas import formulas_panel
from ui.frame.session import say, show_error
from ui.machine.machine import MACHINE
from ui.monitor.repeat import repeat_to, this_load
from ui.monitor.run import LoadSession
from ui.monitor.setup import LoadSetup
from ui.words.numbers import change, digits, money, never_full, seconds
from ui.words.tables import show_table

FORMULAS = (
    "formula.hit_rate",
    "formula.ttft",
    "formula.late",
    "formula.throughput",
    "formula.busy",
    "formula.saved_s",
    "formula.money_hours",
)


def load_panel(goal_s: int, to_decision: Callable[[], None]) -> None:
    """Make the load again up to there, if it is not there yet, and report it."""
    st.subheader(say("finish.load.title"), anchor=False)
    try:
        load = this_load()
        there = load.run.now_s >= goal_s or load.run.done
        if not there and not repeat_to(load, goal_s):
            st.info(say("finish.load.far", seconds=round(load.run.now_s), goal=goal_s))
            st.button(say("monitor.repeat.on"), key="finish_repeat")
            return
    except BrothError as error:
        show_error(error)
        return
    with load.lock:
        summary, rows = load.run.summary(), load.run.by_kind(CHOICE.get().level_s)
    if not rows:
        st.markdown(say("finish.load.nothing"))
        return
    _head(load, summary)
    _both(summary, rows[0], load)
    _behind(rows[0])
    st.markdown(f"**{say('finish.load.kinds')}**")
    _kinds(rows[1:])
    _worth(load, summary)
    if st.button(say("finish.load.decide"), key="finish_decide", type="primary"):
        to_decision()
    st.caption(say("finish.load.decide.help"))
    formulas_panel(FORMULAS)


def _head(load: LoadSession, summary: Summary) -> None:
    rate, setup = summary.hit_rate.value, load.setup
    told = {"n": digits(summary.num_arrived), "time": seconds(summary.at_s)}
    key = "finish.load.headline" if rate else "finish.load.headline.zero"
    st.header(say(key, rate=never_full(rate or 0.0), **told), anchor=False)
    machine = load.machine
    about = {"mix": say(f"monitor.mix.{setup.mix}"), "count": digits(setup.pool), "size": setup.block_size}
    about |= {"model": machine.model_spec.name, "gpu": machine.gpu_spec.name, "come": _come(setup)}
    st.markdown(say("finish.load.subline", **about))


def _come(setup: LoadSetup) -> str:
    """How requests come."""
    if setup.clients is None:
        return say("finish.load.open", rate=f"{setup.rate:g}")
    return say("finish.load.closed", n=setup.clients, seconds=setup.think_s)


def _both(summary: Summary, all_of: KindSummary, load: LoadSession) -> None:
    """Both servers side by side."""
    sides = (all_of.with_cache, all_of.without_cache)
    servers = (summary.with_cache, summary.without_cache)
    machines = (load.run.cached, load.run.plain)
    busy = [
        say("finish.load.busy.of", time=_time(server.busy), share=_part(server.busy, machine.now_s))
        for server, machine in zip(servers, machines, strict=True)
    ]
    rows = [
        _row("rate", (_share(summary.hit_rate), "–"), summary.hit_rate),
        _row("p50", [_time(side.ttft_p50) for side in sides], sides[0].ttft_p50),
        _row("p95", [_time(side.ttft_p95) for side in sides], sides[0].ttft_p95),
        _row("late", [_share(side.late) for side in sides], sides[0].late, level=_level()),
        _row("finished", [digits(side.num_finished) for side in servers], servers[0].throughput),
        _row("throughput", [_number(side.throughput) for side in servers], servers[0].throughput),
        _row("queue", [digits(machine.num_waiting) for machine in machines], sides[0].late),
        _row("busy", busy, servers[0].busy),
    ]
    head = ("what", "with", "without", "basis")
    show_table("load", [say(f"finish.load.{name}") for name in head], rows)


def _row(name: str, values: Sequence[str], figure: Figure, **told: object) -> list[str]:
    return [say(f"finish.load.{name}", **told), *values, say(f"basis.{figure.basis}")]


def _behind(all_of: KindSummary) -> None:
    """What the two columns cannot say yet."""
    for side, key in ((all_of.with_cache, "with"), (all_of.without_cache, "without")):
        if side.num_waiting:
            st.caption(say(f"finish.load.behind.{key}", n=side.num_waiting))


def _kinds(rows: Sequence[KindSummary]) -> None:
    head = [say("finish.load.kind"), say("finish.load.requests"), say("finish.load.rate")]
    for name in ("p95", "late"):
        what = say(f"finish.load.{name}", level=_level())
        head += [
            say("finish.load.of", what=what, side=say(f"finish.load.{one}")) for one in ("with", "without")
        ]
    show_table("load-kinds", head, [_kind(row) for row in rows])


def _kind(row: KindSummary) -> list[str]:
    sides: tuple[KindSide, KindSide] = (row.with_cache, row.without_cache)
    times, late = [_time(side.ttft_p95) for side in sides], [_share(side.late) for side in sides]
    return [say(f"decision.kind.{row.kind}"), digits(row.num_requests), _share(row.hit_rate), *times, *late]


def _worth(load: LoadSession, summary: Summary) -> None:
    """GPU time, and what it costs at one's own prices."""
    prices, num_gpus = MACHINE.get().prices, load.machine.num_gpus
    worth, saved = summary.money(prices, num_gpus).value or 0.0, summary.saved_busy.value
    month = worth * HOURS_A_MONTH * 3600 / summary.at_s
    amounts = {"worth": money(worth, prices.currency), "month": money(month, prices.currency)}
    price = money(prices.per_gpu_hour, prices.currency)
    told = {"saved": seconds(summary.saved_prefill.value or 0.0), "price": price}
    st.markdown(say("finish.load.worth", **told, **amounts).replace("$", "\\$"))
    if saved is None:
        st.markdown(say("finish.load.busy.open"))
        return
    both = (summary.with_cache.busy.value or 0.0, summary.without_cache.busy.value or 0.0)
    share = change(saved / both[1]) if both[1] else "–"
    st.markdown(say("finish.load.busy.saved", cached=seconds(both[0]), plain=seconds(both[1]), share=share))


def _level() -> str:
    return seconds(CHOICE.get().level_s)


def _time(figure: Figure) -> str:
    return "–" if figure.value is None else seconds(figure.value)


def _part(busy: Figure, whole_s: float) -> str:
    """How much of the time a server was busy; its last step may end a little later."""
    share = min((busy.value or 0.0) / whole_s, 1.0) if whole_s else 0.0
    return say("decision.percent", n=never_full(share))


def _number(figure: Figure) -> str:
    return "–" if figure.value is None else digits(figure.value)


def _share(figure: Figure) -> str:
    return "–" if figure.value is None else say("decision.percent", n=never_full(figure.value))
