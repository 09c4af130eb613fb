"""A sequence of somebody's own as a lecture: each stop a moment of its run, or the page that it opens.

Where the stage asks at that moment, its question and options are the stop's, and the answer is the one that
the run gives. Titles are typed by people: they are texts of the payload and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from urllib.parse import parse_qsl

from core.errors import BrothError
from ui.lecture.asked import caption, choice_of, scene_of
from ui.lecture.payload import (
    NO_TEXT,
    Lecture,
    LectureStop,
    Scene,
    each_language,
    for_window,
    in_each_language,
)
from ui.lecture.scenes import Played, played
from ui.stage.setup import SETUP
from ui.teacher.names import name_of
from ui.teacher.seq import Sequence, Stop, pack
from ui.words.i18n import LANGS, Lang, LangMode, languages

MAX_TOKENS, MAX_SLOTS = 36, 16
"""What a picture for the last row can hold; a larger run is shown as the page it stands on."""


def own_lecture(sequence: Sequence, mode: LangMode, *, notes: bool = False) -> Lecture:
    """The stops in order; nobody planned minutes for them."""
    lecture: Lecture = {
        "key": f"seq-{blake2b(pack(sequence).encode(), digest_size=6).hexdigest()}",
        "langs": list(languages(mode)),
        "minutes": 0,
        "notes": notes,
        "demo": False,
        "stops": [_stop(f"s{number}", stop, mode) for number, stop in enumerate(sequence.stops, 1)],
    }
    return for_window(lecture)


def _stop(name: str, stop: Stop, mode: LangMode) -> LectureStop:
    link = stop.address.link(mode)
    page: LectureStop = {
        "id": name,
        "minutes": 0,
        "title": each_language(lambda lang: name_of(stop, lang)),
        "see": each_language(lambda lang: name_of(stop, lang)),
        "ask": NO_TEXT,
        "options": [],
        "right": None,
        "know": NO_TEXT,
        "hear": NO_TEXT,
        "truth": NO_TEXT,
        "point": each_language(lambda _: stop.note),
        "keep": False,
        "bet_of": None,
        "link": link,
        "scene": {lang: {"kind": "page", "address": link} for lang in LANGS},
    }
    runs = _runs(stop)
    return page if runs is None else _moment(page, stop, runs)


def _runs(stop: Stop) -> Mapping[Lang, Played] | None:
    """The stop's run in both languages; None where it opens a page, or a run that no picture holds."""
    if stop.address.page != "execute" or stop.address.request or stop.address.step is None:
        return None
    setup, lost = SETUP.read(dict(parse_qsl(stop.address.query)))
    if lost or setup.fork is not None:
        return None
    try:
        runs = {lang: played(setup, lang) for lang in LANGS}
    except BrothError:
        return None  # the page itself tells what is wrong
    return runs if all(_is_small(one) for one in runs.values()) else None


def _is_small(of: Played) -> bool:
    longest = max((len(prompt) for prompt, _ in of.pieces.values()), default=0)
    return 0 < longest <= MAX_TOKENS and of.scenario.config.num_usable <= MAX_SLOTS


def _moment(page: LectureStop, stop: Stop, runs: Mapping[Lang, Played]) -> LectureStop:
    """The stop as a moment of its run: before the stage's question if it asks there, else what a step did."""
    at = min(stop.address.step or 0, len(runs["en"].steps))

    def told(lang: Lang) -> str:
        return caption(runs[lang].steps, at - 1, lang)

    if not _asks(stop, runs["en"], at):
        shown: dict[Lang, Scene] = {lang: scene_of(of, max(at - 1, 0), at) for lang, of in runs.items()}
        return {**page, "know": each_language(told), "truth": each_language(told), "scene": shown}
    made = {lang: choice_of(of.steps[at], lang) for lang, of in runs.items()}
    asked: dict[Lang, Scene] = {
        lang: scene_of(of, at, made[lang].until, of.steps[at]) for lang, of in runs.items()
    }
    return {
        **page,
        "see": each_language(lambda lang: told(lang) or page["title"][lang]),
        "ask": each_language(lambda lang: made[lang].ask),
        "options": in_each_language({lang: one.options for lang, one in made.items()}),
        "right": made["en"].right,
        "know": each_language(lambda lang: made[lang].know),
        "truth": each_language(lambda lang: made[lang].know),
        "scene": asked,
    }


def _asks(stop: Stop, of: Played, at: int) -> bool:
    """Whether the stage would ask there: its questions are on, and one stands before the next step."""
    setup = SETUP.read(dict(parse_qsl(stop.address.query)))[0]
    return setup.mode == "guided" and at < len(of.steps) and "ask" in of.steps[at]
