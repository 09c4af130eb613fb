"""The page of a lecture: what its link names is what the browser is given, in one message."""

from __future__ import annotations

import json
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm, components, visit
from ui.lecture.own import own_lecture
from ui.lecture.payload import Lecture
from ui.lecture.scripts import script_lecture
from ui.teacher.address import Address
from ui.teacher.give import USUAL, own_link, script_link
from ui.teacher.places import address_of
from ui.teacher.seq import Sequence, Stop, pack
from ui.teacher.stops import SCRIPTS
from ui.words.i18n import LANGS, MODES, Lang, LangMode, t

OWN = Sequence((Stop(address_of("stamp"), "<b>First</b>", "for **me** alone"), Stop(Address("ch04"))))


def given(at: AppTest) -> dict[str, Any]:
    """What travels to the lecture, without its colours."""
    shown = components(at, "broth_lecture")
    assert len(shown) == 1
    payload: dict[str, Any] = json.loads(shown[0].bytes)
    assert payload.pop("palette")
    return payload


def travelled(lecture: Lecture) -> Any:
    return json.loads(json.dumps(lecture))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", SCRIPTS)
def test_a_link_to_a_script_gives_it(length: int, mode: LangMode) -> None:
    assert script_link(length, mode) == f"present?script={length}&lang={mode}"
    assert given(visit("present", script=str(length), lang=mode)) == travelled(script_lecture(length, mode))


@pytest.mark.parametrize("lang", LANGS)
def test_the_notes_are_the_same_lecture_in_another_window(lang: Lang) -> None:
    notes = given(visit("present", script="25", notes="1", lang=lang))
    assert notes == travelled(script_lecture(25, lang, notes=True))
    deck = given(visit("present", script="25", lang=lang))
    assert (deck["key"], notes["notes"], deck["notes"]) == (notes["key"], True, False)


def test_a_teachers_note_does_not_reach_the_projector() -> None:
    deck, notes = (
        json.dumps(given(visit("present", seq=pack(OWN), lang="en", **more))) for more in ({}, {"notes": "1"})
    )
    assert "for **me** alone" in notes
    assert "for **me** alone" not in deck


@pytest.mark.parametrize("mode", MODES)
def test_a_link_to_a_sequence_gives_it(mode: LangMode) -> None:
    assert own_link(OWN, mode, notes=True) == f"present?seq={pack(OWN)}&notes=1&lang={mode}"
    at = visit("present", seq=pack(OWN), notes="1", lang=mode)
    assert given(at) == travelled(own_lecture(OWN, mode, notes=True))


def test_a_script_that_is_named_goes_before_a_sequence() -> None:
    assert given(visit("present", seq=pack(OWN), script="40", lang="en"))["key"] == "script-40"


def test_a_bare_link_gives_the_short_script() -> None:
    assert given(visit("present", lang="en"))["key"] == f"script-{USUAL}"


@pytest.mark.parametrize(
    ("query", "part"), [({"script": "11"}, "scripts"), ({"seq": "zzz"}, "own"), ({"script": ""}, "scripts")]
)
def test_a_damaged_link_says_so_and_gives_the_short_script(query: dict[str, str], part: str) -> None:
    at = visit("present", lang="en", **query)
    told = t("page.link_lost", "en", names=t(f"teacher.part.{part}", "en"))
    assert [one.value for one in at.warning] == [told]
    assert given(at)["key"] == f"script-{USUAL}"


def test_the_address_keeps_the_lecture() -> None:
    at = calm(visit("present", script="25", notes="1", lang="zh").run())
    kept = [at.query_params[name] for name in ("script", "notes")]
    assert [one if isinstance(one, str) else one[0] for one in kept] == ["25", "1"]


def test_the_room_is_sent_where_it_can_go() -> None:
    """The code is of the host in the link; a link that holds none, or nonsense, is as it was."""
    told = given(visit("present", script="40", host="192.168.1.23", lang="en"))
    base = "http://192.168.1.23:8501/"
    assert told == travelled(script_lecture(40, "en", base=base))
    assert told["stops"][0]["join"]["svg"].startswith("<svg")
    assert not told["stops"][0]["join"]["local"]
    at = visit("present", script="40", host="<b>", lang="en")
    assert [one.value for one in at.warning] == [
        t("page.link_lost", "en", names=t("teacher.class.host", "en"))
    ]
    assert given(at) == travelled(script_lecture(40, "en"))


@pytest.mark.parametrize("framed", [False, True])
def test_a_finish_in_the_lectures_frame_speaks_of_no_bet(
    framed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(st.context), "is_embedded", framed)
    at = visit("finish", s="P3", lang="en")
    told = t("finish.bet.none", "en", rate="0.0")
    assert any(told in one.value for one in at.markdown) == (not framed)
