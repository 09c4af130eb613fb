"""render_svg: the zones of the stage, drawn from one frame. Same places and states as in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.timeline.frame import Frame, PromptShares, SlotFrame, prompt_shares
from ui.svg.marks import SHAPES, Pen, fit
from ui.words.i18n import Lang, fill, t, table
from ui.words.palette import Theme
from ui.words.visible import visible_text

WIDTH, HEIGHT = 1280, 648
Box = tuple[float, float, float, float]
ZONES: dict[str, Box] = {
    "A": (8, 44, 1264, 158),
    "B": (8, 208, 216, 236),
    "C": (230, 208, 560, 236),
    "D": (796, 208, 214, 236),
    "E": (1016, 208, 256, 236),
    "F": (8, 450, 1264, 78),
}
NARRATION: Box = (8, 534, 1264, 104)
GRIDS = ((10, 5, 2, 100, 84), (24, 8, 3, 62, 66), (64, 16, 4, 31, 46))  # most slots; columns, rows, w, h
MAX_BLOCKS = 8
BLANK = "____"

# state: fill, edge, edge width, dash, glyph, colour of letters
STATES: dict[str, tuple[str, str, float, str, str | None, str]] = {
    "empty": ("none", "line", 2, "2 3", None, "ink"),
    "cached": ("cached", "hit_edge", 2, "6 4", "ring", "cached_label"),
    "dirty": ("none", "line", 2, "2 3", "void", "ink"),
    "reserved": ("url(#dots)", "miss_edge", 3, "5 4", "dots", "ink"),
    "reused": ("hit", "hit_edge", 3, "", "check", "hit_label"),
    "computed": ("url(#stripes)", "miss_edge", 3, "", "plus", "miss_label"),
    "others": ("url(#hairlines)", "others_edge", 3, "", None, "others_label"),
    "evicted": ("bg", "evict_edge", 3, "", "times", "evict_edge"),
}

_LEGEND = ("reused", "computed", "reserved", "others", "cached", "dirty")
_GLYPHS = {"hit": "check", "new": "plus", "reserved": "dots", "miss": "times"}
_BARS = {"new": "url(#stripes)", "reserved": "url(#dots)"}
_PADS = {"computed": "miss", "reserved": "bg"}
_WORDS = {"hit": "reused", "new": "computed", "reserved": "reserved"}


@dataclass
class Picture:
    """What is drawn: a frame, the step that led to it, whose view it is, whether gaps are left to fill in."""

    frame: Frame
    step: Mapping[str, Any] | None
    pieces: Mapping[str, Sequence[str]]
    block_size: int
    lang: Lang
    blanks: bool
    pen: Pen
    rid: str | None = field(init=False)

    def __post_init__(self) -> None:
        told = self.step.get("rid") if self.step else None
        names = list(self.frame["reqs"])
        self.rid = told if told in self.frame["reqs"] else (names[-1] if names else None)

    def say(self, key: str, **args: object) -> str:
        """A text of the stage."""
        return t(f"stage.{key}", self.lang, **args)

    def hidden(self, word: str) -> str:
        """The word, or a gap of the handout."""
        return BLANK if self.blanks and word else word


def render_svg(
    frame: Frame,
    *,
    block_size: int,
    lang: Lang,
    theme: Theme = "light",
    step: Mapping[str, Any] | None = None,
    pieces: Mapping[str, Sequence[str]] | None = None,
    title: str = "",
    blanks: bool = False,
) -> str:
    """One frame as SVG text, 1280 x 648 units. Same input, same text.

    ``step``: the stage step that led to the frame (spotlight and caption). ``pieces``: texts of the tokens
    by request. ``blanks``: leave tags, ref counts and the queue's order open, for a handout.
    """
    pen = Pen(theme)
    caption = draw_frame(Picture(frame, step, pieces or {}, block_size, lang, blanks, pen), title)
    return pen.document(WIDTH, HEIGHT, f"{title}: {caption}" if caption else title)


def draw_frame(picture: Picture, title: str) -> str:
    """All zones of a frame, with the picture's pen; what its caption says."""
    pen = picture.pen
    pen.text(12, 28, title, size=17, bold=True)
    for name, box in ZONES.items():
        pen.rect(box, "surface", radius=6)
        pen.text(box[0] + 10, box[1] + 20, picture.say(f"zone.{name}"), size=14, bold=True)
    _lane(picture)
    _hash_table(picture)
    _pool(picture)
    _block_table(picture)
    _ledger(picture)
    _queue(picture)
    _legend(picture)
    return _narration(picture)


# -- what a state means -------------------------------------------------------------------------------


def slot_state(picture: Picture, name: str) -> str:
    """State of a slot from the point of view of the focused request."""
    slot, step = picture.frame["slots"][name], picture.step
    if step and step["op"] in ("evict", "ttl") and step.get("slot") == int(name):
        return "evicted"
    if slot["ref"] == 0:
        return "cached" if slot["hash"] else "dirty" if slot["fill"] else "empty"
    rows = picture.frame["reqs"][picture.rid]["btable"] if picture.rid else []
    how = next((row[1] for row in rows if row[0] == int(name)), None)
    if how == "new" and not slot["fill"]:
        return "reserved"  # taken, and nothing computed yet
    return {"hit": "reused", "new": "computed", None: "others"}[how]


def block_state(picture: Picture, block: int) -> str:
    """State of a block of the focused request: hit, reserved, new, miss, or plain."""
    assert picture.rid is not None
    request = picture.frame["reqs"][picture.rid]
    rows = request["btable"]
    if block >= len(rows):
        return request["look"].get(str(block), "plain")
    slot, how = rows[block]
    return "reserved" if how == "new" and not picture.frame["slots"][str(slot)]["fill"] else str(how)


def num_reserved(picture: Picture, name: str) -> int:
    """Tokens of a slot that its holders have planned and nobody has computed yet."""
    reqs, slot, size = picture.frame["reqs"], picture.frame["slots"][name], picture.block_size
    planned = [
        min(reqs[rid]["computed"] - index * size, size)
        for rid in slot["owners"]
        for index, row in enumerate(reqs[rid]["btable"])
        if row[0] == int(name)
    ]
    return max([*planned, slot["fill"]]) - slot["fill"]


def shape_of(rid: str) -> str | None:
    """The shape that stands for a request: R0 to R5 have one."""
    number = rid[1:]
    return SHAPES[int(number)] if rid[:1] == "R" and number.isdigit() and int(number) < len(SHAPES) else None


def _who(picture: Picture, rid: str, x: float, y: float, colour: str = "ink", size: float = 13) -> None:
    shape = shape_of(rid)
    if shape:
        picture.pen.glyph(shape, x, y - 10, 11, colour)
    picture.pen.text(x + (15 if shape else 0), y, rid, bold=True, size=size, colour=colour)


# -- zones ----------------------------------------------------------------------------------------------


def _lane(picture: Picture) -> None:
    x, y, w, _ = ZONES["A"]
    if picture.rid is None:
        picture.pen.text(x + w / 2, y + 85, picture.say("lane.empty"), colour="muted", anchor="middle")
        return
    request = picture.frame["reqs"][picture.rid]
    _who(picture, picture.rid, x + 100, y + 20)
    plan = picture.say("lane.plan", hit=request["hit"], rest=request["num_tokens"] - request["hit"])
    picture.pen.text(x + 150, y + 20, plan, colour="muted")
    count = -(-request["num_tokens"] // picture.block_size)
    shown = range(min(count, MAX_BLOCKS))
    width = min(148.0, (w - 34) / max(len(shown), 1) - 22)
    for block in shown:
        _block(picture, block, (x + 12 + block * (width + 22), y + 30, width, 84))
    if count > MAX_BLOCKS:
        picture.pen.text(x + w - 12, y + 20, f"… ×{count - MAX_BLOCKS}", bold=True, anchor="end")


def _block(picture: Picture, block: int, box: Box) -> None:
    assert picture.rid is not None
    pen, request, size = picture.pen, picture.frame["reqs"][picture.rid], picture.block_size
    full = (block + 1) * size <= request["num_tokens"]
    how = block_state(picture, block)
    edge = {"hit": "hit_edge", "plain": "line"}.get(how, "miss_edge")
    pen.rect(box, "bg", edge, width=2, dash="" if full else "6 4")
    x, y, w, h = box
    if how == "hit":
        pen.rect((x, y, w, 9), "hit", radius=3)
    elif how in _BARS:
        pen.rect((x, y, w, 9), _BARS[how], radius=3)
    start = block * size
    words = list(picture.pieces.get(picture.rid, []))[start : min(start + size, request["num_tokens"])]
    for place, word in enumerate(words[:8]):
        column, row = place % 2, place // 2
        left = x + 8 + column * (w - 12) / 2
        pen.text(left, y + 28 + row * 17, fit(visible_text(word), (w - 16) / 2, 12), size=12)
    digest = request["hashes"][block] if block < len(request["hashes"]) else ""
    tag, stored = digest[:4], digest in picture.frame["table"]
    label = picture.hidden(tag) or (picture.say("lane.notfull") if not full else "····")
    # a tag that is known stands there in thin letters, one that is registered in bold ones
    colour = "ink" if stored or not tag else "muted"
    pen.text(
        x + w / 2, y + h + 22, label, size=13, bold=stored, mono=bool(tag), colour=colour, anchor="middle"
    )
    glyph = _GLYPHS.get(how)
    if glyph and full:
        pen.glyph(glyph, x + w / 2 + 26, y + h + 11, 13, edge)


def _hash_table(picture: Picture) -> None:
    x, y, _, _ = ZONES["B"]
    rows = list(picture.frame["table"].items())[-14:]
    for place, (digest, slots) in enumerate(rows):
        left, top = x + 10 + (place // 7) * 104, y + 48 + (place % 7) * 27
        picture.pen.text(left, top, picture.hidden(digest[:4]), mono=True, bold=True, colour="register_edge")
        picture.pen.text(left + 42, top, "→ " + " ".join(f"#{slot}" for slot in slots))


def _legend(picture: Picture) -> None:
    """What the borders and patterns of slots mean, between the pool and its queue."""
    x, y, _, _ = ZONES["F"]
    for place, name in enumerate(_LEGEND):
        fill_, edge, width, dash, *_ = STATES[name]
        left = x + 190 + place * 150
        thin = min(width, 2)
        picture.pen.rect((left, y + 9, 12, 12), fill_, edge, width=thin, dash=dash and "3 2", radius=2)
        words = fit(picture.say(f"state.{name}"), 128, 12)
        picture.pen.text(left + 18, y + 20, words, size=12, colour="muted")


def _pool(picture: Picture) -> None:
    x, y, width, _ = ZONES["C"]
    names = list(picture.frame["slots"])
    grid = next((grid for most, *grid in GRIDS if len(names) <= most), None)
    if grid is None:
        _map(picture, names)
        return
    columns, rows, w, h = grid
    gap_x, gap_y = (width - columns * w) / (columns + 1), (236 - 28 - rows * h) / (rows + 1)
    for place, name in enumerate(names):
        left = x + gap_x + (place % columns) * (w + gap_x)
        top = y + 28 + gap_y + (place // columns) * (h + gap_y)
        draw_slot(picture, name, (left, top, w, h))


def _map(picture: Picture, names: Sequence[str]) -> None:
    """More slots than can be drawn: one small square each."""
    x, y, width, _ = ZONES["C"]
    side = max(2, int(((width - 20) * 190 / len(names)) ** 0.5))
    columns = int((width - 20) // side)
    for place, name in enumerate(names):
        fill_, edge, *_ = STATES[slot_state(picture, name)]
        box = (x + 10 + place % columns * side, y + 32 + place // columns * side, side - 1, side - 1)
        picture.pen.rect(box, fill_, edge if side > 5 else "none", width=1, radius=1)


def draw_slot(picture: Picture, name: str, box: Box) -> None:
    pen, slot, state = picture.pen, picture.frame["slots"][name], slot_state(picture, name)
    fill_, edge, width, dash, glyph, ink = STATES[state]
    x, y, w, h = box
    if picture.step and picture.step.get("slot") == int(name):
        pen.rect((x - 5, y - 5, w + 10, h + 10), "spot", "ink", width=3, radius=9)
        pen.rect(box, "bg")
    pen.rect(box, fill_, edge, width=width, dash=dash)
    if state == "evicted":
        pen.rect((x + 4, y + 4, w - 8, h - 8), "none", edge, width=1.5, radius=3)
    if state in _PADS:  # no letters on a pattern: they stand on a solid pad
        pen.rect((x + 3, y + 3, w - 6, min(h - 6, 60)), _PADS[state], radius=3)
    pen.text(x + 6, y + 17, f"#{name}", bold=True, colour=ink)
    if w < 60:
        if glyph:
            pen.glyph(glyph, x + w / 2 - 6, y + h - 18, 12, ink)
        return
    if glyph:
        pen.glyph(glyph, x + (38 if w > 90 else 6), y + (6 if w > 90 else 22), 13, ink)
    _slot_words(picture, slot, state, box, ink, num_reserved(picture, name))


def _slot_words(picture: Picture, slot: SlotFrame, state: str, box: Box, ink: str, reserved: int) -> None:
    x, y, w, h = box
    pen, step = picture.pen, picture.step
    tag = slot["hash"][:4] if slot["hash"] else ""
    struck = state == "evicted" and step is not None
    if struck and step is not None:
        tag = str(step.get("tag") or "")
    pen.text(x + 6, y + 40, picture.hidden(tag), mono=True, bold=True, colour=ink, struck=struck)
    if slot["ref"]:
        pen.rect((x + w - 34, y + 4, 29, 20), "bg", radius=10)
        words = "×" + (BLANK[:2] if picture.blanks else str(slot["ref"]))
        pen.text(x + w - 19.5, y + 19, words, size=13, bold=True, anchor="middle")
    if w > 90:
        names = list(slot["owners"])
        if names:
            _who(picture, names[0], x + 6, y + 60, ink)
        if len(names) > 1:
            pen.text(x + w - 8, y + 60, f"+{len(names) - 1}", colour=ink, anchor="end", bold=True)
    cells, size = min(picture.block_size, 16), picture.block_size
    # one token is not none
    filled, planned = (max(n * cells // size, min(n, 1)) for n in (slot["fill"], slot["fill"] + reserved))
    for place in range(cells):
        cell = (x + 6 + place * (w - 12) / cells, y + h - 11, (w - 12) / cells - 2, 6)
        dash = "1.5 1.5" if filled <= place < planned else ""
        pen.rect(cell, ink if place < filled else "none", ink, width=0.8, dash=dash, radius=1)


def _block_table(picture: Picture) -> None:
    x, y, _, _ = ZONES["D"]
    if picture.rid is None:
        return
    _who(picture, picture.rid, x + 120, y + 20)
    rows = picture.frame["reqs"][picture.rid]["btable"]
    for place, (slot, _) in enumerate(rows[:8]):
        top, how = y + 46 + place * 24, block_state(picture, place)
        edge = "hit_edge" if how == "hit" else "miss_edge"
        words = picture.say(f"state.{_WORDS[how]}")
        picture.pen.text(x + 14, top, f"{place} → #{slot}", bold=True)
        picture.pen.glyph(_GLYPHS[how], x + 86, top - 11, 12, edge)
        picture.pen.text(x + 106, top, words, colour="muted")
    if len(rows) > 8:
        picture.pen.text(x + 14, y + 232, f"… ×{len(rows) - 8}")


def _ledger(picture: Picture) -> None:
    """Where all prompt tokens stand: four numbers that sum to what was asked, then what is counted apart."""
    x, y, _, _ = ZONES["E"]
    totals = picture.frame["totals"]
    shares = [prompt_shares(request) for request in picture.frame["reqs"].values()]
    sums = {name: sum(getattr(share, name) for share in shares) for name in PromptShares._fields}
    lines = [(f"ledger.{name}", number) for name, number in sums.items()]
    for place, (key, number) in enumerate(lines):
        name = {"ledger.waiting": "empty"}.get(key, key.removeprefix("ledger."))
        fill_, edge, width, dash, *_ = STATES[name]
        top = y + 50 + place * 26
        picture.pen.rect((x + 14, top - 12, 14, 14), fill_, edge, width=min(width, 2), dash=dash, radius=2)
        picture.pen.text(x + 36, top, picture.say(key, n=number), size=16, bold=True)
    picture.pen.text(
        x + 14, y + 158, "= " + picture.say("ledger.asked", n=sum(sums.values())), size=16, bold=True
    )
    apart = [("ledger.answer", totals["decoded"]), ("ledger.evicted", totals["evicted"])]
    if totals["recomputed"]:
        apart.append(("ledger.again", totals["recomputed"]))
    for place, (key, number) in enumerate(apart):
        line = fit(picture.say(key, n=number), 236, 13)
        picture.pen.text(x + 14, y + 184 + place * 20, line, size=13, colour="muted")


def _queue(picture: Picture) -> None:
    x, y, w, _ = ZONES["F"]
    pen, queue = picture.pen, picture.frame["queue"]
    _two_lines(pen, x + 10, y + 46, picture.say("queue.head"), "start")
    _two_lines(pen, x + w - 10, y + 46, picture.say("queue.tail"), "end")
    room = w - 2 * 118
    width = 74 if len(queue) * 76 <= room else 38
    fits = int(room // (width + 2))
    step = min(width + 10, (room - width) / max(min(len(queue), fits) - 1, 1))
    for place, block_id in enumerate(queue[:fits]):
        slot = picture.frame["slots"][str(block_id)]
        state = "cached" if slot["hash"] else "dirty" if slot["fill"] else "empty"
        fill_, edge, line, dash, _, ink = STATES[state]
        box = (x + 118 + place * step, y + 28, width, 44)
        pen.rect(box, fill_, edge, width=line, dash=dash)
        label = BLANK if picture.blanks else f"#{block_id}"
        pen.text(box[0] + width / 2, box[1] + 19, label, bold=True, colour=ink, anchor="middle")
        if width > 50 and slot["hash"]:
            tag = picture.hidden(slot["hash"][:4])
            pen.text(box[0] + width / 2, box[1] + 37, tag, colour=ink, mono=True, anchor="middle")
    if len(queue) > fits:
        pen.text(x + w - 130, y + 20, f"… ×{len(queue) - fits}", anchor="end")


def _two_lines(pen: Pen, x: float, y: float, words: str, anchor: str) -> None:
    """A short name, then what it means: broken behind the colon."""
    first, colon, rest = words.replace("：", ": ").partition(": ")
    pen.text(x, y, fit(first + colon.strip(), 104, 12), size=12, bold=True, anchor=anchor)
    pen.text(x, y + 17, fit(rest, 104, 12), size=12, anchor=anchor)


def _narration(picture: Picture) -> str:
    """Two lines: what happened, why it matters. Returns the first, as plain text."""
    step = picture.step
    if step is None:
        return ""
    x, y, w, h = NARRATION
    picture.pen.rect((x, y, w, h), "surface", radius=6)
    args = {**step["args"]}
    what, why = (t_or_empty(f"cap.{step['cap']}.{part}", picture.lang, args) for part in ("what", "why"))
    what = what.replace("**", "")
    picture.pen.text(x + 16, y + 46, fit(what, w - 30, 22), size=22, bold=True)
    picture.pen.text(x + 16, y + 78, fit(why.replace("**", ""), w - 30, 16), size=16, colour="muted")
    return what


def t_or_empty(key: str, lang: Lang, args: Mapping[str, Any]) -> str:
    """A caption, or nothing where a table leaves it empty."""

    template = table(lang).get(key, "")
    return fill(template, args, key) if template else ""
