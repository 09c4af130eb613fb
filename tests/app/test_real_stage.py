"""Execute with the switch on: every compute step shows a measured time, and nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.backends.progress import stopped
from tests.app.visit import calm, payload, visit
from ui.prefill import stage as prefill_stage
from ui.prefill.models import Choice
from ui.prefill.state import PrefillState
from ui.words.i18n import LANGS, Lang, stage_texts, t

WAIT_S = 30


def opened(lang: Lang) -> AppTest:
    """P3 on the stage; the smallest model computes."""
    at = visit("execute", lang=lang, s="P3")
    at.session_state["prefill"] = PrefillState(choice=Choice("numpy", "XS"))
    return calm(at.run())


def switch(at: AppTest, on: bool) -> AppTest:
    """Turn it, and wait for the work if it began."""
    at.toggle(key="widget_real").set_value(on)
    calm(at.run())
    job = at.session_state["prefill"].job
    if job is not None:
        job.join(WAIT_S)
        calm(at.run())
    return at


def without_times(log: dict[str, Any]) -> dict[str, Any]:
    names = ("ms", "pass", "cached")
    steps = [
        {**step, "args": {key: value for key, value in step["args"].items() if key not in names}}
        for step in log["events"]
    ]
    return {**log, "events": steps}


@pytest.mark.parametrize("lang", LANGS)
def test_every_compute_step_shows_its_time(lang: Lang) -> None:
    at = opened(lang)
    before = payload(at)
    assert all("ms" not in step["args"] for step in before["a"]["events"])
    after = payload(switch(at, True))
    steps = [step for step in after["a"]["events"] if "ms" in step["args"]]
    assert steps
    assert steps == [step for step in after["a"]["events"] if step["op"] == "compute"]
    assert all(float(step["args"]["ms"].replace(",", "")) > 0 for step in steps)
    assert without_times(after["a"]) == before["a"]
    assert "stage.measured" in stage_texts()[lang]


def test_the_passes_are_those_of_the_run() -> None:
    """A request's prefill pays for what was not cached, and each pass has one time."""
    steps = [step for step in payload(switch(opened("en"), True))["a"]["events"] if "ms" in step["args"]]
    for rid in {step["rid"] for step in steps}:
        own = [step for step in steps if step["rid"] == rid]
        first = [step["args"] for step in own if step["args"]["cached"] == own[0]["args"]["cached"]]
        assert len({args["ms"] for args in first}) == 1
        assert sum(args["n"] for args in first) == first[0]["pass"]


def test_off_again_is_as_before() -> None:
    at = opened("en")
    before = payload(at)
    switch(switch(at, True), False)
    assert payload(at) == before


def test_what_fails_is_said_and_turns_the_switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise stopped()

    monkeypatch.setattr(prefill_stage, "_compute", stop)
    at = switch(opened("en"), True)
    assert at.session_state["prefill"].on_stage is False
    assert [one.value for one in at.info] == [t("error.backend.cancelled", "en")]
    assert at.session_state["prefill"].job is None
