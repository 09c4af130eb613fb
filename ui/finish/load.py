"""The finish page's report of the load: what Monitor ran, in numbers, each with its basis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.cost import Figure
from core.decision import HOURS_A_MONTH
from core.errors import BrothError
from core.load import KindSide, KindSummary, Summary
from ui.decision.setup import CHOICE, times_the_load, total_clients, total_rate
from ui.frame.formulas import formulas_panel
from ui.frame.session import lang, say, show_error
from ui.machine.machine import MACHINE, Machine
from ui.monitor.deeds import BURST, KNOBS, Deed
from ui.monitor.repeat import repeat_to, this_load
from ui.monitor.run import LoadSession
from ui.monitor.setup import BURST_FACTOR, BURST_S, LoadSetup
from ui.words.i18n import listed, run_on
from ui.words.numbers import change, digits, money, never_full, seconds
from ui.words.tables import no_formula, show_table

FORMULAS = (
    "formula.hit_rate",
    "formula.ttft",
    "formula.late",
    "formula.throughput",
    "formula.busy",
    "formula.saved_busy",
    "formula.saved_s",
    "formula.money_hours",
)


_COUNTED = Figure(None, "requests", "counted", "formula.throughput")
MOST_DEEDS = 6
"""Of what was done to a load that the report names one by one."""


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
    st.caption(_decide_help(load))
    formulas_panel(FORMULAS)


def _head(load: LoadSession, summary: Summary) -> None:
    rate, setup = summary.hit_rate.value, load.setup
    told = {"n": digits(summary.num_arrived), "time": seconds(summary.at_s)}
    key = "finish.load.headline" if rate else "finish.load.headline.zero"
    st.header(say(key, rate=never_full(rate or 0.0), **told), anchor=False)
    machine, config = load.machine, load.run.config
    about = {"mix": say(f"monitor.mix.{setup.mix}"), "come": _come(setup), "machine": _machine(machine)}
    about |= {"count": digits(config.num_usable), "size": str(config.block_size)}
    about["model"] = machine.model_spec.name
    lines = [say("finish.load.subline", **about), _tools(setup), *changes(load), say("finish.load.servers")]
    st.markdown(run_on(lines, lang()))


def _machine(machine: Machine) -> str:
    name = machine.gpu_spec.name
    return name if machine.num_gpus == 1 else f"{machine.num_gpus} × {name}"


def _come(setup: LoadSetup) -> str:
    """How requests come."""
    if setup.clients is None:
        return say("finish.load.open", rate=f"{setup.rate:g}")
    key = "finish.load.closed.agents" if setup.mix == "agents" else "finish.load.closed"
    return say(key, n=setup.clients, seconds=setup.think_s)


def _tools(setup: LoadSetup) -> str:
    """Whose pauses an agent has; of other requests there is nothing to say."""
    if setup.mix != "agents":
        return ""
    spec = setup.spec()
    told = {"tool": f"{spec.tool_s:g}", "share": f"{100 * spec.ask_share:g}"}
    return say("finish.load.tools", seconds=f"{spec.think_s:g}", **told)


def changes(load: LoadSession) -> list[str]:
    """What was set for the cache, and what a person did to the load while it ran; a sentence each."""
    first, told = load.first, []
    unusual = [(name, getattr(first, name)) for name in KNOBS if name != "block_size"]
    unusual = [(name, value) for name, value in unusual if value != getattr(LoadSetup(), name)]
    if unusual:
        what = listed((_set(name, value) for name, value in unusual), lang())
        told.append(say("finish.load.policies", what=what))
    if load.deeds:
        what = listed((_done(deed) for deed in load.deeds[:MOST_DEEDS]), lang())
        left = len(load.deeds) - MOST_DEEDS
        told.append(say("finish.load.deeds" if left <= 0 else "finish.load.deeds.more", what=what, n=left))
    return told


def _done(deed: Deed) -> str:
    if deed.name == BURST:
        what = say("finish.load.rush", factor=f"{BURST_FACTOR:g}", seconds=f"{BURST_S:g}")
    else:
        what = _set(deed.name, deed.value)
    return say("finish.load.deed", what=what, second=digits(deed.at_s))


def _set(name: str, value: int | None) -> str:
    key = "ttl" if name == "ttl_s" else name
    if value is None:
        return say(f"finish.load.no.{key}")
    return say(f"monitor.flag.{key}", value=digits(value))


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
        _row("finished", [digits(side.num_finished) for side in servers], _COUNTED),
        _row("throughput", [_number(side.throughput) for side in servers], servers[0].throughput),
        _row("queue", [digits(machine.num_waiting) for machine in machines], _COUNTED),
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
    saved, busy = summary.saved_busy.value, summary.with_cache.busy.value or 0.0
    if saved is None:
        st.markdown(say("finish.load.busy.open"))
    else:
        key = "saved" if saved > 0 else "more" if saved < 0 else "same"
        share = change(saved / (saved + busy)) if saved + busy else "–"
        told = {"cached": seconds(busy), "plain": seconds(saved + busy), "share": share}
        lines = [say(f"finish.load.busy.{key}", saved=seconds(abs(saved)), **told)]
        if summary.with_cache.num_finished != summary.without_cache.num_finished:
            lines.append(say("finish.load.busy.scaled"))
        if saved > 0:
            lines += _money(load, summary)
        st.markdown(no_formula(run_on(lines, lang())))
    idle = summary.saved_prefill.value or 0.0
    lines = [say("finish.load.idle", saved=seconds(idle))]
    if saved is None or saved < idle:
        lines.append(say("finish.load.idle.most" if saved is None else "finish.load.idle.more"))
    st.caption(run_on(lines, lang()))


def _money(load: LoadSession, summary: Summary) -> list[str]:
    prices = MACHINE.get().prices
    figure = summary.money(prices, load.machine.num_gpus)
    worth = 0.0 if figure is None else figure.value or 0.0
    month = worth * HOURS_A_MONTH * 3600 / summary.at_s
    rounded = f"{prices.currency}{month:,.0f}" if month >= 10 else money(month, prices.currency)
    amounts = {"worth": money(worth, prices.currency), "month": rounded}
    lines = [say("finish.load.worth", price=money(prices.per_gpu_hour, prices.currency), **amounts)]
    return [*lines, say("finish.load.worth.rush")] if _rushed(load) else lines


def _rushed(load: LoadSession) -> bool:
    return any(deed.name == BURST for deed in load.deeds)


def _decide_help(load: LoadSession) -> str:
    """What the sheet will be about, beside what ran here."""
    setup, choice = load.setup, CHOICE.get()
    clients, rate = total_clients(setup, choice), total_rate(setup, choice)
    if clients is None:
        come = say("finish.load.decide.rate", rate=f"{rate:g}")
    else:
        come = say("finish.load.decide.clients", n=clients)
    times = times_the_load(setup, choice)
    told = [say("finish.load.decide.help", come=come)]
    if times != 1:
        told.append(say("finish.load.decide.times", times=f"{times:.3g}"))
    if _rushed(load):
        told.append(say("finish.load.decide.calm"))
    return run_on(told, lang())


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
