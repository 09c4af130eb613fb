"""The same log under other settings: block sizes, times to live, eviction orders, requests in flight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.errors import BrothError
from core.replay.curve import capacity_curve
from core.tradeoffs.best import MEASURED_ON, Bill, Charges, Choice, best_after_costs, best_of, bill
from core.traffic.analysis import Analysis
from core.traffic.examples import after_pauses, loses_most
from core.traffic.settings import Settings
from core.traffic.sweeps import (
    MOST_ORDER_BLOCKS,
    SizePoint,
    both_ttls,
    compare_orders,
    curve_points,
    held_by_ttl,
    idle_ttl,
    num_blocks,
    sweep_block_sizes,
    with_pinning,
)
from ui.frame.session import lang, say, say_each, show_error, tell
from ui.machine.machine import MACHINE
from ui.traffic.charts import Carried, lines
from ui.traffic.open import clicked
from ui.traffic.settings import Open
from ui.traffic.state import Log, remember, state
from ui.traffic.words import best_title, rate_words
from ui.traffic.work import work
from ui.words.numbers import digits, percent

MOST_PINNED_TOKENS = 3_000_000
IN_FLIGHT = (4, 16)
TTL_S = 300.0
"""What is told where the visitor has chosen no time to live: the usual one of providers."""
SHORTER = 0.99
"""A little less than a pause: with this time to live the content has just expired."""
Curves = dict[str, list[tuple[float, float]]]


def sweeps_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Four charts; a point leads to a request that shows what it is about, under the point's setting."""
    left, right = st.columns(2, gap="large")
    with left:
        _block_sizes(log, analysis, open_it)
        _orders(log, analysis, open_it)
    with right:
        _ttl(log, analysis, open_it)
        _pinning(log, analysis, open_it)


def _chart(
    name: str,
    curves: Curves,
    title: str,
    carried: Mapping[str, Sequence[Carried]],
    ticks: Sequence[float] | None = None,
    *,
    bound: bool,
) -> list[float]:
    """Draws it; what a clicked point carries."""
    rate = say("traffic.column.rate_bound" if bound else "traffic.rate")
    figure = lines(curves, title, rate, log_x=True, requests=carried, markers=True, ticks=ticks)
    return clicked(
        st.plotly_chart(
            figure, key=f"traffic_{name}_{state().looks}", on_select="rerun", selection_mode="points"
        )
    )


def _block_sizes(log: Log, analysis: Analysis, open_it: Open) -> None:
    st.subheader(say_each("traffic.blocks"), anchor=False)
    points = work(
        ("blocks", log.key, analysis.settings),
        lambda tell: sweep_block_sizes(log.trace, analysis.settings, tell),
    )
    if points is None:
        return
    ttl_s = analysis.settings.ttl_s
    names = best_title(ttl_s, lang()), say("traffic.blocks.here")
    curves = {
        names[0]: [(float(one.block_size), one.best_rate) for one in points],
        names[1]: [(float(one.block_size), one.rate) for one in points],
    }
    carried = [(one.example, place) for place, one in enumerate(points)]
    sizes = [float(one.block_size) for one in points]
    point = _chart(
        "blocks",
        curves,
        say("knob.block_size"),
        dict.fromkeys(names, carried),
        sizes,
        bound=analysis.lower_bound,
    )
    cut = ", ".join(str(one.block_size) for one in points if one.lower_bound)
    note = say("traffic.blocks.lower", sizes=cut) if cut else ""
    st.caption(tell(say("traffic.blocks.help"), note))
    _after_costs(log, analysis, points)
    if point:
        one = points[int(point[1])]
        open_it(one.example, replace(analysis.settings, block_size=one.block_size, num_slots=one.num_slots))


def _after_costs(log: Log, analysis: Analysis, points: Sequence[SizePoint]) -> None:
    """Beside the highest rate, the size that saves most once its blocks are paid for."""
    cost = MACHINE.get().cost()
    lengths = tuple(map(int, analysis.lengths))

    def make() -> list[Bill]:
        return [bill(_choice(one, lengths), cost, Charges()) for one in points if one.hits is not None]

    bills = remember(("bills", log.key, analysis.settings, cost), make)
    after, top = best_after_costs(bills), best_of([one.choice for one in bills])
    if after is None or top is None or not top.hit_rate:
        return
    words = {
        "size": after.choice.block_size,
        "net": percent(after.net_share, 2),
        "top": top.block_size,
        "net_top": percent(next(one for one in bills if one.choice == top).net_share, 2),
    }
    st.caption(say("traffic.blocks.after", model=MACHINE.get().model, date=MEASURED_ON, **words))


def _choice(one: SizePoint, lengths: tuple[int, ...]) -> Choice:
    blocks = sum(-(-length // one.block_size) for length in lengths)
    hits = () if one.hits is None else tuple(map(int, one.hits))
    return Choice(one.block_size, 1, one.rate, blocks, lengths=lengths, hits=hits)


def _held(analysis: Analysis, pauses: Sequence[float]) -> None:
    """The other side of the curve: memory."""
    block = MACHINE.get().cost().block_bytes(analysis.settings.block_size) / 2**30
    points = [(max(ttl, 1e-3), mean * block) for ttl, mean in held_by_ttl(analysis, pauses)]
    title = say("traffic.ttl.held", model=MACHINE.get().model)
    figure = lines({title: points}, say("traffic.axis.ttl"), "GiB", log_x=True, markers=True, shares=False)
    st.caption(title)
    st.plotly_chart(figure.update_layout(height=220), key=f"traffic_held_{state().looks}")


def _ttl(log: Log, analysis: Analysis, open_it: Open) -> None:
    st.subheader(say_each("traffic.ttl.curve"), anchor=False)
    try:
        points = idle_ttl(analysis)
    except BrothError as error:
        show_error(error)
        return
    if not points:
        st.caption(say("traffic.nothing_again"))
        return
    pauses = [pause for pause, _ in points]
    examples = after_pauses(analysis.tree, pauses)
    carried = [(one, pause * SHORTER) for one, pause in zip(examples, pauses, strict=True)]
    name = say("traffic.rate")
    curves = {name: [(max(pause, 1e-3), rate) for pause, rate in points]}
    point = _chart("ttl_curve", curves, say("traffic.axis.ttl"), {name: carried}, bound=analysis.lower_bound)
    _held(analysis, pauses)
    ttl_s = TTL_S if analysis.settings.ttl_s is None else analysis.settings.ttl_s
    found = remember(("ttls", log.key, analysis.settings), lambda: both_ttls(analysis, ttl_s))
    idle, absolute = (rate_words(rate, analysis.lower_bound, lang()) for rate in found)
    both = say("traffic.ttl.both", ttl=f"{ttl_s:g}", idle=idle, absolute=absolute)
    st.caption(f"{both} {say('traffic.ttl.curve.help')}")
    if point:
        open_it(int(point[0]), Settings(analysis.settings.block_size, None, point[1]))


def _orders(log: Log, analysis: Analysis, open_it: Open) -> None:
    st.subheader(say_each("traffic.orders"), anchor=False)
    if num_blocks(analysis) > MOST_ORDER_BLOCKS:
        st.caption(say("traffic.orders.too_many", most=f"{MOST_ORDER_BLOCKS:,}"))
        return
    found = work(
        ("orders", log.key, analysis.settings.block_size),
        lambda tell: compare_orders(analysis, progress=tell),
    )
    if found is None:
        return
    curves = {
        say(f"traffic.order.{order}"): [(float(slots), rate) for slots, rate in points]
        for order, points in found.items()
    }
    plain = replace(analysis.settings, ttl_s=None)
    _at_sizes("orders", curves, analysis, plain, open_it)
    note = "" if analysis.settings.ttl_s is None else say("traffic.orders.no_ttl")
    st.caption(tell(say("traffic.orders.help"), note))


def _pinning(log: Log, analysis: Analysis, open_it: Open) -> None:
    st.subheader(say_each("traffic.pinning"), anchor=False)
    ttl_s = analysis.settings.ttl_s
    key = ("pinning", log.key, analysis.settings.block_size, ttl_s)
    tokens = int(analysis.lengths.sum())
    many = key not in state().computed and tokens > MOST_PINNED_TOKENS
    if many and not st.button(say("traffic.pinning.run", tokens=digits(tokens))):
        st.caption(say("traffic.pinning.help"))
        return
    found = work(key, lambda tell: with_pinning(analysis, IN_FLIGHT, progress=tell))
    if found is None:
        return
    alone = say("traffic.pinning.none")
    curves: Curves = {alone: [(float(slots), rate) for slots, rate in curve_points(analysis, 60)]}
    for number, points in found.items():
        name = say("traffic.pinning.name", n=number)
        curves[name] = [(float(p.num_usable), p.hit_rate) for p in points if p.hit_rate is not None]
    _at_sizes("pinning", curves, analysis, analysis.settings, open_it)
    note = "" if ttl_s is None else say("traffic.pinning.ttl", ttl=f"{ttl_s:g}")
    st.caption(tell(say("traffic.pinning.help"), note))


def _at_sizes(name: str, curves: Curves, analysis: Analysis, settings: Settings, open_it: Open) -> None:
    """Curves over slots: a point leads to the request that loses most with so many of them, under LRU and the
    settings of the curves."""
    curve = analysis.curve
    if settings.ttl != curve.ttl:
        curve = capacity_curve(analysis.tree, ttl=settings.ttl)
    carried = {
        one: [(loses_most(analysis, curve, int(slots)), slots) for slots, _ in points]
        for one, points in curves.items()
    }
    if point := _chart(name, curves, say("traffic.unit.blocks"), carried, bound=analysis.lower_bound):
        open_it(int(point[0]), replace(settings, num_slots=int(point[1])))
