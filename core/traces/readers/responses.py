"""OpenAI's Responses: request bodies with `input`, pairs {"request", "response"}, stored response objects.

Source rules (the API's reference). `instructions` stand in front of the items of `input`. A response object
(`object` "response", `id`, `created_at`, `usage`) holds the instructions, the tools and the answer, and its
input only where a log put it there. `previous_response_id` continues an earlier response: its input and its
output come first, its instructions do not; `conversation` does so under one name for all. Where what came
before is in the log it completes the prompt; otherwise what was asked is unknown, and such a request is left
out of every hit rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.field_map import entered
from core.traces.mapping.mapped import COMMON, common, facts_of, label_at, num_tokens, usage_at
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import BESIDE
from core.traces.prompts.chat import Turn
from core.traces.prompts.responses import input_turns, item_turns
from core.traces.rows import Row

_MOST_TURNS = 10_000
_FIELDS = common(
    "request",
    body="request",
    id=("request_id", "id", "custom_id", "response.id"),
    time=(*COMMON.time, "response.created_at", "request.created_at"),
    session=(
        *COMMON.session,
        "conversation",
        "request.conversation",
        "conversation.id",
        "request.prompt_cache_key",
    ),
    model=("model", "request.model", "response.model"),
    output=("output", "response.output"),
)


class _Responses:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._turns: dict[str, list[Turn]] = {}
        self._session: dict[str, str] = {}

    def add(self, row: Row) -> None:
        builder = self._builder
        record = {name: entered(row.get(name)) for name in ("request", "response", "body") if name in row}
        row = Row(row.value | record, row.place, row.path)
        body = next(
            (row.object(name) for name in ("request", "body") if isinstance(row.get(name), dict)), row
        )
        answer = row.object("response") if isinstance(row.get("response"), dict) else row
        if _has_failed(answer):
            builder.note("failed")
            return
        if not builder.wants(row, lambda: usage_at(row, _FIELDS) is not None):
            return
        facts = facts_of(builder, row, _FIELDS)
        name = label_at(row, _FIELDS.id) or builder.next_id(row)
        own = answer.label("id")
        thread = label_at(body, ("conversation.id", "conversation"))
        before = body.label("previous_response_id") or answer.label("previous_response_id")
        if before is None and thread in self._turns:
            before = thread
        if facts["session"] is None:
            facts["session"] = self._session.get(before or "", own if before is None else None)
        turns = self._prompt(body, before)
        if turns is None:
            usage = facts["usage"]
            builder.note("continued" if body.get("input") is not None else "redacted")
            length = (usage and usage.prompt_tokens) or 0
            builder.add(TraceRequest(name, length, **facts), also=own)
        else:
            beside = body if body.get("tools") or body.get("instructions") else answer
            system, tools = builder.chat.system(beside), builder.chat.tools(beside)
            segments = builder.chat.assemble(turns, system, tools)
            builder.chat.unread.body(body, BESIDE | {"input", "previous_response_id"})
            builder.add(TraceRequest(name, num_tokens(segments), segments=segments, **facts), also=own)
        for name_of_it in (own, thread):
            self._remember(name_of_it, turns, answer, facts["session"])

    def _prompt(self, body: Row, before: str | None) -> list[Turn] | None:
        """The turns that were sent, with those before them; None where they are not all known."""
        if body.get("input") in (None, "", []):
            return None
        turns = input_turns(self._builder.chat, body)
        if before is None:
            return turns
        known = self._turns.get(before)
        return None if known is None else known + turns

    def _remember(self, own: str | None, turns: list[Turn] | None, answer: Row, session: str | None) -> None:
        """What a later response may continue."""
        if own is None:
            return
        if session is not None:
            self._session[own] = session
        if turns is not None and isinstance(answer.get("output"), list) and len(turns) < _MOST_TURNS:
            self._turns[own] = turns + item_turns(self._builder.chat, answer, "output")

    def finish(self) -> None:
        """Nothing was kept back."""


def _has_failed(answer: Row) -> bool:
    return answer.get("object") == "response" and answer.get("status") in ("failed", "cancelled")


def _claims(data: Mapping[str, Any]) -> bool:
    if any(
        data.get(name) is not None for name in ("messages", "prompt_token_ids", "contents", "captureData")
    ):
        return False
    request, response = entered(data.get("request")), entered(data.get("response"))
    if isinstance(response, dict) and response.get("object") == "response":
        return True
    if data.get("object") == "response":
        return True
    body = request if isinstance(request, dict) else data
    return "url" not in data and _is_request(body)


def _is_request(body: Mapping[str, Any]) -> bool:
    """A body with an input that is no embedding's: items, or a text beside what only this API knows."""
    given = body.get("input")
    if isinstance(given, list):
        return bool(given) and all(isinstance(i, dict) and ("role" in i or "type" in i) for i in given)
    names = ("instructions", "previous_response_id", "max_output_tokens", "store", "include", "reasoning")
    return isinstance(given, str) and "model" in body and any(name in body for name in names)


RESPONSES = Format(
    "openai_responses", "OpenAI Responses", "json", frozenset({"text", "usage"}), _claims, _Responses
)
