"""Nothing is computed from a text that a logger hid or cut; what was reported stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.traces.prompts.hidden import is_hidden
from tests.unit.core.traces import written
from tests.unit.core.traces.logs import read_rows
from tests.unit.core.traces.written import REPORTED, REQUESTS

HIDERS: dict[str, Callable[[str], str]] = {
    "word": lambda text: "[REDACTED]",
    "stars": lambda text: "*" * len(text),
    "hash": lambda text: f"sha256:{len(text):064x}",
    "cut": lambda text: text if len(text) <= 100 else text[:100] + "... (truncated)",
    "middle": lambda text: f"{text[:30]}... (litellm_truncated skipped {len(text)} chars) ...{text[-9:]}",
}


def row(call: written.Call, hide: Callable[[str], str]) -> dict[str, Any]:
    messages = [message | {"content": hide(message["content"])} for message in call.messages]
    return {"request_id": call.name, "ts": call.at, "messages": messages, "usage": written.openai(call)}


@pytest.mark.parametrize("hider", list(HIDERS))
def test_no_rate_is_computed_from_hidden_texts(hider: str) -> None:
    trace = read_rows(*(row(call, HIDERS[hider]) for call in REQUESTS))
    assert not trace.has_identity
    assert trace.reported().ratio_of_sums == pytest.approx(REPORTED)
    assert {note.code: note.count for note in trace.notes} == {"hidden_text": 12}


def test_what_people_and_tools_write_is_no_hiding() -> None:
    document = "A report of the year, page 1 of 20 ... [truncated]"
    calls = [row(call, lambda text: text) for call in REQUESTS]
    calls[3]["messages"].append({"role": "user", "content": document})
    calls[4]["messages"].append({"role": "tool", "content": "x" * 999 + "... (12 more characters)"})
    trace = read_rows(*calls)
    assert all(request.has_identity for request in trace.requests)
    for text in (
        "I removed it",
        "[x]",
        "***bold***",
        "xx",
        "(hidden gems of Rome)",
        "Is it redacted?",
        "",
        "#",
    ):
        assert not is_hidden(text), text


def test_far_too_little_text_for_what_was_reported_is_said() -> None:
    calls = [row(call, lambda text: text) for call in REQUESTS]
    for call in calls[:5]:
        call["usage"] = call["usage"] | {"prompt_tokens": 20_000}
    notes = {note.code: note.count for note in read_rows(*calls).notes}
    assert notes["short_text"] == 5
