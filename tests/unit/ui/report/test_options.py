"""The page, the link and the shell ask the readers the same things; a log may be piped in."""

from __future__ import annotations

import io
import json
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.traces.field_map import FieldMap
from core.traces.options import ReadOptions
from tests.app.visit import choose, visit
from ui.report.__main__ import main
from ui.report.options import parser, read_options
from ui.traffic.setup import TrafficSetup, Wanted, from_query, to_query
from ui.traffic.state import options_of

SAID: dict[str, tuple[str, Any, tuple[str, ...], str]] = {
    "skip_broken": ("skip_broken", True, ("--skip-broken",), "traffic_skip"),
    "block_size": ("block_size", 32, ("--block-size", "32"), "traffic_log_block"),
    "convention": ("convention", "floor", ("--convention", "floor"), "traffic_convention"),
    "deltas": ("deltas", False, ("--deltas", "no"), "traffic_deltas"),
    "template": ("template", "llama3", ("--template", "llama3"), "traffic_template"),
    "tokenizer_name": ("tokenizer", "teaching", ("--tokenizer", "teaching"), "traffic_tokenizer"),
    "split_by_model": ("split_by_model", False, ("--no-split-by-model",), "traffic_split"),
    "ignore_times": ("ignore_times", True, ("--ignore-times",), "traffic_ignore_times"),
    "usage_reading": ("usage_reading", "other", ("--usage-reading", "other"), "traffic_usage_reading"),
    "field_map": ("field_map", "prompt=a.b,time=t", ("--map", "prompt=a.b,time=t"), "traffic_map_0"),
}
"""Field of `ReadOptions` -> the page's setting, a value of it, the same in the shell, the page's widget."""


def test_every_reading_option_is_here() -> None:
    """A new option needs a widget, a field of the link and an option of the shell: add it to all three."""
    names = {one.name for one in fields(ReadOptions)} - {"tokenizer"}  # made from its name
    assert set(SAID) == names
    assert {name for name, *_ in SAID.values()} == {one.name for one in fields(Wanted)} - {"format_name"}


@pytest.mark.parametrize("name", SAID)
def test_page_link_and_shell_ask_the_same(name: str) -> None:
    setting, value, arguments, _ = SAID[name]
    setup = TrafficSetup(wanted=Wanted(**{setting: value}))
    query = to_query(setup)
    assert query or value == getattr(Wanted(), setting)
    back, lost = from_query(query)
    assert lost == []
    on_page = getattr(options_of(back.wanted), name)
    in_shell = getattr(read_options(parser().parse_args(["x", *arguments])), name)
    assert on_page == in_shell
    assert on_page == (FieldMap(prompt=("a.b",), time=("t",)) if name == "field_map" else value)


def test_by_default_both_find_out() -> None:
    page, shell = options_of(Wanted()), read_options(parser().parse_args(["x"]))
    for one in fields(ReadOptions):
        if one.name != "tokenizer":
            assert getattr(page, one.name) == getattr(shell, one.name) == getattr(ReadOptions(), one.name)


def widget_keys(at: AppTest) -> set[str]:
    kinds = (at.selectbox, at.checkbox, at.number_input, at.text_input)
    return {str(one.key) for kind in kinds for one in kind}


def test_each_has_its_widget() -> None:
    at = visit("traffic", lang="en", ys="paste")
    at.text_area(key="traffic_paste").set_value('{"prompt": "a b"}').run()
    choose(at, "traffic_panel", "fields")
    assert {key for *_, key in SAID.values()} <= widget_keys(at)


def test_what_another_part_of_the_page_sets_is_what_the_widget_shows() -> None:
    at = visit("traffic", lang="en", yx="0", usage_reading="other", yd="0")
    assert at.checkbox(key="traffic_split").value is False
    assert at.selectbox(key="traffic_usage_reading").value == "other"
    assert at.selectbox(key="traffic_deltas").value == "no"
    at.selectbox(key="traffic_deltas").set_value("auto").run()
    assert "yd" not in at.query_params
    assert at.query_params["usage_reading"] in ("other", ["other"])


def test_a_log_may_be_piped_in(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = b'{"prompt": "a b c d"}\n{"prompt": "a b c d e"}\n'
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    assert main(["-", "--blocks", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["log"]["requests"] == 2
    assert found["runs"][0]["hit_tokens"] > 0


def test_tokens_per_id_and_the_last_block_change_what_ids_cover(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """16 tokens with one id: of 16 tokens each. The page could say so and the shell could not."""
    file = tmp_path / "m.jsonl"
    row = {"timestamp": 0, "input_length": 30, "output_length": 1, "hash_ids": [1]}
    file.write_text(json.dumps(row) + "\n" + json.dumps(row | {"timestamp": 5}) + "\n", "utf-8")
    assert main([str(file), "--block-size", "16", "--convention", "floor", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert run["settings"]["block_size"] == 16
    assert run["hit_tokens"] == 16
