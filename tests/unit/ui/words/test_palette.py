"""The stage's colours: readable (WCAG 2.1), and told apart by people with every kind of colour vision."""

from __future__ import annotations

import math
from itertools import combinations, product

import pytest

from ui.words.palette import PALETTE, Theme

Triple = tuple[float, float, float]
THEMES: tuple[Theme, ...] = ("light", "dark")

# -- contrast ------------------------------------------------------------------------------------------------

TEXT, EDGE = 4.5, 3.0  # WCAG 2.1, 1.4.3 and 1.4.11

TEXT_ON = [
    # text, ground
    *product(("ink", "muted", "hit_edge", "miss_edge", "evict_edge", "register_edge"), ("bg", "surface")),
    *[(f"{name}_label", name) for name in ("hit", "miss", "evict", "register", "cached", "others")],
    *product(("ink", "muted"), ("band", "hit_soft", "miss_soft", "evict_soft", "register_soft")),
    *[(f"{name}_edge", f"{name}_soft") for name in ("hit", "miss", "evict", "register")],
]
EDGE_ON = [
    *product(
        ("line", "hit_edge", "miss_edge", "evict_edge", "register_edge", "others_edge"), ("bg", "surface")
    )
]

MEASURED = {
    # text or edge, ground: at least so much in the light and the dark theme
    ("ink", "bg"): (16.5, 16.6),
    ("ink", "surface"): (15.3, 14.7),
    ("muted", "bg"): (7.3, 9.6),
    ("muted", "surface"): (6.8, 8.5),
    ("line", "bg"): (4.5, 5.2),
    ("line", "surface"): (4.2, 4.6),
    ("hit_label", "hit"): (5.2, 7.9),
    ("hit_edge", "bg"): (7.4, 9.3),
    ("hit_edge", "surface"): (6.9, 8.2),
    ("miss_label", "miss"): (7.3, 8.1),
    ("miss_edge", "bg"): (6.9, 10.4),
    ("miss_edge", "surface"): (6.5, 9.2),
    ("evict_label", "evict"): (5.4, 5.9),
    ("evict_edge", "bg"): (7.6, 9.7),
    ("evict_edge", "surface"): (7.1, 8.6),
    ("register_label", "register"): (4.8, 5.3),
    ("register_edge", "bg"): (6.7, 9.5),
    ("register_edge", "surface"): (6.3, 8.4),
    ("cached_label", "cached"): (13.3, 10.0),
    ("others_label", "others"): (8.9, 6.0),
    ("others_edge", "surface"): (8.0, 6.6),
}


def linear(colour: str) -> Triple:
    """#RRGGBB to linear light, each 0 to 1."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return red, green, blue


def times(matrix: tuple[Triple, Triple, Triple], vector: Triple) -> Triple:
    x, y, z = (sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def contrast(one: str, other: str) -> float:
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_known_pairs() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
def test_all_text_can_be_read_and_all_edges_be_seen(theme: Theme) -> None:
    colours = PALETTE[theme]
    low = [pair for pair in TEXT_ON if contrast(*(colours[name] for name in pair)) < TEXT]
    low += [pair for pair in EDGE_ON if contrast(*(colours[name] for name in pair)) < EDGE]
    assert low == []


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("pair", MEASURED, ids="-on-".join)
def test_contrast_stays_as_measured(pair: tuple[str, str], theme: Theme) -> None:
    colours = PALETTE[theme]
    assert (
        contrast(colours[pair[0]], colours[pair[1]]) >= MEASURED[pair][THEMES.index(theme)] - 0.06
    )  # rounded there


@pytest.mark.parametrize("theme", THEMES)
def test_the_spotlight_is_seen_by_its_dark_ring(theme: Theme) -> None:
    """Yellow on white is nothing; the ring of ink around it carries the contrast."""
    colours = PALETTE[theme]
    assert contrast(colours["ink"], colours["surface"]) >= 12


def test_both_themes_name_the_same_colours() -> None:
    assert PALETTE["light"].keys() == PALETTE["dark"].keys()


# -- colour vision -------------------------------------------------------------------------------------------

# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
VISION: dict[str, tuple[Triple, Triple, Triple]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
TO_XYZ: tuple[Triple, Triple, Triple] = (  # sRGB, D65
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE: Triple = (0.95047, 1.0, 1.08883)


def lab(light: Triple) -> Triple:
    """Linear RGB to CIELAB."""

    def curve(value: float) -> float:
        return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116

    clipped = tuple(min(1.0, max(0.0, channel)) for channel in light)
    fx, fy, fz = (curve(v / w) for v, w in zip(times(TO_XYZ, clipped), WHITE, strict=True))  # type: ignore[arg-type]
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def ciede2000(one: Triple, other: Triple) -> float:
    """The colour difference of CIE 142-2001, after Sharma, Wu and Dalal 2005, all weights 1."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_c7 = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    g = 0.5 * (1 - math.sqrt(mean_c7 / (mean_c7 + 25.0**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 if a or b else 0.0 for a, b in ((a1, b1), (a2, b2)))
    dh = h2 - h1 if c1 * c2 else 0.0
    dh -= 360 * ((dh > 180) - (dh < -180))
    mean_h = (h1 + h2) / 2 if c1 * c2 else h1 + h2
    if c1 * c2 and abs(h1 - h2) > 180:
        mean_h += 180 if h1 + h2 < 360 else -180
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    cosine = lambda angle: math.cos(math.radians(angle))  # noqa: E731
    t = 1 - 0.17 * cosine(mean_h - 30) + 0.24 * cosine(2 * mean_h)
    t += 0.32 * cosine(3 * mean_h + 6) - 0.20 * cosine(4 * mean_h - 63)
    far = (mean_l - 50) ** 2
    light = (l2 - l1) / (1 + 0.015 * far / math.sqrt(20 + far))
    chroma = (c2 - c1) / (1 + 0.045 * mean_c)
    hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(dh / 2)) / (1 + 0.015 * mean_c * t)
    turn = 60 * math.exp(-(((mean_h - 275) / 25) ** 2))
    rotation = -math.sin(math.radians(turn)) * 2 * math.sqrt(mean_c**7 / (mean_c**7 + 25.0**7))
    return math.sqrt(light**2 + chroma**2 + hue**2 + rotation * chroma * hue)


PUBLISHED = [  # Sharma, Wu and Dalal 2005, table 1
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
    ((50, 2.8361, -74.0200), (50, 0, -82.7485), 3.4412),
    ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0000),
    ((50, 0, 0), (50, -1, 2), 2.3669),
    ((50, -1, 2), (50, 0, 0), 2.3669),
    ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
    ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
    ((50, -0.001, 2.49), (50, 0.0009, -2.49), 4.8045),
    ((50, -0.001, 2.49), (50, 0.0011, -2.49), 4.7461),
    ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((50, 2.5, 0), (61, -5, 29), 22.8977),
    ((50, 2.5, 0), (56, -27, -3), 31.9030),
    ((50, 2.5, 0), (58, 24, 15), 19.4535),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((63.0109, -31.0961, -5.8663), (62.8187, -29.7946, -4.0864), 1.2630),
    ((35.0831, -44.1164, 3.7933), (35.0232, -40.0716, 1.5901), 1.8645),
    ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ((90.9257, -0.5406, -0.9208), (88.6381, -0.8985, -0.7239), 1.5381),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("one", "other", "difference"), PUBLISHED)
def test_ciede2000_gives_the_published_values(one: Triple, other: Triple, difference: float) -> None:
    assert ciede2000(one, other) == pytest.approx(difference, abs=5e-5)


def test_lab_of_white_black_and_red() -> None:
    assert lab(linear("#FFFFFF")) == pytest.approx((100, 0, 0), abs=0.01)
    assert lab(linear("#000000")) == pytest.approx((0, 0, 0), abs=0.01)
    assert lab(linear("#FF0000")) == pytest.approx((53.24, 80.09, 67.20), abs=0.02)


def difference(one: str, other: str, vision: str) -> float:
    seen = [lab(times(VISION[vision], linear(colour))) for colour in (one, other)]
    return ciede2000(seen[0], seen[1])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES)
def test_the_four_states_are_told_apart(theme: Theme, vision: str) -> None:
    colours = PALETTE[theme]
    pairs = combinations(("hit", "miss", "evict", "others"), 2)
    worst = min((difference(colours[a], colours[b], vision), a, b) for a, b in pairs)
    assert worst[0] >= 10, worst


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES)
def test_hit_and_miss_are_far_apart(theme: Theme, vision: str) -> None:
    """The one difference the stage is about."""
    assert difference(PALETTE[theme]["hit"], PALETTE[theme]["miss"], vision) >= 50


def test_an_earlier_grey_would_not_pass() -> None:
    """For deuteranopes #9AA8B7 is the evicted slots' pink: the check sees it."""
    assert difference("#9AA8B7", PALETTE["dark"]["evict"], "deutan") < 5
