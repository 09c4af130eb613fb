"""Texts of several requests under each other, as HTML: equal and changing in turn; behind the first change
what is equal is out of reach.

What people wrote is escaped; white space and hidden characters have signs of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from core.traffic.diagnosis.shown import Aligned
from ui.words.palette import themed
from ui.words.visible import Piece, visible_in, visible_pieces

Say = Callable[..., str]


STYLE = f"""<style>
.broth-al{{font:15px/1.2 "Source Code Pro",monospace;overflow-x:auto;white-space:pre;padding:2px 0 4px}}
.broth-al .r{{display:flex;align-items:center;margin:4px 0}}
.broth-al .id{{flex:0 0 5.5em;overflow:hidden;text-overflow:ellipsis;font-size:13px;color:{themed("muted")}}}
.broth-al .a,.broth-al .v,.broth-al .z{{padding:6px 0 4px;flex:none}} .broth-al .z.end{{flex:1 0 auto}}
.broth-al .a{{background:{themed("cached")};border-bottom:3px solid {themed("hit")}}}
.broth-al .v{{background:{themed("miss_soft")};border-bottom:3px dashed {themed("miss_edge")};min-width:4px}}
.broth-al .v mark{{background:{themed("miss")};color:{themed("miss_label")};font-weight:700}}
.broth-al .z{{color:{themed("muted")};border-bottom:3px dotted {themed("line")};background:
repeating-linear-gradient(135deg,transparent 0 7px,{themed("hair")} 7px 8px)}}
.broth-al .ws{{color:{themed("muted")}}} .broth-al mark .ws{{color:inherit}}
.broth-caps{{display:flex;gap:1.2em;flex-wrap:wrap;font-size:13px;color:{themed("muted")}}}
.broth-caps i{{display:inline-block;width:1.6em;margin-right:.4em;vertical-align:.2em}}
.broth-caps .a{{border-bottom:3px solid {themed("hit")}}}
.broth-caps .v{{border-bottom:3px dashed {themed("miss_edge")}}}
.broth-caps .z{{border-bottom:3px dotted {themed("line")}}}
.broth-al .head{{display:none}}
@media (max-width:720px){{
.broth-al .z,.broth-al .a{{display:none}}.broth-al .v{{margin-right:8px}}.broth-al .id{{flex-basis:4.5em}}
.broth-al .head{{display:block;margin-bottom:6px;line-height:2}}
.broth-al .head .a{{display:inline;white-space:pre-wrap}}}}
</style>"""


def aligned_html(rows: Sequence[tuple[str, Aligned]], captions: Sequence[str], say: Say) -> str:
    """Each row with the name of its request. ``captions``: equal, changing, lost. ``say``: names of signs."""
    lines = []
    for number, (name, one) in enumerate(rows):
        other = rows[number - 1 if number else min(1, len(rows) - 1)][1]
        inner = "".join(_part(one, other, place, say) for place in range(len(one.parts)))
        title = escape(name)
        lines.append(f'<div class="r"><span class="id" title="{title}">{title}</span>{inner}</div>')
    legend = "".join(
        f'<span><i class="{kind}"></i>{escape(words)}</span>'
        for kind, words in zip("avz", captions, strict=True)
    )
    head = f'<div class="head" aria-hidden="true"><span class="a">{_head(rows, say)}</span></div>'
    return f'{STYLE}<div class="broth-al">{head}{"".join(lines)}</div><div class="broth-caps">{legend}</div>'


def _part(one: Aligned, other: Aligned, place: int, say: Say) -> str:
    """What is equal, or what changes and in it what differs from another row."""
    text = one.parts[place]
    if place % 2 == 0:
        last = " end" if place == len(one.parts) - 1 else ""
        return f'<span class="{"z" if place else "a"}{last}">{_drawn(visible_pieces(text), say)}</span>'
    beside = other.parts[place] if place < len(other.parts) else ""
    return f'<span class="v">{_drawn(visible_in("", text, "", beside), say)}</span>'


def _head(rows: Sequence[tuple[str, Aligned]], say: Say) -> str:
    """What stands in front in every row: a phone has room for it once, above the column that changes."""
    texts = [one.parts[0] for _, one in rows]
    common = texts[0] if len(set(texts)) == 1 else ""
    return _drawn(visible_pieces(common), say)


def _drawn(pieces: Sequence[Piece], say: Say) -> str:
    return "".join(_piece(piece, say) for piece in pieces)


def _piece(piece: Piece, say: Say) -> str:
    shown, kind, differs = piece
    text = escape(shown)
    if kind != "text":
        name = escape(say(f"seen.{kind}", shown=shown, code=f"U+{ord(shown[0]):04X}"))
        text = f'<span class="ws" role="img" aria-label="{name}">{text}</span>'
    return f"<mark>{text}</mark>" if differs else text
