"""Sections about wrong reuse: blocks behind a break, texts that go astray, hashes of content alone."""

from __future__ import annotations

import re

import streamlit as st

from core.backends.experiments.report import Json, Report
from core.extras import how_to_add
from ui.frame.session import plain, say, say_each, say_under
from ui.prefill.about import certainty, origin, tell_other
from ui.prefill.charts import Curve, curves
from ui.prefill.models import readable_models
from ui.prefill.panels import measure_row
from ui.prefill.state import report_of, usable_choice
from ui.words.numbers import digits, percent, power
from ui.words.tables import show_table

SHOWN_STORY = "prefill_story"


def breaks_view(report: Report) -> None:
    """The error of reused K and V, layer by layer; the logits; legal reuse beside it."""
    rows = report.rows
    xs = [row["layer"] for row in rows]
    found = {
        say(f"prefill.breaks.{place}_{part}"): Curve(xs, [100 * row[f"{place}_{part}"] for row in rows])
        for place, part in (
            ("in_place", "value"),
            ("in_place", "key"),
            ("moved", "value"),
            ("moved", "key"),
        )
    }
    figure = curves(found, say("prefill.axis.layer"), say("prefill.axis.error"), unit=" %")
    figure.update_xaxes(dtick=max(1, len(rows) // 12))
    st.plotly_chart(figure, key="prefill_breaks")
    st.markdown(say_under("prefill.breaks.words"))
    head = [say_each(f"prefill.head.{name}") for name in ("reuse", "flipped", "kl", "relative", "max_abs")]
    places = [(place, report.summary[place]) for place in ("in_place", "moved")]
    legal = max(summary["legal_max_abs"] for _, summary in places)
    none = report.equality is None or report.equality.same_argmax
    tries = sum(summary["tries"] for _, summary in places)
    cells = [
        [say_each("prefill.breaks.legal"), f"{'0' if none else '≥ 1'} / {tries}", "–", "–", power(legal)]
    ]
    cells += [_summary_row(place, summary) for place, summary in places]
    show_table("prefill-breaks", head, cells)


def _summary_row(place: str, summary: Json) -> list[str]:
    return [
        say_each(f"prefill.breaks.{place}"),
        f"{summary['flipped']} / {summary['tries']}",
        power(summary["kl"]),
        say("unit.percent", n=percent(summary["relative"], 0)),
        power(summary["max_abs"]),
    ]


def astray_panel() -> None:
    """What a real model goes on to write over blocks that must not be reused."""
    with st.container(key="prefill-astray"):
        st.subheader(say_each("prefill.astray.title"), anchor=False)
        st.markdown(say_under("prefill.astray.intro"))
    report, own = report_of("astray")
    readable = readable_models()
    if usable_choice().model in readable:
        measure_row("astray", own)
    elif readable:
        st.caption(say_under("prefill.astray.choose"))
    else:
        st.caption(say("prefill.no_model", command=how_to_add("model")))
    if report is None:
        return
    tell_other(report, own)
    origin(report, own)
    rows = {row["story_id"]: row for row in report.rows}
    st.session_state.setdefault(SHOWN_STORY, next(iter(rows)))
    chosen = st.pills(
        say("prefill.astray.title"),
        list(rows),
        format_func=lambda name: say_each(f"prefill.astray.{name}"),
        required=True,
        label_visibility="collapsed",
        key=SHOWN_STORY,
    )
    _story(rows.get(chosen or "", next(iter(rows.values()))))
    certainty(report)


def _story(row: Json) -> None:
    """The prompt, the one its blocks came from, and three answers."""
    st.markdown(say_under("prefill.astray.prompt", reused=row["reused_tokens"], total=row["num_tokens"]))
    before, after = changed_words(row["prompt"], row["other_prompt"])
    st.code(row["prompt"], language=None, wrap_lines=True)
    st.caption(say_under("prefill.astray.other", before=plain(before), after=plain(after)))
    for column, name in zip(st.columns(3), ("honest", "broken", "other"), strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{say_each(f'prefill.astray.answer.{name}')}**")
            st.code(row[name].strip() or "…", language=None, wrap_lines=True)
    place = row["diverges_at"]
    logits = row["logits"]
    numbers = {"max_abs": power(logits["difference"]["max_abs"]), "kl": power(logits["kl"])}
    worst = max(layer["value"] for layer in row["layers"])
    key = "prefill.astray.same" if place is None else "prefill.astray.parts"
    st.markdown(say_under(key, place=place or 0, worst=percent(worst, 0), **numbers))


_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|\s+|.", re.DOTALL)
"""A word, white space, or a single character: scripts without spaces are cut at each of theirs."""


def changed_words(one: str, other: str) -> tuple[str, str]:
    """What stands in one text where the other has something else, in whole words."""
    first, second = _WORD.findall(one), _WORD.findall(other)
    while first and second and first[0] == second[0]:
        del first[0], second[0]
    while first and second and first[-1] == second[-1]:
        del first[-1], second[-1]
    return "".join(first).strip(), "".join(second).strip()


def documents_view(report: Report) -> None:
    """The same requests through chained hashes and through hashes of content alone."""
    head = [say_each(f"prefill.head.{name}") for name in ("hashes", "rate", "wrong", "flipped", "max_abs")]
    cells = [
        [
            say_each(f"prefill.documents.{row['side']}"),
            say("unit.percent", n=percent(row["hit_rate"])),
            f"{row['wrong']} / {row['requests']}",
            f"{row['flipped']} / {row['requests']}",
            power(row["max_abs"]),
        ]
        for row in report.rows
    ]
    for column, row in zip(st.columns(len(report.rows)), report.rows, strict=True):
        with column, st.container(border=True):
            st.metric(
                say_each(f"prefill.documents.{row['side']}"), say("unit.percent", n=percent(row["hit_rate"]))
            )
            st.caption(say_each("prefill.documents.wrong", wrong=row["wrong"], n=row["requests"]))
    show_table("prefill-documents", head, cells)
    chained, content = report.rows
    settings = report.settings
    st.markdown(
        say_under(
            "prefill.documents.words",
            more=digits(round(100 * (content["hit_rate"] - chained["hit_rate"]))),
            wrong=content["wrong"],
            n=content["requests"],
            chosen=settings["chosen"],
            documents=settings["documents"],
            limit=power(settings["limit"]),
        )
    )
