"""What engines report of themselves, as a part of the report: the page's words and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ui.report.svg import line_chart
from ui.report.words import Json, Words
from ui.traffic.counter_words import axis, colours, curves, remarks, restart_marks, table, told

MOST_MARKS = 6
_STROKES = ("———", "– – –", "·····", "–··–··")
"""As line_chart draws the first, second … curve."""


def counters_part(words: Words, log: Json) -> str:
    """Nothing where no engine says anything."""
    counters = log.get("counters")
    if counters is None:
        return ""
    parts = [f"<h2>{words.say('traffic.counters')} · {words.say('basis.reported.engine')}</h2>"]
    parts += [f"<p>{words.say(key, **values)}</p>" for key, values in told(counters)]
    titles, rows = table(counters, words.lang)
    cells = [[escape(cell) for cell in row] for row in rows]
    parts.append(words.table([escape(title) for title in titles], cells))
    charted = [one for one in (counters, *counters["engines"]) if curves(counters, one, words.lang)]
    if charted:
        name = words.text("traffic.counters.column.restart")
        shown = restart_marks(counters, charted[0])[:MOST_MARKS]
        marks = {f"{name} {number}": x for number, x in enumerate(shown, 1)}
        found = curves(counters, charted[0], words.lang)
        parts.append(line_chart(found, axis(counters, words.lang), marks=marks, colours=colours(words.lang)))
        parts.append(f"<p class=note>{escape(' · '.join(_legend(found)))}</p>")
    items = "".join(f"<li>{words.say(key, **values)}</li>" for key, values in remarks(counters))
    parts.append(f"<ul>{items}</ul>" if items else "")
    parts.append(f"<p class=note>{words.say('traffic.counters.how.words')}</p>")
    return "".join(parts)


def _legend(curves: Iterable[str]) -> list[str]:
    return [f"{stroke} {name}" for stroke, name in zip(_STROKES, curves, strict=False)]
