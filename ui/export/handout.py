"""Two pages of A4 for a class: the seven parts, four frames to fill in, six questions, answers upside down.

Everything on it is computed: frames and tags come from the run of the worked example, the questions are
those of the sheet (``ui.study.variants``). Paper keeps no colour: states differ by border, pattern and glyph.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from string import Template
from urllib.parse import quote

from core.scenario.scenario import run
from core.timeline.event_log import EventLog
from core.timeline.frame import Frame
from ui.export.pictures import frame_at, picture
from ui.export.six_paper import answers_html, questions_html
from ui.export.speaker import Say, speaker
from ui.frame.static_files import ROOT
from ui.stage.payload import Payload, stage_log
from ui.stage.setup import Setup, load_setup
from ui.study.ideas import SIX
from ui.svg.scene import HEIGHT, WIDTH, ZONES
from ui.svg.sheet import render_sheet
from ui.words.i18n import Lang, LangMode, languages, t

PARTS = ("request", "tag", "table", "pool", "btable", "ref", "queue")
"""What is named on the sheet, in the order of its numbers."""

USUAL_SEED = 2026
"""The numbers of the six questions, unless others are asked for."""
_TEMPLATE = ROOT / "assets" / "page" / "handout.html"
_PART_PLACES = {
    "request": ("A", 0.06, 0.5),
    "tag": ("A", 0.3, 0.88),
    "table": ("B", 0.5, 0.75),
    "pool": ("C", 0.5, 0.93),
    "btable": ("D", 0.5, 0.75),
    "ref": ("C", 0.2, 0.2),
    "queue": ("F", 0.5, 0.6),
}


def handout_html(mode: LangMode, seed: int = USUAL_SEED) -> str:
    """The page, ready to print: zh, en, or both. ``seed``: of the numbers in the six questions."""
    spoken = languages(mode)
    log = worked_example(spoken[0])[1]
    say = speaker(spoken)
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        lang="zh-CN" if spoken[0] == "zh" else "en",
        density="one" if len(spoken) == 1 else "two",
        print=say("handout.print"),
        title=say("handout.title"),
        subtitle=say("handout.subtitle"),
        name=escape(t("handout.name", spoken[0])),
        map=_map(log, spoken[0]),
        parts=_parts(say),
        task=say("handout.task"),
        tags=_tags(log),
        frames=_frames(log, spoken[0], say),
        questions_title=say("handout.questions"),
        questions=questions_html(spoken, tuple(SIX), seed),
        answers_title=say("handout.answers"),
        answers=_answers(log, say, spoken, seed),
    )


@cache
def worked_example(lang: Lang) -> tuple[EventLog, Payload]:
    """The run of the worked example. Presets never change."""
    scenario = load_setup(Setup("P0"), lang)
    log = run(scenario)
    return log, stage_log(scenario, log, t("scenario.P0.title", lang))


def moments(log: Payload) -> list[tuple[int, str]]:
    """Four steps of it and whose they are: R0 computed, R1 computed beside it, both done, R2 computed."""

    def first(op: str, rid: str) -> int:
        return next(i for i, e in enumerate(log["events"]) if (e["op"], e.get("rid")) == (op, rid))

    words = {rid: first("append", rid) for rid in ("R0", "R1", "R2")}
    return [(words["R0"], "R0"), (words["R1"], "R1"), (first("done", "R1") + 1, "R1"), (words["R2"], "R2")]


# -- page 1 -------------------------------------------------------------------------------------------


def _map(log: Payload, lang: Lang) -> str:
    """One whole frame, small, with the numbers of the seven parts on it."""
    marks = []
    for number, part in enumerate(PARTS, 1):
        zone, right, down = _PART_PLACES[part]
        x, y, w, h = ZONES[zone]
        place = f"left:{100 * (x + right * w) / WIDTH:.1f}%;top:{100 * (y + down * h) / HEIGHT:.1f}%"
        marks.append(f'<b class="mark" style="{place}">{number}</b>')
    source = "data:image/svg+xml;charset=utf-8," + quote(picture(log, moments(log)[1][0], lang))
    return f'<div class="map"><img src="{source}" alt="">{"".join(marks)}</div>'


def _parts(say: Say) -> str:
    return "".join(
        f'<p><b class="mark">{number}</b> <b>{say(f"part.{part}.title")}.</b> {say(f"part.{part}.what")}</p>'
        for number, part in enumerate(PARTS, 1)
    )


def _tags(log: Payload) -> str:
    """The tags of every request's full blocks: what the learner needs to fill the gaps."""
    requests = frame_at(log, len(log["events"]))["reqs"]
    rows = []
    for name, request in requests.items():
        tags = (f"<code>{block}&thinsp;{digest[:4]}</code>" for block, digest in enumerate(request["hashes"]))
        rows.append(f"<b>{escape(name)}</b> {' '.join(tags)}")
    return "<br>".join(rows)


def _frames(log: Payload, lang: Lang, say: Say) -> str:
    size = log["meta"]["block_size"]
    cells = []
    for number, (step, rid) in enumerate(moments(log), 1):
        sheet = render_sheet(frame_at(log, step), block_size=size, lang=lang, rid=rid)
        told = say(f"handout.frame{number}")
        cells.append(f"<figure><figcaption><b>{number}</b> {told}</figcaption>{sheet}</figure>")
    return "".join(cells)


# -- page 2 -------------------------------------------------------------------------------------------


def _answers(log: Payload, say: Say, spoken: Sequence[Lang], seed: int) -> str:
    frames = "".join(f"<li>{_filled(frame_at(log, step))}</li>" for step, _ in moments(log))
    told = answers_html(spoken, tuple(SIX), seed, coded=False)
    return f'{told}<p>{say("handout.frames")}</p><ol class="filled">{frames}</ol>'


def _filled(frame: Frame) -> str:
    """The gaps of one frame, filled: slot, tag, ref count; then the queue, next out first."""
    slots = []
    for name, slot in frame["slots"].items():
        if slot["hash"] or slot["ref"]:
            tag, ref = (slot["hash"] or "–")[:4], f" ×{slot['ref']}" if slot["ref"] else ""
            slots.append(f"#{name} {tag}{ref}")
    return f"{', '.join(slots)} ◂ {' '.join(f'#{block_id}' for block_id in frame['queue'])} ▸"
