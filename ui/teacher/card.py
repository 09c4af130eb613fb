"""A class on one card, as HTML: the belief that fell, six ideas before and after, what still stands.

Ink only: hollow is before, solid is after. Large, for the whole class, the smallest text is 28 px high on a
screen of 1920 × 1080.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ui.frame.static_files import ROOT
from ui.study.class_count import Belief, ClassCount, Row
from ui.study.ideas import TIMES
from ui.words.i18n import Lang, t
from ui.words.palette import PALETTE

ROWS_OF_MARKS = 3
LEAST_COLUMNS = 12
_STYLE = ROOT / "assets" / "page" / "class-card.css"


def card_html(
    counted: ClassCount, spoken: Sequence[Lang], *, made_up: bool = False, large: bool = False
) -> str:
    """The card; the leading language, for it is read from the last row."""
    lang = spoken[0]
    parts = [_head(counted, lang, made_up), _fell(counted, lang), _rows(counted, lang), _low(counted, lang)]
    kind, spoken_in = "class-card large" if large else "class-card", "zh-CN" if lang == "zh" else "en"
    return f'<section class="{kind}" lang="{spoken_in}">{"".join(parts)}</section>'


def _say(key: str, lang: Lang, **args: object) -> str:
    return escape(t(f"results.{key}", lang, **args))


def _head(counted: ClassCount, lang: Lang, made_up: bool) -> str:
    title = "head" if len(counted.times) == 2 else f"head.{counted.times[0]}"
    aside = f"<span>{_say('aside', lang, n=counted.num_aside)}</span>" if counted.num_aside else ""
    example = f"<em>{_say('made_up', lang)}</em>" if made_up else ""
    sheets = _say("sheets", lang, n=counted.num)
    return f"<header><b>{_say(title, lang)}</b><span>{sheets}</span>{aside}{example}</header>"


# -- the belief that fell -----------------------------------------------------------------------------


def _fell(counted: ClassCount, lang: Lang) -> str:
    """The largest drop of one wrong option; at one time alone, the option that most chose."""
    told = counted.fell if len(counted.times) == 2 else counted.still
    kind = _kind(counted)
    if told is None:
        nothing = "fell.none" if len(counted.times) == 2 else "still.none"
        return f'<div class="fell"><div><h3>{_say(nothing, lang)}</h3></div></div>'
    truth = escape(t(f"six.{told.name}.so", lang)) if "after" in counted.times else ""  # still open before
    people = "".join(_people(told.held[time], counted.num, time, lang) for time in counted.times)
    return (
        f'<div class="fell"><div><small>{_say(kind, lang)}</small><h3>{belief_text(told, lang)}</h3>'
        f"<p>{truth}</p></div><div>{people}</div></div>"
    )


def _kind(counted: ClassCount) -> str:
    """A belief fell where more are right than before; else those who left it went on to another error."""
    if len(counted.times) == 1 or counted.fell is None:
        return "still.alone"
    name = counted.fell.name
    return "fell" if any(row.name == name and row.gain > 0 for row in counted.rows) else "fell.moved"


def belief_text(belief: Belief, lang: Lang) -> str:
    """The belief in quotes."""
    return f"“{escape(t(f'six.{belief.name}.belief.{belief.letter}', lang))}”"


def _people(on: int, num: int, time: str, lang: Lang) -> str:
    """A mark for each sheet; solid: holds it."""
    columns = max(LEAST_COLUMNS, -(-num // ROWS_OF_MARKS))
    marks = '<i class="on"></i>' * on + "<i></i>" * (num - on)
    style = f"grid-template-columns:repeat({columns},minmax(0,calc(44*var(--u))))"
    label = _say("marks", lang, on=on, n=num)
    return (
        f'<div class="people"><span>{_say(time, lang)}</span>'
        f'<span class="marks" style="{style}" role="img" aria-label="{label}">{marks}</span><b>{on}</b></div>'
    )


# -- six ideas ----------------------------------------------------------------------------------------


def _rows(counted: ClassCount, lang: Lang) -> str:
    keys = "".join(f'<span><i class="{time}"></i>{_say(time, lang)}</span>' for time in counted.times)
    head = (
        f"<span>{_say('right', lang)}</span><span>{keys}</span><span>{_say('of', lang, n=counted.num)}</span>"
    )
    rows = "".join(_row(row, counted, lang) for row in counted.rows)
    return f'<div class="six"><div class="row hd">{head}</div>{rows}</div>'


def _row(row: Row, counted: ClassCount, lang: Lang) -> str:
    bars = "".join(
        f'<i class="{time}" style="width:{100 * row.right[time] / counted.num:.2f}%"></i>'
        for time in counted.times
        if row.right[time]  # nobody is no bar, not a thin one
    )
    name = escape(t(f"six.{row.name}.name", lang))
    return (
        f'<div class="row"><span>{name}</span><span class="pair">{bars}</span>'
        f"<span>{_numbers([row.right[time] for time in counted.times])}</span></div>"
    )


def _numbers(numbers: Sequence[int]) -> str:
    """The last one is what counts."""
    *before, last = numbers
    return "".join(f"{one} → " for one in before) + f"<b>{last}</b>"


# -- below --------------------------------------------------------------------------------------------


def _low(counted: ClassCount, lang: Lang) -> str:
    sure = _numbers([counted.sure_wrong[time] for time in counted.times])
    cells = [_still(counted, lang)] if len(counted.times) == 2 else []
    cells.append(f"<small>{_say('sure', lang)}</small><p>{sure} {_say('answers', lang)}</p>")
    if counted.new:
        new = "".join(
            f"<p>{escape(t(f'six.{name}.name', lang))} <b>{number}</b></p>"
            for name, number in counted.new.items()
        )
        cells.append(f"<small>{_say('new', lang)}</small>{new}")
    return f'<div class="low">{"".join(f"<div>{cell}</div>" for cell in cells)}</div>'


def _still(counted: ClassCount, lang: Lang) -> str:
    if counted.still is None:
        return f"<small>{_say('still', lang)}</small><p>{_say('still.none', lang)}</p>"
    held = _numbers([counted.still.held[time] for time in TIMES])
    return (
        f"<small>{_say('still', lang)}</small><p>{belief_text(counted.still, lang)} <span>{held}</span></p>"
    )


def card_css() -> str:
    """The card's colours and rules."""
    names = ("bg", "ink", "muted", "line", "hair")
    light, dark = PALETTE["light"], PALETTE["dark"]
    colours = ";".join(f"--c-{name}:light-dark({light[name]},{dark[name]})" for name in names)
    return f"<style>.class-card{{{colours}}}{_STYLE.read_text('utf-8')}</style>"
