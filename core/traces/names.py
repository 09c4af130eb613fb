"""Names that many exporters use for the same thing, whichever way they are written."""

from __future__ import annotations

import re
from functools import lru_cache

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s\-@/]+")
_ZONE = re.compile(r"\s*[\[(](?:utc|gmt|local)[\])]\s*$", re.IGNORECASE)
_LATE = re.compile(
    r"(?:^|_)(?:end|ended|finish|finished|complete|completed|completion|updated|update|modified|response|responded"
    r"|last|first|expires|expiry|indexed|ingested|ingestion|observed|inserted|deleted|exported)(?:_|$)"
)
_UNITS = {
    "ms": 1e3,
    "millis": 1e3,
    "milliseconds": 1e3,
    "us": 1e6,
    "micros": 1e6,
    "ns": 1e9,
    "nano": 1e9,
    "nanos": 1e9,
}
TIMES: tuple[str, ...] = (
    *(
        "timestamp",
        "ts",
        "created_at",
        "request_time",
        "time",
        "request_timestamp",
        "requested_at",
        "start_time",
    ),
    *(
        "started_at",
        "start_timestamp",
        "start_time_unix_nano",
        "begin_time",
        "arrival_time",
        "arrived_at",
        "arrival",
    ),
    *("received_at", "request_created_at", "request_received_at", "sent_at", "event_time", "event_timestamp"),
    *(
        "created",
        "create_time",
        "creation_time",
        "created_time",
        "datetime",
        "date_time",
        "date",
        "time_generated",
    ),
    *("logged_at", "log_time", "logging_time", "log_timestamp", "asctime", "time_local", "time_iso8601"),
    *(
        "local_time",
        "utc_time",
        "timestamp_utc",
        "utc_timestamp",
        "time_utc",
        "time_stamp",
        "unix_time",
        "epoch",
    ),
    *("unix_timestamp", "timestamp_ms", "ts_ms", "time_ms", "epoch_ms", "time_unix_nano", "t", "at", "when"),
    *("generation_time", "usage_date", "usage_date_utc", "starting_at", "inserted_at", "ingestion_time"),
)
"""Under these names a record says when its request came; the ones before are preferred."""


@lru_cache(maxsize=4096)
def plain_name(path: str) -> str:
    """A field's own name in lower case with underscores: startTime, Start-Time are start_time."""
    return _CAMEL.sub("_", _ZONE.sub("", path.rpartition(".")[2])).strip("_").lower()


def is_late(path: str) -> bool:
    """Whether a name says that this is when something ended, or was stored."""
    return _LATE.search(plain_name(path)) is not None


def parts_of_a_second(path: str) -> float:
    """How many of the unit that a name says make a second; 1 where it says none."""
    return _UNITS.get(plain_name(path).rpartition("_")[2], 1.0)
