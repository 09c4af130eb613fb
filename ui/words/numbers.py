"""Numbers as people read them: three digits that matter, the unit that fits, a minus that is one."""

from __future__ import annotations

_DIGITS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def digits(value: float) -> str:
    """Three digits that matter, no exponent, thousands apart: 0.0123, 4.56, 1,230; whole numbers whole."""
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if value == 0:
        return "0"
    size = abs(value)
    places = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else min(2 - _exponent(size), 6)
    return f"{value:,.{places}f}".replace("-", "−")


def _exponent(size: float) -> int:
    """Of the leading digit of a number below 1: 0.012 -> -2."""
    return int(f"{size:e}".partition("e")[2])


def power(value: float) -> str:
    """A small number as people write it: 1.5×10⁻⁶."""
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e4:
        return digits(value)
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}×10{str(int(exponent)).translate(_DIGITS)}"


class Count(int):
    """A whole number that shows its thousands, and is still a number for whoever asks whether it is one."""

    def __str__(self) -> str:
        return f"{int(self):,}"


def percent(share: float, places: int = 1) -> str:
    """A share from 0 to 1 as a number of percent."""
    return f"{100 * share:.{places}f}"


def never_full(share: float, places: int = 1) -> str:
    """A share in percent that reads 100 only if it is: the nearer, the more digits."""
    while percent(share, places) == percent(1, places) and share < 1 and places < 6:
        places += 1
    return percent(share, places)


def change(share: float) -> str:
    """How much less (or more) in percent, with its sign: a share of 0.28 saved is −28.0."""
    text = f"{-100 * share:+.1f}"
    return "0.0" if text in ("-0.0", "+0.0") else text.replace("-", "−")


def seconds(value: float) -> str:
    """A time in the unit that fits."""
    for limit, unit, factor in ((1.0, "ms", 1e3), (120.0, "s", 1.0), (7200.0, "min", 1 / 60)):
        if abs(value) < limit:
            return f"{digits(value * factor)} {unit}"
    return f"{digits(value / 3600)} h"


def money(value: float, currency: str) -> str:
    """An amount; below a cent it says only that."""
    if value == 0:
        return f"{currency}0"
    sign = "−" if value < 0 else ""
    size = abs(value)
    return f"{sign}< {currency}0.01" if size < 0.01 else f"{sign}{currency}{size:,.2f}"
