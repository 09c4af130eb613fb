"""What travels to the stage: plain JSON of a fixed shape, small enough, and named by its content."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from core.scenario.scenario import run
from tests.stage_runs import PRESETS, log_of, scenario, scenario_of, stage_log_of, steps_of
from ui.stage.fork_choices import fork_choices
from ui.stage.payload import (
    MAX_STEPS,
    PACK_BYTES,
    SCHEMA_VERSION,
    piece_texts,
    stage_log,
    stage_payload,
    to_bytes,
)
from ui.words.i18n import LANGS, MODES, Lang, LangMode
from ui.words.palette import PALETTE

MAX_BYTES = 200_000
FLAGS = {"step": 0, "level": "micro", "ask": True, "hide": ["code"]}

# -- the schema: what the stage may rely on ---------------------------------------------------------------
# A shape is a type, a set of allowed values, a test, a list of one shape, or a dict: name -> shape, where
# "name?" may be missing and "*" stands for every other name.

Shape = Any


def matches(pattern: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def optional(shape: Shape) -> Shape:
    return (None, shape)


HEX = matches("[0-9a-f]{32}")
OPS = {
    "arrive", "cut", "hash", "probe", "match", "miss", "plan", "touch", "evict", "alloc",
    "compute", "register", "dup", "notstored", "append", "full", "free", "done", "ttl", "reject", "wait",
    "tick", "preempt", "resume", "reset", "version", "policy", "collision",
}  # fmt: skip
FRAME: Shape = {
    "clock": int,
    "step": int,
    "version": str,
    "slots": {
        "*": {"ref": int, "hash": optional(HEX), "fill": int, "owners": [str], "last": optional(int)},
    },
    "queue": [int],
    "table": {"*": [int]},
    "reqs": {"*": dict},
    "waiting": [str],
    "running": [str],
    "totals": dict.fromkeys(
        (
            *("requests", "queries", "hits", "computed", "decoded", "recomputed"),
            *("stored", "evicted", "preempted"),
        ),
        int,
    ),
}
ASK: Shape = {
    "id": str,
    "kind": {"lane", "pool", "choice"},
    "rid": str,
    "question": matches(r"stage\.ask\.\w+"),
    "why?": matches(r"stage\.ask\.[\w.]+"),
    "options?": [matches(r"stage\.ask\.[\w.]+")],
    "answers": [int],
    "said": {"*": matches(r"stage\.said\.[\w.]+")},
    "fell": {"*": str},
    "shows": [int],
    "args?": dict,
}
STEP: Shape = {
    "i": int,
    "ev": int,
    "op": OPS,
    "t": int,
    "rid?": str,
    "b?": int,
    "slot?": int,
    "hash?": HEX,
    "tag?": matches("[0-9a-f]{4}"),
    "level": {"micro", "block", "request"},
    "inner?": {True},
    "beat?": {"cap": matches(r"[\w.]+"), "args": dict, "from": int},
    "cap": matches(r"[\w.]+"),
    "args": dict,
    "ask?": ASK,
    "patch": list,
}
VARIANT: Shape = {"0": str, "1": [matches("[0-9a-f]{4}")], "2": int, "3": int}
"""Text, tags from its block on, tokens that hit, tokens that are left of those that could."""
VARIANTS: Shape = {"*": {"hit": int, "could": int, "tokens": {"*": lambda rows: not wrong_rows(rows)}}}
LOG: Shape = {
    "schema": {SCHEMA_VERSION},
    "meta": {
        "scenario": str,
        "title": str,
        "block_size": int,
        "slots": int,
        "seed": optional(int),
        "engine": str,
        "num_steps": int,
    },
    "pieces": {"*": [str]},
    "init": FRAME,
    "events": [STEP],
    "variants?": VARIANTS,
}
PAYLOAD: Shape = {
    "rev": matches("[0-9a-f]{16}"),
    "lang": set(MODES),
    "palette": {theme: {name: matches("#[0-9A-F]{6}") for name in PALETTE["light"]} for theme in PALETTE},
    "flags": {
        "step": int,
        "level": {"micro", "beat", "block", "request"},
        "ask": bool,
        "hide": [str],
        "*": object,
    },
    "forks": [list],
    "a": LOG,
    "b": optional(LOG),
}


def wrong(value: Any, shape: Shape, where: str = "") -> list[str]:
    """Where ``value`` leaves its shape."""
    if isinstance(shape, tuple):
        return [] if value is None else wrong(value, shape[1], where)
    if isinstance(shape, dict):
        return wrong_members(value, shape, where)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no list"]
        return [
            line for place, item in enumerate(value) for line in wrong(item, shape[0], f"{where}[{place}]")
        ]
    if isinstance(shape, type):
        fits = isinstance(value, shape) and not (shape is int and isinstance(value, bool))
    else:
        fits = value in shape if isinstance(shape, set) else shape(value)
    return [] if fits else [f"{where}: {value!r}"]


def wrong_rows(rows: list[list[Any]]) -> list[str]:
    """The variants of one token."""
    return [line for row in rows for line in wrong({str(n): part for n, part in enumerate(row)}, VARIANT)]


def wrong_members(value: Any, shape: dict[str, Shape], where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is no object"]
    known = {name.rstrip("?"): inner for name, inner in shape.items() if name != "*"}
    missing = [name for name in shape if name[-1] not in "?*" and name not in value]
    unknown = [name for name in value if name not in known and "*" not in shape]
    found = [f"{where}.{name} is missing" for name in missing] + [
        f"{where}.{name} is unknown" for name in unknown
    ]
    for name, item in value.items():
        inner = known.get(name, shape.get("*"))
        if inner is not None:
            found += wrong(item, inner, f"{where}.{name}")
    return found


def wrong_patches(log: dict[str, Any]) -> list[str]:
    """Patches: a path of names and places and at most one value; moves name a move and a member."""
    slots = {int(name) for name in log["init"]["slots"]}
    members = {"queue": slots, "waiting": log["pieces"], "running": log["pieces"]}
    found = []
    for step in log["events"]:
        for patch in step["patch"]:
            path, *values = patch
            good = len(values) <= 1 and path and path[0] in log["init"]
            good = good and all(isinstance(part, (str, int)) for part in path)
            if path[0] in members:
                moved = values[0] if path[1:] != ["at"] else values[0][1]
                good = good and path[1:] in (["out"], ["back"], ["at"]) and moved in members[path[0]]
            if not good:
                found.append(f"step {step['i']}: {patch}")
    return found


def payload_of(scenario_id: str, lang: Lang = "en", mode: LangMode | None = None) -> dict[str, Any]:
    choices = fork_choices(scenario_of(scenario_id, lang), steps_of(scenario_id, lang), lang)
    return stage_payload(stage_log_of(scenario_id, lang), None, mode or lang, FLAGS, choices)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("scenario_id", PRESETS)
def test_the_payload_of_a_preset(scenario_id: str, lang: Lang) -> None:
    """Strict JSON that comes back as it went, of the written shape, not too large to feel."""
    payload = payload_of(scenario_id, lang, "both")
    text = json.dumps(payload, allow_nan=False)
    assert json.loads(text) == payload
    assert wrong(payload, PAYLOAD, "payload") == []
    assert wrong_patches(payload["a"]) == []
    assert len(to_bytes(payload)) <= MAX_BYTES


def test_the_schema_sees_mistakes() -> None:
    payload = payload_of("P1")
    step = {key: value for key, value in payload["a"]["events"][0].items() if key != "cap"}
    log = {**payload["a"], "events": [{**step, "level": "huge", "tag": 5, "extra": 1}], "meta": []}
    assert wrong({**payload, "a": log, "lang": "fr"}, PAYLOAD, "payload") == [
        "payload.lang: 'fr'",
        "payload.a.meta: [] is no object",
        "payload.a.events[0].cap is missing",
        "payload.a.events[0].extra is unknown",
        "payload.a.events[0].level: 'huge'",
        "payload.a.events[0].tag: 5",
    ]
    broken = [{"i": 0, "patch": [[["queue", "sideways"], 1], [["nowhere"], 1], [["queue", "back"], 99]]}]
    assert len(wrong_patches({**payload["a"], "events": broken})) == 3


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_every_token_has_its_text(scenario_id: str) -> None:
    """The pieces of a request are its prompt and its whole answer; joined they are the text again."""
    log = stage_log_of(scenario_id)
    for command in scenario_of(scenario_id).commands:
        if command.request is not None:
            pieces = log["pieces"][str(command.args["id"])]
            assert len(pieces) == len(command.prompt.ids) + len(command.output.ids)
            if "text" in command.args:
                assert "".join(pieces) == command.args["text"]["en"] + command.args["output"]["en"]
    counts = {step["rid"]: step["args"]["n"] for step in log["events"] if step["op"] == "arrive"}
    assert all(counts[rid] <= len(log["pieces"][rid]) for rid in counts)


def test_words_that_steps_quote_are_the_pieces() -> None:
    steps = [step for step in stage_log_of("P0")["events"] if step["op"] == "append" and step["rid"] == "R0"]
    assert [step["args"]["word"] for step in steps] == [" Blue", " light", " gets", " scattered", "."]


def test_a_token_difference_shows_both_texts() -> None:
    miss = next(step for step in stage_log_of("P0")["events"] if step["cap"] == "miss.chain_broken")
    assert miss["args"]["token"] == 11
    assert miss["args"]["diff"] == {
        "block": 2,
        "stored": [" words", ":", " Why's", " the"],
        "mine": [" words", ":", " Are", " clouds"],
        "first": 2,
        "from": "R0",
    }


def test_the_revision_changes_exactly_with_the_logs() -> None:
    log = stage_log_of("P1")
    rev = stage_payload(log, None, "en", FLAGS)["rev"]
    assert stage_payload(log, None, "zh", {**FLAGS, "ask": False}, [["slots", [4]]])["rev"] == rev
    assert stage_payload(log, log, "en", FLAGS)["rev"] != rev
    assert stage_payload(stage_log_of("P1", "zh"), None, "en", FLAGS)["rev"] != rev


@pytest.mark.parametrize("scenario_id", ["P0", "L640"])
def test_a_large_log_travels_packed_and_unpacks_to_itself(scenario_id: str) -> None:
    payload = stage_payload(stage_log_of(scenario_id), stage_log_of("P1"), "en", FLAGS)
    packed = json.loads(to_bytes(payload))
    large = len(json.dumps(payload["a"], separators=(",", ":"))) > PACK_BYTES
    assert large == (scenario_id == "L640")
    assert packed["b"] == payload["b"]
    assert list(packed["a"]) == (["z"] if large else list(payload["a"]))
    if large:
        assert json.loads(zlib.decompress(base64.b64decode(packed["a"]["z"]))) == payload["a"]
    assert {**packed, "a": None} == {**payload, "a": None}


def test_text_of_a_person_stays_text() -> None:
    """Markup, half a surrogate pair, right-to-left: JSON carries it, and it comes back."""
    prompt = '<img src=x onerror="alert(1)"> שלום \u202e \ud800 \U0001f35c {n} **x**'
    made = scenario([{"op": "submit", "id": "R0", "text": prompt}, {"op": "run"}], num_slots=40)
    payload = stage_payload(stage_log(made, run(made), "t"), None, "en", FLAGS)
    back = json.loads(json.dumps(payload, allow_nan=False))
    assert "".join(back["a"]["pieces"]["R0"]) == prompt


def test_a_very_long_run_is_cut_for_the_stage() -> None:
    """Monitor's business; the head says how many steps there were."""
    commands = [{"op": "submit", "id": f"R{n}", "tokens": [1, 2, 3, 4, n]} for n in range(400)]
    made = scenario([*commands, {"op": "run"}], num_slots=10)
    log = stage_log(made, run(made), "t")
    assert len(log["events"]) == MAX_STEPS < log["meta"]["num_steps"]


def test_pieces_are_found_by_token_id() -> None:
    texts = piece_texts(scenario_of("P0"))
    arrived = next(e for e in log_of("P0").events if hasattr(e, "token_ids"))
    assert "".join(texts[token] for token in arrived.token_ids).startswith("You are a teacher.")
