"""Both curves of a sheet as SVG, on the screen and on paper."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from core.decision import Band
from ui.decision.asked import Asked
from ui.decision.axes import log_range, log_ticks, share_range, share_ticks, size_ticks

PAPER, NARROW, WIDE = (330, 150), (350, 290), (600, 290)
"""Width and height in CSS pixels. The one that fits is taken, not scaled: letters keep their size."""
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 38
SIZE = 12


@dataclass(frozen=True)
class Curve:
    """One curve to draw: its points, in order of size, and its axis. ``every``: all sizes that will stand on
    it; over one that is still missing there is no line. ``open``: some seeds are still to come."""

    every: tuple[float, ...]
    open: bool
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


def hit_curve(asked: Asked) -> Curve | None:
    """Hit rate against GiB; None before there is anything to draw."""
    found = [(one.gib, one.hit_rate) for one in asked.points if one.gib is not None and one.hit_rate]
    if not found:
        return None
    sizes, bands = zip(*found, strict=True)
    low, high = share_range(min(band.low for band in bands), max(band.high for band in bands))
    ticks = tuple(share_ticks(low, high))
    return Curve(_every(asked), bool(asked.seeds_so_far), sizes, bands, low, high, ticks, False)


def wait_curve(asked: Asked) -> Curve | None:
    """p95 to the first token against GiB, in seconds, with room for the service level."""
    found = [(one.gib, one.ttft_p95) for one in asked.points if one.gib is not None and one.ttft_p95]
    if not found:
        return None
    sizes, bands = zip(*found, strict=True)
    level_s = asked.choice.level_s
    values = [level_s / 1.1, level_s * 1.25]
    values += [max(value, 1e-3) for band in bands for value in (band.low, band.high)]
    low, high = log_range(values)
    ticks = tuple(log_ticks(low, high))
    return Curve(_every(asked), bool(asked.seeds_so_far), sizes, bands, low, high, ticks, True)


def _every(asked: Asked) -> tuple[float, ...]:
    return tuple(one.gib for one in asked.points if one.gib is not None and one.too_small is None)


def curve_svg(asked: Asked, curve: Curve, label: str, extent: tuple[int, int] = PAPER) -> str:
    """The drawing; ``label``: what it shows, for who does not see it."""
    width, height = extent
    drawing = _Drawing(asked, curve, width, height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{escape(label)}">{"".join(drawing.parts())}</svg>'
    )


@dataclass(frozen=True)
class _Drawing:
    asked: Asked
    curve: Curve
    width: int
    height: int

    @property
    def right(self) -> float:
        return self.width - RIGHT

    @property
    def bottom(self) -> float:
        return self.height - BOTTOM

    def x(self, gib: float) -> float:
        first, last = math.log(self.curve.every[0]), math.log(self.curve.every[-1])
        part = (math.log(gib) - first) / (last - first) if last > first else 0.5
        return LEFT + (self.right - LEFT) * part

    def y(self, value: float) -> float:
        part = self.curve.y(min(max(value, self.curve.low), self.curve.high))
        return TOP + (self.bottom - TOP) * (1 - part)

    def parts(self) -> Iterator[str]:
        """From the ground up."""
        asked, curve = self.asked, self.curve
        if curve.is_log:
            yield self.zone()
        for tick in curve.ticks:
            yield self.ruler(tick, asked.tick(tick) if curve.is_log else asked.percent(tick, 0))
        for gib in size_ticks(curve.every):
            yield _text(self.x(gib), self.bottom + 16, f"{gib:g}", "muted", "middle")
        yield _text(self.right, self.height - 5, asked.say("axis.gib"), "muted", "end")
        faint = ' opacity=".5"' if curve.open else ""
        yield f"<g{faint}>{''.join(map(self.line, _unbroken(curve)))}</g>"
        yield self.knee()

    def zone(self) -> str:
        """What is slower than the service level."""
        top, words = self.y(self.asked.choice.level_s), self.asked.say("level.line", level=self.asked.level)
        return (
            f'<rect x="{LEFT}" y="{TOP}" width="{self.right - LEFT}" height="{top - TOP:.1f}" '
            f'style="fill:var(--ds-miss_soft)"/>'
            f'<path d="M{LEFT} {top:.1f}H{self.right}" style="stroke:var(--ds-miss_edge)" stroke-width="2" '
            f'stroke-dasharray="7 4"/>{_text(self.right - 4, top - 5, words, "miss_edge", "end", bold=True)}'
        )

    def ruler(self, tick: float, words: str) -> str:
        """A line across, and its number."""
        y = self.y(tick)
        line = f'<path d="M{LEFT} {y:.1f}H{self.right}" style="stroke:var(--ds-hair)"/>'
        return line + _text(LEFT - 6, y + 4, words, "muted", "end")

    def line(self, drawn: Sequence[tuple[float, Band]]) -> str:
        """Sizes that stand side by side: the band, the medians, and what they are, for a pointer."""
        upper = [f"{self.x(gib):.1f} {self.y(band.high):.1f}" for gib, band in drawn]
        lower = [f"{self.x(gib):.1f} {self.y(band.low):.1f}" for gib, band in reversed(drawn)]
        middle = [f"{self.x(gib):.1f} {self.y(band.mid):.1f}" for gib, band in drawn]
        dots = "".join(
            f'<circle cx="{place.split()[0]}" cy="{place.split()[1]}" r="3"><title>{escape(words)}</title>'
            "</circle>"
            for place, words in zip(middle, (self.told(*one) for one in drawn), strict=True)
        )
        return (
            f'<path d="M{"L".join([*upper, *lower])}Z" style="fill:var(--ds-hit)" opacity=".22"/>'
            f'<path d="M{"L".join(middle)}" fill="none" style="stroke:var(--ds-hit_edge)" '
            f'stroke-width="2.5"/><g style="fill:var(--ds-hit_edge)">{dots}</g>'
        )

    def told(self, gib: float, band: Band) -> str:
        """A point in words."""
        value = self.asked.span(band) if self.curve.is_log else self.asked.share(band)
        return f"{gib:g} GiB: {value}"

    def knee(self) -> str:
        """Where 90 % of the possible gain is reached."""
        gib, curve = self.asked.knee_gib, self.curve
        band = dict(zip(curve.sizes, curve.bands, strict=True)).get(gib) if gib is not None else None
        if gib is None or band is None:
            return ""
        left, top = self.x(gib), self.y(band.mid)
        anchor, shift = ("end", -10) if left > self.width * 0.6 else ("start", 10)
        words = self.asked.say("knee.at", gib=f"{gib:g}")
        below = TOP + 12 if curve.is_log else self.bottom - 5
        return (
            f'<path d="M{left:.1f} {TOP - 4}V{self.bottom}" style="stroke:var(--ds-ink)" stroke-width="1.5" '
            f'stroke-dasharray="2 4"/><circle cx="{left:.1f}" cy="{top:.1f}" r="6" '
            'style="fill:var(--ds-bg);stroke:var(--ds-ink)" stroke-width="2.5"/>'
            + _text(left + shift, below, words, "ink", anchor, bold=True)
        )


def _unbroken(curve: Curve) -> list[list[tuple[float, Band]]]:
    """The points in stretches without a missing size."""
    known = dict(zip(curve.sizes, curve.bands, strict=True))
    runs: list[list[tuple[float, Band]]] = [[]]
    for gib in curve.every:
        if gib in known:
            runs[-1].append((gib, known[gib]))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _text(x: float, y: float, words: str, colour: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="650" stroke-width="3" paint-order="stroke"' if bold else ""
    around = ";stroke:var(--ds-bg)" if bold else ""  # a line behind does not run through it
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{SIZE}" style="fill:var(--ds-{colour}){around}" '
        f'text-anchor="{anchor}"{weight}>{escape(words)}</text>'
    )
