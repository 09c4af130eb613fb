"""The teacher's page as a teacher uses it: scripts, links that hide, a sequence built and presented."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import run
from tests.app.visit import calm, payload, press, setup_of, texts, visit
from ui.frame.session import plain
from ui.stage.setup import PANELS, preset_ids
from ui.teacher import laptops
from ui.teacher.address import Address
from ui.teacher.give import own_link, script_link
from ui.teacher.laptops import COMMANDS, REHEARSE
from ui.teacher.places import PLACES, address_of, opens_on
from ui.teacher.rehearsal import Rehearsal, keep, last
from ui.teacher.scripts import as_sequence
from ui.teacher.seq import MAX_STOPS, Sequence, Stop, fits_link, pack
from ui.teacher.stops import SCRIPTS, text, words
from ui.words.i18n import LANGS, MODES, Lang, LangMode, languages, t

TWO = Sequence(
    (
        Stop(address_of("stamp"), "First <b>bold</b>", "say **this**\n- and # this"),
        Stop(address_of("counter"), "", ""),
    )
)


def part(at: AppTest, name: str) -> AppTest:
    at.button_group(key="teacher-part").set_value(name)
    return calm(at.run())


def query(at: AppTest) -> dict[str, str]:
    """What stands in the address now: what a reload brings back."""
    return {name: value if isinstance(value, str) else value[0] for name, value in at.query_params.items()}


def links(at: AppTest) -> list[str]:
    return [one.proto.url for one in at.get("link_button")]


def codes(at: AppTest) -> list[str]:
    return [one.value for one in at.code]


def follow(link: str) -> AppTest:
    """Open a relative link of ours in another tab."""
    parts = urlsplit(link.removeprefix("./"))
    return visit(parts.path or "start", **dict(parse_qsl(parts.query)))


def sequence_of(at: AppTest) -> Sequence:
    sequence: Sequence = at.session_state["sequence"]
    return sequence


# -- scripts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("length", SCRIPTS)
def test_a_script_says_everything_and_links_in_its_language(length: int, lang: LangMode) -> None:
    at = visit("teacher", lang=lang)
    at.button_group(key="teacher-length").set_value(length)
    calm(at.run())
    said = texts(at)
    for name, _ in SCRIPTS[length]:
        for one in languages(lang):
            keys = ("title", "ask", "hear", "true", "point")
            assert all(words(name, key, one) in said for key in keys), name
        assert f"({address_of(name).link(lang)})" in said
    assert links(at) == [script_link(length, lang), script_link(length, lang, notes=True)]
    assert f"| {length - SCRIPTS[length][-1][1]}\u2060–\u2060{length} |" in said


@pytest.mark.parametrize("name", PLACES)
def test_every_link_of_a_script_opens_where_it_promises(name: str) -> None:
    """The part before ``#`` goes to Python, the step behind it to the browser: it must lie in that run."""
    link = address_of(name).link("zh")
    at = follow(link)
    assert [one.value for one in at.warning] == []
    assert at.session_state["lang"] == "zh"
    place, step = PLACES[name], opens_on(name)
    if place.page == "execute":
        shown = payload(at)
        assert shown["a"]["meta"]["scenario"] == place.preset
        assert step is not None
        assert link.endswith(f"#step={step}")
        if place.ask:
            assert shown["flags"]["ask"] is True
            asked = "bet" if name == "bet" else shown["a"]["events"][step]["ask"]["id"]
            assert asked == place.ask
            assert shown["flags"]["card"]["bet"] is None, "a room bets for itself"
        elif place.show is not None:
            assert shown["a"]["events"][step]["op"] == place.show.op, "it stands before what it asks for"
    elif place.preset:
        assert setup_of(at).scenario == place.preset


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("length", SCRIPTS)
def test_a_script_becomes_a_sequence_that_fits_a_link(length: int, lang: Lang) -> None:
    at = visit("teacher", lang=lang)
    at.button_group(key="teacher-length").set_value(length)
    calm(at.run())
    press(at, "teacher-take")
    made = sequence_of(at)
    assert made == as_sequence(length, lang)
    assert [(stop.address, stop.minutes) for stop in made.stops] == [
        (address_of(name), minutes) for name, minutes in SCRIPTS[length]
    ]
    asked = [words(name, "ask", lang) for name, _ in SCRIPTS[length]]
    shown = [one.value for one in at.caption]
    assert all(t("teacher.stop.known", lang, ask=one) in shown for one in asked), "what comes with a stop"
    assert fits_link(made)
    assert at.button_group(key="teacher-part").value == "own", "the sequence is shown at once"


def test_the_host_that_was_typed_goes_with_the_lecture() -> None:
    """The lecture is opened in another window, which would not know it: there the room's code needs it."""
    at = part(visit("teacher", lang="en"), "class")
    at.text_input(key="teacher-host").set_value("192.168.1.23")
    calm(at.run())
    part(at, "scripts")
    host = "192.168.1.23"
    assert links(at) == [script_link(10, "en", host=host), script_link(10, "en", notes=True, host=host)]


# -- a link for the class -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", MODES)
def test_the_form_makes_a_link_that_does_what_was_chosen(lang: LangMode) -> None:
    at = part(visit("teacher", lang=lang), "link")
    assert text("keys", languages(lang)[0]) in texts(at)
    assert codes(at)[0].endswith(f"/execute?v=1&s={preset_ids()[0]}&lang={lang}")
    at.selectbox(key="teacher-scenario").set_value("P3")
    at.multiselect(key="teacher-hide").set_value(["code", "log", "totals"])
    at.toggle(key="teacher-guided").set_value(True)
    at.toggle(key="teacher-presenter").set_value(True)
    at.button_group(key="teacher-lang").set_value("zh")
    calm(at.run())
    assert codes(at)[0].endswith(links(at)[0])
    opened = follow(links(at)[0])
    flags = payload(opened)["flags"]
    assert flags["hide"] == [name for name in PANELS if name in ("code", "log", "totals")]
    assert flags["ask"] is True
    assert flags["presenter"] is True
    assert payload(opened)["a"]["meta"]["scenario"] == "P3"
    assert payload(opened)["lang"] == "zh"


def test_the_form_keeps_its_choices_while_another_part_is_open() -> None:
    at = part(visit("teacher", lang="en"), "link")
    at.selectbox(key="teacher-scenario").set_value("P9")
    at.toggle(key="teacher-presenter").set_value(True)
    calm(at.run())
    part(at, "class")
    at.selectbox(key="teacher-opens").set_value("form")
    at.text_input(key="teacher-host").set_value("lab.example")
    calm(at.run())
    assert "http://lab.example:8501/execute?v=1&s=P9&present=1&lang=en" in codes(at)
    part(at, "link")
    assert at.selectbox(key="teacher-scenario").value == "P9"
    assert codes(at)[0].startswith("http://lab.example:8501/"), "the address that was written counts here too"


# -- a sequence of one's own --------------------------------------------------------------------------------


def own(**more: str) -> AppTest:
    return part(visit("teacher", lang="en", **more), "own")


def test_a_pasted_address_becomes_a_stop() -> None:
    at = own()
    assert [one.value for one in at.info] == [t("teacher.none", "en")]
    at.text_input(key="teacher-pasted").set_value("http://localhost:8501/execute?s=P3&bet=9&lang=zh#step=38")
    press(at, "teacher-add-pasted")
    title = t("scenario.P3.title", "en")
    assert sequence_of(at).stops == (Stop(Address("execute", "v=1&s=P3", "step=38"), title),)
    assert at.text_input(key="teacher-pasted").value == ""
    assert query(at)["seq"] == pack(sequence_of(at))
    assert "at" not in query(at)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("pasted", "code", "args"),
    [
        ("https://evil.example/execute?s=P0", "host", {"host": plain("evil.example")}),
        ("http://localhost:8501/execute?s=P0&x=1", "unknown", {"names": "x"}),
        ("http://localhost:8501/execute?s=P77", "damaged", {"names": "s"}),
        ("http://localhost:8501/teacher", "page", {"page": "teacher"}),
    ],
)
def test_a_foreign_address_is_refused_in_words(pasted: str, code: str, args: Any, lang: Lang) -> None:
    at = part(visit("teacher", lang=lang), "own")
    at.text_input(key="teacher-pasted").set_value(pasted)
    press(at, "teacher-add-pasted")
    raw = {name: value.replace("\\", "") for name, value in args.items()}
    assert [one.value for one in at.error] == [plain(t(f"error.teacher.{code}", lang, **raw))]
    assert sequence_of(at).stops == ()


def test_a_step_and_a_chapter_are_chosen_from_lists() -> None:
    at = own()
    at.selectbox(key="teacher-what").set_value("execute:three")
    calm(at.run())
    at.selectbox(key="teacher-step-three").set_value(opens_on("touch"))
    at.toggle(key="teacher-ask").set_value(True)
    calm(at.run())
    press(at, "teacher-add-chosen")
    at.selectbox(key="teacher-what").set_value("ch04")
    calm(at.run())
    press(at, "teacher-add-chosen")
    first, second = (stop.address for stop in sequence_of(at).stops)
    assert (first.scenario, first.step, "m=guided" in first.query) == (
        "three",
        (opens_on("touch") or 0) - 1,
        True,
    )
    assert second == Address("ch04")


def test_stops_are_named_ordered_and_deleted() -> None:
    at = own(seq=pack(TWO))
    at.text_input(key="teacher-title-1").set_value("Second")
    calm(at.run())
    at.text_area(key="teacher-note-1").set_value("one\ntwo")
    calm(at.run())
    at.number_input(key="teacher-minutes-1").set_value(4)
    calm(at.run())
    press(at, "teacher-up-1")
    assert [stop.minutes for stop in sequence_of(at).stops] == [4, 0]
    assert at.number_input(key="teacher-minutes-0").value == 4
    assert [stop.title for stop in sequence_of(at).stops] == ["Second", "First <b>bold</b>"]
    assert at.text_input(key="teacher-title-0").value == "Second"
    assert sequence_of(at).stops[0].note == "one\ntwo"
    again = own(**{k: v for k, v in query(at).items() if k == "seq"})
    assert sequence_of(again) == sequence_of(at), "a reload brings it back"
    press(at, "teacher-delete-0")
    assert [stop.title for stop in sequence_of(at).stops] == ["First <b>bold</b>"]
    press(at, "teacher-clear")
    assert "seq" not in query(at)


def test_a_full_sequence_takes_no_more() -> None:
    at = own(seq=pack(Sequence((Stop(Address("ch01")),) * MAX_STOPS)))
    assert at.button(key="teacher-add-pasted").disabled
    assert at.button(key="teacher-add-chosen").disabled


def test_a_long_sequence_leaves_the_link_and_asks_for_a_file() -> None:
    at = own(seq=pack(TWO))
    for index in (0, 1):
        noise = "".join(chr(0x4E00 + (n * n * 7919 + index) % 20_011) for n in range(600))
        at.text_area(key=f"teacher-note-{index}").set_value(noise)
        calm(at.run())
    made = sequence_of(at)
    told = t("teacher.too_long", "en", size=len(pack(made)), limit=2_000)
    assert [one.value for one in at.warning] == [told]
    assert "seq" not in query(at)
    assert links(at) == [], "no window could know it"
    assert [one.proto.page for one in at.get("page_link")] == ["present"], "it is given in this tab"


# -- giving it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("older", [{}, {"at": "2"}])
def test_a_link_to_a_sequence_leads_to_its_lecture(older: dict[str, str], lang: LangMode) -> None:
    """Links of before opened one stop on a page of its own (``at``)."""
    at = visit("teacher", lang=lang, seq=pack(TWO), **older)
    assert at.warning.len == 0
    assert at.button_group(key="teacher-part").value == "own"
    assert links(at) == [own_link(TWO, lang), own_link(TWO, lang, notes=True)]
    assert codes(at) == [f"http://localhost:8501/{own_link(TWO, lang)}"]


def test_the_sequence_stays_while_other_pages_are_open() -> None:
    at = visit("execute", lang="en", seq=pack(TWO))
    assert query(calm(at.run()))["seq"] == pack(TWO)


@pytest.mark.parametrize("lang", MODES)
def test_the_notes_can_be_printed(lang: LangMode) -> None:
    for at in (visit("teacher", lang=lang), visit("teacher", lang=lang, seq=pack(TWO))):
        labels = [one.proto.label for one in at.get("download_button")]
        assert labels.count(t("teacher.paper", languages(lang)[0])) == 1


@pytest.mark.parametrize("lang", LANGS)
def test_a_damaged_sequence_is_told(lang: Lang) -> None:
    at = visit("teacher", lang=lang, seq="zzz")
    assert [one.value for one in at.warning] == [t("page.link_lost", lang, names=t("teacher.part.own", lang))]
    assert at.button_group(key="teacher-part").value == "scripts"


# -- laptops ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", MODES)
def test_how_a_class_gets_in(lang: LangMode) -> None:
    at = part(visit("teacher", lang=lang), "class")
    said = texts(at)
    assert codes(at)[:2] == list(COMMANDS)
    assert COMMANDS[0].split()[1:] == ["run.py", run.CLASS]
    assert " ".join(run.TO_THE_ROOM) in COMMANDS[1]
    for one in languages(lang):
        assert text("class_local", one, host="localhost:8501") in said
        assert text("class_reload", one) in said
    assert REHEARSE in codes(at)
    leading = languages(lang)[0]
    assert t("teacher.class.no_code", leading) in [one.value for one in at.info]
    assert at.get("image") == []
    at.text_input(key="teacher-host").set_value("192.168.1.23")
    calm(at.run())
    assert f"http://192.168.1.23:8501/?lang={lang}" in codes(at)
    assert len(at.get("image")) == 1
    at.selectbox(key="teacher-opens").set_value("sheet")
    calm(at.run())
    assert f"http://192.168.1.23:8501/sheet?lang={lang}" in codes(at)


KEPT = Rehearsal("2026-11-30", 40, 1.0, 5.0, 312, 0.11, 0.84, cpu_s=0.08, mib=2.0, free_mib=4_000.0)


def after(monkeypatch: pytest.MonkeyPatch, path: Path, found: Rehearsal | None, lang: LangMode) -> str:
    """What the part on laptops says after such a rehearsal of this machine, or none."""
    if found is not None:
        keep(found, path)
    monkeypatch.setattr(laptops, "last_rehearsal", lambda: last(path))
    return texts(part(visit("teacher", lang=lang), "class"))


@pytest.mark.parametrize("lang", MODES)
def test_the_last_rehearsal_is_told(lang: LangMode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = after(monkeypatch, tmp_path / "sub" / "r.json", KEPT, lang)
    for one in languages(lang):
        assert text("class_hold", one, carries=44, day="2026-11-30") in said  # 0.7 x 5.08 s / 0.08 s
        assert text("class_hold_cost", one, cpu="0.080", each="2.0", busy=70) in said
        assert text("class_hold_none", one) not in said
    for figure in ("312", "0.11", "0.84"):
        assert figure in said


@pytest.mark.parametrize("lang", MODES)
def test_without_a_rehearsal_there_is_no_number(
    lang: LangMode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = after(monkeypatch, tmp_path / "r.json", None, lang)
    for one in languages(lang):
        assert text("class_hold_none", one) in said
        assert text("class_rehearse", one) in said
        assert text("class_hold_tried", one) not in said
    assert "MiB" not in said


@pytest.mark.parametrize("lang", LANGS)
def test_where_the_cpu_cannot_be_read_only_what_was_tried_is_told(
    lang: Lang, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = replace(KEPT, cpu_s=None, mib=None)
    said = after(monkeypatch, tmp_path / "r.json", tried, lang)
    assert text("class_hold", lang, carries=40, day="2026-11-30") in said
    assert text("class_hold_tried", lang) in said
    assert "MiB" not in said


def test_what_is_no_address_is_told() -> None:
    at = part(visit("teacher", lang="en"), "class")
    at.text_input(key="teacher-host").set_value("<script>")
    calm(at.run())
    assert [one.value for one in at.error] == [t("teacher.class.host.wrong", "en")]
    assert at.get("image") == []
