"""What was read, and what every number below rests on."""

from __future__ import annotations

import streamlit as st

from core.traffic.analysis import Analysis
from core.traffic.left_out import left_out
from core.traffic.meters.summary import counters_summary
from core.traffic.settings import Settings
from ui.frame.session import lang, plain, say
from ui.traffic.counter_words import read_words
from ui.traffic.field_panel import fields_line
from ui.traffic.left_out import counted_out, details, warnings
from ui.traffic.panels import Panels
from ui.traffic.state import Log
from ui.traffic.tokenizers import tokenizer_note
from ui.traffic.words import Counted, basis_words, bound_words, identity_words, rate_words
from ui.words.numbers import Count, digits

_LOUD = (
    *("contradictory", "cut_short", "elsewhere", "map_missed", "continued"),
    *("run_rate", "run_cap", "run_sightings", "run_ttl", "run_changed"),
)
"""Notes that change what the numbers mean; nobody shall have to open anything to see them."""


def notes_panel(panels: Panels, log: Log) -> None:
    """What was done with the log while it was read, and which lines were left out."""
    lines = [*_notes(log, loud=False), *details(left_out(log.trace), lang())]
    if log.trace.num_skipped:
        lines.insert(0, say("trace.skipped", count=log.trace.num_skipped))
    if lines:
        with panels.add("notes", say("traffic.notes", n=len(lines))):
            st.markdown("\n".join(f"- {plain(line)}" for line in lines))


def _notes(log: Log, loud: bool) -> list[str]:
    return [
        say(f"trace.note.{note.code}", **{"count": note.count, **note.values})
        for note in log.trace.notes
        if (note.code in _LOUD) is loud
    ]


def log_summary(log: Log) -> None:
    """One line of what was read, and one each of what changes the numbers' meaning."""
    trace = log.trace
    tokens = sum(request.num_tokens for request in trace.requests)
    told = "traffic.read.format" if log.detected is None else "traffic.read.detected"
    counters = None if trace.requests else counters_summary(trace)
    if counters is None:
        values: dict[str, object] = {"n": Count(len(trace.requests)), "tokens": digits(tokens)}
        key = "traffic.read"
    else:
        key, values = read_words(trace.name, counters)
    words = [
        say(key, **{**values, "name": plain(trace.name)}),
        *counted_out(trace, lang()),
        say(told, format=say(f"trace.format.{trace.format}")),
    ]
    if not trace.has_identity:  # else it stands above every view
        words += identity_words(trace.tokenizer, trace.template, trace.block_size, lang())
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="traffic-read"):
        st.markdown(" · ".join(words), width="content")
        if note := tokenizer_note(trace.tokenizer, lang()):
            st.caption(note, width="content")
    if line := fields_line(log):
        st.caption(line)
    if loud := [*warnings(left_out(trace), lang()), *_notes(log, loud=True)]:
        with st.container(key="traffic-loud", gap="xsmall"):
            for sentence in loud:
                st.warning(plain(sentence))


def sample_line(log: Log, analysis: Analysis) -> None:
    """A made-up log in numbers, beside the published ones of real logs."""
    if log.key[0] != "sample":
        return
    lengths = analysis.lengths
    words = {"mean": digits(round(float(lengths.mean()))), "most": digits(int(lengths.max()))}
    rate = rate_words(analysis.best_rate, analysis.lower_bound, lang())
    st.caption(say("traffic.sample.stats", rate=rate, size=analysis.settings.block_size, **words))


def basis_line(log: Log, settings: Settings) -> None:
    """Tokenizer, template, block size and slots, beside the choice of a view."""
    told = basis_words(_counted(log), settings.block_size, settings.num_slots, settings.ttl_s, lang())
    st.caption(told, width="content")


def bound_line(log: Log, settings: Settings) -> None:
    """That every rate is a lower bound, where it is."""
    if note := bound_words(_counted(log), settings.block_size, lang()):
        st.info(note)


def _counted(log: Log) -> Counted:
    return log.trace.tokenizer, log.trace.template, log.trace.block_size
