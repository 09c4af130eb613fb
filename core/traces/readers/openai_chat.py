"""OpenAI's chat bodies: one per line, in a batch file, as stored completions.

Source rules. Bodies: `messages`, `tools` (older: `functions`), `model`; as kvlint reads them also
`request_id, session_id, timestamp` (seconds). `content` may be a list of parts. Every row is a complete
request. The text needs a chat template and a tokenizer, and both are ours (core/traces/prompts/chat.py), so
token counts are not the provider's.

Batch files of OpenAI and vLLM: `custom_id, method, url, body`; `url` says which API the body is for. Chat
completions, completions and responses have a prompt, anything else (embeddings) generates no text and is left
out. A batch has no arrival times: it is replayed in the file's order. Its output file (`custom_id, response`)
has usage only, which is that of the requests of the same names where both files are read as one log.

Stored completions: the answer's own object (`object` "chat.completion", `created`, `choices`, `usage`) with
the request's messages as `input` or `messages`; without them only the usage is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.mapping.mapped import Rules, common, mapped
from core.traces.rows import Row

_WITH_PROMPT = ("/chat/completions", "/completions", "/responses", "/messages")
_COMPLETIONS = ("chat.completion", "text_completion")


def _no_prompt(row: Row) -> str | None:
    url = row.label("url")
    if url is not None and not url.rstrip("/").endswith(_WITH_PROMPT):
        return "no_generation"
    return "failed" if _has_failed(row) else None


def _has_failed(row: Row) -> bool:
    response = row.get("response")
    status = response.get("status_code") if isinstance(response, dict) else None
    return status is not None and status != 200 and "body" not in row


def _claims_chat(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("messages"), list)


def _claims_batch(data: Mapping[str, Any]) -> bool:
    if "custom_id" not in data:
        return False
    return isinstance(data.get("body"), dict) or ("response" in data and "result" not in data)


def _claims_stored(data: Mapping[str, Any]) -> bool:
    return data.get("object") in _COMPLETIONS and "choices" in data


OPENAI_CHAT = mapped(
    "openai_chat", "OpenAI chat requests", "json", ("text",), _claims_chat, common("messages")
)
OPENAI_BATCH = mapped(
    "openai_batch",
    "OpenAI batch",
    "json",
    ("text",),
    _claims_batch,
    common("body", body="body", id=("custom_id", "id"), output=("response.body.choices[0].message",)),
    Rules(left_out=_no_prompt, is_answer=lambda row: row.get("body") is None),
)
STORED_COMPLETIONS = mapped(
    "openai_stored",
    "OpenAI stored completions",
    "json",
    ("text", "usage"),
    _claims_stored,
    common(
        "input",
        "messages",
        "request",
        time=("created", "created_at"),
        output=("choices[0].message",),
        session=("metadata.session_id", "metadata.conversation_id", "metadata.thread_id"),
        tenant=("metadata.user_id", "user"),
    ),
)
