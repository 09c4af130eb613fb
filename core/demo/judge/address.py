"""Where a judged run can be seen: the stage's address with its settings, and the number of a step there."""

from __future__ import annotations

import base64
import json
import zlib
from urllib.parse import urlencode

from core.demo.judge.cases import OWN, Case, Lang
from core.engine import events as ev
from core.timeline.event_log import EventLog
from core.timeline.repeated import repeated

BASE = "http://localhost:8501/"
_SHORT = {"block_size": "bs", "num_slots": "slots"}  # the stage's names for them in a link
_NUM_STEPS: tuple[tuple[type[ev.Event], int], ...] = (
    (ev.RequestArrived, 2),
    (ev.BlockHit, 2),
    (ev.BlockMissed, 2),
    *(
        (kind, 1)
        for kind in (
            *(ev.BlockHashed, ev.RequestAdmitted, ev.RequestBlocked, ev.BlockTouched, ev.BlockEvicted),
            *(ev.BlockAllocated, ev.BlockStored, ev.BlockComputed, ev.TokensAppended, ev.BlockReleased),
            *(ev.RequestFinished, ev.RequestPreempted),
        )
    ),
)
"""How many steps of the stage tell an event; what is not named is not told. tests hold it to the stage."""


def step_of(log: EventLog, place: int) -> int:
    """Number (from 1) of the last step that tells event ``place``."""
    silent = repeated(log)
    counts = dict(_NUM_STEPS)
    size, step = log.config.block_size, 0
    for number, event in enumerate(log.events[: place + 1]):
        if number in silent:
            continue
        step += counts.get(type(event), 0)
        if isinstance(event, ev.BlockStored) and event.duplicate_of is not None:
            step += number < place  # the note on the copy stands behind the storing
        if isinstance(event, ev.TokensAppended):
            before = event.num_tokens - len(event.token_ids)
            step += event.num_tokens // size - before // size
    return step


def address(case: Case, lang: Lang, step: int, base: str = BASE) -> str:
    """The link that opens the run on a step."""
    query = {"v": "1", "s": case.preset}
    query |= {_SHORT[name]: str(value) for name, value in case.knobs.items()}
    if case.preset == OWN:
        query["own"] = _packed(case.texts[lang])
    return f"{base.rstrip('/')}/execute?{urlencode(query | {'lang': lang})}#step={step}"


def _packed(texts: tuple[str, ...]) -> str:
    """As the stage unpacks prompts of one's own: no shared beginning apart, no answer."""
    data = json.dumps(["", list(texts), ""], ensure_ascii=False)
    return base64.urlsafe_b64encode(zlib.compress(data.encode(), 9)).decode().rstrip("=")
