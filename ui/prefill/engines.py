"""The section that asks several engines the same prompts, of one user and of several at once."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from core.backends.engines.llama import llama_available
from core.backends.engines.tally import left_out_of
from core.backends.experiments.report import Json, Report
from core.backends.spec import SIZES
from core.extras import how_to_add
from ui.frame.session import built_under, lang, plain, say, say_each, say_under
from ui.prefill.about import times
from ui.prefill.charts import Curve, curves
from ui.prefill.clock import column_of
from ui.prefill.models import source_of, spec_of
from ui.prefill.servers import SERVER, plan_for, server_named
from ui.prefill.state import usable_choice
from ui.words.i18n import error_text
from ui.words.numbers import digits, percent
from ui.words.tables import show_table

_TILE = 0.75
"""The hit fraction of the tiles."""


def engines_view(report: Report) -> None:
    """One chart of all engines; who was faster than itself; users at once; who is missing and why."""
    sweep = [row for row in report.rows if row["part"] == "sweep"]
    crowds = [row for row in report.rows if row["part"] == "users"]
    names = list(dict.fromkeys(str(row["engine"]) for row in sweep))  # an opened file may name others
    if not names:
        return
    st.plotly_chart(_sweep_chart(sweep, names), key="prefill_engines")
    _tiles(sweep, names)
    _left_out(report)
    _who(report)
    st.markdown(built_under(lambda: _verdict(sweep, names)))
    _sweep_table(sweep)
    if crowds:
        st.markdown(
            say_under("prefill.engines.crowd", own=report.settings["own"], total=report.settings["total"])
        )
        st.plotly_chart(_crowd_chart(crowds, names), key="prefill_engines_users")
        _crowd_table(crowds)
        st.markdown(say_under("prefill.engines.lent"))


def engines_lacking() -> None:
    """What could be asked besides, and how; and what the named server will be sent."""
    found = []
    if not llama_available():
        found.append(say_under("prefill.engines.no_llama", command=how_to_add("llama")))
    elif source_of(usable_choice().model).kind != "gguf":
        found.append(say_under("prefill.engines.no_gguf"))
    if not server_named():
        found.append(say_under("prefill.engines.no_server", variable=SERVER))
    else:
        found.append(_sent_words())
    for line in found:
        st.caption(line)


def _sent_words() -> str:
    """How many tokens a measurement sends to the server: somebody may pay for them."""
    model = usable_choice().model
    spec = SIZES.get(model) or spec_of(source_of(model))
    return say_under("prefill.engines.sends", tokens=digits(plan_for(spec.num_parameters).sent_tokens()))


def _of(rows: Sequence[Json], name: str) -> list[Json]:
    return [row for row in rows if row["engine"] == name]


def _shown(name: str) -> str:
    """A name that a server gave itself, where Plotly would read markup."""
    return html.escape(name)


def _sweep_chart(rows: Sequence[Json], names: Sequence[str]) -> object:
    found = {
        _shown(name): Curve(
            [100 * row["fraction"] for row in _of(rows, name)],
            column_of(_of(rows, name), "wall_ms"),
            column_of(_of(rows, name), "wall_low_ms"),
            column_of(_of(rows, name), "wall_high_ms"),
        )
        for name in names
    }
    return curves(found, say("prefill.axis.before"), say("prefill.axis.wall"), unit=" ms")


def _crowd_chart(rows: Sequence[Json], names: Sequence[str]) -> object:
    found = {}
    for name in names:
        warm = [row for row in _of(rows, name) if row["warm"]]
        low, high = column_of(warm, "mean_low_ms"), column_of(warm, "mean_high_ms")
        found[_shown(name)] = Curve(column_of(warm, "users"), column_of(warm, "mean_ms"), low, high)
    return curves(found, say("prefill.axis.users"), say("prefill.axis.mean"), unit=" ms")


def _tiles(rows: Sequence[Json], names: Sequence[str]) -> None:
    """How many times faster each engine was than itself without a hit."""
    for column, name in zip(st.columns(len(names)), names, strict=True):
        row = min(_of(rows, name), key=lambda row: abs(row["fraction"] - _TILE))
        with column, st.container(border=True, height="stretch"):
            st.metric(f"{plain(name)} · {say('basis.measured')}", times(row["ratio"]))
            spread = say("prefill.spread", low=times(row["ratio_low"]), high=times(row["ratio_high"]))
            share = say("prefill.engines.before", share=percent(row["fraction"], 0))
            st.caption(f"{share} {say('prefill.engines.told', told=_told(row))} {spread}")


def _told(row: Json) -> str:
    """What the engine says was cached; never taken for granted."""
    share = row["cached_share"]
    return say("prefill.engines.unknown") if share is None else say("unit.percent", n=percent(share, 0))


def _sweep_table(rows: Sequence[Json]) -> None:
    head = [
        say_each(f"prefill.head.{name}") for name in ("engine", "before", "told", "ttft", "spread", "faster")
    ]
    cells = [
        [
            plain(row["engine"]),
            say("unit.percent", n=percent(row["fraction"], 0)),
            _told(row),
            f"{digits(row['wall_ms'])} ms",
            f"{digits(row['wall_low_ms'])} – {digits(row['wall_high_ms'])}",
            times(row["ratio"]),
        ]
        for row in rows
    ]
    with st.expander(say_each("prefill.numbers")):
        show_table("prefill-engines", head, cells)


def _crowd_table(rows: Sequence[Json]) -> None:
    names = ("engine", "users", "before", "told", "first_user", "mean", "last_user")
    cells = [
        [
            plain(row["engine"]),
            digits(row["users"]),
            say("prefill.yes" if row["warm"] else "prefill.no"),
            _told(row),
            *(f"{digits(row[f'{name}_ms'])} ms" for name in ("first", "mean", "last")),
        ]
        for row in rows
    ]
    show_table("prefill-engines-users", [say_each(f"prefill.head.{name}") for name in names], cells)


def _who(report: Report) -> None:
    """Each engine: what it computed with, what it was given, how it takes several at once."""
    for engine in report.settings["engines"]:
        threads = engine["threads"]
        parts = [
            plain(" · ".join(part for part in (engine["name"], engine["version"], engine["model"]) if part)),
            say(f"prefill.engines.takes.{engine['takes']}"),
            say("prefill.engines.threads", n=threads) if threads else say("prefill.engines.threads.unknown"),
            say(f"prefill.engines.at_once.{'line' if engine['at_once'] == 'in line' else 'likes'}"),
        ]
        st.caption(" · ".join(parts))
    summary = report.summary
    if summary.get("compared"):
        st.caption(say("prefill.engines.same", same=summary["same_first"], compared=summary["compared"]))


def _verdict(rows: Sequence[Json], names: Sequence[str]) -> str:
    """What the claim says, and what each engine saved at the largest part that was sent before."""
    last = [max(_of(rows, name), key=lambda row: float(row["fraction"])) for name in names]
    shares = [say("unit.percent", n=percent(1 - 1 / row["ratio"], 0)) for row in last]
    saved = [f"{plain(row['engine'])} {share}" for row, share in zip(last, shares, strict=True)]
    told = say("prefill.engines.saved", share=percent(last[0]["fraction"], 0), saved=" · ".join(saved))
    return f"{told}\n\n{say('prefill.engines.words')}"


def _left_out(report: Report) -> None:
    """Engines that failed, each with its reason."""
    for name, error in left_out_of(report):
        st.warning(plain(f"{name or '–'}: {error_text(error, lang())}"))
