"""A sheet on one page of A4: the same parts in the same order, light, without anything to press. Pure."""

from __future__ import annotations

from html import escape
from string import Template

from ui.decision.asked import Asked
from ui.decision.curves import Curve, curve_svg, hit_curve, wait_curve
from ui.decision.html import (
    STYLE,
    behind_html,
    colours,
    grid_html,
    kinds_html,
    numbers_html,
    sizes_html,
    titled,
)
from ui.decision.said import about, hit_words, verdict, wait_words
from ui.frame.static_files import ROOT

_TEMPLATE = ROOT / "assets" / "page" / "decision.html"


def paper_html(asked: Asked, link: str, date: str) -> str:
    """The page, ready to print. ``link`` gives the sheet again; ``date`` is what the page around knows."""
    n = asked.cards(asked.gpus)
    both = (
        (asked.say("hit.title", n=n), hit_curve(asked), hit_words(asked)),
        (asked.say("wait.title", n=n), wait_curve(asked), wait_words(asked)),
    )
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        lang="zh-CN" if asked.lang == "zh" else "en",
        title=escape(asked.say("title")),
        style=colours(both=False) + STYLE,
        print=escape(asked.say_of("sheet", "print")),
        about=escape(f"{asked.say('title')} · {about(asked)}"),
        verdict=escape(verdict(asked)),
        unfinished=_unfinished(asked),
        numbers=numbers_html(asked),
        curves="".join(_curve(asked, *one) for one in both),
        grid=grid_html(asked),
        sizes=sizes_html(asked),
        kinds=kinds_html(asked),
        behind=behind_html(asked),
        again=escape(asked.say("again", link=link)),
        printed=escape(asked.say("printed", date=date)),
    )


def _unfinished(asked: Asked) -> str:
    if asked.done:
        return ""
    told = asked.say("unfinished", done=asked.sheet.num_done, all=asked.sheet.num_runs)
    return f'<p class="warn">{escape(told)}</p>'


def _curve(asked: Asked, title: str, curve: Curve | None, words: str) -> str:
    drawn = escape(words) if curve is None else curve_svg(asked, curve, words)
    return f'<div class="ds ds-card">{titled(title, asked.seeds_so_far)}{drawn}</div>'
