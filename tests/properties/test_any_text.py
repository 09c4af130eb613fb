"""Any text where an API, a file or a log takes one: it runs, is told apart, and comes out as UTF-8."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from core.cost import GPUS, MODELS, CostModel, Prices
from core.engine.engine import Engine
from core.errors import RequestError
from core.scenario.reader import load_scenario
from core.scenario.scenario import execute, run
from core.scenario.tokenizer import TeachingTokenizer
from core.texts import escaped
from core.timeline.event_log import load_jsonl
from core.timeline.fold import fold_all
from core.timeline.frame import engine_part, initial_frame
from core.timeline.snapshot import take_snapshot
from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.settings import Settings
from core.traffic.summary import summarise
from core.types import EngineConfig
from tests.strategies import examples, texts
from ui.report.page import report_html
from ui.stage.payload import stage_log, stage_payload, to_bytes

# -- scenarios ----------------------------------------------------------------------------------------

images = st.fixed_dictionaries({"id": texts, "offset": st.just(0), "length": st.just(3)})
submits = st.fixed_dictionaries(
    {"op": st.just("submit"), "id": texts, "text": texts | st.just("a b c d e f g")},
    optional={
        "output": texts,
        "salt": texts | st.none(),
        "lora": st.tuples(texts, texts).map(list),
        "mm": st.lists(images, max_size=2),
    },
)
versions = st.builds(dict, op=st.just("version"), version=texts)
commands = st.lists(submits | submits | versions | st.just({"op": "run"}), max_size=6)
REFUSALS = {"request.duplicate", "request.empty", "request.id", "request.too_large"}


def carried_out(version: str, ops: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The commands without those that are refused: an id twice, an empty id or prompt, one too long."""
    kept: list[dict[str, Any]] = []
    engine = Engine(EngineConfig(2, 61, version=version))
    for op in ops:
        try:
            execute(engine, load_scenario({"schema": 1, "commands": [op]}).commands[0])
            kept.append(op)
        except RequestError as error:
            assert error.code in REFUSALS  # noqa: PT017
    return kept


@given(texts, texts, commands)
@example("", "", [{"op": "submit", "id": "\ud800", "text": "a b"}, {"op": "run"}] * 2)  # a name used twice
@examples(100)
def test_a_scenario_of_any_texts(name: str, version: str, ops: list[dict[str, Any]]) -> None:
    source = {"schema": 1, "id": name, "block_size": 2, "num_slots": 60, "config": {"version": version}}
    scenario = load_scenario(json.dumps(source | {"commands": carried_out(version, ops)}))
    log = run(scenario)
    assert load_jsonl(log.to_jsonl().encode("utf-8").decode("utf-8")) == log
    engine = Engine(scenario.config)
    for command in scenario.commands:
        execute(engine, command)
    assert engine_part(fold_all(initial_frame(scenario.config), log.events)) == take_snapshot(engine)
    told = to_bytes(stage_payload(stage_log(scenario, log, name), None, "en", {}))
    shown = json.loads(told.decode("utf-8"))["a"]
    if "z" in shown:  # a long log travels packed
        shown = json.loads(zlib.decompress(base64.b64decode(shown["z"])))
    assert {rid: "".join(pieces) for rid, pieces in shown["pieces"].items()} == {
        command.args["id"]: "".join((*command.prompt.pieces, *command.output.pieces))
        for command in scenario.commands
        if command.op == "submit"
    }


# -- logs of requests -----------------------------------------------------------------------------------

COST = CostModel(MODELS["Llama-2-7B"], GPUS["A100"], 1)
LABELS = ("request_id", "session_id", "tenant", "tag", "template", "model", "cache_salt", "lora_name")
parts = st.one_of(
    st.builds(dict, type=st.just("text"), text=texts),
    st.builds(dict, type=st.just("image_url"), image_url=texts),
    st.builds(dict, type=texts, text=texts),
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system", "tool"]) | texts,
        "content": texts | st.lists(parts, max_size=2),
    },
    optional={"name": texts},
)
tools = st.lists(st.fixed_dictionaries({"name": texts}), max_size=2)
log_rows = st.fixed_dictionaries(
    {"messages": st.lists(messages, min_size=1, max_size=3)},
    optional={**dict.fromkeys(LABELS, texts), "tools": tools},
)


@given(st.lists(log_rows, min_size=1, max_size=4), st.sampled_from(["plain", "chatml", "llama3"]))
@examples(60)
def test_a_log_of_any_texts(rows: list[dict[str, Any]], template: str) -> None:
    tokenizer = TeachingTokenizer()
    options = ReadOptions(template=template, tokenizer=tokenizer)
    file = TraceFile("log", "".join(json.dumps(row) + "\n" for row in rows))
    trace = read_trace(file, format_name="openai_chat", options=options)
    assert len(trace.requests) == len(rows)
    assert len({request.request_id for request in trace.requests}) == len(rows)
    for request, row in zip(trace.requests, rows, strict=True):
        assert (request.salt or "") == row.get("cache_salt", "")
        assert [tokenizer.encode(part.text or "") for part in request.segments] == [
            part.token_ids.tolist() for part in request.segments
        ]
    summary = summarise(trace, [Settings(1, None, None)], COST, Prices(), tokenizer)
    report_html(summary, "en").encode("utf-8")
    assert json.loads(escaped(json.dumps(summary, ensure_ascii=False)).encode("utf-8")) == json.loads(
        json.dumps(summary)
    )
