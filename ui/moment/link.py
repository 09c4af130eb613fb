"""Which request of a load stands on the stage, for the link. Pure.

Stream, pool and deeds are in the link already; with the request and the moment at which the run stood, the
same part of the same run can be made again. A request of an uploaded log cannot: the log stays with the
visitor, so a link only says that there was one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

_NAME = "lq"
_OF_A_LOG = "log"
_LOAD = re.compile(r"R(\d{1,6})~(\d{1,6}(?:\.\d{1,6})?)~(\d{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class MomentLink:
    """``request_id`` of the load, seen from ``at_s`` on its time axis, when the run stood at ``stood_s``.
    No ``request_id``: a request of a log."""

    request_id: str | None = None
    at_s: float = 0.0
    stood_s: int = 0

    @property
    def page(self) -> str:
        """Where it was opened."""
        return "monitor" if self.request_id else "traffic"


OF_A_LOG = MomentLink()


def of_load(request_id: str, at_s: float, now_s: float) -> MomentLink:
    """The link of a request of the load."""
    return MomentLink(request_id, round(at_s, 6), math.ceil(now_s))


def to_query(link: MomentLink | None) -> dict[str, str]:
    """As a query parameter; nothing when no such request is shown."""
    if link is None:
        return {}
    if link.request_id is None:
        return {_NAME: _OF_A_LOG}
    at_s = f"{link.at_s:.6f}".rstrip("0").rstrip(".")
    return {_NAME: f"{link.request_id}~{at_s}~{link.stood_s}"}


def from_query(query: Mapping[str, str]) -> tuple[MomentLink | None, list[str]]:
    """Back, and the parameter's name if it could not be read. Never raises."""
    text = query.get(_NAME)
    if text is None:
        return None, []
    if text == _OF_A_LOG:
        return OF_A_LOG, []
    found = _LOAD.fullmatch(text)
    if found is None:
        return None, [_NAME]
    return MomentLink(f"R{int(found[1])}", float(found[2]), int(found[3])), []
