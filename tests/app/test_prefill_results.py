"""Results of real prefill that come and go: in a link, over a reload, out of a file; nothing is believed."""

from __future__ import annotations

import base64
import copy
import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.backends.experiments.checked import MAX_BYTES, can_come_back, checked, read_report
from core.backends.experiments.report import Json, Report
from core.errors import BackendError
from pages.prefill import VIEWS
from tests.app.visit import calm, choose, press, texts, visit
from ui.prefill import experiments
from ui.prefill.experiments import as_json, examples, kept
from ui.prefill.link import CARRIED, MOST_CHARS, Carried, carry
from ui.prefill.models import Choice
from ui.prefill.state import Opened, PrefillState
from ui.words.i18n import LANGS, Lang, t

COMES_BACK = [name for name in VIEWS if can_come_back(name)]
LINKED = Choice("numpy", "S")
WRONG: tuple[Any, ...] = (
    None,
    True,
    "x",
    "",
    -1,
    0,
    0.5,
    1e300,
    float("nan"),
    [],
    {},
    [1],
    {"a": 1},
    10**400,
)


def kept_of(experiment: str) -> Report:
    return next(report for report in kept() if report.experiment == experiment)


def link_of(*results: tuple[Choice, Report], choice: Choice = LINKED) -> dict[str, str]:
    return CARRIED.write(carry(choice, results)[0])


def whence(key: str, lang: Lang = "en") -> str:
    return t(f"prefill.from.{key}", lang, device="\0", library="", model="", date="", versions="").split(
        "\0"
    )[0]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for name, one in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from leaves(one, (*path, name))


def with_value(data: Json, path: tuple[Any, ...], value: Any) -> Json:
    found = copy.deepcopy(data)
    at: Any = found
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    return found


def looked_at(data: Json) -> list[Report]:
    """The report, if it is let in; a refusal is one of the project's."""
    try:
        return [checked(data, examples())]
    except BackendError as error:
        if not error.code.startswith("backend.report"):
            raise
        return []


# -- a field that is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "report", kept(), ids=lambda report: f"{report.experiment}-{report.backend}-{report.model}"
)
def test_what_was_saved_here_opens_again(report: Report) -> None:
    if can_come_back(report.experiment):
        assert read_report(as_json(report).encode(), examples()) == report
    else:
        with pytest.raises(BackendError) as refused:
            read_report(as_json(report).encode(), examples())
        assert refused.value.code == "backend.report_kind"
        assert carry(LINKED, [(LINKED, report)]) == (Carried(), (report,))


@pytest.mark.parametrize("experiment", [*COMES_BACK, "astray"])
def test_a_damaged_report_is_refused_in_a_sentence_or_shown(experiment: str) -> None:
    """Fields of a kept report by dice, gone or something else: an error of the project's, or a
    page that draws it."""
    dice, good = random.Random(experiment), json.loads(as_json(kept_of(experiment)))
    shown: list[Report] = []
    paths = list(leaves(good))
    for path in dice.sample(paths, min(len(paths), 90)):
        for value in dice.sample(WRONG, 3):
            shown += looked_at(with_value(good, path, value))
    at = visit("prefill", lang="en")
    at = choose(at, "prefill_section", "breaks" if experiment == "astray" else experiment)
    for report in dice.sample(shown, min(len(shown), 12)):
        at.session_state["prefill"].opened = {(experiment, Choice()): Opened(report, "file")}
        calm(at.run())
        assert whence("file") in texts(at)


@pytest.mark.parametrize(
    ("raw", "code", "told"),
    [
        (b"", "json", {"line": 1, "column": 1}),
        (b'{\n "schema": 2,\n oops', "json", {"line": 3, "column": 2}),
        (b"\xff\xfe{", "json", {"line": 1}),
        (b"[" * 100_000, "json", {}),
        (b'{"a": NaN}', "json", {}),
        (b" " * (MAX_BYTES + 1), "size", {"most": MAX_BYTES}),
        (b"[]", "", {}),
        (b'{"schema": 3}', "", {}),
    ],
)
def test_what_is_no_report_says_so(raw: bytes, code: str, told: Json) -> None:
    with pytest.raises(BackendError) as refused:
        read_report(raw, examples())
    assert refused.value.code == "backend.report" + (f"_{code}" if code else "")
    assert {name: refused.value.values[name] for name in told} == told


@pytest.mark.parametrize("name", ["runs", "users", "block_size"])
@pytest.mark.parametrize("value", [0.5, 1.5, 0, -1, True])
def test_a_count_is_a_whole_number_from_one_on(name: str, value: Any) -> None:
    good = json.loads(as_json(kept_of("users")))
    with pytest.raises(BackendError, match=rf"settings\.{name}"):
        checked(with_value(good, ("settings", name), value), examples())


def test_a_wrong_field_is_named() -> None:
    good = json.loads(as_json(kept_of("sweep")))
    for path, where in (((("rows", 3, "timing", "wall_ms")), "rows[3].timing.wall_ms"), (("date",), "date")):
        with pytest.raises(BackendError) as refused:
            checked(with_value(good, path, "x"), examples())
        assert where in str(refused.value)
    del good["rows"][2]["measured"]
    with pytest.raises(BackendError, match=r"rows\[2\]\.measured"):
        checked(good, examples())


def test_a_share_above_one_and_a_median_outside_its_interval_are_refused() -> None:
    good = json.loads(as_json(kept_of("users")))
    with pytest.raises(BackendError, match=r"summary\.hit_rate"):
        checked(with_value(good, ("summary", "hit_rate"), 1.2), examples())
    pair = json.loads(as_json(kept_of("pair")))
    with pytest.raises(BackendError, match=r"rows\[0\]\.ratio"):
        checked(with_value(pair, ("rows", 0, "ratio"), 50.0), examples())


# -- the link --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", COMES_BACK)
def test_each_result_has_room_in_a_link_and_comes_back(experiment: str) -> None:
    report = kept_of(experiment)
    query = link_of((LINKED, report))
    found, lost = CARRIED.read(query)
    assert lost == []
    ((choice, back),) = found.results
    assert (choice, back.experiment, back.date, len(back.rows)) == (
        LINKED,
        experiment,
        report.date,
        len(report.rows),
    )
    assert CARRIED.write(found) == query


def test_a_link_takes_the_first_ones_and_says_what_has_no_room() -> None:
    many = [
        (Choice("numpy", model), report)
        for model in ("XS", "S", "M")
        for report in kept()
        if can_come_back(report.experiment)
    ]
    carried, left = carry(LINKED, many)
    assert len(carried.packed) <= MOST_CHARS
    assert carried.results[0] == many[0]
    assert len(carried.results) + len(left) == len(many)
    assert left


def damaged_links() -> Iterator[str]:
    good, dice = link_of((LINKED, kept_of("pair")))["pr"], random.Random(5)
    yield from ("", "x", "A" * (MOST_CHARS + 1), "é", good[:-9], good + good)
    for _ in range(60):
        at = dice.randrange(len(good))
        yield good[:at] + dice.choice("abcXYZ019-_!%") + good[at + 1 :]


def test_a_damaged_link_is_lost_and_raises_nothing() -> None:
    for text in damaged_links():
        carried, lost = CARRIED.read({"pr": text})
        assert lost in ([], ["pr"])
        assert (carried == Carried()) is (lost == ["pr"] or not text)


def test_a_bomb_in_a_link_is_not_unpacked() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b" " * 4_000_000, 9)).decode().rstrip("=")
    assert len(bomb) <= MOST_CHARS
    assert CARRIED.read({"pr": bomb}) == (Carried(), ["pr"])


@pytest.mark.parametrize("lang", LANGS)
def test_section_model_and_result_survive_a_reload(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = replace(kept_of("sweep"), device="my own machine", date="2026-01-02")
    monkeypatch.setitem(experiments.EXPERIMENTS, "sweep", lambda *_: mine)
    at = choose(visit("prefill", lang=lang), "prefill_section", "sweep")
    at = press(choose(at, "prefill_model", "XS"), "prefill_measure_sweep")
    state: PrefillState = at.session_state["prefill"]
    if state.job is not None:
        state.job.join(20)
        calm(at.run())
    assert whence("own", lang) in texts(at)
    address = {name: str(value) for name, value in at.query_params.items()}
    again = visit("prefill", **address)
    assert again.session_state["prefill"].section == "sweep"
    assert again.session_state["prefill"].choice == Choice("numpy", "XS")
    assert whence("link", lang) in texts(again), "somebody says so: no longer measured here"
    assert "my own machine" in texts(again)
    again = press(again, "prefill_kept_sweep")
    assert whence("kept", lang) in texts(again)
    assert "pr" not in again.query_params


@pytest.mark.parametrize(("name", "value"), [("pl", "jax"), ("pm", "XXL"), ("pr", "nonsense")])
def test_what_the_link_says_wrong_is_told(name: str, value: str) -> None:
    at = visit("prefill", lang="en", **{name: value})
    (told,) = (str(one.value) for one in at.warning)
    assert t(CARRIED.names[name], "en") in told


# -- a file ----------------------------------------------------------------------------------------------


def opened(at: AppTest, name: str, raw: bytes) -> AppTest:
    return calm(at.get("file_uploader")[0].upload(name, raw, "application/json").run())


def test_a_file_opens_in_its_section_and_one_step_back_leads_to_ones_own() -> None:
    report = replace(kept_of("users"), device="elsewhere")
    at = opened(visit("prefill", lang="en"), "mine.json", as_json(report).encode())
    assert at.session_state["prefill_section"] == "users"
    assert whence("file") in texts(at)
    assert "elsewhere" in texts(at)
    at = press(at, "prefill_kept_users")
    assert whence("kept") in texts(at)


@pytest.mark.parametrize("lang", LANGS)
def test_a_bad_file_is_named_with_its_line(lang: Lang) -> None:
    at = opened(visit("prefill", lang=lang), "a|b$.json", b'{\n "schema": }')
    (error,) = (str(one.value) for one in at.error)
    why = t("error.backend.report_json", lang, line=2, column=12)
    assert error.replace("\\", "") == t("prefill.open.refused", lang, file="a|b$.json", why=why)
    assert whence("kept", lang) in texts(at), "nothing is lost"
    at = opened(at, "good.json", as_json(kept_of("pair")).encode())
    assert len(at.error) == 0


def as_of_schema_1(value: Any) -> Any:
    """Without the fields that schema 2 brought."""
    new = ("faults", "full_gflops_s", "hit_gflops_s", "total_wall_ms", "runs", "warm_ups", "one", "reason")
    if isinstance(value, dict):
        return {name: as_of_schema_1(one) for name, one in value.items() if name not in new}
    return [as_of_schema_1(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("experiment", COMES_BACK)
def test_a_report_of_the_first_schema_opens(experiment: str) -> None:
    old = {**as_of_schema_1(json.loads(as_json(kept_of(experiment)))), "schema": 1}
    at = opened(visit("prefill", lang="en"), "old.json", json.dumps(old).encode())
    assert len(at.error) == 0
    assert at.session_state["prefill_section"] == experiment
    assert whence("file") in texts(at)
