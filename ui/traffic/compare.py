"""Two logs, or one log under two settings, side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.cost import CostModel, Prices
from core.errors import BrothError
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import Analysis, analyse, savings
from core.traffic.bounds import verdict_bound
from core.traffic.groups import whole
from core.traffic.providers import Rule
from core.traffic.samples import SAMPLES, sample_log
from core.traffic.sweeps import curve_points
from ui.frame.formulas import formulas_panel
from ui.frame.session import lang, say, show_error, tell
from ui.machine.machine import MACHINE
from ui.traffic.charts import lines, mark, requests_at
from ui.traffic.open import clicked
from ui.traffic.settings import Open, other_settings
from ui.traffic.setup import OTHERS, SAME, UPLOAD, Side
from ui.traffic.source import UPLOAD_MB
from ui.traffic.state import Key, Log, analysis_key, choose, chosen, read_log, state
from ui.traffic.tokenizers import tokenizer_title
from ui.traffic.verdict import rule_now, verdict_help
from ui.traffic.words import rate_words, verdict_words
from ui.traffic.work import may_begin, progress_in, work
from ui.words.formula_words import OF_A_LOG
from ui.words.numbers import digits, seconds


def compare_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Choose the other side, then both in one table and one chart. Points of either side lead on."""
    other = _other_log(log)
    if other is None:
        return
    settings = other_settings(other, Side(analysis.settings.block_size, analysis.curve.first))
    right = work(analysis_key(other, settings), lambda tell: analyse(other.trace, settings, tell))
    if right is None:
        return
    sides = ((log, analysis), (other, right))
    columns = {"what": "", "a": "A", "b": "B"}
    st.dataframe(
        _rows(sides), hide_index=True, height="content", column_config=columns, key="traffic_compare_rows"
    )
    names = _name("A", analysis), _name("B", right)
    curves, carried = {}, {}
    for place, (name, (_, side)) in enumerate(zip(names, sides, strict=True)):
        points = curve_points(side, 300)
        size = side.settings.block_size
        curves[name] = [(float(slots * size), rate) for slots, rate in points]
        found = requests_at(side.curve, [slots for slots, _ in points])
        carried[name] = [(*one, place) for one in found]
    axis = say("traffic.column.rate_bound" if any(side.lower_bound for _, side in sides) else "traffic.rate")
    figure = lines(curves, say("traffic.unit.tokens"), axis, log_x=True, requests=carried)
    for place, (_, side) in enumerate(sides):
        here = min(side.num_slots, side.curve.last)
        mark(figure, here * side.settings.block_size, "AB"[place], log_x=True, y=(0.98, 0.06)[place])
    told = st.plotly_chart(
        figure, key=f"traffic_both_{state().looks}", on_select="rerun", selection_mode="points"
    )
    st.caption(tell(say("traffic.compare.help"), verdict_help(rule_now())))
    formulas_panel(OF_A_LOG)
    if point := clicked(told):
        number, slots, place = map(int, point)
        its_log, side = sides[place]
        open_it(number, replace(side.settings, num_slots=slots), its_log)


def _other_log(log: Log) -> Log | None:
    now = state()
    words = {SAME: say("traffic.compare.same"), UPLOAD: say("traffic.source.upload")}
    words |= {kind: say(f"traffic.sample.{kind}") for kind in SAMPLES}
    st.session_state.setdefault("traffic_other", chosen().other_source)
    found = st.selectbox(
        say("traffic.compare.with"), OTHERS, format_func=words.__getitem__, key="traffic_other"
    )
    choose(other_source=found)
    if found == SAME:
        return log
    wanted = (
        chosen().wanted if found == UPLOAD else replace(chosen().wanted, format_name=None, field_map=None)
    )
    files, name = _files(found)
    key: Key = (*name, wanted)
    if not files:
        return now.other if now.other is not None and now.other.key[0] == UPLOAD else None
    if now.other is not None and now.other.key == key:
        return now.other
    if not may_begin(key):
        return None
    place = st.empty()
    try:
        other = read_log(key, files, wanted, progress_in(place, "traffic.reading", key))
        other.trace.with_identity()
    except BrothError as error:
        show_error(error)
        return None
    finally:
        place.empty()
    now.other = other
    return other


def _files(found: str) -> tuple[list[TraceFile], Key]:
    if found != UPLOAD:
        return [TraceFile(f"{found}.jsonl", sample_log(found))], ("sample", found)
    files = st.file_uploader(
        say("traffic.upload"),
        accept_multiple_files=True,
        max_upload_size=UPLOAD_MB,
        key="traffic_other_file",
    )
    given = files or []
    return [TraceFile(one.name, one) for one in given], (UPLOAD, *(one.file_id for one in given))


def _name(side: str, analysis: Analysis) -> str:
    parts = [side, analysis.name[:40], say("traffic.basis.size", size=analysis.settings.block_size)]
    if analysis.settings.ttl_s is not None:
        parts.append(say("traffic.basis.ttl", seconds=f"{analysis.settings.ttl_s:g}"))
    if analysis.lower_bound:
        parts.append(say("traffic.basis.lower_bound"))
    return " · ".join(parts)


def _rows(sides: tuple[tuple[Log, Analysis], tuple[Log, Analysis]]) -> list[dict[str, str]]:
    """One row per quantity; what both rest on comes first."""
    cost, prices, rule = MACHINE.get().cost(), MACHINE.get().prices, rule_now()
    words: dict[str, Callable[[Log, Analysis], str]] = {
        "log": lambda log, one: one.name,
        "counted": lambda log, one: _counted(log),
        "block": lambda log, one: str(one.settings.block_size),
        "slots": lambda log, one: _slots(one),
        "ttl": lambda log, one: _ttl(one),
        "requests": lambda log, one: digits(len(one.requests)),
        "refused": lambda log, one: digits(one.result.num_refused),
        "tokens": lambda log, one: digits(int(one.lengths.sum())),
        "rate": lambda log, one: rate_words(one.hit_rate, one.lower_bound, lang(), 2),
        "best": lambda log, one: rate_words(one.best_rate, one.lower_bound, lang(), 2),
        "computed": lambda log, one: _computed(one),
        "saved": lambda log, one: _saved(one, cost, prices),
        "verdict": lambda log, one: _verdict(one, rule),
    }
    (log_a, a), (log_b, b) = sides
    machine = MACHINE.get()
    on = {"saved": f" · {machine.model}, {machine.num_gpus} × {machine.gpu}"}
    return [
        {"what": say(f"traffic.compare.{key}") + on.get(key, ""), "a": make(log_a, a), "b": make(log_b, b)}
        for key, make in words.items()
    ]


def _verdict(analysis: Analysis, rule: Rule) -> str:
    verdict = whole(analysis, rule).verdict()
    return verdict_words(verdict, verdict_bound(verdict, rule) if analysis.lower_bound else None, lang())


def _computed(analysis: Analysis) -> str:
    number = digits(int(analysis.lengths.sum()) - int(analysis.hits.sum()))
    return say("traffic.at_most", rate=number) if analysis.lower_bound else number


def _saved(analysis: Analysis, cost: CostModel, prices: Prices) -> str:
    value = seconds(savings(analysis, cost, prices).gpu_seconds.value or 0.0)
    return say("traffic.at_least", rate=value) if analysis.lower_bound else value


def _counted(log: Log) -> str:
    trace = log.trace
    if trace.tokenizer is not None:
        return f"{tokenizer_title(trace.tokenizer, lang())}, {say(f'traffic.template.{trace.template}')}"
    if trace.block_size is not None:
        return say("traffic.read.blocks", size=trace.block_size)
    return say("traffic.basis.ids")


def _ttl(analysis: Analysis) -> str:
    ttl_s = analysis.settings.ttl_s
    return say("knob.off") if ttl_s is None else f"{ttl_s:g} s"


def _slots(analysis: Analysis) -> str:
    number = analysis.settings.num_slots
    return say("traffic.room_for_all") if number is None else digits(number)
