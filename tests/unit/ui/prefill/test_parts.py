"""Parts of the prefill page that need no page: jobs, choices, estimates, files, numbers, times on steps."""

from __future__ import annotations

import csv
import io
import json
import threading
from pathlib import Path

import pytest

from core.backends.decoders.loader import ModelLoader
from core.backends.experiments.report import Report
from core.backends.experiments.timed_log import time_log
from core.backends.progress import never_cancelled, stopped
from core.backends.spec import SIZES
from core.engine.events import BlockComputed
from core.errors import BackendError
from core.scenario.scenario import run
from tests.stage_runs import scenario_of, stage_log_of
from tests.unit.core.backends.tiny import backend_of
from ui.prefill import models as prefill_models
from ui.prefill.about import claimed, times
from ui.prefill.experiments import EXPERIMENTS, as_csv, as_json, expected_s, kept, kept_report, stories
from ui.prefill.job import Job
from ui.prefill.models import (
    OWN,
    RANDOM,
    SMALL,
    VARIABLE,
    Choice,
    model_name,
    models,
    relative_work,
    source_of,
)
from ui.prefill.stage import with_times
from ui.prefill.wrong import changed_words
from ui.words.numbers import power

WAIT_S = 20


# -- jobs -------------------------------------------------------------------------------------------------


def here() -> bool:
    return True


def test_a_job_brings_its_result() -> None:
    job: Job[int] = Job("pair", Choice(), lambda job: 7, here)
    job.start()
    job.join(WAIT_S)
    assert (job.running, job.result, job.error) == (False, 7, None)


def test_a_job_stops_between_two_pieces_of_work() -> None:
    begun = threading.Event()

    def work(job: Job[int]) -> int:
        while not job.cancelled():
            begun.set()
        raise stopped()

    job = Job("pair", Choice(), work, here)
    job.start()
    assert begun.wait(WAIT_S)
    assert job.running
    job.stop()
    job.join(WAIT_S)
    assert job.stopping
    assert job.error is not None
    assert job.error.code == "backend.cancelled"


def test_a_job_stops_when_its_visitor_has_left() -> None:
    gone = threading.Event()
    job: Job[bool] = Job(
        "pair", Choice(), lambda job: gone.wait(WAIT_S) and job.cancelled(), lambda: not gone.is_set()
    )
    assert not job.cancelled()
    job.start()
    gone.set()
    job.join(WAIT_S)
    assert job.result is True


def test_one_clock_for_all() -> None:
    """The second waits for the first, can be stopped while it waits, and leaves the clock to others."""
    loader = ModelLoader()

    def work(job: Job[str]) -> str:
        with job.clock_of(loader):
            return job.phase

    with loader.line.turn(1.0, lambda place: None, never_cancelled):
        waits = Job("pair", Choice(), work, here)
        stops = Job("pair", Choice(), work, here)
        waits.start()
        stops.start()
        stops.stop()
        stops.join(WAIT_S)
        assert stops.error is not None
        assert waits.running
        assert waits.phase == "waiting"
    waits.join(WAIT_S)
    assert waits.result == "running"
    with loader.line.turn(1.0, lambda place: None, lambda: True):
        pass  # nobody holds it any more


def test_loading_tells_how_far_it_is_and_can_be_stopped() -> None:
    loader = ModelLoader()
    job = Job("pair", Choice("numpy", "XS"), lambda job: job.load(loader).spec.name, here)
    job.start()
    job.join(WAIT_S)
    assert job.result == "XS"
    assert job.phase == "loading"
    assert job.fraction == 1
    again = Job("pair", Choice("numpy", "S"), lambda job: job.load(loader).spec.name, lambda: False)
    again.start()
    again.join(WAIT_S)
    assert again.error is not None
    assert [model.spec.name for model in loader.loaded()] == ["XS"]


# -- what can be chosen -----------------------------------------------------------------------------------


def test_models_are_those_of_this_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(prefill_models, "small_model_path", lambda: None)
    assert models() == list(RANDOM)
    monkeypatch.setattr(prefill_models, "small_model_path", lambda: Path("there.gguf"))
    monkeypatch.setenv(VARIABLE, "/models/mine")
    assert models() == [*RANDOM, SMALL, OWN]
    assert (source_of(SMALL).kind, source_of(SMALL).where) == ("gguf", "there.gguf")
    assert (source_of(OWN).kind, source_of(OWN).where) == ("hf", str(Path("/models/mine")))
    assert model_name(Choice("numpy", OWN)) == "mine"
    monkeypatch.setenv(VARIABLE, "/models/mine.GGUF")
    assert source_of(OWN).kind == "gguf"


def test_a_model_that_is_not_there_has_no_size(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone.gguf"))
    with pytest.raises(BackendError):
        relative_work(Choice("numpy", OWN))


def test_larger_models_take_longer() -> None:
    works = [relative_work(Choice("numpy", size)) for size in RANDOM]
    assert works == sorted(works)
    assert works[RANDOM.index("S")] == 1
    for experiment in EXPERIMENTS:
        seconds = [expected_s(experiment, work) for work in (0.1, 1, 30)]
        assert seconds == sorted(seconds)
    assert expected_s("sweep", 1) < 10, "the usual sweep is quick"


# -- what was kept, and what is taken home ----------------------------------------------------------------


def test_the_nearest_kept_result_is_shown() -> None:
    for library in ("numpy", "torch"):
        report = kept_report("pair", Choice(library, "S"))  # type: ignore[arg-type]
        assert report is not None
        assert (report.backend, report.model) == (library, "S")
    small = kept_report("pair", Choice("torch", SMALL))
    assert small is not None
    assert small.num_parameters > 100e6
    other = kept_report("users", Choice("numpy", "M"))
    assert other is not None
    assert other.model == "S"
    assert kept_report("nothing", Choice()) is None
    assert {report.experiment for report in kept()} == set(EXPERIMENTS)
    assert len(stories()) == 5


@pytest.mark.parametrize(
    "report", kept(), ids=lambda report: f"{report.model[:2]} {report.backend} {report.experiment}"
)
def test_files_to_take_home(report: Report) -> None:
    assert Report.from_json(json.loads(as_json(report))) == report
    rows = list(csv.DictReader(io.StringIO(as_csv(report).removeprefix("\ufeff"))))
    assert len(rows) == len(report.rows)
    assert all(row["device"] == report.device and row["date"] == report.date for row in rows)
    if report.experiment == "pair":
        assert float(rows[0]["full.cpu_ms"]) == report.rows[0]["full"]["cpu_ms"]


# -- words and numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (1.5497e-6, "1.5×10⁻⁶"),
        (1e-4, "1.0×10⁻⁴"),
        (0.0392, "0.0392"),
        (2.42, "2.42"),
        (4e7, "4.0×10⁷"),
    ],
)
def test_small_numbers(value: float, words: str) -> None:
    assert power(value) == words


def test_times() -> None:
    measured = [times(value) for value in (5.0, 4.072, 9.96, 65, 672.4, 1234, 0.95)]
    assert measured == ["5.0×", "4.1×", "10×", "65×", "670×", "1,200×", "0.95×"]
    assert [claimed(value) for value in (5.0, 4.81, 65, 1)] == ["5×", "4.81×", "65×", "1×"]


def test_changed_words() -> None:
    assert changed_words("a cat sat", "a dog sat") == ("cat", "dog")
    assert changed_words("x = 7\nfor i", "x = 2\nfor i") == ("7", "2")
    assert changed_words("same", "same") == ("", "")
    assert changed_words("汤用牛骨熬八小时", "汤用鱼骨熬八小时") == ("牛", "鱼")
    assert changed_words("the big old cat", "the cat") == ("big old", "")
    assert changed_words("beefy broth", "fishy broth") == ("beefy", "fishy")


# -- times on the stage -----------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["P0", "P2", "P6", "P9"])
def test_every_compute_step_gets_the_time_of_its_pass(preset: str) -> None:
    scenario = scenario_of(preset)
    log, shown = run(scenario), stage_log_of(preset)
    timed = time_log(backend_of("numpy"), log)
    found = with_times(log, shown, timed)
    computed = [step for step in found["events"] if step["op"] == "compute"]
    assert computed
    assert all({"ms", "pass", "cached"} <= set(step["args"]) for step in computed)
    told = sum(event.num_new for event in log.events if isinstance(event, BlockComputed))
    assert told == sum(one.plan.num_new for one in timed if one.position is not None)
    assert [step for step in found["events"] if step["op"] != "compute"] == [
        step for step in shown["events"] if step["op"] != "compute"
    ]
    assert found.digest != shown.digest
    assert with_times(log, shown, []) == shown


def test_sizes_that_are_offered_exist() -> None:
    assert set(RANDOM) <= set(SIZES)
