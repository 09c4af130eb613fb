"""Small line charts as SVG text, for pages that open without any script: shares over one quantity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import floor, log10

Points = Sequence[tuple[float, float]]
WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 14, 44
MARK_LINE = 16
DASHES = ("none", "7 5", "2 4", "9 4 2 4")


def line_chart(
    curves: Mapping[str, Points],
    x_title: str,
    *,
    log_x: bool = False,
    marks: Mapping[str, float] | None = None,
    colours: Mapping[str, str] | None = None,
    at_least: Callable[[float], bool] = lambda x: False,
) -> str:
    """Curves of shares from 0 to 1; ``at_least``: where they are lower bounds. Colours come from the page's
    style sheet (classes c0, c1, …), but for curves that have one in ``colours``."""
    values = [point[0] for points in curves.values() for point in points]
    if not values:
        return ""
    scale = _Scale(min(values), max(values), log_x)
    parts = [_grid(), *(_tick(scale, value) for value in scale.ticks())]
    for place, (name, points) in enumerate(curves.items()):
        parts.append(_curve(scale, points, place, name, (colours or {}).get(name), at_least))
    for place, (name, value) in enumerate((marks or {}).items()):
        x = scale.x(min(max(value, scale.least), scale.most))
        anchor = "end" if x > WIDTH * 0.7 else "start"
        shift = -5 if anchor == "end" else 5
        parts.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(
            f'<text x="{x + shift:.1f}" y="{HEIGHT - BOTTOM - 8 - MARK_LINE * place}" '
            f'text-anchor="{anchor}">{escape(name)}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_title)}</text>')
    label = escape(", ".join(curves))
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


class _Scale:
    """Where a value stands."""

    def __init__(self, least: float, most: float, log_x: bool) -> None:
        self.log = log_x and least > 0
        self.least, self.most = least, most if most > least else least + 1

    def x(self, value: float) -> float:
        low, high, here = self.least, self.most, value
        if self.log:
            low, high, here = log10(low), log10(high), log10(max(here, self.least))
        return LEFT + (WIDTH - LEFT - RIGHT) * (here - low) / (high - low)

    def ticks(self) -> list[float]:
        """Round numbers, at most a dozen."""
        if not self.log:
            step = 10.0 ** floor(log10(self.most - self.least))
            step = step / 2 if (self.most - self.least) / step < 3 else step
            first = -(-self.least // step) * step
            return [first + k * step for k in range(12) if first + k * step <= self.most]
        powers = range(floor(log10(self.least)), floor(log10(self.most)) + 1)
        steps = (1, 2, 5) if len(powers) <= 4 else (1,)
        found = [step * 10.0**power for power in powers for step in steps]
        return [value for value in found if self.least <= value <= self.most] or [self.least, self.most]


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def _grid() -> str:
    lines = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{share:.0%}</text>')
    return "".join(lines)


def _tick(scale: _Scale, value: float) -> str:
    return (
        f'<text x="{scale.x(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:,.6g}</text>'
    )


def _curve(
    scale: _Scale,
    points: Points,
    place: int,
    name: str,
    colour: str | None,
    at_least: Callable[[float], bool],
) -> str:
    path = " ".join(f"{scale.x(x):.1f},{_y(y):.1f}" for x, y in points)
    line, dot = f'class="c{place % 4}"', f'class="d{place % 4}"'
    if colour is not None:
        line, dot = f'stroke="{escape(colour)}"', f'fill="{escape(colour)}"'
    curve = (
        f'<polyline {line} stroke-dasharray="{DASHES[place % len(DASHES)]}" points="{path}">'
        f"<title>{escape(name)}</title></polyline>"
    )
    dots = "".join(
        f'<circle {dot} r="3" cx="{scale.x(x):.1f}" cy="{_y(y):.1f}">'
        f"<title>{x:,.6g}: {'≥ ' if at_least(x) else ''}{y:.1%}</title></circle>"
        for x, y in points
        if len(points) <= 150
    )
    return curve + dots
