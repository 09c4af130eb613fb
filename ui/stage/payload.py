"""What travels to the stage: one JSON value with log and colours; the words are a file. Pure."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any

from core import __version__
from core.scenario.scenario import Scenario
from core.timeline.event_log import EventLog
from core.timeline.frame import initial_frame
from ui.stage.questions import with_questions
from ui.stage.steps import stage_steps
from ui.stage.steps.beats import with_beats
from ui.stage.variants import stage_variants
from ui.words.i18n import LangMode
from ui.words.palette import PALETTE

SCHEMA_VERSION = 1
MAX_STEPS = 5_000
"""Steps the stage shows; longer runs belong to the monitor."""

PACK_BYTES = 120_000
"""A log whose JSON is larger than this travels packed; the stage unpacks it before it draws."""

Payload = dict[str, Any]


class Kept(dict[str, Any]):
    """A part of the payload whose JSON is made once, however often pages are drawn. Nobody changes it."""

    @cached_property
    def travelling(self) -> bytes:
        """This part as it stands in the message."""
        return _json(self)


class StageLog(Kept):
    """One run. A large one travels as ``{"z": base64 of zlib-deflated JSON}``: a tenth of its size."""

    @cached_property
    def digest(self) -> str:
        """Stands for the content; equal logs have equal digests."""
        return blake2b(_json(self), digest_size=8).hexdigest()

    @cached_property
    def travelling(self) -> bytes:
        data = _json(self)
        if len(data) <= PACK_BYTES:
            return data
        return _json({"z": base64.b64encode(zlib.compress(data, 3)).decode()})


@cache
def _palette() -> Kept:
    return Kept(**PALETTE)


def piece_texts(scenario: Scenario) -> dict[int, str]:
    """The text of every token id that occurs in a scenario."""
    texts: dict[int, str] = {}
    for command in scenario.commands:
        for tokens in (command.prompt, command.output):
            texts.update(zip(tokens.ids, tokens.pieces, strict=True))
    return texts


def stage_log(scenario: Scenario, log: EventLog, title: str, *, machine: bool = False) -> StageLog:
    """One run for the stage: meta data, token texts, first frame, steps; with ``machine`` also what becomes
    of tags and hits when one token is another (a few dozen short runs more).
    """
    start = initial_frame(scenario.config)
    steps = with_beats(with_questions(stage_steps(log, piece_texts(scenario)), start, scenario.scenario_id))
    return StageLog(
        schema=SCHEMA_VERSION,
        meta={
            "scenario": scenario.scenario_id,
            "title": title,
            "block_size": scenario.config.block_size,
            "slots": scenario.config.num_usable,
            "seed": None,
            "engine": __version__,
            "num_steps": len(steps),
        },
        pieces=scenario.pieces(),
        init=start,
        events=steps[:MAX_STEPS],
        **({"variants": stage_variants(scenario)} if machine else {}),
    )


def stage_payload(
    log_a: Payload,
    log_b: Payload | None,
    lang: LangMode,
    flags: Mapping[str, Any],
    forks: Sequence[Sequence[Any]] = (),
) -> Payload:
    """The component's whole ``data``. ``rev`` changes exactly when a log does; ``forks``: what-if choices."""
    logs = {name: None if log is None else _as_stage_log(log) for name, log in (("a", log_a), ("b", log_b))}
    digests = ("" if log is None else log.digest for log in logs.values())
    return {
        "rev": blake2b(" ".join(digests).encode(), digest_size=8).hexdigest(),
        "lang": lang,
        "palette": _palette(),
        "flags": dict(flags),
        "forks": [list(choice) for choice in forks],
        **logs,
    }


def to_bytes(payload: Payload) -> bytes:
    """The component's ``data`` as it travels: UTF-8 JSON. Bytes pass through Streamlit untouched, where a
    dictionary would be searched for tables and written out twice at every answer.
    """
    parts = (_json(name) + b":" + _travelling(value) for name, value in payload.items())
    return b"{" + b",".join(parts) + b"}"


def _travelling(value: object) -> bytes:
    return value.travelling if isinstance(value, Kept) else _json(value)


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def _as_stage_log(log: Payload) -> StageLog:
    return log if isinstance(log, StageLog) else StageLog(log)
