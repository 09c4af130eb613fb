"""Reports that ``--json`` printed earlier, in the place of a log."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.errors import TraceError
from core.traffic.summary import SCHEMA_VERSION
from ui.report.changes import compare, in_words

Json = dict[str, Any]
REPORT, HEAD_BYTES = "traffic-report", 200


def report_in(name: str) -> Json | None:
    """A report that ``--json`` printed; None if the file is anything else.

    Raises:
        TraceError: it is one, but not such that this version can compare it.
    """
    path = Path(name)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        if REPORT.encode() not in file.read(HEAD_BYTES):
            return None
    with suppress(ValueError):
        found = json.loads(path.read_text("utf-8"))
        if isinstance(found, dict) and found.get("broth") == REPORT:
            return _checked(path.name, found)
    return None


def _checked(name: str, found: Json) -> Json:
    """A report that holds what a comparison asks for."""
    try:
        if found["schema"] != SCHEMA_VERSION:
            raise _unreadable(name, found["schema"])
        with suppress(TraceError):  # a report may have no rate: that is told later, with its log's name
            in_words(compare(found, found, 0.0), "en")
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise _unreadable(name, found.get("schema")) from error
    return found


def _unreadable(name: str, schema: object) -> TraceError:
    message = (
        f"{name} is no report that this version can compare (schema {schema!r}; expected {SCHEMA_VERSION}, "
        "with its log and its runs). Make it anew with --json, or name the log itself."
    )
    return TraceError("report.unreadable", message, name=name, schema=str(schema), expected=SCHEMA_VERSION)
