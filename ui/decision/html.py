"""The parts of a sheet as HTML, the same on the screen and on paper; only their colours differ. Pure.

Every text passes through ``escape``.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ui.decision.asked import Asked, short_money
from ui.decision.said import Number, behind, numbers
from ui.decision.tables import (
    KIND_COLUMNS,
    LEFT_OUT_ON_PHONES,
    SIZE_COLUMNS,
    grid_rows,
    kind_rows,
    size_rows,
)
from ui.words.palette import PALETTE

LEFT_OUT_GPUS = (4, 5)
"""Columns of the grid for which a phone has no room."""
_COLOURS = (
    *("bg", "ink", "muted", "hair", "hit", "hit_label", "hit_edge", "hit_soft"),
    *("cached", "cached_label", "miss_soft", "miss_edge"),
)

STYLE = """
.ds{color:var(--ds-ink);font-variant-numeric:tabular-nums;line-height:1.35}
.ds h3{font-size:15px;line-height:1.3;font-weight:650;margin:0 0 6px;padding:0;color:var(--ds-ink)}
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
.ds dt,.ds .chip,.ds .note,.ds ul,.ds h3,.ds th,.ds td,.ds .rows tbody th,.ds .grid th,
.ds .grid td{font-size:16px}
.ds .chip,.ds .note{font-size:14px}
.ds .wide{display:none}
.ds .grid td.c{padding:6px 0}
.ds .rows th,.ds .rows td{white-space:normal}
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
    return f"<div><dt>{escape(one.words)} {chip}</dt><dd>{escape(one.value)}</dd></div>"


def grid_html(asked: Asked) -> str:
    """GPUs against memory; under it what so many cost a month."""
    sign = asked.machine.prices.currency
    gpus = asked.sheet.spec.gpus
    head = "".join(f'<th scope="col"{_wide(one)}>{asked.cards(one)}</th>' for one in gpus)
    body = ""
    for gib, cells in grid_rows(asked):
        on = ' class="on"' if gib is not None and gib == asked.size else ""
        drawn = "".join(
            f'<td class="c {cell.state}{" wide" if one in LEFT_OUT_GPUS else ""}" '
            f'title="{escape(cell.words)}">{escape(cell.text)}</td>'
            for one, cell in zip(gpus, cells, strict=True)
        )
        body += f'<tr{on}><th scope="row">{escape(asked.gib(gib))}</th>{drawn}</tr>'
    costs = "".join(f"<td{_wide(one)}>{escape(short_money(asked.money(one), sign))}</td>" for one in gpus)
    title = escape(asked.grid_title)
    return (
        f'<div class="ds"><h3>{title}</h3><table class="grid"><caption class="ds-vh">{title}</caption>'
        f'<thead><tr><th scope="col">{escape(asked.say("gpus"))}</th>{head}</tr></thead><tbody>{body}</tbody>'
        f'<tfoot><tr><th scope="row">{escape(asked.say("month"))}</th>{costs}</tr></tfoot></table>'
        f'<p class="note">{escape(asked.say("grid.about"))}</p></div>'
    )


def _wide(gpus: int) -> str:
    return ' class="wide"' if gpus in LEFT_OUT_GPUS else ""


def sizes_html(asked: Asked) -> str:
    """The table by size."""
    rows = [(cells, gib is not None and gib == asked.size) for gib, cells in size_rows(asked)]
    title = asked.say("table.title", n=asked.cards(asked.sheet.spec.curve_gpus))
    return _table(asked, title, SIZE_COLUMNS, rows)


def kinds_html(asked: Asked) -> str:
    """The table by kind of traffic; nothing before there is any."""
    rows = [(cells, False) for cells in kind_rows(asked)]
    title = asked.say("kinds.title", size=asked.gib(asked.size), n=asked.cards(asked.gpus))
    return _table(asked, title, KIND_COLUMNS, rows) if rows else ""


def _table(
    asked: Asked, title: str, columns: Sequence[str], rows: Sequence[tuple[Sequence[str], bool]]
) -> str:
    wide = [' class="wide"' if name in LEFT_OUT_ON_PHONES else "" for name in columns]
    heads = "".join(
        f'<th scope="col"{mark}>{escape(asked.say(f"table.{name}", level=asked.level))}</th>'
        for name, mark in zip(columns, wide, strict=True)
    )
    body = ""
    for (first, *cells), on in rows:
        drawn = "".join(f"<td{mark}>{escape(cell)}</td>" for cell, mark in zip(cells, wide[1:], strict=True))
        body += f'<tr{" class=on" if on else ""}><th scope="row">{escape(first)}</th>{drawn}</tr>'
    return (
        f'<div class="ds"><h3>{escape(title)}</h3><table class="rows"><caption class="ds-vh">{escape(title)}'
        f"</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def behind_html(asked: Asked) -> str:
    """What the numbers rest on, as a list."""
    items = "".join(f"<li>{escape(line)}</li>" for line in behind(asked))
    return f'<div class="ds"><h3>{escape(asked.say("behind.title"))}</h3><ul>{items}</ul></div>'
