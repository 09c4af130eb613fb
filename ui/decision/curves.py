"""Both curves of a sheet as SVG: on paper, and on the screen while they still grow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from core.decision import Band, Point
from ui.decision.asked import Asked
from ui.decision.axes import log_range, log_ticks, share_range, share_ticks, size_ticks

WIDTH, HEIGHT = 330, 164
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 12, 38
SIZE = 12
"""Of letters, in CSS pixels: the picture is never scaled."""
Place = Callable[[float], float]


@dataclass(frozen=True)
class Curve:
    """One curve to draw: its points, in order of size, and its axis."""

    sizes: tuple[float, ...]
    bands: tuple[Band, ...]
    low: float
    high: float
    ticks: tuple[float, ...]
    is_log: bool

    def y(self, value: float) -> float:
        """From 0 at the bottom to 1 at the top."""
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def hit_curve(points: Sequence[Point]) -> Curve | None:
    """Hit rate against GiB; None before there is anything to draw."""
    found = [(one.gib, one.hit_rate) for one in points if one.gib is not None and one.hit_rate is not None]
    if not found:
        return None
    sizes, bands = zip(*found, strict=True)
    low, high = share_range(min(band.low for band in bands), max(band.high for band in bands))
    return Curve(sizes, bands, low, high, tuple(share_ticks(low, high)), False)


def wait_curve(points: Sequence[Point], level_s: float) -> Curve | None:
    """p95 to the first token against GiB, in seconds, with room for the service level."""
    found = [(one.gib, one.ttft_p95) for one in points if one.gib is not None and one.ttft_p95 is not None]
    if not found:
        return None
    sizes, bands = zip(*found, strict=True)
    values = [level_s / 1.1, level_s * 1.25]
    values += [max(value, 1e-3) for band in bands for value in (band.low, band.high)]
    low, high = log_range(values)
    return Curve(sizes, bands, low, high, tuple(log_ticks(low, high)), True)


def curve_svg(asked: Asked, curve: Curve, label: str) -> str:
    """The drawing; ``label``: what it shows, for who does not see it."""
    first, last = math.log(curve.sizes[0]), math.log(curve.sizes[-1])
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(gib: float) -> float:
        return LEFT + wide * ((math.log(gib) - first) / (last - first) if last > first else 0.5)

    def y(value: float) -> float:
        return TOP + tall * (1 - curve.y(max(value, curve.low)))

    parts = [] if not curve.is_log else [_zone(asked, y)]
    parts += [_ruler(y(tick), _tick_words(asked, curve, tick)) for tick in curve.ticks]
    for gib in size_ticks(curve.sizes):
        parts.append(_text(x(gib), HEIGHT - BOTTOM + 16, f"{gib:g}", "muted", "middle"))
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 5, asked.say("axis.gib"), "muted", "end"))
    parts.append(_band(curve, x, y))
    parts.append(_knee(asked, curve, x, y))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _tick_words(asked: Asked, curve: Curve, tick: float) -> str:
    return asked.short_time(tick) if curve.is_log else asked.percent(tick, 0)


def _zone(asked: Asked, y: Place) -> str:
    """What is slower than the service level."""
    top = y(asked.choice.level_s)
    right = WIDTH - RIGHT
    return (
        f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{top - TOP:.1f}" '
        f'style="fill:var(--ds-miss_soft)"/>'
        f'<path d="M{LEFT} {top:.1f}H{right}" style="stroke:var(--ds-miss_edge)" stroke-width="2" '
        'stroke-dasharray="7 4"/>'
        + _text(right - 4, top - 5, asked.say("level.line", level=asked.level), "miss_edge", "end", bold=True)
    )


def _ruler(y: float, words: str) -> str:
    line = f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" style="stroke:var(--ds-hair)"/>'
    return line + _text(LEFT - 6, y + 4, words, "muted", "end")


def _band(curve: Curve, x: Place, y: Place) -> str:
    drawn = list(zip(curve.sizes, curve.bands, strict=True))
    upper = [f"{x(gib):.1f} {y(band.high):.1f}" for gib, band in drawn]
    lower = [f"{x(gib):.1f} {y(band.low):.1f}" for gib, band in reversed(drawn)]
    middle = [f"{x(gib):.1f} {y(band.mid):.1f}" for gib, band in drawn]
    dots = "".join(f'<circle cx="{p.split()[0]}" cy="{p.split()[1]}" r="2.5"/>' for p in middle)
    return (
        f'<path d="M{"L".join([*upper, *lower])}Z" style="fill:var(--ds-hit)" opacity=".22"/>'
        f'<path d="M{"L".join(middle)}" fill="none" style="stroke:var(--ds-hit_edge)" stroke-width="2.5"/>'
        f'<g style="fill:var(--ds-hit_edge)">{dots}</g>'
    )


def _knee(asked: Asked, curve: Curve, x: Place, y: Place) -> str:
    """Where 90 % of the possible gain is reached."""
    gib = asked.knee_gib
    band = dict(zip(curve.sizes, curve.bands, strict=True)).get(gib) if gib is not None else None
    if gib is None or band is None:
        return ""
    left, top = x(gib), y(band.mid)
    near_right = left > WIDTH * 0.6
    anchor, shift = ("end", -10) if near_right else ("start", 10)
    words = asked.say("knee.at", gib=f"{gib:g}")
    below = TOP + 12 if curve.is_log else HEIGHT - BOTTOM - 5
    return (
        f'<path d="M{left:.1f} {TOP - 4}V{HEIGHT - BOTTOM}" style="stroke:var(--ds-ink)" stroke-width="1.5" '
        'stroke-dasharray="2 4"/>'
        f'<circle cx="{left:.1f}" cy="{top:.1f}" r="6" style="fill:var(--ds-bg);stroke:var(--ds-ink)" '
        'stroke-width="2.5"/>' + _text(left + shift, below, words, "ink", anchor, bold=True)
    )


def _text(x: float, y: float, words: str, colour: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="650"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{SIZE}" style="fill:var(--ds-{colour})" '
        f'text-anchor="{anchor}"{weight}>{escape(words)}</text>'
    )
