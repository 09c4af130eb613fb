"""Engine settings and requests out of recorded fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.conformance.fields import Fields, show
from core.errors import ConfigError, RequestError
from core.fields import is_whole
from core.scenario.token_streams import MOST_TOKENS, TokenStreams
from core.types import EngineConfig, MultiModalItem, Request


def make_config(fields: Fields, num_blocks: int, **more: Any) -> EngineConfig:
    """The settings that every recording and every case has, and ``more`` of its own. A value that the engine
    refuses is an error of the line that holds it."""
    try:
        return EngineConfig(
            block_size=fields.whole("block_size", least=1),
            num_blocks=num_blocks,
            enable_caching=fields.flag("enable_caching", True),
            watermark=fields.number("watermark", 0.0),
            **more,
        )
    except ConfigError as error:
        raise fields.error("", "config", error.message) from error


def make_request(
    fields: Fields, token_ids: Sequence[int], outputs: Sequence[int] = (), *, skip_read: bool
) -> Request:
    """A request with whatever identity its fields give it."""
    try:
        return Request(
            request_id=fields.text("id", "look-up"),
            token_ids=token_ids,
            outputs=outputs,
            salt=_salt(fields),
            lora=_lora(fields),
            mm=_mm(fields),
            priority=fields.whole("priority", 0, least=-(2**63)),
            skip_read=skip_read,
        )
    except RequestError as error:
        raise fields.error("", "request", error.message) from error


def case_request(fields: Fields, streams: TokenStreams, outputs: Sequence[int] = ()) -> Request:
    """A request of a case. One with prompt logprobs needs every token computed, so it reads nothing."""
    skip_read = fields.get("prompt_logprobs") is not None
    return make_request(fields, fields.token_text("tokens", streams), outputs, skip_read=skip_read)


OUTPUT_FIELDS = ("output", "outputs", "generated")
"""The names under which a case gives a request's sampled tokens."""


def output_tokens(fields: Fields, streams: TokenStreams) -> tuple[int, ...]:
    """What a case lets the request sample: the tokens, or only how many; nothing if it says nothing.

    If it says only how many, request ``a`` samples ``out.a[0:n]``, which later prompts may hold.
    """
    name = next((name for name in OUTPUT_FIELDS if name in fields), None)
    if name is None:
        return ()
    if is_whole(fields.value[name]):
        count = fields.whole(name, most=MOST_TOKENS)
        return tuple(streams.take(f"out.{fields.text('id')}", 0, count))
    return fields.token_text(name, streams)


def _salt(fields: Fields) -> str | None:
    return None if fields.value.get("salt") is None else fields.text("salt")


def _lora(fields: Fields) -> tuple[str, str] | None:
    """[name, path], or {name, int_id, path}; the int_id is only a handle and no part of the identity."""
    match fields.value.get("lora"):
        case None:
            return None
        case [str() as name, str() as path] | {"name": str() as name, "path": str() as path}:
            return name, path
    raise fields.wrong("lora", "[name, path] or {name, path}")


def _mm(fields: Fields) -> tuple[MultiModalItem, ...]:
    if fields.value.get("mm") is None:
        return ()
    return tuple(_item(fields, i, item) for i, item in enumerate(fields.items("mm")))


def _item(fields: Fields, index: int, item: object) -> MultiModalItem:
    """{id, offset, length} or [id, offset, length]."""
    if isinstance(item, dict):
        item = [item.get("id"), item.get("offset"), item.get("length")]
    match item:
        case [str() as name, int() as offset, int() as length]:
            return MultiModalItem(name, offset, length)
    raise fields.error(f"mm[{index}]", "type", f"expected an id, an offset and a length, got {show(item)}")
