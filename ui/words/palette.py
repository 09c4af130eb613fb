"""The stage's colours as data: one place for the browser, the static renderer and the contrast tests.

Hues follow Okabe and Ito's palette for colour-blind readers. Hue says what happened; it is never the only
sign: every state also has its own border, pattern and glyph (assets/stage).
"""

from __future__ import annotations

from typing import Literal

Theme = Literal["light", "dark"]

PALETTE: dict[Theme, dict[str, str]] = {
    "light": {
        "bg": "#FFFFFF",
        "surface": "#F5F7FA",
        "band": "#F1F4F8",
        "hair": "#D5DCE4",
        "ink": "#16202B",
        "muted": "#4A5868",
        "line": "#6B7887",
        "hit": "#0072B2",
        "hit_label": "#FFFFFF",
        "hit_edge": "#005A8C",
        "hit_soft": "#E3F1FB",
        "miss": "#E69F00",
        "miss_label": "#16202B",
        "miss_edge": "#7A5200",
        "miss_soft": "#FFF3D9",
        "evict": "#CC79A7",
        "evict_label": "#16202B",
        "evict_edge": "#8F2F63",
        "evict_soft": "#FAE9F2",
        "register": "#009E73",
        "register_label": "#16202B",
        "register_edge": "#00694D",
        "register_soft": "#E2F5EE",
        "cached": "#D6EAF8",
        "cached_label": "#16202B",
        "partial": "#8F9BA8",
        "others": "#3F4B58",
        "others_label": "#FFFFFF",
        "others_edge": "#3F4B58",
        "spot": "#F0E442",
    },
    "dark": {
        "bg": "#12161C",
        "surface": "#1B222B",
        "band": "#1C242E",
        "hair": "#333E4B",
        "ink": "#F2F5F8",
        "muted": "#B3BECB",
        "line": "#7C8A9A",
        "hit": "#56B4E9",
        "hit_label": "#12161C",
        "hit_edge": "#6FC3F2",
        "hit_soft": "#14344A",
        "miss": "#E69F00",
        "miss_label": "#12161C",
        "miss_edge": "#FFB733",
        "miss_soft": "#3A2C0C",
        "evict": "#CC79A7",
        "evict_label": "#12161C",
        "evict_edge": "#F2A7CF",
        "evict_soft": "#3B1E2F",
        "register": "#009E73",
        "register_label": "#12161C",
        "register_edge": "#4FD1A5",
        "register_soft": "#123A30",
        "cached": "#17405C",
        "cached_label": "#F2F5F8",
        "partial": "#B3BECB",
        "others": "#525F6D",
        "others_label": "#F2F5F8",
        "others_edge": "#9AA8B7",
        "spot": "#F0E442",
    },
}


def themed(name: str) -> str:
    """A colour of the palette for a style sheet, light and dark."""
    return f"light-dark({PALETTE['light'][name]},{PALETTE['dark'][name]})"
