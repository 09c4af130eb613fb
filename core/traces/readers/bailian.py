"""Qwen-Bailian usage traces: `chat_id, parent_chat_id, timestamp, input_length, output_length, type, turn,
hash_ids`.

Source rule: timestamps in seconds; one id covers 16 tokens, the partial tail is listed (ceil). Its README
hashes "each block", so an id need not stand for its prefix: ids are re-chained by (parent, id). -1 as
`parent_chat_id` is a root; a session is a root chat with all that continues it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.building.block_rows import block_request, decide_shape
from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.rows import Row

BLOCK_SIZE = 16


class _Bailian:
    def __init__(self, builder: Builder, head: Sequence[Row]) -> None:
        self._builder = builder
        self._root_of: dict[str, str] = {}
        decide_shape(builder, head, BLOCK_SIZE, "ceil")

    def add(self, row: Row) -> None:
        chat, parent = row.label("chat_id"), row.label("parent_chat_id")
        known = chat if parent in (None, "-1") else self._root_of.get(parent or "", parent)
        request = block_request(
            self._builder,
            row,
            request_id=self._builder.next_id(row, "chat_id"),
            arrival_s=row.number_or_none("timestamp"),
            session=known,
            tag=row.label("type"),
        )
        if chat is not None and known is not None:
            self._root_of[chat] = known
        self._builder.add(request)

    def finish(self) -> None:
        """Nothing was kept back."""


def _claims(data: Mapping[str, Any]) -> bool:
    return "hash_ids" in data and "chat_id" in data


BAILIAN = Format("bailian", "Qwen-Bailian", "json", frozenset({"blocks"}), _claims, _Bailian)
