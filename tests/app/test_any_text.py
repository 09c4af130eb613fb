"""Halves of surrogate pairs, wherever a visitor can bring them: no page stumbles, and they stay apart."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.test_traffic import VIEWS, paste, rows, state_of
from tests.app.visit import calm, choose, payload, setup_of, texts, visit
from ui.stage.fork import read_fork

HALF, OTHER = "\ud83c", "\udf5c"


def row(number: int, ending: str = HALF) -> dict[str, object]:
    """A request with half a pair in every text of it."""
    message = {
        "role": "user",
        "name": f"n{HALF}",
        "content": f"word {HALF} and {OTHER} more {number} {ending} x",
    }
    fields = ("request_id", "session_id", "tenant", "tag", "template", "model", "lora_name")
    return {
        "messages": [{"role": "system", "content": f"kind {HALF}"}, message],
        "tools": [{"type": "function", "function": {"name": f"t{HALF}", "parameters": {}}}],
        "cache_salt": f"c{HALF}",
        "timestamp": number,
        **{name: f"{name}{HALF}" for name in fields},
        "tenant": f"t{number % 2}{HALF}",
    }


@pytest.fixture(scope="module")
def log() -> AppTest:
    return paste(
        visit("traffic", lang="en", ya="1~~", yt="teaching"), rows(*(row(number) for number in range(4)))
    )


@pytest.mark.parametrize("view", VIEWS)
def test_a_log_with_halves_of_pairs_in_every_text(log: AppTest, view: str) -> None:
    choose(log, "traffic_view", view)
    assert [error.value for error in log.error] == []


def test_its_requests_are_told_and_go_to_the_stage(log: AppTest) -> None:
    choose(log, "traffic_view", "misses")
    state_of(log).picked = 1
    calm(log.run())
    assert "request\\_id\ufffd" in texts(log)
    log.button(key="traffic_watch").click()
    log.run()  # the page to go to is not registered here, so the switch itself fails
    moment = log.session_state["moment"]
    stage = AppTest.from_file(str(Path(__file__).parent / "one_page.py"), default_timeout=60)
    stage.session_state["visited"] = "execute"
    stage.session_state["moment"] = moment
    calm(stage.run())
    assert HALF in "".join(piece for pieces in payload(stage)["a"]["pieces"].values() for piece in pieces)


def test_salts_that_differ_in_a_half_share_nothing() -> None:
    one, other = row(0), row(0) | {"cache_salt": f"c{OTHER}"}
    at = paste(visit("traffic", lang="en", ya="1~~"), rows(one, other))
    log = state_of(at).log
    assert log is not None
    assert log.trace.requests[0].scope != log.trace.requests[1].scope
    assert [str(metric.value) for metric in at.metric][1] == "0.0 %"


def test_a_broken_line_with_half_a_pair_is_told() -> None:
    at = paste(visit("traffic", lang="en"), rows(row(0), row(1) | {"messages": HALF}))
    assert "\\\\ud83c" in at.error[0].value


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are no text")
def test_a_file_whose_name_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / os.fsdecode(b"day\xff.jsonl")).write_text(
        rows({"prompt": "a b c"}, {"prompt": "a b d"}), "utf-8"
    )
    monkeypatch.setenv("BROTH_LOGS", str(tmp_path))
    at = choose(visit("traffic", lang="en"), "traffic_source", "folder")
    assert at.selectbox(key="traffic_folder").options == ["day\ufffd.jsonl"]
    assert "2 requests" in texts(at)
    for view in VIEWS:
        choose(at, "traffic_view", view)


def test_a_prompt_typed_on_the_stage() -> None:
    """The stage tells its choices as JSON, so half a pair arrives; the address bar takes none."""
    told = json.loads('{"step": 3, "change": "prompt", "value": "cut \\ud83c off"}')
    fork = read_fork(told)
    at = visit("execute", lang="en", s="P9")
    at.session_state["setup"] = replace(setup_of(at), fork=fork)
    calm(at.run())
    assert setup_of(at).fork == fork
    assert at.error.len == 0
    assert payload(at)["b"] is not None
    assert "cut \ufffd off" in str(at.query_params["fork"])
    assert "tried" in at.query_params
