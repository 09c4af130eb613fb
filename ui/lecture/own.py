"""A sequence of somebody's own as a lecture: stops of the scripts, moments of runs, pages.

Where a stop opens what a stop of the scripts opens, it is that stop, whole. Elsewhere, where the stage asks
at that moment, its question and options are the stop's, and the answer is the one that the run gives. Titles
are typed by people: they are texts of the payload and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Seq
from hashlib import blake2b
from urllib.parse import parse_qsl

from core.errors import BrothError
from ui.lecture.asked import caption, choice_of, scene_of
from ui.lecture.join import HERE, join_sheet
from ui.lecture.payload import (
    NO_TEXT,
    Lecture,
    LectureStop,
    Scene,
    Text,
    each_language,
    for_window,
    in_each_language,
)
from ui.lecture.scenes import Played, played
from ui.lecture.scripts import script_stop
from ui.stage.setup import SETUP
from ui.teacher.names import name_of
from ui.teacher.places import SHEET, known_stops
from ui.teacher.seq import Sequence, Stop, pack
from ui.teacher.stops import BETS, RIGHT_ALONE, note, words
from ui.words.i18n import LANGS, Lang, LangMode, languages

MAX_TOKENS, MAX_SLOTS = 36, 16
"""What a picture for the last row can hold; a larger run is shown as the page it stands on."""


def own_lecture(sequence: Sequence, mode: LangMode, *, notes: bool = False, base: str = HERE) -> Lecture:
    """The stops in order. ``base``: the folder of our pages as the room reaches it."""
    names = known_stops([stop.address for stop in sequence.stops])
    lecture: Lecture = {
        "key": f"seq-{blake2b(pack(sequence).encode(), digest_size=6).hexdigest()}",
        "langs": list(languages(mode)),
        "minutes": sum(stop.minutes for stop in sequence.stops),
        "notes": notes,
        "demo": False,
        "stops": [_stop(place, stop, names, mode, base) for place, stop in enumerate(sequence.stops)],
    }
    return for_window(lecture)


def _stop(place: int, stop: Stop, names: Seq[str], mode: LangMode, base: str) -> LectureStop:
    page = _page(f"s{place + 1}", stop, mode)
    if names[place]:
        return _of_a_script(page, stop, place, names, script_stop(names[place], mode, base))
    if stop.address.page == SHEET:
        join = join_sheet(base, mode)
        hint = each_language(lambda lang: note("local", lang) if join["local"] else "")
        said = each_language(lambda lang: "\n".join(filter(None, [hint[lang], stop.note])))
        return {**page, "join": join, "point": said, "scene": {lang: {"kind": "words"} for lang in LANGS}}
    runs = _runs(stop)
    return page if runs is None else _moment(page, stop, runs)


def _page(name: str, stop: Stop, mode: LangMode) -> LectureStop:
    link = stop.address.link(mode)
    framed = f"{link}&embed=true" if stop.address.page == "finish" else link  # says nothing of a missing bet
    return {
        "id": name,
        "minutes": stop.minutes,
        "title": each_language(lambda lang: name_of(stop, lang)),
        "see": each_language(lambda lang: name_of(stop, lang)),
        "ask": NO_TEXT,
        "options": [],
        "right": None,
        "know": NO_TEXT,
        "know_empty": NO_TEXT,
        "hear": NO_TEXT,
        "truth": NO_TEXT,
        "point": each_language(lambda _: stop.note),
        "optional": False,
        "join": None,
        "keep": False,
        "bet_of": None,
        "link": link,
        "scene": {lang: {"kind": "page", "address": framed} for lang in LANGS},
    }


# -- stops of the scripts ---------------------------------------------------------------------------------


def _of_a_script(
    page: LectureStop, stop: Stop, place: int, names: Seq[str], told: LectureStop
) -> LectureStop:
    """That stop, with the title, the minutes and the note of whoever made the sequence."""
    own_words = {lang: words(names[place], "title", lang) for lang in LANGS}
    is_ours = stop.title in ("", *own_words.values())
    added = "" if stop.note in _old_notes(names[place]) else stop.note
    said = each_language(lambda lang: "\n".join(filter(None, [told["point"][lang], added])))
    made: LectureStop = {
        **told,
        "id": page["id"],
        "minutes": stop.minutes,
        "title": own_words if is_ours else page["title"],
        "point": said,
    }
    made.update(_paired(place, names))  # type: ignore[typeddict-item]
    return made


def _paired(place: int, names: Seq[str]) -> Mapping[str, object]:
    """What a bet and its answer say of each other. Where the other one is not in the sequence, a bet is told
    its answer at once, and an answer speaks of nobody's bet."""
    name = names[place]
    if name in BETS:
        bets = [before for before in range(place) if names[before] == BETS[name]]
        if bets:
            return {"bet_of": f"s{bets[-1] + 1}"}
        return {"ask": _said(name, "ask_alone")}
    answers = [answer for answer, of in BETS.items() if of == name]
    if not answers or answers[0] in names[place + 1 :]:
        return {}
    return {
        "know": _said(answers[0], "know"),
        "truth": _said(answers[0], "true"),
        "right": RIGHT_ALONE[name],
        "keep": False,
        "know_empty": NO_TEXT,
    }


def _said(name: str, key: str) -> Text:
    return each_language(lambda lang: words(name, key, lang))


def _old_notes(name: str) -> set[str]:
    """What links of before carry as the note of such a stop: its question and its answer, in one language."""
    return {"\n".join(words(name, key, lang) for key in ("ask", "true")) for lang in LANGS}


# -- moments of runs --------------------------------------------------------------------------------------


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
        "see": each_language(lambda lang: made[lang].see),
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
