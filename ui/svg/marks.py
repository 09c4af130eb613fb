"""SVG building blocks: escaped text, rectangles, patterns, and the glyphs the stage uses.

Every text passes through ``escape``: user text can never become markup.
"""

from __future__ import annotations

from html import escape

from ui.words.palette import PALETTE, Theme

GLYPHS = {
    # 16 x 16 outlines; a leading "f" means filled
    "circle": "fM8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12z",
    "triangle": "fM8 1.5L15 14.5H1z",
    "square": "fM2.5 2.5h11v11h-11z",
    "diamond": "fM8 .8L15.2 8L8 15.2L.8 8z",
    "pentagon": "fM8 1.2L15.2 6.6L12.4 14.8H3.6L.8 6.6z",
    "cross": "fM5.8 1.5h4.4v4.3h4.3v4.4h-4.3v4.3H5.8v-4.3H1.5V5.8h4.3z",
    "check": "M2.5 8.5L6.5 12.5L13.5 4",
    "plus": "M8 2.5V13.5M2.5 8H13.5",
    "times": "M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5",
    "ring": "M8 3a5 5 0 1 1-3.5 1.5",
    "void": "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zM3.5 12.5L12.5 3.5",
    "dots": "fM1.5 6.5h3v3h-3zM6.5 6.5h3v3h-3zM11.5 6.5h3v3h-3z",
    "copy": "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
}
SHAPES = ("circle", "triangle", "square", "diamond", "pentagon", "cross")
FONT = "system-ui,'Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif"
MONO = "ui-monospace,Menlo,Consolas,monospace"


class Pen:
    """Collects SVG elements in one theme's colours. ``theme`` names come from ``ui.words.palette``."""

    def __init__(self, theme: Theme) -> None:
        self.colour = PALETTE[theme]
        self.parts: list[str] = []

    def rect(
        self,
        box: tuple[float, float, float, float],
        fill: str = "none",
        stroke: str = "none",
        *,
        width: float = 1,
        dash: str = "",
        radius: float = 5,
    ) -> None:
        """A rounded rectangle; ``fill`` and ``stroke`` are colour names, ``none``, or ``url(#pattern)``."""
        x, y, w, h = box
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{radius:g}" fill="{self._c(fill)}" '
            f'stroke="{self._c(stroke)}" stroke-width="{width:g}"{dashes}/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 13,
        colour: str = "ink",
        bold: bool = False,
        mono: bool = False,
        anchor: str = "start",
        struck: bool = False,
    ) -> None:
        """One line of text, baseline at ``y``."""
        weight = ' font-weight="700"' if bold else ""
        family = f' font-family="{MONO}"' if mono else ""
        line = ' text-decoration="line-through"' if struck else ""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{self._c(colour)}"{weight}{family}{line}'
            f"{place}>{escape(words)}</text>"
        )

    def glyph(self, name: str, x: float, y: float, size: float, colour: str) -> None:
        """One of the 16 x 16 glyphs, its top left corner at (x, y)."""
        path, scale, paint = GLYPHS[name], size / 16, self._c(colour)
        style = (
            f'fill="{paint}"' if path.startswith("f") else f'fill="none" stroke="{paint}" stroke-width="2"'
        )
        self.parts.append(
            f'<path d="{path.lstrip("f")}" transform="translate({x:g},{y:g}) scale({scale:g})" {style}/>'
        )

    def _c(self, name: str) -> str:
        return name if name.startswith(("none", "url(")) else self.colour[name]

    def document(self, width: int, height: int, label: str, style: str = "") -> str:
        """The finished SVG; ``label`` is its accessible name, ``style`` a sheet of its own."""
        c = self.colour
        patterns = (
            f'<pattern id="stripes" width="10" height="10" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><rect width="10" height="10" fill="{c["miss"]}"/>'
            f'<rect width="3" height="10" fill="{c["miss_edge"]}"/></pattern>'
            f'<pattern id="hairlines" width="7" height="7" patternUnits="userSpaceOnUse">'
            f'<rect width="7" height="7" fill="{c["others"]}"/>'
            f'<rect width="7" height="1" y="6" fill="{c["others_edge"]}"/></pattern>'
            f'<pattern id="dots" width="7" height="7" patternUnits="userSpaceOnUse">'
            f'<rect width="7" height="7" fill="{c["bg"]}"/>'
            f'<rect width="2" height="2" x="2" y="2" fill="{c["miss_edge"]}"/></pattern>'
        )
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="{FONT}" role="img" aria-label="{escape(label)}">\n'
            f"{f'<style>{style}</style>' if style else ''}<defs>{patterns}</defs>\n"
            f'<rect width="{width}" height="{height}" fill="{c["bg"]}"/>\n{body}\n</svg>\n'
        )


def fit(words: str, width: float, size: float) -> str:
    """The words, cut with an ellipsis so that they stay within ``width`` (wide characters count double)."""
    room = width / (size * 0.56)
    used = 0.0
    for place, char in enumerate(words):
        used += 1.8 if ord(char) > 0x2E7F else 1
        if used > room:
            return words[: max(place - 1, 0)] + "…"
    return words
