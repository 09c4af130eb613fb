"""By whose rule a log is judged, as it stands in a link. Frozen, pure, light."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

SUGGESTED = ""
"""The rule that the log itself suggests."""
LARGEST_MINIMUM, MOST_PRICE = 10**6, 1000.0
_NAME = re.compile(r"[a-z0-9_]{0,30}", re.ASCII)
_NUMBER = re.compile(r"\d{1,7}(\.\d{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Judge:
    """A rule by its name (assets/providers.toml, or ``own``; "": the one the log suggests), and what of it
    is set otherwise: None as the provider says, of several minimums the smallest. Prices are relative to an
    uncached token."""

    rule: str = SUGGESTED
    minimum: int | None = None
    write: float | None = None
    read: float | None = None


def judge_text(judge: Judge) -> str:
    """ "anthropic_5m~2048~~" is that rule with another minimum. Prices have six digits at most."""
    return "~".join((judge.rule, *(_number(getattr(judge, one.name)) for one in fields(judge)[1:])))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}".rstrip("0").rstrip(".")


def judge_in(text: str) -> Judge | None:
    """Back; None if it is none. Whether there is a rule of that name is told where it is used."""
    parts = text[:80].split("~")
    if len(parts) != 4 or not _NAME.fullmatch(parts[0]):
        return None
    if not all(part == "" or _NUMBER.fullmatch(part) for part in parts[1:]):
        return None
    minimum, write, read = (float(part) if part else None for part in parts[1:])
    if minimum is not None and (minimum > LARGEST_MINIMUM or minimum != int(minimum)):
        return None
    if any(price is not None and price > MOST_PRICE for price in (write, read)):
        return None
    return Judge(parts[0], None if minimum is None else int(minimum), write, read)
