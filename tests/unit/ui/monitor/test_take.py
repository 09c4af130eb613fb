"""The load taken along, and a kept run beside another: what the page offers and says."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.export import dashboard_json
from core.export.dashboard import window_for
from core.export.metrics import METRICS
from ui.machine.machine import Machine
from ui.monitor import beside
from ui.monitor.beside import CURVES, KeptRun, add_kept, differences, keep, rows
from ui.monitor.deeds import LoadPlan
from ui.monitor.looks import ROWS
from ui.monitor.run import LoadSession, follow
from ui.monitor.setup import LoadSetup
from ui.monitor.take import _files, began, board_words, file_name, size_words
from ui.words.i18n import t, table
from ui.words.numbers import digits

BOARD = Path(__file__).resolve().parents[4] / "docs" / "grafana" / "prefix-cache.json"
Json = dict[str, Any]


def session(seconds: float, **setup: Any) -> LoadSession:
    load = follow(LoadPlan(replace(LoadSetup(rate=12.0, pool=256), **setup)), Machine())
    load.repeat(seconds, 60.0)
    return load


# -- files ------------------------------------------------------------------------------------------------


def test_files_are_of_the_moment_at_which_they_are_made() -> None:
    """A button drawn at second 5 gives what has run by second 9."""
    load = session(5.0)
    files = {file.key: file for file in _files(load, "en")}
    load.repeat(9.0, 60.0)
    assert len(files["jsonl"].make().splitlines()) == load.run.records.cached.num_arrived
    assert files["csv"].make().startswith("\ufeffrequest_id,")
    assert files["curves"].make().startswith("\ufeffend_s,")
    assert files["metrics"].make().endswith("# EOF\n")
    board = json.loads(files["board"].make())
    start, end = (datetime.fromisoformat(board["time"][name]) for name in ("from", "to"))
    assert (end - start).total_seconds() == 9.0
    assert f" {start.timestamp():.3f}\n" in files["metrics"].make()
    assert file_name(load) == "broth-load-mixed-256x16-seed7"


def test_the_load_lies_in_the_past_whatever_the_hour() -> None:
    for hour in (0, 11, 23):
        now = datetime(2031, 3, 1, hour, 59, tzinfo=UTC)
        assert began(now) == datetime(2031, 2, 28, 12, tzinfo=UTC)
        assert (now - began(now)).total_seconds() >= 12 * 3600


@pytest.mark.parametrize(
    ("size", "words"), [(40, "1 kB"), (37_499, "37 kB"), (13_531_209, "14 MB"), (2_740_000, "2.7 MB")]
)
def test_sizes_are_round(size: int, words: str) -> None:
    assert size_words(size) == words


# -- the dashboard ----------------------------------------------------------------------------------------


def test_the_dashboard_in_the_docs_is_the_one_that_is_offered() -> None:
    """After a wanted change this fails; the file is then written anew from ``dashboard_json``."""
    assert BOARD.read_text("utf-8") == dashboard_json(board_words("en"))


def test_grafana_can_read_it_and_it_asks_for_nothing_that_is_not_written() -> None:
    board: Json = json.loads(BOARD.read_text("utf-8"))
    written = {name for metric in METRICS for name in metric.names}
    assert board["schemaVersion"] >= 36
    names = {variable["name"] for variable in board["templating"]["list"]}
    places, asked = set(), set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        across, down = range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        cells = {(x, y) for x in across for y in down}
        assert not cells & places
        assert max(x for x, _ in cells) < 24
        places |= cells
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        for target in panel["targets"]:
            query = target["expr"]
            assert query.count("(") == query.count(")")
            assert set(re.findall(r"\$(\w+)", query)) <= names
            asked |= set(re.findall(r"(?:vllm|broth):\w+", query))
            for by in re.findall(r"sum by \(([^)]*)\)", query):
                assert {"engine", "model_name"} <= set(by.split(", "))
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    assert asked <= written
    assert {"vllm:prefix_cache_hits_total", "vllm:time_to_first_token_seconds_bucket"} <= asked
    assert {name for name in asked if name.startswith("broth:")} == {"broth:evicted_blocks_total"}


def test_a_window_holds_three_points() -> None:
    assert [window_for(width) for width in (1, 16, 32, 64, 512)] == ["1m", "1m", "2m", "5m", "15m"]


# -- two runs ---------------------------------------------------------------------------------------------


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "say", lambda key, **values: t(key, "en", **values))


def pair() -> tuple[KeptRun, KeptRun]:
    return keep(session(20.0)), keep(session(20.0, pool=1024, ttl_s=5))


@pytest.mark.usefixtures("said")
def test_what_differs_is_said_and_so_are_both_ends() -> None:
    kept, now = pair()
    assert differences(kept, now) == ["Slots: 256 → 1,024", "TTL (seconds): off → 5"]
    assert differences(kept, kept) == []
    told = {row[0]: row[1:] for row in rows(kept, now)}
    rates = [float(run.summary.hit_rate.value or 0) for run in (kept, now)]
    shown = told["Prompt tokens reused"]
    assert shown[:2] == [f"{100 * rate:.1f} %" for rate in rates]
    more = float(shown[2].split(" ")[0].replace("−", "-"))
    assert more == pytest.approx(100 * (rates[1] - rates[0]), abs=0.06)
    assert told["Time until the last answer"][2] == told["Requests finished"][2] == ""
    assert told["Time to first token, p95"][3] == "modelled"
    evicted = [sum(c.sum() for n, c in session(20.0).run.bins.sums.items() if n.startswith("evicted."))]
    until = np.nanmax(session(20.0).run.records.cached.finished_s)
    assert told["Blocks forgotten per second"][0] == digits(evicted[0] / float(until))


@pytest.mark.usefixtures("said")
def test_a_run_of_another_length_has_the_same_rates_and_its_own_time() -> None:
    """Finished per second times the time gives what has finished."""
    load = session(20.0, mix="system", clients=24, think_s=0, pool=4096, output_tokens=8)
    short = keep(load)
    load.run.advance(seconds=40.0)
    told = {row[0]: row[1:] for row in rows(short, keep(load))}
    for run, column in ((short, 0), (keep(load), 1)):
        side = run.summary.with_cache
        time, per_s = told["Time until the last answer"][column], told["Finished per second"][column]
        assert float(per_s) * float(time.removesuffix(" s")) == pytest.approx(side.num_finished, rel=0.01)


@pytest.mark.usefixtures("said")
def test_how_requests_come_is_told_as_one_thing() -> None:
    kept, _ = pair()
    closed = replace(kept, setup=replace(kept.setup, rate=2.0, clients=24, think_s=0))
    told = "How requests come: 24 clients who wait for the answer and ask again at once → 12 a second"
    assert differences(closed, kept) == [told]
    assert differences(closed, replace(closed, setup=replace(closed.setup, rate=3.0))) == []


@pytest.mark.usefixtures("said")
def test_every_setting_has_a_name_for_what_differs() -> None:
    """A setting more must be told too."""
    kept = keep(session(1.0))
    for one in fields(LoadSetup):
        value = getattr(kept.setup, one.name)
        other = "rag" if one.name == "mix" else 3 if value is None else value + 1
        now = replace(kept, setup=replace(kept.setup, **{one.name: other}))
        assert len(differences(kept, now)) == 1


def test_its_curves_stand_under_the_new_ones_and_keep_their_values() -> None:
    from plotly.subplots import make_subplots  # slow, and only this test draws

    kept, _ = pair()
    figure = make_subplots(rows=len(ROWS), cols=1)
    words = dict(table("en")) | {
        f"monitor.curve.{curve}": curve for curves in CURVES.values() for curve in curves
    }
    add_kept(figure, kept, words, "light")
    drawn = {trace.name.removeprefix("kept: "): trace for trace in figure.data}
    assert set(drawn) == {curve for curves in CURVES.values() for curve in curves}
    for curve, trace in drawn.items():
        assert list(trace.y) == kept.samples.curves[curve]
        assert curve in ROWS[next(row for row, curves in CURVES.items() if curve in curves)]
