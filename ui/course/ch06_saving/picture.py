"""Chapter 6's picture: one prompt without and with its hit on the chosen ruler, and what every ruler says."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ui.course.ch06_saving.bets import FirstToken
from ui.course.ch06_saving.rulers import RULERS, Kind, Ruler
from ui.course.pictures import SIZE, SMALL, WIDTH, label
from ui.frame.session import say
from ui.svg.marks import Pen
from ui.words.numbers import change

BAR = 44
FIRST, SECOND = 50, 128
TOTALS = 260
ROW = 34
Shown = Callable[[float], str]
# fill, edge, dashes, colour of letters, whether letters need a ground of their own
_LOOK: Mapping[Kind, tuple[str, str, str, str, bool]] = {
    "computed": ("url(#stripes)", "miss_edge", "", "ink", True),
    "reused": ("hit", "hit_edge", "", "hit_label", False),
    "rest": ("hair", "line", "", "ink", False),
    "waiting": ("url(#hairlines)", "others_edge", "", "ink", True),
    "saved": ("none", "line", "5 4", "muted", False),
}


def draw_bars(pen: Pen, title: str, ruler: Ruler, shown: Shown, *, told: bool = True) -> None:
    """The two bars; of the second only its place while it is not ``told``."""
    pen.text(0, 18, title, size=SIZE, bold=True)
    whole = max(ruler.full, ruler.left) or 1
    gain: dict[Kind, float] = {ruler.gain: max(ruler.full - ruler.left, 0.0)}
    cached = {**gain, **ruler.cached} if ruler.gain == "reused" else {**ruler.cached, **gain}
    for y, name, row, amount in (
        (FIRST, "without", dict(ruler.without), ruler.full),
        (SECOND, "with", cached, ruler.left),
    ):
        pen.text(0, y - 7, say(f"course.ch06.{name}"), size=SMALL, colour="muted")
        open_ = name == "with" and not told
        words = "?" if open_ else shown(amount)
        pen.text(WIDTH, y - 7, words, size=SIZE + 2, bold=True, anchor="end")
        if open_:
            pen.rect((1, y, WIDTH - 2, BAR), "none", "line", width=1.5, dash="5 4")
        else:
            _row(pen, y, row, whole)


def _row(pen: Pen, y: float, row: Mapping[Kind, float], whole: float) -> None:
    x = 0.0
    for kind, amount in row.items():
        width = WIDTH * amount / whole
        fill, edge, dash, colour, padded = _LOOK[kind]
        if width >= 1:
            box = (x + 1, y, max(width - 2, 1), BAR)
            pen.rect(box, fill, edge, width=1.5, dash=dash)
            label(pen, box, say(f"course.ch06.kind.{kind}"), colour, "bg" if padded else "")
        x += width


def minus(share: float) -> str:
    """A share that is saved, as it is drawn: −80.0 %."""
    return say("course.ch06.percent", change=change(share))


def draw_rulers(pen: Pen, found: Mapping[str, Ruler], now: str, seen: frozenset[str]) -> float:
    """The saved share in large, and below it what each ruler says that was looked at; returns the height."""
    large = minus(found[now].saved) if now in seen else "?"
    pen.text(WIDTH, SECOND + BAR + 38, large, size=34, bold=True, anchor="end")
    pen.text(0, TOTALS - 12, say("course.ch06.four"), size=SMALL, colour="muted")
    for place, name in enumerate(RULERS):
        y, left = TOTALS + ROW * place, 1 - max(found[name].saved, 0.0)
        if name == now:
            pen.rect((0, y, WIDTH, ROW - 4), "band", "ink", width=1.5, radius=6)
        known = name in seen
        pen.text(8, y + 20, say(f"course.ch06.ruler.{name}"), size=SIZE, bold=name == now)
        pen.rect((170, y + 7, 150, 15), "none", "line", dash="4 4", radius=3)
        if known and left:
            pen.rect((170, y + 7, 150 * left, 15), "url(#stripes)", "miss_edge", radius=3)
        words = minus(found[name].saved) if known else "?"
        pen.text(WIDTH - 8, y + 20, words, size=SIZE, bold=True, anchor="end")
    return TOTALS + ROW * len(RULERS) + 4


def draw_answered(pen: Pen, one: FirstToken, shown: Shown) -> float:
    """A bet that is answered: where the milliseconds of the prompt went; returns the height."""
    full, cached = one.full_ms - one.rest_ms, one.hit_ms - one.rest_ms
    ruler = Ruler({"rest": one.rest_ms, "computed": full}, {"rest": one.rest_ms, "computed": cached})
    draw_bars(pen, say("course.ch06.bet.picture", total=f"{one.total:,}", hit=f"{one.hit:,}"), ruler, shown)
    pen.text(WIDTH, SECOND + BAR + 38, minus(ruler.saved), size=34, bold=True, anchor="end")
    return SECOND + BAR + 50
