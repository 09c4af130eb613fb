"""A run that was kept, beside the one that runs now: its curves under the new ones, both ends in numbers.

Kept are curves and numbers, not the run: some hundred kilobytes, for as long as the session lasts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.cost import Figure
from core.load import LoadSpec, Samples, Summary
from ui.frame.kept import Kept
from ui.frame.session import lang, say
from ui.monitor.charts import hover_words, legend_of
from ui.monitor.looks import INKS, ROWS
from ui.monitor.run import LoadSession
from ui.monitor.setup import LoadSetup, arrival_words
from ui.words.i18n import listed, run_on
from ui.words.numbers import digits, percent, seconds
from ui.words.palette import PALETTE, Theme

CURVES: Mapping[str, tuple[str, ...]] = {
    "hit": ("hit_rate_window",),
    "evict": ("evicted_per_s",),
    "ttft": ("ttft_p50_with", "ttft_p95_with"),
    "rate": ("throughput_with",),
    "queue": ("queue_with",),
}
"""What is drawn of the kept run: of its server with the cache, what has room beside another."""


ARRIVALS = ("rate", "clients", "think_s")
"""Settings that are told together, as how requests come: one of them alone may mean nothing."""
OF_ITS_LENGTH = ("time", "finished")
"""What is larger because a run has gone on for longer: no difference between two runs."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """What a comparison needs of a run. ``stream``: what its requests were; ``num_evicted``: blocks."""

    name: str
    setup: LoadSetup
    machine: tuple[str, ...]
    stream: tuple[LoadSpec, int]
    num_changes: int
    num_evicted: int
    samples: Samples
    summary: Summary


BESIDE: Kept[KeptRun | None] = Kept("load_kept_run", lambda: None)


def keep(load: LoadSession) -> KeptRun:
    """The run as it stands."""
    with load.lock:
        run = load.run
        causes = (column for name, column in run.bins.sums.items() if name.startswith("evicted."))
        return KeptRun(
            load.name,
            load.setup,
            (load.machine.model, f"{load.machine.num_gpus} × {load.machine.gpu}"),
            (run.spec, run.max_tokens),
            len(load.deeds),
            int(sum(column.sum() for column in causes)),
            run.samples(),
            run.summary(),
        )


def overlaid(load: LoadSession) -> KeptRun | None:
    """The kept run, if it is another one than this."""
    kept = BESIDE.get()
    return None if kept is None or kept.name == load.name else kept


def add_kept(figure: go.Figure, kept: KeptRun, words: Mapping[str, str], theme: Theme) -> None:
    """Its curves, dotted and pale, in the colours of the same curves now. They lead to no request."""
    for row, curves in CURVES.items():
        for curve in curves:
            name = words["beside.curve"].replace("{name}", words[f"monitor.curve.{curve}"])
            values, bin_s = kept.samples.curves[curve], kept.samples.bin_s
            points = zip(values, kept.samples.end_s, strict=True)
            figure.add_scatter(
                x=kept.samples.end_s,
                y=values,
                text=[hover_words(row, name, value, end, bin_s, words) for value, end in points],
                name=name,
                mode="lines",
                line={"dash": "dot", "width": 2, "color": PALETTE[theme][INKS[curve]]},
                opacity=0.65,
                connectgaps=True,
                legend=legend_of(row),
                hovertemplate="%{text}<extra></extra>",
                row=list(ROWS).index(row) + 1,
                col=1,
            )


def beside_panel(load: LoadSession) -> None:
    """Keep this run, or see what differs from the one that was kept."""
    kept = BESIDE.get()
    with st.container(key="load-beside"):
        if kept is not None and kept.name != load.name:
            _compare(kept, keep(load))
        elif kept is not None:
            st.caption(say("beside.kept"))
        with st.container(horizontal=True):
            again = "beside.keep" if kept is None else "beside.keep.instead"
            st.button(say(again), key="load_keep", on_click=_keep, args=(load,), help=say("beside.keep.help"))
            if kept is not None:
                st.button(say("beside.drop"), key="load_drop", on_click=BESIDE.set, args=(None,))


def _keep(load: LoadSession) -> None:
    BESIDE.set(keep(load))


def _compare(kept: KeptRun, now: KeptRun) -> None:
    st.markdown(f"**{say('beside.title')}**")
    told = differences(kept, now)
    st.markdown(say("beside.differs", what=listed(told, lang())) if told else say("beside.equal"))
    asked = say("beside.same_requests" if kept.stream == now.stream else "beside.other_requests")
    st.caption(run_on((asked, say("beside.lengths")), lang()))
    head = ["", *(say(f"beside.column.{name}") for name in ("kept", "now", "more", "basis"))]
    lines = [head, [":--", "--:", "--:", "--:", ":--"], *rows(kept, now)]
    with st.container(key="table-load-beside"):
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def differences(kept: KeptRun, now: KeptRun) -> list[str]:
    """What was set otherwise, in words: name, before, now."""
    told = []
    arrivals = [arrival_words(run.setup, say) for run in (kept, now)]
    if arrivals[0] != arrivals[1]:
        told.append(_change(say("monitor.arrivals"), *arrivals))
    told += [
        _change(_label(one.name), *(_value(one.name, getattr(run.setup, one.name)) for run in (kept, now)))
        for one in fields(LoadSetup)
        if getattr(kept.setup, one.name) != getattr(now.setup, one.name)
        and not (one.name in ARRIVALS and (arrivals[0] != arrivals[1] or one.name == "rate"))
    ]
    machines = zip(("machine.model", "machine.gpu"), kept.machine, now.machine, strict=True)
    told += [_change(say(label), before, after) for label, before, after in machines if before != after]
    if kept.num_changes != now.num_changes:
        told.append(_change(say("beside.changes"), str(kept.num_changes), str(now.num_changes)))
    return told


def _change(label: str, before: str, after: str) -> str:
    return say("beside.change", label=label, before=before, after=after)


def _label(name: str) -> str:
    return say("monitor.pool.label" if name == "pool" else f"monitor.{name}")


def _value(name: str, value: Any) -> str:
    if value is None:
        return say("monitor.off")
    return say(f"monitor.mix.{value}") if name == "mix" else digits(value)


def rows(kept: KeptRun, now: KeptRun) -> list[list[str]]:
    """Name, then, now, difference, basis."""
    pairs = zip(_end(kept).items(), _end(now).values(), strict=True)
    return [
        [
            say(f"beside.{name}"),
            _shown(one),
            _shown(two),
            "" if name in OF_ITS_LENGTH else _more(one, two),
            say(f"basis.{two.basis}"),
        ]
        for (name, one), two in pairs
    ]


def _end(run: KeptRun) -> dict[str, Figure]:
    """What one column says, of the server with the cache up to its last answer. Two runs stand at different
    moments, so sums are told per second."""
    summary, side = run.summary, run.summary.with_cache
    at_s = side.num_finished / side.throughput.value if side.throughput.value else 0.0
    busy = side.busy.value or 0.0
    evicted = run.num_evicted / at_s if at_s else None
    return {
        "time": Figure(at_s, "s", "modelled", "formula.ttft"),
        "finished": Figure(side.num_finished, "requests", "modelled", "formula.throughput"),
        "hit_rate": summary.hit_rate,
        "p50": side.ttft_p50,
        "p95": side.ttft_p95,
        "throughput": side.throughput,
        "busy": replace(side.busy, value=busy / max(busy, at_s) if at_s else None, unit="share"),
        "evicted": Figure(evicted, "1/s", "modelled", "formula.throughput"),
    }


def _shown(figure: Figure) -> str:
    """With its unit; a dash where nobody knows it."""
    value = figure.value
    if value is None:
        return "–"
    if figure.unit == "share":
        return say("beside.percent", n=percent(value))
    return seconds(value) if figure.unit == "s" else digits(value)


def _more(one: Figure, two: Figure) -> str:
    """The difference: points of shares, else in the unit, and beside it as a share of what was."""
    if one.value is None or two.value is None:
        return "–"
    more = two.value - one.value
    if two.unit == "share" and not round(100 * more, 1):
        return say("beside.same")
    sign = "+" if more > 0 else ""
    if two.unit == "share":
        return say("beside.points", n=f"{sign}{100 * more:.1f}".replace("-", "−"))
    told = f"{sign}{_shown(replace(two, value=more))}"
    if not more:
        return say("beside.same")
    if not one.value:
        return told
    return f"{told} ({say('beside.percent', n=f'{sign}{digits(round(100 * more / one.value, 1))}')})"
