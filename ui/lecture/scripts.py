"""The three scripts as lectures."""

from __future__ import annotations

from ui.lecture.join import HERE, join_sheet
from ui.lecture.payload import Lecture, LectureStop, Text, each_language, for_window, in_each_language
from ui.lecture.pictures import picture
from ui.teacher.places import OF_THE_SHEET, address_of
from ui.teacher.stops import BETS, OPTIONAL, RIGHT, SCRIPTS, know_empty, note, options, words
from ui.words.i18n import LANGS, LangMode, languages


def script_lecture(length: int, mode: LangMode, *, notes: bool = False, base: str = HERE) -> Lecture:
    """One script. ``length``: minutes, a key of ``SCRIPTS``; ``base``: the folder of our pages as the room
    reaches it."""
    names = {name for name, _ in SCRIPTS[length]}
    stops: list[LectureStop] = []
    for name, minutes in SCRIPTS[length]:
        earlier = BETS.get(name)
        stop = script_stop(name, mode, base)
        stops.append({**stop, "minutes": minutes, "bet_of": earlier if earlier in names else None})
    lecture: Lecture = {
        "key": f"script-{length}",
        "langs": list(languages(mode)),
        "minutes": length,
        "notes": notes,
        "demo": False,
        "stops": stops,
    }
    return for_window(lecture)


def script_stop(name: str, mode: LangMode, base: str) -> LectureStop:
    """A stop of the scripts, by itself: no minutes, and no other stop whose hands it shows."""

    def said(key: str) -> Text:
        return each_language(lambda lang: words(name, key, lang))

    given = {lang: options(name, lang) for lang in LANGS}
    join = join_sheet(base, mode) if name in OF_THE_SHEET else None
    hint = each_language(lambda lang: note("local", lang)) if join and join["local"] else None
    point = said("point")
    return {
        "id": name,
        "minutes": 0,
        "title": said("title"),
        "see": said("see"),
        "ask": said("ask"),
        "options": in_each_language(given),
        "right": RIGHT.get(name),
        "know": said("know"),
        "know_empty": each_language(lambda lang: know_empty(name, lang)),
        "hear": said("hear"),
        "truth": said("true"),
        "point": point if hint is None else each_language(lambda lang: f"{hint[lang]}\n{point[lang]}"),
        "optional": name in OPTIONAL,
        "join": join,
        "keep": name in BETS.values(),
        "bet_of": None,
        "link": address_of(name).link(mode),
        "scene": {lang: picture(name, lang) for lang in LANGS},
    }
