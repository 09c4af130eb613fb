"""How far the load ran that the finish page reports: in the link, so that it can be made again. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ui.frame.link import LinkPart, whole
from ui.machine.machine import MACHINE
from ui.moment.link import MOMENT
from ui.monitor.deeds import PLAN, LoadPlan
from ui.monitor.run import LOAD

_NAME = "lu"
MOST_S = 999_999
FIRST_LOOK_S = 60
"""Modelled seconds of a load whose link does not say how far it ran."""


def to_query(far_s: int | None) -> dict[str, str]:
    """As a query parameter; nothing where no load was reported."""
    return {} if far_s is None else {_NAME: str(far_s)}


def from_query(query: Mapping[str, str]) -> tuple[int | None, list[str]]:
    """Back, and the parameter's name if it could not be read."""
    far_s = whole(query.get(_NAME), 1, MOST_S)
    return far_s, [_NAME] if far_s is None and _NAME in query else []


def _hear(part: LinkPart[Any], before: Any, now: Any) -> None:
    """Another load has not run yet."""
    other = part is PLAN and replace(before, speed=now.speed) != now
    if other or (part is MACHINE and before.cost() != now.cost()):
        FAR.set(None)


FAR = LinkPart[int | None]("load_far", lambda: None, {_NAME: "link.load_far"}, from_query, to_query, _hear)


def goal_s() -> int | None:
    """The modelled second up to which this visitor's load is reported; None: there is no load to report.

    A load counts once it has advanced, here or where the link comes from; and if the link asks for another
    one than everybody gets, for then it is what the link is about.
    """
    load, far_s = LOAD.get(), FAR.get()
    stands_s = 0 if load is None else math.ceil(load.run.now_s)
    if far_s is not None or stands_s:
        return max(far_s or 0, stands_s)
    plan, moment = PLAN.get(), MOMENT.get()
    if replace(plan, speed=LoadPlan().speed) == LoadPlan():
        return None
    known = [plan.deeds[-1].at_s] if plan.deeds else []
    known += [moment.stood_s] if moment is not None and moment.request_id is not None else []
    return max(known, default=FIRST_LOOK_S) or FIRST_LOOK_S
