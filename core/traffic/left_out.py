"""What a reading left out, as plain JSON values: broken lines, repeated records, fields that nobody reads."""

from __future__ import annotations

from typing import Any

from core.traces.model import Trace

Json = dict[str, Any]


def left_out(trace: Trace) -> Json:
    """Three lists for the report's ``log``. ``share``: of the bytes of all records.

    ``skipped`` and ``repeated`` hold the first ones only; how many there are say ``skipped_lines`` and
    ``num_repeated``.
    """
    return {
        "skipped": [
            {
                "file": one.file,
                "line": one.line or None,
                "reason": one.reason,
                "code": one.code,
                "values": {name: _plain(value) for name, value in one.values.items()},
            }
            for one in trace.skipped
        ],
        "repeated": [
            {
                "request": one.request_id,
                "file": one.file,
                "line": one.line,
                "first_file": one.first_file,
                "first_line": one.first_line,
                "reason": "the same id and the same content",
            }
            for one in trace.repeats
        ],
        "num_repeated": num_repeated(trace),
        "unread": [
            {
                "path": one.path,
                "share": one.share,
                "estimated": one.estimated,
                "records": one.num_records,
                "may_belong_to_the_prompt": one.maybe_prompt,
                **({"fields": list(one.fields)} if one.fields else {}),
            }
            for one in trace.unread
        ],
    }


def num_repeated(trace: Trace) -> int:
    """Records delivered again, all of them."""
    return next((note.count for note in trace.notes if note.code == "delivered_again"), 0)


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | str | None) else str(value)
