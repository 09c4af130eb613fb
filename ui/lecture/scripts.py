"""The three scripts as lectures."""

from __future__ import annotations

from ui.lecture.payload import Lecture, LectureStop, each_language, for_window, in_each_language
from ui.lecture.pictures import picture
from ui.teacher.places import address_of
from ui.teacher.stops import BETS, RIGHT, SCRIPTS, options, words
from ui.words.i18n import LANGS, Lang, LangMode, languages


def script_lecture(length: int, mode: LangMode, *, notes: bool = False) -> Lecture:
    """One script. ``length``: minutes, a key of ``SCRIPTS``."""
    names = {name for name, _ in SCRIPTS[length]}
    lecture: Lecture = {
        "key": f"script-{length}",
        "langs": list(languages(mode)),
        "minutes": length,
        "notes": notes,
        "demo": False,
        "stops": [_stop(name, minutes, mode, names) for name, minutes in SCRIPTS[length]],
    }
    return for_window(lecture)


def _stop(name: str, minutes: int, mode: LangMode, names: set[str]) -> LectureStop:
    def said(key: str) -> dict[Lang, str]:
        return each_language(lambda lang: words(name, key, lang))

    given = {lang: options(name, lang) for lang in LANGS}
    earlier = BETS.get(name)
    return {
        "id": name,
        "minutes": minutes,
        "title": said("title"),
        "see": said("see"),
        "ask": said("ask"),
        "options": in_each_language(given),
        "right": RIGHT.get(name),
        "know": said("know"),
        "hear": said("hear"),
        "truth": said("true"),
        "point": said("point"),
        "keep": name in BETS.values(),
        "bet_of": earlier if earlier in names else None,
        "link": address_of(name).link(mode),
        "scene": {lang: picture(name, lang) for lang in LANGS},
    }
