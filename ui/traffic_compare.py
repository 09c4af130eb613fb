"""Two logs, or one log under two settings, side by side."""

from __future__ import annotations

import streamlit as st

from core.errors import BrothError
from core.traces.sources import TraceFile
from core.traffic.analysis import Analysis, savings
from core.traffic.groups import whole
from core.traffic.samples import KINDS, sample_log
from core.traffic.settings import Settings, block_sizes
from core.traffic.sweeps import curve_points
from ui import session
from ui.numbers import digits, percent, seconds
from ui.session import say
from ui.traffic_charts import lines, requests_at
from ui.traffic_open import clicked
from ui.traffic_source import UPLOAD_MB, progress_in
from ui.traffic_state import Log, analysis_of, read_log, state
from ui.traffic_view import Open

SAME = "same"
UPLOAD = "upload"


def compare_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Choose the other side, then both in one table and one chart. Points of the first side lead on."""
    other = _other_log(log)
    if other is None:
        return
    settings = _other_settings(other, analysis)
    place = st.empty()
    try:
        right = analysis_of(other, settings, progress_in(place, "traffic.rerunning"))
    except BrothError as error:
        session.show_error(error)
        return
    finally:
        place.empty()
    st.dataframe(
        _rows(analysis, right), hide_index=True, column_config=_columns(), key="traffic_compare_rows"
    )
    names = _name("A", analysis), _name("B", right)
    curves, numbers = {}, {}
    for name, side in zip(names, (analysis, right), strict=True):
        points = curve_points(side, 300)
        size = side.settings.block_size
        curves[name] = [(float(slots * size), rate) for slots, rate in points]
        if side is analysis:
            numbers[name] = requests_at(side.curve, [slots for slots, _ in points])
    title = say("traffic.unit.tokens")
    figure = lines(curves, title, say("traffic.rate"), log_x=True, requests=numbers)
    told = st.plotly_chart(
        figure, key=f"traffic_both_{state().looks}", on_select="rerun", selection_mode="points"
    )
    if (number := clicked(told)) is not None:
        open_it(number)
    st.caption(say("traffic.compare.help"))


def _other_log(log: Log) -> Log | None:
    now = state()
    options = [SAME, *KINDS, UPLOAD]
    words = {SAME: say("traffic.compare.same"), UPLOAD: say("traffic.source.upload")}
    words |= {kind: say(f"traffic.sample.{kind}") for kind in KINDS}
    st.session_state.setdefault("traffic_other", now.other_source)
    chosen = st.selectbox(
        say("traffic.compare.with"), options, format_func=words.__getitem__, key="traffic_other"
    )
    now.other_source = chosen
    if chosen == SAME:
        return log
    if chosen == UPLOAD:
        files = st.file_uploader(
            say("traffic.upload"),
            accept_multiple_files=True,
            max_upload_size=UPLOAD_MB,
            key="traffic_other_file",
        )
        if not files:
            return now.other if now.other is not None and now.other.key[0] == UPLOAD else None
        given, key = [TraceFile(one.name, one) for one in files], (UPLOAD, *(one.file_id for one in files))
    else:
        given, key = [TraceFile(f"{chosen}.jsonl", sample_log(chosen))], ("sample", chosen)
    if now.other is None or now.other.key != key:
        place = st.empty()
        try:
            now.other = read_log(key, given, now.wanted, progress_in(place, "traffic.reading"))
            now.other.trace.with_identity()
        except BrothError as error:
            now.other = None
            session.show_error(error)
            return None
        finally:
            place.empty()
    return now.other


def _other_settings(other: Log, left: Analysis) -> Settings:
    usual = left.settings
    size, slots, ttl = st.columns(3)
    sizes = block_sizes(other.trace)
    with size:
        usual_size = usual.block_size if usual.block_size in sizes else sizes[0]
        st.session_state.setdefault("traffic_block_b", usual_size)
        if st.session_state["traffic_block_b"] not in sizes:
            st.session_state["traffic_block_b"] = usual_size
        block = st.selectbox(say("traffic.side_b", what=say("knob.block_size")), sizes, key="traffic_block_b")
    with slots:
        room = say("traffic.room_for_all")
        st.session_state.setdefault("traffic_slots_b", left.curve.first)  # the two begin with a difference
        number = st.number_input(
            say("traffic.side_b", what=say("traffic.slots")),
            1,
            10**9,
            None,
            key="traffic_slots_b",
            placeholder=room,
        )
    with ttl:
        seconds_b = st.number_input(
            say("traffic.side_b", what=say("traffic.ttl")),
            0.0,
            1e8,
            None,
            key="traffic_ttl_b",
            placeholder=say("knob.off"),
        )
    return Settings(block, number, seconds_b)


def _name(side: str, analysis: Analysis) -> str:
    return f"{side} · {analysis.name[:40]} · {analysis.settings.block_size}"


def _rows(left: Analysis, right: Analysis) -> list[dict[str, str]]:
    cost, prices = session.machine().cost(), session.machine().prices
    found = []
    for key, words in (
        ("log", lambda one: one.name),
        ("block", lambda one: str(one.settings.block_size)),
        ("slots", _slots),
        ("requests", lambda one: digits(len(one.requests))),
        ("tokens", lambda one: digits(int(one.lengths.sum()))),
        ("rate", lambda one: "–" if one.hit_rate is None else f"{percent(one.hit_rate, 2)} %"),
        ("best", lambda one: f"{percent(one.best_rate, 2)} %"),
        ("computed", lambda one: digits(int(one.lengths.sum()) - int(one.hits.sum()))),
        ("saved", lambda one: seconds(savings(one, cost, prices).gpu_seconds.value or 0.0)),
        ("verdict", lambda one: say(f"traffic.verdict.{whole(one).verdict()}")),
    ):
        found.append({"what": say(f"traffic.compare.{key}"), "a": words(left), "b": words(right)})
    return found


def _slots(analysis: Analysis) -> str:
    number = analysis.settings.num_slots
    return say("traffic.room_for_all") if number is None else digits(number)


def _columns() -> dict[str, str]:
    return {"what": "", "a": "A", "b": "B"}
