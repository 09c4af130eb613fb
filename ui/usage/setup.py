"""What a person chose in the usage view, for the link: whose prices, changed prices, which session. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ui.frame.link import LinkPart, whole
from ui.usage.prices import Priced, rule_ids

EDITS = ("per_million", "read", "write_5m", "write_1h", "ttl_s")
"""What can be changed, in the order of the link."""

MOST = {"per_million": 10_000.0, "read": 100.0, "write_5m": 100.0, "write_1h": 100.0, "ttl_s": 2_592_000.0}
MOST_SESSIONS = 10**6
_PRICES, _SESSION = "yp", "yw"


@dataclass(frozen=True, slots=True)
class UsageSetup:
    """What differs from what the log suggests.

    ``rule``: None is the suggested one; ``edits``: field -> a person's number; ``session``: its place in
    the log, None is the one that lost most.
    """

    rule: str | None = None
    edits: Mapping[str, float] = field(default_factory=dict)
    session: int | None = None

    def changed(self, found: Priced) -> Priced:
        """The prices with what a person changed."""
        return found.edited(self.edits)


def to_query(setup: UsageSetup) -> dict[str, str]:
    """What differs from the default: "anthropic~3~~1.25~~" is Anthropic at $3 and writes at 1.25."""
    edits, found = setup.edits, {}
    if setup.rule or edits:
        texts = [f"{edits[name]:.12g}" if name in edits else "" for name in EDITS]
        found[_PRICES] = "~".join([setup.rule or "", *texts])
    if setup.session is not None:
        found[_SESSION] = str(setup.session)
    return found


def from_query(query: Mapping[str, str]) -> tuple[UsageSetup, list[str]]:
    """Back, and the names of parameters that could not be used."""
    lost: list[str] = []
    setup = UsageSetup()
    if _PRICES in query:
        read = _prices(query[_PRICES])
        lost += [_PRICES] * (read is None)
        setup = read or setup
    if _SESSION in query:
        place = whole(query[_SESSION], 0, MOST_SESSIONS)
        lost += [_SESSION] * (place is None)
        setup = replace(setup, session=place)
    return setup, lost


def _prices(text: str) -> UsageSetup | None:
    rule, *texts = text[:200].split("~")
    if len(texts) != len(EDITS) or (rule and rule not in rule_ids()):
        return None
    edits: dict[str, float] = {}
    for name, one in zip(EDITS, texts, strict=True):
        if not one:
            continue
        if not re.fullmatch(r"\d{1,8}(\.\d{1,10})?", one, re.ASCII) or float(one) > MOST[name]:
            return None
        edits[name] = float(one)
    return UsageSetup(rule or None, edits)


WORDS = {_PRICES: "usage.prices", _SESSION: "usage.session"}
USAGE = LinkPart("usage_setup", UsageSetup, WORDS, from_query, to_query, only_on="traffic")
