"""Which request of a load stands on the stage, for the link.

Stream, pool and deeds are in the link already; with the request and the moment at which the run stood, the
same part of the same run can be made again. A request of an uploaded log cannot: the log stays with the
visitor, so a link only says that there was one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ui.frame.kept import Kept
from ui.frame.link import LinkPart
from ui.machine.machine import MACHINE
from ui.stage.setup import SETUP

if TYPE_CHECKING:
    from ui.moment.shown import ShownMoment

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
    """Back, and the parameter's name if it could not be read."""
    text = query.get(_NAME)
    if text is None:
        return None, []
    if text == _OF_A_LOG:
        return OF_A_LOG, []
    found = _LOAD.fullmatch(text)
    if found is None:
        return None, [_NAME]
    return MomentLink(f"R{int(found[1])}", float(found[2]), int(found[3])), []


# -- on the stage -------------------------------------------------------------------------------------


def _hear(part: LinkPart[Any], before: Any, now: Any) -> None:
    """Another scenario takes the request off; other times, which make another load, take one of a load."""
    if part is SETUP:
        drop_moment()
    elif part is MACHINE and now.cost() != before.cost():
        drop_load_moment()


MOMENT = LinkPart[MomentLink | None](
    "moment_link", lambda: None, {_NAME: "link.request"}, from_query, to_query, _hear
)
SHOWN: Kept[ShownMoment | None] = Kept("moment", lambda: None)
"""The request itself; None with a link: after a reload it has to be made again."""


def show_moment(moment: ShownMoment, link: MomentLink) -> None:
    """Put a request on the stage of the execute page."""
    SHOWN.set(moment)
    MOMENT.set(link)


def drop_moment() -> None:
    """Take it off again."""
    SHOWN.set(None)
    MOMENT.set(None)


def drop_load_moment() -> None:
    """Take it off if it belongs to a load: there is another one now."""
    link = MOMENT.get()
    if link is not None and link.request_id is not None:
        drop_moment()
