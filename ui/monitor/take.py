"""The load as files, from the monitor: made when somebody asks for one, of what has run by then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import streamlit as st

from core.export import (
    Snapshot,
    curves_csv,
    dashboard_json,
    openmetrics,
    requests_csv,
    requests_jsonl,
    snapshot,
)
from core.export.curves import curves_bytes
from core.export.dashboard import PANELS, VARIABLES, window_for
from core.export.openmetrics import openmetrics_bytes
from core.export.requests import csv_bytes, jsonl_bytes
from ui.frame.session import lang, say
from ui.monitor.run import LoadSession
from ui.words.i18n import Lang, t
from ui.words.numbers import digits

MARK = "\ufeff"
"""In front of a table it tells spreadsheets that the text is UTF-8."""


@dataclass(frozen=True, slots=True)
class _File:
    """``size``: about so many bytes; None: not worth saying."""

    key: str
    ending: str
    mime: str
    make: Callable[[], str]
    size: int | None = None


def take_popover(load: LoadSession) -> None:
    """Five files, each with what it is for and about how large it gets; drawn anew when it is opened."""
    popover = st.popover(say("take.title"), key="take", on_change="rerun")
    if not popover.open:
        return
    with popover:
        if not load.run.records.cached.num_arrived:
            st.caption(say("take.none"))
            return
        come = load.run.records.cached.num_arrived
        st.caption(say("take.when", seconds=digits(int(load.run.now_s)), n=come))
        for file in _files(load, lang()):
            _offer(file, file_name(load))
        st.caption(say("take.how"))
        st.code(
            f"promtool tsdb create-blocks-from openmetrics {file_name(load)}.om.txt data",
            language=None,
            wrap_lines=True,
        )


def file_name(load: LoadSession) -> str:
    """What all files of a run are called, up to the dot."""
    setup = load.setup
    return f"broth-load-{setup.mix}-{setup.pool}x{setup.block_size}-seed{setup.seed}"


def began(today: datetime) -> datetime:
    """The moment that stands for modelled second 0: noon of the day before, in UTC. Prometheus takes nothing
    into the hours it still writes itself."""
    return today.replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)


def board_words(language: Lang) -> dict[str, str]:
    """The dashboard's title, the names of its variables and panels."""
    names = ("title", *VARIABLES, *(panel.key for panel in PANELS))
    return {name: t(f"take.board.{name}", language) for name in names}


def _files(load: LoadSession, language: Lang) -> list[_File]:
    with load.lock:
        records, size = load.run.records, load.run.config.block_size
        come = records.cached.turn >= 0
        prompts, hits = records.num_prompt[come], records.cached.hit[come]
        bins = load.run.num_bins
    start = began(datetime.now(UTC))
    model = load.machine.model

    def metrics(taken: Snapshot) -> str:
        return openmetrics(taken, model, start.timestamp())

    lines = partial(_made, load, requests_jsonl)
    table = partial(_made, load, requests_csv, MARK)
    curves = partial(_made, load, curves_csv, MARK)
    board = partial(_board, load, start, board_words(language))
    return [
        _File("jsonl", "jsonl", "application/x-ndjson", lines, jsonl_bytes(prompts, hits, size)),
        _File("csv", "csv", "text/csv", table, csv_bytes(len(prompts))),
        _File("curves", "curves.csv", "text/csv", curves, curves_bytes(bins)),
        _File("metrics", "om.txt", "text/plain", partial(_made, load, metrics), openmetrics_bytes(bins)),
        _File("board", "grafana.json", "application/json", board),
    ]


def _made(load: LoadSession, write: Callable[[Snapshot], str], mark: str = "") -> str:
    """The run is held only while it is copied; it goes on while the file is written."""
    with load.lock:
        taken = snapshot(load.run)
    return mark + write(taken)


def _board(load: LoadSession, start: datetime, words: dict[str, str]) -> str:
    end = start + timedelta(seconds=load.run.now_s)
    since, until = (f"{moment:%Y-%m-%dT%H:%M:%S}.000Z" for moment in (start, end))
    return dashboard_json(words, since, until, window_for(load.run.bins.width_s))


def _offer(file: _File, name: str) -> None:
    button, about = st.columns([2, 3], vertical_alignment="center")
    button.download_button(
        say(f"take.{file.key}"),
        file.make,
        file_name=f"{name}.{file.ending}",
        mime=file.mime,
        key=f"take_{file.key}",
        on_click="ignore",
        width="stretch",
    )
    size = "" if file.size is None else say("take.size", size=size_words(file.size))
    about.caption(f"{say(f'take.{file.key}.help')} {size}")


def size_words(size: int) -> str:
    """Bytes in the unit that fits, rounded: nobody knows exactly before the file is made."""
    if size >= 10**6:
        return f"{size / 1e6:.{1 if size < 10**7 else 0}f} MB"
    return f"{max(round(size / 1e3), 1)} kB"
