"""The monitor without a page: setup, ticks, messages, the request a point means, its part on the stage."""

from __future__ import annotations

import itertools
import json
import threading
from dataclasses import replace
from functools import cache
from typing import get_args

import numpy as np
import pytest
from plotly.subplots import make_subplots

from core.engine.events import EvictionCause
from core.errors import BrothError
from core.load import MIXES, TICKS_PER_S, LoadRun, LoadSpec, why_missed
from core.load.hindsight import WhyKind
from core.timeline.frame import apply
from core.types import EngineConfig
from ui.machine.machine import Machine
from ui.moment.shown import ShownMoment, shown_moment
from ui.monitor.asked import Asked
from ui.monitor.charts import (
    MOST_LINES,
    axis_words,
    load_figure,
    shown_curves,
    strip_of,
    time_axis,
    word_lines,
)
from ui.monitor.deeds import LoadPlan
from ui.monitor.looks import ROWS
from ui.monitor.payload import monitor_payload, shown_flags
from ui.monitor.run import BUDGET_S, LoadSession, follow
from ui.monitor.sent import AGAIN
from ui.monitor.setup import LESSONS, LoadSetup, from_query, like_stage, to_query
from ui.monitor.texts import text_key
from ui.words.i18n import Lang, placeholders, t, table

SMALL = LoadSetup(pool=256, rate=6.0)


def session_at(seconds: float, setup: LoadSetup = SMALL) -> LoadSession:
    load = follow(LoadPlan(setup), Machine())
    load.run.advance(seconds=seconds)
    return load


@cache
def settled() -> LoadSession:
    """A run that tests only look at."""
    load = session_at(60)
    load.burst()
    load.run.advance(seconds=40)
    return load


# -- setup and link -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "setup",
    [
        LoadSetup(),
        LoadSetup(seed=0, mix="rag", rate=12.0, pool=64, block_size=4, cache_cap=0, ttl_s=30, admit_after=3),
        LoadSetup(pool=10, block_size=7),
        LoadSetup(mix="agents", clients=24, think_s=0, prefix_tokens=2048, output_tokens=8),
        *LESSONS.values(),
    ],
)
def test_a_link_brings_the_setup_back(setup: LoadSetup) -> None:
    assert from_query(to_query(setup)) == (setup, [])


def test_the_usual_setup_adds_nothing_to_a_link() -> None:
    assert to_query(LoadSetup()) == {}


@pytest.mark.parametrize(
    ("query", "lost"),
    [
        ({"ls": "-1"}, ["ls"]),
        ({"lp": "1000000"}, ["lp"]),
        ({"lm": "soup", "lr": "5"}, ["lm", "lr"]),
        ({"lb": "٣", "la": "1.5"}, ["lb", "la"]),
        ({"ln": "0", "lk": "-1", "lx": "513", "lo": ""}, ["ln", "lk", "lx", "lo"]),
    ],
)
def test_what_a_link_gets_wrong_is_named_and_left_out(query: dict[str, str], lost: list[str]) -> None:
    assert from_query(query) == (LoadSetup(), lost)


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("pool", [8, 64, 1024])
def test_every_pool_can_take_every_mix(mix: str, pool: int) -> None:
    load = follow(LoadPlan(LoadSetup(mix=mix, pool=pool)), Machine())
    load.run.advance(requests=20)
    assert load.run.records.cached.num_arrived >= 20


def test_the_machine_of_the_stage() -> None:
    config = EngineConfig(block_size=4, num_blocks=11, cache_cap=6, ttl=20, admit_after=2)
    setup = like_stage(LoadSetup(seed=3), config)
    assert setup == LoadSetup(seed=3, pool=10, block_size=4, cache_cap=6, ttl_s=20, admit_after=2)
    assert follow(LoadPlan(setup), Machine()).run.config.ttl == 20 * TICKS_PER_S


# -- going on -----------------------------------------------------------------------------------------


def test_a_tick_is_worth_its_speed() -> None:
    load = follow(LoadPlan(SMALL), Machine())
    for speed in (1, 4, 16):
        load.speed, before = speed, load.run.now_s
        load.tick(watch=lambda: 0.0)
        assert load.run.now_s == pytest.approx(before + speed)


def test_a_tick_ends_when_its_time_is_up() -> None:
    load = follow(LoadPlan(SMALL), Machine())
    load.speed = 64
    watch = itertools.count(0, BUDGET_S / 2)
    load.tick(watch=lambda: float(next(watch)))
    assert 0 < load.run.now_s < 10


def test_a_paused_load_stands_still() -> None:
    load = session_at(5)
    load.playing = False
    load.tick(watch=lambda: 0.0)
    assert load.run.now_s == 5


def test_the_end_of_the_stream_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.monitor.setup.NUM_REQUESTS", 50)
    load = follow(LoadPlan(SMALL), Machine())
    load.speed = 64
    load.tick(watch=lambda: 0.0)
    assert (load.playing, load.run.done, load.run.records.cached.num_arrived) == (False, True, 50)
    load.burst()
    assert (load.playing, load.run.flags) == (False, [])


def test_two_threads_never_step_the_same_run_at_once() -> None:
    """Streamlit starts the next script run while the last one still computes."""
    load = follow(LoadPlan(SMALL), Machine())
    load.speed = 4
    threads = [threading.Thread(target=load.tick, args=(lambda: 0.0,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = follow(LoadPlan(SMALL), Machine())
    alone.run.advance(seconds=16)
    assert load.run.samples() == alone.run.samples()


# -- knobs --------------------------------------------------------------------------------------------


def test_policies_act_on_the_run_that_goes_on() -> None:
    load = session_at(20)
    same = load.turn(replace(SMALL, cache_cap=50, ttl_s=9), Machine())
    assert same is load
    assert (load.run.config.cache_cap, load.run.config.ttl) == (50, 9 * TICKS_PER_S)
    assert [(flag["name"], flag["value"]) for flag in shown_flags(tuple(load.run.flags))] == [
        ("cache_cap", 50),
        ("ttl", 9.0),
    ]
    load.turn(replace(SMALL, admit_after=2), Machine())
    assert (load.run.config.cache_cap, load.run.config.ttl, load.run.config.admit_after) == (None, None, 2)
    assert "admit_window" not in [flag["name"] for flag in shown_flags(tuple(load.run.flags))]


def test_a_new_block_size_goes_on_cold() -> None:
    load = session_at(20)
    assert load.turn(replace(SMALL, block_size=8), Machine()) is load
    assert load.run.config.block_size == 8
    assert set(load.run.slot_map().letters) == {"e"}


@pytest.mark.parametrize("changes", [{"seed": 8}, {"mix": "chat"}, {"rate": 8.0}, {"pool": 512}])
def test_another_stream_is_another_run(changes: dict[str, object]) -> None:
    load = session_at(5)
    load.speed = 16
    other = load.turn(replace(SMALL, **changes), Machine())  # type: ignore[arg-type]
    assert (other is load, other.run.now_s, other.speed) == (False, 0.0, 16)


def test_another_machine_is_another_run_and_prices_are_not() -> None:
    load = session_at(5)
    assert load.turn(SMALL, Machine(gpu="H100")) is not load
    prices = replace(Machine().prices, per_gpu_hour=9.0)
    assert load.turn(SMALL, Machine(prices=prices)) is load


def test_a_refused_knob_changes_nothing() -> None:
    load = session_at(5)
    with pytest.raises(BrothError):
        load.turn(replace(SMALL, cache_cap=-1), Machine())
    assert (load.setup, load.run.config.cache_cap, load.run.flags) == (SMALL, None, [])


# -- what travels -------------------------------------------------------------------------------------


def test_a_message_holds_what_the_last_ones_held() -> None:
    load = session_at(100)
    reached: list[int] = []
    for _ in range(AGAIN + 3):
        data = monitor_payload(load, "en", 40)["samples"]
        since = reached[-AGAIN] if len(reached) >= AGAIN else 0
        assert (data["start"], len(data["end_s"])) == (since, load.run.num_bins - since)
        reached.append(load.run.num_bins)
        load.run.advance(seconds=5)


def test_merged_bins_travel_whole() -> None:
    load = session_at(50, replace(SMALL, rate=1.0))
    monitor_payload(load, "en", None)
    load.run.advance(seconds=560)
    data = monitor_payload(load, "en", None)["samples"]
    assert (data["generation"], data["start"], data["bin_s"]) == (1, 0, 2.0)


def test_the_payload_is_strict_json_and_small() -> None:
    data = monitor_payload(settled(), "both", 60)
    text = json.dumps(data, allow_nan=False)
    assert json.loads(text) == data
    assert len(text) < 120_000
    assert len(data["map"]["letters"]) == len(data["map"]["ages"]) == 256
    assert len(data["hot"]) == 10
    for _ in range(AGAIN):
        monitor_payload(settled(), "en", 60)
    assert len(json.dumps(monitor_payload(settled(), "en", 60))) < 40_000


@pytest.mark.parametrize("num_requests", [60, 20_000])
def test_numbers_of_now_are_the_servers_own_and_the_recent_ones_a_minutes(num_requests: int) -> None:
    """Read once more from the records: who is there, and the last 60 s; at the very end nobody, and all."""
    load = session_at(0.0, replace(SMALL, rate=4.0))
    spec = replace(load.run.spec, num_requests=num_requests)
    load.run = LoadRun(spec, load.run.config, load.run.time_model)
    load.repeat(100.0, 60.0)
    run, told = load.run, monitor_payload(load, "en", None)
    assert run.done == (num_requests == 60)
    for place, (name, side) in enumerate((("with", run.records.cached), ("without", run.records.plain))):
        there = np.isnan(side.finished_s) & ~np.isnan(side.arrival_s)
        assert told["now"]["inside"][place] == there.sum()
        recent = side.first_s > (0 if run.done else 40)
        waits = (side.first_s - side.arrival_s)[recent]
        shown = told["recent"][name]
        assert shown["n"] == len(waits) > 0
        assert [shown["p50"], shown["p95"]] == pytest.approx(np.quantile(waits, [0.5, 0.95]), abs=1e-6)
        span = np.nanmax(side.finished_s) if run.done else 60
        assert shown["per_s"] == pytest.approx((side.finished_s > (0 if run.done else 40)).sum() / span)
    letters = told["map"]["letters"]
    assert told["now"]["levels"]["in_use"] == letters.count("u") / len(letters)
    assert told["now"]["levels"]["cached"] == letters.count("c") / len(letters)
    if run.done:
        ends = {name: curve[-1] for name, curve in told["samples"]["curves"].items()}
        assert [ends["inside_with"], ends["queue_without"], ends["in_use"]] == [0, 0, 0]


def test_hot_counts_say_how_many_requests_came_per_bin() -> None:
    load = settled()
    run = load.run
    for shown, prefix in zip(monitor_payload(load, "en", None)["hot"], run.hottest(10), strict=True):
        assert [int(letter, 36) for letter in shown["counts"]] == [min(n, 35) for n in prefix.counts]
        assert shown["n"] == prefix.num_requests


# -- charts and lists -----------------------------------------------------------------------------------


def number(name: str | None) -> int:
    assert name is not None
    return int(name[1:])


def test_the_figure_shows_the_samples() -> None:
    load = settled()
    samples = load.run.samples()
    figure = load_figure(load, table("en"), [(60.0, "rush hour")], 60, "light")
    curves = [curve for row in ROWS.values() for curve in shown_curves(samples, row)]
    assert len(figure.data) == len(curves) + 1
    for place, (trace, curve) in enumerate(zip(figure.data, curves, strict=False)):
        np.testing.assert_array_equal(np.array(trace.y, float), np.array(samples.curves[curve], float))
        assert trace.name == table("en")[f"monitor.curve.{curve}"].replace("{bin}", "1")
        assert curve in ROWS[strip_of(load, place)]
    nobody = [
        end for end, rate in zip(samples.end_s, samples.curves["hit_rate"], strict=True) if rate is None
    ]
    assert list(figure.data[-1].x) == nobody
    assert strip_of(load, len(curves)) == "hit"
    assert strip_of(load, len(curves) + 1) is None  # of a kept run
    assert figure.layout.paper_bgcolor is None
    assert figure.layout.plot_bgcolor is None
    assert figure.layout.xaxis6.title.text == table("en")["monitor.axis"].replace("{bin}", "1")


def test_the_axis_says_when_its_points_became_wider() -> None:
    load = session_at(610, replace(SMALL, rate=1.0))
    samples = load.run.samples()
    assert (samples.bin_s, samples.widened_s) == (2.0, 600.0)
    words = axis_words(samples, table("en"))
    assert all(part in words for part in ("each point: 2 s", "second 600", "1 s"))


def test_a_server_that_is_done_is_not_drawn_as_an_empty_pool() -> None:
    """Nothing that is not known is drawn as 0: a stack has only points with a value, and they add up to 1."""
    figure = load_figure(settled(), table("en"), [], None, "dark")
    stacks = [trace for trace in figure.data if trace.stackgroup]
    assert stacks
    for values in zip(*(trace.y for trace in stacks), strict=True):
        assert sum(values) == pytest.approx(1)


def test_the_clicked_bin_is_marked_in_every_strip() -> None:
    load = settled()
    load.asked, load.picked = Asked(12.0, 1.0, "evict"), None
    try:
        figure = load_figure(load, table("zh"), [], None, "light")
    finally:
        load.asked = None
    marks = [(shape.x0, shape.x1, shape.xref) for shape in figure.layout.shapes if shape.type == "rect"]
    assert [mark[:2] for mark in marks] == [(11.0, 12.0)] * len(ROWS)
    assert any("11–12" in one.text for one in figure.layout.annotations)


@pytest.mark.parametrize(
    ("waits", "ticks"),
    [
        ([0.02, 0.2], ["10 ms", "100 ms", "1 s"]),
        ([0.03, 0.05], ["10 ms", "100 ms"]),
        ([0.4, 30.0], ["100 ms", "1 s", "10 s", "100 s"]),
        ([None], ["100 ms", "1 s"]),
    ],
)
def test_the_time_axis_has_whole_decades_in_the_words_of_the_live_one(
    waits: list[float | None], ticks: list[str]
) -> None:
    figure = make_subplots(rows=len(ROWS), cols=1)
    row = list(ROWS).index("ttft") + 1
    figure.add_scatter(y=waits, row=row, col=1)
    time_axis(figure)
    axis = figure.layout[f"yaxis{row}"]
    assert list(axis.ticktext) == ticks
    assert (10 ** axis.range[0], 10 ** axis.range[1]) == (axis.tickvals[0], axis.tickvals[-1])


def test_every_text_of_a_load_has_words() -> None:
    for mix in MIXES.values():
        run = LoadRun(
            LoadSpec(seed=2, mix=mix, num_requests=40).fitted_to(16384),
            EngineConfig(num_blocks=1025),
            Machine().cost(),
        )
        for arrival in run.contents():
            for segment in (*arrival.segments, arrival.output):
                for owner in (arrival.request_id, None):
                    key, n = text_key(segment.name, owner)
                    assert t(key, "zh", n=n)
                    assert t(key, "en", n=n)
    assert text_key("turn12", "R12")[0] == "monitor.text.question.own"
    assert text_key("turn12", "R13") == ("monitor.text.question", "12")


def test_a_list_leads_with_what_its_strip_is_about() -> None:
    firsts = {strip: Asked(5.0, 1.0, strip).order[0] for strip in ROWS}
    assert (firsts["hit"], firsts["evict"], firsts["ttft"]) == ("misses", "evictors", "slowest")
    assert all(len(set(Asked(5.0, 1.0, strip).order)) == 3 for strip in ROWS)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_reason_has_words(lang: Lang) -> None:
    kinds = [kind for kind in get_args(WhyKind) if kind != "evicted"]
    keys = [f"monitor.why.{kind}" for kind in kinds]
    keys += [f"monitor.why.evicted.{cause}" for cause in (*get_args(EvictionCause), "cap.lowered")]
    assert all(placeholders(table(lang)[key]) <= {"at", "other"} for key in keys)


def test_who_goes_on_leaves_the_list() -> None:
    load = session_at(5)
    load.asked = Asked(3.0, 1.0, "hit")
    load.tick(watch=lambda: 0.0)
    assert load.asked is None


def test_words_above_the_charts_do_not_meet() -> None:
    """Neighbours stand one above the other; when the lines are full a word is left out, never the last."""
    near = [(10.0, "rush hour ×4"), (11.0, "cap 100"), (60.0, "cap 90")]
    assert word_lines(near, 100.0) == [0, 1, 0]
    crowd = [(50.0 + k, f"cap {k}") for k in range(8)]
    assert word_lines(crowd, 1000.0)[:MOST_LINES] == list(range(MOST_LINES))
    assert word_lines(crowd, 1000.0)[MOST_LINES:-1] == [None] * 3
    assert word_lines(crowd, 1000.0)[-1] == MOST_LINES
    assert word_lines([], 10.0) == []


# -- a request on the stage ---------------------------------------------------------------------------


@cache
def moment_of(name: str) -> ShownMoment:
    return shown_moment(settled().run, name, 12.0, "title")


@pytest.mark.parametrize("name", ["R0", "R200", "R560"])
def test_the_stage_gets_the_part_around_a_request(name: str) -> None:
    shown = moment_of(name)
    steps = shown.log["events"]
    assert json.loads(json.dumps(shown.log, allow_nan=False)) == shown.log
    assert steps[shown.step - 1]["rid"] == name
    mine = [step["op"] for step in steps[shown.step - 1 :] if step.get("rid") == name]
    assert "plan" in mine
    assert len(steps) <= 5_000
    run = settled().run
    plan = next(s for s in steps if s["op"] == "plan" and s["rid"] == name)
    assert plan["args"]["hit"] == run.records.cached.hit[number(name)]


@pytest.mark.parametrize("name", ["R0", "R200", "R560"])
def test_its_steps_can_be_folded_and_keep_the_books(name: str) -> None:
    """Every slot is in the queue exactly while nobody uses it, at each step."""
    log = moment_of(name).log
    frame = log["init"]
    for step in log["events"]:
        frame = apply(frame, step["patch"])
    free = {int(slot) for slot, state in frame["slots"].items() if state["ref"] == 0}
    assert set(frame["queue"]) == free
    for digest, slots in frame["table"].items():
        assert all(frame["slots"][str(slot)]["hash"] == digest for slot in slots)


EARLIER = {"miss.evicted_before", "miss.evicted_by"}


def test_the_stage_says_who_evicted_it_as_the_list_does() -> None:
    run = settled().run
    named = 0
    for number in (240, 400, 520):
        why = why_missed(run, f"R{number}")
        steps = moment_of(f"R{number}").log["events"]
        told = [s for s in steps if s["cap"] == "miss.evicted_by"]
        assert all(s["rid"] == f"R{number}" for s in told)
        for step in told:
            named += 1
            assert why is not None
            assert (step["args"]["writer"], step["args"]["at"]) == (why.other, f"{why.at_s:.1f}")
    assert named


@pytest.mark.parametrize("name", ["R200", "R560"])
def test_sums_on_the_stage_are_of_the_part_that_is_shown(name: str) -> None:
    log = moment_of(name).log
    frame = log["init"]
    for step in log["events"]:
        frame = apply(frame, step["patch"])
    assert frame["totals"]["evicted"] == sum(s["op"] in ("evict", "ttl") for s in log["events"])
    assert frame["totals"]["stored"] == sum(s["op"] == "register" for s in log["events"])


def test_every_miss_of_the_part_has_a_reason_with_words() -> None:
    words = table("en")
    reasons = set()
    for name in ("R0", "R200", "R560"):
        for step in moment_of(name).log["events"]:
            assert f"cap.{step['cap']}.what" in words
            if step["op"] == "miss":
                reasons.add(step["cap"])
                assert ("step" in step["args"]) == (step["cap"] == "miss.evicted")
    assert "miss.never_seen" in reasons
    assert reasons & EARLIER


def test_what_was_evicted_before_the_part_had_been_computed_before() -> None:
    """The reason is more than a guess: an earlier request of the stream had the same blocks."""
    run = settled().run
    shown = moment_of("R560")
    before = {step["hash"] for step in shown.log["events"] if step["cap"] in EARLIER}
    assert before
    listened: set[str] = set()
    again = follow(LoadPlan(SMALL), Machine())
    again.run.cached.listen_to_blocks(
        lambda event: listened.add(event.hash.hex()) if type(event).__name__ == "BlockStored" else None  # type: ignore[attr-defined]
    )
    again.run.advance(seconds=60)
    again.burst()
    again.run.advance(seconds=40)
    assert again.run.samples() == run.samples()
    assert before <= listened


def test_a_part_that_ends_before_its_request_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_moment(settled().run, "R200", 12.0, "title", "cut").note == ""
    monkeypatch.setattr("ui.moment.shown.AFTER", 3)
    assert shown_moment(settled().run, "R200", 12.0, "title", "cut").note == "cut"


def test_who_was_not_let_in_yet_cannot_be_shown() -> None:
    with pytest.raises(BrothError, match="has not been admitted"):
        shown_moment(settled().run, "R99999", 1.0, "t")
