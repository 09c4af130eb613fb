"""The parts of a sheet as HTML, the same on the screen and on paper; only their colours differ. Pure.

Every text passes through ``escape``.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from core.decision import Point
from ui.decision.asked import Asked, short_money
from ui.decision.said import Number, behind, numbers
from ui.decision.tables import (
    KIND_COLUMNS,
    SIZE_COLUMNS,
    grid_rows,
    kind_rows,
    size_rows,
)
from ui.words.palette import PALETTE

_COLOURS = (
    *("bg", "ink", "muted", "hair", "hit", "hit_label", "hit_edge", "hit_soft"),
    *("cached", "cached_label", "miss_soft", "miss_edge"),
)

STYLE = """
.ds{color:var(--ds-ink);font-variant-numeric:tabular-nums;line-height:1.35}
.ds h2{font-size:15px;line-height:1.3;font-weight:650;margin:0 0 6px;padding:0;color:var(--ds-ink)}
.ds-card{border:1px solid var(--ds-hair);border-radius:12px;padding:10px 14px}
.ds-vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.ds dl{display:grid;grid-template-columns:repeat(4,1fr);margin:0;padding:0;border:1px solid var(--ds-hair);
border-radius:12px}
.ds dl>div{padding:8px 14px;border-left:1px solid var(--ds-hair);display:flex;flex-direction:column-reverse;
justify-content:flex-end}
.ds dl>div:first-child{border-left:0}
.ds dd{margin:0;font-size:26px;line-height:1.2;font-weight:700}
.ds dt{font-size:13px;color:var(--ds-muted);font-weight:400}
.ds .chip{display:inline-block;font-size:12px;line-height:1.2;padding:2px 7px;border-radius:99px;
white-space:nowrap;border:1px solid var(--ds-hair);color:var(--ds-muted)}
.ds table{width:100%;border-collapse:collapse;margin:0;font-size:14px;border:0}
.ds th,.ds td{border:0;padding:4px 6px;text-align:right;white-space:nowrap;color:var(--ds-ink)}
.ds th{font-weight:600;font-size:13px;color:var(--ds-muted)}
.ds tr>:first-child{text-align:left}
.ds .rows tbody tr>*{border-top:1px solid var(--ds-hair)}
.ds .rows tbody th{color:var(--ds-ink);font-weight:400;font-size:14px}
.ds .rows tr.on>*{background:var(--ds-hit_soft);font-weight:650}
.ds .grid{table-layout:fixed;border-collapse:separate;border-spacing:4px 3px}
.ds .grid th,.ds .grid td{padding:2px 0;font-size:13px;text-align:center;font-weight:400}
.ds .grid tr>:first-child{text-align:left;width:64px}
.ds .grid tr.on th{font-weight:700;color:var(--ds-ink)}
.ds .grid td.c{border:1px solid var(--ds-hair);border-radius:7px;color:var(--ds-muted)}
.ds .grid td.first{background:var(--ds-hit);border:2px solid var(--ds-hit_edge);color:var(--ds-hit_label);
font-weight:700}
.ds .grid td.holds{background:var(--ds-cached);border:2px solid var(--ds-hit_edge);
color:var(--ds-cached_label)}
.ds .grid td.some{border:2px dashed var(--ds-miss_edge);color:var(--ds-miss_edge)}
.ds .grid td.fails{font-size:12px}
.ds .grid td.open{border-style:dotted}
.ds .open,.ds .rows tr.open>*{color:var(--ds-muted);font-weight:400}
.ds .swipe{display:none}
.ds .note{font-size:12px;color:var(--ds-muted);margin:4px 0 0}
.ds ul{margin:0;padding-left:18px;font-size:14px;color:var(--ds-muted)}
.ds li{margin:0 0 4px;font-size:inherit}
"""

ON_PHONES = """
@media (max-width:720px){
.ds dl{grid-template-columns:1fr 1fr}
.ds dl>div:nth-child(3){border-left:0}
.ds dl>div:nth-child(n+3){border-top:1px solid var(--ds-hair)}
.ds dd{font-size:22px}
.ds dt,.ds .chip,.ds .note,.ds ul,.ds h2,.ds th,.ds td,.ds .rows tbody th,.ds .grid th,
.ds .grid td{font-size:16px}
.ds .chip,.ds .note{font-size:14px}
.ds .scroll{overflow-x:auto}
.ds .swipe{display:block}
.ds .grid{min-width:520px}
.ds .rows{min-width:max-content}
.ds .scroll tr>:first-child{position:sticky;left:0;background:var(--ds-bg)}
.ds .grid td.c{padding:6px 0}
}
"""


def colours(*, both: bool) -> str:
    """The names that the style uses; ``both``: light and dark, whichever the page is in."""
    light, dark = PALETTE["light"], PALETTE["dark"]
    values = {name: f"light-dark({light[name]},{dark[name]})" if both else light[name] for name in _COLOURS}
    return ".ds,.ds-card{" + ";".join(f"--ds-{name}:{value}" for name, value in values.items()) + "}"


def numbers_html(asked: Asked) -> str:
    """The four numbers, each with its basis."""
    return f'<div class="ds"><dl>{"".join(_number(asked, one) for one in numbers(asked))}</dl></div>'


def _number(asked: Asked, one: Number) -> str:
    chip = f'<span class="chip">{escape(asked.say(f"basis.{one.basis}"))}</span>'
    state = ' class="open"' if one.open else ""
    return f"<div><dt>{escape(one.words)} {chip}</dt><dd{state}>{escape(one.value)}</dd></div>"


def grid_html(asked: Asked) -> str:
    """GPUs against memory; under it what so many cost a month."""
    sign = asked.machine.prices.currency
    gpus = asked.sheet.spec.gpus
    head = "".join(f'<th scope="col">{asked.cards(one)}</th>' for one in gpus)
    body = ""
    for gib, cells in grid_rows(asked):
        on = ' class="on"' if asked.decided and gib is not None and gib == asked.size else ""
        drawn = "".join(
            f'<td class="c {cell.state}" title="{escape(cell.words)}">{escape(cell.text)}</td>'
            for cell in cells
        )
        body += f'<tr{on}><th scope="row">{escape(asked.gib(gib))}</th>{drawn}</tr>'
    costs = "".join(f"<td>{escape(short_money(asked.money(one), sign))}</td>" for one in gpus)
    table = (
        f'<table class="grid"><caption class="ds-vh">{escape(asked.grid_title)}</caption>'
        f'<thead><tr><th scope="col">{escape(asked.say("gpus"))}</th>{head}</tr></thead><tbody>{body}</tbody>'
        f'<tfoot><tr><th scope="row">{escape(asked.say("month"))}</th>{costs}</tr></tfoot></table>'
    )
    about = asked.say("grid.about" if asked.decided else "grid.open")
    if asked.decided and not asked.done:
        about = asked.join(about, asked.say("grid.rest"))
    if any(cell.too_small is not None for cell in asked.sheet.cells):
        about = asked.join(about, asked.say("grid.small"))
    return _scrolling(asked, asked.grid_title, table, f'<p class="note">{escape(about)}</p>')


def sizes_html(asked: Asked) -> str:
    """The table by size."""
    rows = [(cells, _row_state(asked, point)) for point, cells in size_rows(asked)]
    title = asked.say("table.title", n=asked.cards(asked.gpus))
    return _table(asked, title, SIZE_COLUMNS, rows, asked.seeds_so_far)


def _row_state(asked: Asked, point: Point) -> str:
    if point.too_small is None and len(point.outcomes) < asked.num_seeds:
        return "open"
    return "on" if asked.decided and point.gib is not None and point.gib == asked.size else ""


def kinds_html(asked: Asked) -> str:
    """The table by kind of traffic; nothing before it is known for which size."""
    cell = asked.cell
    rows = [(cells, "") for cells in kind_rows(asked)] if asked.decided else []
    title = asked.say("kinds.title", size=asked.gib(asked.size), n=asked.cards(asked.gpus))
    so_far = "" if cell is None or cell.settled else asked.seeds_words(len(cell.outcomes))
    return _table(asked, title, KIND_COLUMNS, rows, so_far) if rows else ""


def _table(
    asked: Asked,
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Sequence[str], str]],
    so_far: str = "",
) -> str:
    heads = "".join(
        f'<th scope="col">{escape(asked.say(f"table.{name}", level=asked.level))}</th>' for name in columns
    )
    body = ""
    for (first, *cells), state in rows:
        drawn = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        body += f'<tr{f" class={state}" if state else ""}><th scope="row">{escape(first)}</th>{drawn}</tr>'
    table = (
        f'<table class="rows"><caption class="ds-vh">{escape(title)}</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
    return _scrolling(asked, title, table, "", so_far)


def _scrolling(asked: Asked, title: str, table: str, note: str, so_far: str = "") -> str:
    """A table that scrolls in its own box where the screen is narrow, and says so there."""
    return (
        f'<div class="ds">{titled(title, so_far)}<p class="note swipe">{escape(asked.say("swipe"))}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(title)}">{table}</div>'
        f"{note}</div>"
    )


def titled(title: str, so_far: str = "") -> str:
    """A heading, and beside it on how many seeds the part rests while some are to come."""
    chip = f' <span class="chip">{escape(so_far)}</span>' if so_far else ""
    return f"<h2>{escape(title)}{chip}</h2>"


def behind_html(asked: Asked) -> str:
    """What the numbers rest on, as a list."""
    items = "".join(f"<li>{escape(line)}</li>" for line in behind(asked))
    return f'<div class="ds"><h2>{escape(asked.say("behind.title"))}</h2><ul>{items}</ul></div>'
