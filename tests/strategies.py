"""Every hypothesis strategy of the tests: settings, requests, commands, whole scenarios, single events.

Commands are drawn against a living engine, so that nearly each of them makes sense where it stands; what
comes out is plain data (a ``Scenario``), which the properties then run on engines of their own. Pools are
tiny and tokens few, because everything interesting (sharing, eviction, preemption, copies) needs crowding.

``examples(n)`` sets how many examples a property takes; the environment variable BROTH_EXAMPLES multiplies
it for a long search (``BROTH_EXAMPLES=50 pytest tests/properties``).
"""

from __future__ import annotations

import os
import types
import typing
from dataclasses import fields
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.engine.events import Event
from core.errors import BrothError
from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario, execute
from core.texts import showable
from core.timeline.event_log import event_types
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig, MultiModalItem, Request

Json = dict[str, Any]

FACTOR = int(os.environ.get("BROTH_EXAMPLES", "1"))


def examples(count: int) -> settings:
    """So many examples, times BROTH_EXAMPLES. Drawing runs an engine, so it may be slow; that is fine."""
    return settings(
        max_examples=count * FACTOR,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.differing_executors,
        ],
    )


# -- texts ----------------------------------------------------------------------------------------------


HALVES = ("\ud83c", "\udf5c", "\ud800", "\udfff")
"""Halves of surrogate pairs, the first two of one sign: Python and JSON have them, UTF-8 does not."""

AWKWARD = (
    *"a面🍜\U0010ffff\0 \t\n\x85\u2028\x1b\ufeff\ufffd\u0301\u200d\u202e각",
    *'"\\%&+=#~._,$|',
    *("\r\n", "e\u0301", "👩\u200d🍳", "👍🏽", "שלום", "\\ud83c", "%ED%A0%80", "{x}", "**", "<b>"),
    *("汤" * 300, "a" * 3000),
)
"""What texts stumble over: nothing printed, several code points a sign, signs with a meaning, length."""

_parts = st.lists(st.one_of(st.sampled_from(AWKWARD), st.characters()), max_size=4).map("".join)
any_texts = st.one_of(
    st.just(""),
    _parts,
    _parts,
    st.tuples(_parts, st.sampled_from(HALVES), _parts).map("".join),
    st.text(HALVES),
)
"""Any text a Python program can hold: half of them no UTF-8, some empty, some long."""


def _whole(text: str) -> str:
    """Two halves of a surrogate pair side by side are one character once they went through a file."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


texts = any_texts.map(_whole)
"""Any text that JSON can bring: lone halves of surrogate pairs included."""

shown_texts = any_texts.map(showable)
"""Any text that comes out of a widget or an address: no halves."""


# -- settings of an engine ------------------------------------------------------------------------------


def maybe(strategy: st.SearchStrategy[Any], otherwise: object = None) -> st.SearchStrategy[Any]:
    """Mostly ``otherwise``, sometimes a draw: for settings that are off by default."""
    return st.one_of(st.just(otherwise), st.just(otherwise), strategy)


PLAIN_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "block_size": st.sampled_from([4, 3, 2, 2, 4, 1]),
    "num_blocks": st.sampled_from([9, 11, 13, 15, 18, 10, 8, 7, 5, 1]),
    "enable_caching": st.sampled_from([True] * 7 + [False]),
    "watermark": maybe(st.sampled_from([0.1, 0.3, 0.6]), 0.0),
    "max_num_seqs": maybe(st.integers(1, 3), 128),
    "max_num_batched_tokens": maybe(st.integers(1, 12), 8192),
    "policy": st.sampled_from(["fcfs", "fcfs", "priority"]),
    "reserve_full_prompt": st.sampled_from([True, True, False]),
    "long_prefill_token_threshold": maybe(st.integers(1, 5), 0),
}
"""What vLLM has too."""

OWN_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "queue_rule": maybe(st.just("all_to_back"), "vllm"),
    "cache_cap": maybe(st.integers(0, 8)),
    "admit_after": maybe(st.integers(2, 3), 1),
    "admit_window": maybe(st.integers(1, 12)),
    "ttl": maybe(st.integers(0, 10)),
    "ttl_kind": st.sampled_from(["idle", "absolute"]),
    "version": maybe(st.sampled_from(["v1", "v2", HALVES[0]]), ""),
}
"""Policies beyond vLLM."""

WEAK_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "hash_name": maybe(st.just("weak"), "xxh3_128"),
    "verify_tokens": st.booleans(),
}


def configs(**fixed: object) -> st.SearchStrategy[EngineConfig]:
    """Settings as vLLM has them, or with one policy of our own on, or with any of them; ``fixed`` ones are
    not drawn."""
    alone = [_configs({**PLAIN_FIELDS, name: OWN_FIELDS[name]}, fixed) for name in ("cache_cap", "ttl")]
    everything = _configs({**PLAIN_FIELDS, **OWN_FIELDS, **WEAK_FIELDS}, fixed)
    return st.one_of(plain_configs(**fixed), *alone, everything)


def plain_configs(**fixed: object) -> st.SearchStrategy[EngineConfig]:
    """Settings that vLLM has, with all policies of our own off."""
    return _configs(PLAIN_FIELDS, fixed)


def _configs(
    drawn: dict[str, st.SearchStrategy[Any]], fixed: dict[str, object]
) -> st.SearchStrategy[EngineConfig]:
    chosen = {name: strategy for name, strategy in drawn.items() if name not in fixed}
    constants = {name: st.just(value) for name, value in fixed.items()}
    return st.builds(EngineConfig, **chosen, **constants)


# -- tokens and requests --------------------------------------------------------------------------------


_COMMON = ((1, 1, 2, 1, 3, 1, 2, 2, 1, 1, 3, 3, 2, 1), (1, 1, 2, 1, 2, 2, 2, 3))
_OWN = ((0,), (), (2,), (0, 3), (3, 0, 0), (2, 2, 2, 2), (0, 1, 0, 1, 0))
PROMPTS = [list(text[:n] + own) for n in (8, 4, 12, 9, 14) for text in _COMMON for own in _OWN] + [
    [0],
    [3] * 6,
]
"""Beginnings of two common texts, then a few tokens of their own: prompts that share prefixes. One draw from
a list, where drawing token by token would take most of a test's time."""

prompts = st.sampled_from(PROMPTS)
few_tokens = st.sampled_from([[0], [1], [2, 3], [1, 1, 2], [3, 0, 2, 1]])


names = st.one_of(
    st.sampled_from(["a", "b", "lora", "cache_salt", "a\x00", "\x04\x00\x00\x00lora"]), any_texts
)


def mm_items(max_offset: int = 12) -> st.SearchStrategy[tuple[MultiModalItem, ...]]:
    item = st.builds(
        MultiModalItem, st.sampled_from(["i", "j"]), st.integers(0, max_offset), st.integers(1, 6)
    )
    return st.lists(item, max_size=2).map(tuple)


def requests(
    token_ids: st.SearchStrategy[Any] | None = None, request_id: str = "R"
) -> st.SearchStrategy[Request]:
    """A request with any extras, for the hash chain."""
    return st.builds(
        Request,
        st.just(request_id),
        token_ids if token_ids is not None else prompts,
        salt=maybe(names),
        lora=maybe(st.tuples(names, names)),
        mm=mm_items(),
    )


# -- commands and scenarios -----------------------------------------------------------------------------


_OUTPUTS: list[Json] = [{}] + [{"output_tokens": [1, 2, 0, 3, 1, 1][:n]} for n in (1, 2, 3, 6)]
_EXTRAS: list[Json] = [
    *[{}] * 12,
    {"salt": "s"},
    {"salt": ""},
    {"salt": HALVES[0]},
    {"lora": ["a", "p"]},
    {"lora": [HALVES[1], ""]},
    {"mm": [{"id": "i", "offset": 2, "length": 5}]},
    {"mm": [{"id": HALVES[2], "offset": 0, "length": 3}, {"id": "", "offset": 2, "length": 1}]},
    {"skip_read": True},
    {"priority": 1},
    {"priority": -1},
]
_CHUNKS: list[Json] = [{}] * 6 + [{"chunk": n, "fit": n % 2 == 0} for n in (1, 2, 3, 5, 6)]


def _request_fields(draw: st.DrawFn) -> Json:
    tokens, output, extra = draw(prompts), draw(st.sampled_from(_OUTPUTS)), draw(st.sampled_from(_EXTRAS))
    return {**draw(st.sampled_from([{"tokens": tokens}] * 5 + [{"text": _spelt(tokens)}])), **output, **extra}


def _spelt(tokens: list[int]) -> str:
    """The same prompt as a text: a token of the teaching tokenizer for each, none of them plain."""
    return "".join((" a", "面", HALVES[0], "🍜")[token] for token in tokens)


def request_id(number: int) -> str:
    """The name of the n-th request: most are plain, some are what an API lets through."""
    return f"R{number}" if number % 4 else f"{AWKWARD[number // 4 % len(AWKWARD)]}{HALVES[0]}{number}"


_POLICY_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "cache_cap": st.one_of(st.none(), st.integers(0, 6)),
    "admit_after": st.integers(1, 3),
    "admit_window": st.one_of(st.none(), st.integers(1, 8)),
    "ttl": st.one_of(st.none(), st.integers(0, 6)),
    "ttl_kind": st.sampled_from(["idle", "absolute"]),
}

STEP_OPS = (*["submit"] * 5, *["step"] * 7, "run", "run", "abort")
VERB_OPS = (
    *["start"] * 4, *["decode"] * 5, *["free"] * 4, *["prefill", "resume"] * 3,
    "append", "preempt", "lookup", "evict",
)  # fmt: skip
WORLD_OPS = ("wait", "reset")
OWN_OPS = ("policy", "version")
ALL_OPS = STEP_OPS + VERB_OPS + WORLD_OPS + OWN_OPS
VLLM_OPS = STEP_OPS + VERB_OPS + ("reset",)


def command(draw: st.DrawFn, engine: Engine, number: int, ops: tuple[str, ...]) -> Json:
    """One command that mostly makes sense for this engine now."""
    op = draw(st.sampled_from(ops))
    status = {name: request["status"] for name, request in take_snapshot(engine)["reqs"].items()}
    wanted = {"prefill": "running", "decode": "running", "preempt": "running", "resume": "preempted"}
    live = [name for name in status if status[name] == wanted.get(op, status[name])]
    if not live and op in ("step", "run", "abort", "append", "free", *wanted):
        op = "submit" if "submit" in ops else "start"  # nobody there to do it to
    if op in ("abort", "append", "free", *wanted):
        name = draw(st.sampled_from(live))
        match op:
            case "prefill":
                return {"op": op, "id": name, "n": draw(st.integers(1, 6))}
            case "decode" | "append":
                return {"op": op, "id": name, "tokens": draw(few_tokens)}
            case "resume":
                return {"op": op, "id": name, **draw(st.sampled_from(_CHUNKS))}
        return {"op": op, "id": name}
    gone = [name for name in map(request_id, range(number)) if name not in status]
    new_id = draw(st.sampled_from(gone)) if gone and draw(st.integers(0, 7)) == 0 else request_id(number)
    match op:
        case "submit":
            return {"op": op, "id": new_id, **_request_fields(draw)}
        case "start":
            return {"op": op, "id": new_id, **_request_fields(draw), **draw(st.sampled_from(_CHUNKS))}
        case "lookup":
            return {"op": op, **_request_fields(draw)}
        case "evict":
            usable = engine.config.num_usable
            return {"op": op, "blocks": draw(st.lists(st.integers(1, usable), max_size=3)) if usable else []}
        case "reset":
            return {"op": op, "running": draw(st.booleans())}
        case "wait":
            return {"op": op, "ticks": draw(st.integers(1, 6))}
        case "policy":
            name = draw(st.sampled_from(sorted(_POLICY_VALUES)))
            return {"op": op, "name": name, "value": draw(_POLICY_VALUES[name])}
        case "version":
            return {"op": op, "version": draw(st.sampled_from(["", "v1", "v2", HALVES[0]]))}
    return {"op": op}


@st.composite
def scenarios(
    draw: st.DrawFn,
    config: st.SearchStrategy[EngineConfig] | None = None,
    ops: tuple[str, ...] = ALL_OPS,
    max_commands: int = 44,
) -> Scenario:
    """Settings and commands, each of which the engine carries out (``ok=False`` included)."""
    settings_drawn = draw(config if config is not None else configs())
    engine = Engine(settings_drawn)
    commands: list[Json] = []
    for number in range(draw(st.sampled_from([max_commands // 4, max_commands // 2, max_commands]))):
        data = command(draw, engine, number, ops)
        try:
            execute(engine, load_scenario({"schema": 1, "commands": [data]}).commands[0])
        except BrothError:
            continue  # a request that could never fit; refusals have properties of their own
        commands.append(data)
    scenario = load_scenario({"schema": 1, "id": "drawn", "commands": commands})
    return Scenario("drawn", settings_drawn, scenario.commands)


# -- single events --------------------------------------------------------------------------------------


def _of_type(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a field by its declared type."""
    if hint is bytes:
        return st.binary(min_size=16, max_size=16)
    if hint is int:
        return st.integers(0, 2**32 - 1)
    if hint is str:
        return texts
    if hint is bool:
        return st.booleans()
    if hint is type(None):
        return st.none()
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin in (typing.Union, types.UnionType):
        return st.one_of([_of_type(argument) for argument in arguments])
    assert origin is tuple, hint
    if arguments[-1] is Ellipsis:
        return st.lists(_of_type(arguments[0]), max_size=4).map(tuple)
    return st.tuples(*[_of_type(argument) for argument in arguments])


def _events_of(kind: type[Event]) -> st.SearchStrategy[Event]:
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{field.name: _of_type(hints[field.name]) for field in fields(kind)})


events: st.SearchStrategy[Event] = st.one_of([_events_of(kind) for kind in event_types().values()])
"""Any event with any values of the declared types; such a log need not make sense."""
