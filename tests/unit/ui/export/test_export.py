"""What a visitor takes home: joined script, offline page, pictures, table of requests."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import zipfile
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from core.engine.events import RequestAdmitted, RequestArrived
from core.scenario.scenario import Scenario, run
from core.timeline.event_log import EventLog, load_jsonl
from tests.stage_runs import stage_log_of
from ui.export.offline import inert, offline_html
from ui.export.pictures import MAX_FRAMES, frame_at, frames_zip, picture, stops
from ui.export.requests import request_rows, requests_csv
from ui.frame.join import JoinError, join_modules, top_level_names
from ui.frame.static_files import stage_files
from ui.stage.own import OWN, OwnPrompts
from ui.stage.payload import stage_log, stage_payload
from ui.stage.setup import Setup, load_setup, preset_ids
from ui.words.i18n import t

HOSTILE = "</script><script>alert(1)</script><!-- ${x} `"


@cache
def example(setup: str = "P0") -> tuple[Scenario, EventLog, dict[str, Any]]:
    scenario = load_setup(Setup(setup), "en")
    log = run(scenario)
    return scenario, log, stage_log(scenario, log, f"title of {setup}")


def modules() -> dict[str, str]:
    return {name: text.decode() for name, text in stage_files().items() if name.endswith(".js")}


# -- joining ------------------------------------------------------------------------------------------


def test_the_stage_joins_into_one_script_that_imports_nothing() -> None:
    script = join_modules(modules())
    assert re.findall(r"^\s*(?:import|export)\b.*", script, re.M) == []
    assert script.index("// ---- stage/draw/dom.js") < script.index("// ---- stage/stage.js")
    assert script.count("// ---- ") == len(set(re.findall(r"^// ---- (.+)$", script, re.M)))


def test_the_joined_script_is_javascript(node: str, tmp_path: Path) -> None:
    file = tmp_path / "stage.mjs"
    file.write_text(join_modules(modules()), "utf-8")
    subprocess.run([node, "--check", file], check=True, capture_output=True)


@pytest.mark.parametrize(
    "declaration",
    [
        "function wide() {}",
        "export async function wide() {}",
        "const wide = 1;",
        "export const tall = [1, 2], wide = { a: 1, b: 2 };",
        'let tall = "a, b", wide;',
        "class wide {}",
    ],
)
def test_an_equal_name_in_two_modules_is_refused(declaration: str) -> None:
    one = f'import {{ other }} from "./other.js";\n{declaration}\nexport default wide;\n'
    other = "export const other = 1;\nconst wide = 2;\n"
    with pytest.raises(JoinError, match=r"wide is declared in other\.js and in one\.js"):
        join_modules({"one.js": one, "other.js": other}, "one.js")
    assert join_modules({"one.js": one, "other.js": other.replace("wide", "wider")}, "one.js")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('import { a } from "./gone.js";\n', "is not there"),
        ('import { a as b } from "./other.js";\n', "cannot join"),
        ('import * as b from "./other.js";\n', "cannot join"),
        ('import {\n  a } from "./other.js";\n', "cannot join"),
        ("export { a };\n", "cannot join"),
        ('import { a } from "./one.js";\n', "in a circle"),
    ],
)
def test_other_imports_and_exports_are_refused(text: str, reason: str) -> None:
    with pytest.raises(JoinError, match=reason):
        join_modules({"one.js": text, "other.js": "export const a = 1;\n"}, "one.js")


def test_names_inside_functions_do_not_count() -> None:
    first = "const a = (x, y) => { const z = 1; return [x, y]; }, b = { c: 1 };"
    text = f"{first}\nfunction d() {{\n  const e = 1;\n}}\n"
    assert top_level_names(text) == ["d", "a", "b"]


# -- the offline page ---------------------------------------------------------------------------------


def offline(lang: str = "en", title: str = "A run") -> str:
    return offline_html(stage_payload(example()[2], None, lang, {"ask": True}), title)


def test_the_offline_page_asks_nobody_for_anything() -> None:
    page = offline()
    assert re.findall(r"<(?:link|img|iframe|script)[^>]*\b(?:src|href)=", page) == []
    assert re.findall(r"https?://(?!www\.w3\.org/)", page) == []
    assert "default-src 'none'" in page


def test_the_offline_page_carries_the_whole_run() -> None:
    data = re.findall(r'<script type="application/json" id="run">(.*?)</script>', offline(), re.S)[0]
    carried = json.loads(data)
    assert carried["a"] == json.loads(json.dumps(example()[2]))
    assert carried["forks"] == []  # a change needs the engine


def test_what_people_typed_cannot_leave_its_place() -> None:
    setup = Setup(OWN, own=OwnPrompts("", (HOSTILE, HOSTILE)))
    scenario = load_setup(setup, "en")
    page = offline_html(stage_payload(stage_log(scenario, run(scenario), HOSTILE), None, "en", {}), HOSTILE)
    assert page.count("<script") == offline().count("<script")
    assert page.count("</script>") == offline().count("</script>")
    assert "<script>alert" not in page
    assert inert('{"a": "</script>"}') == '{"a": "\\u003c/script>"}'


def test_the_offline_page_speaks_the_readers_language() -> None:
    assert '<html lang="zh-CN">' in offline("zh")
    assert "由高汤" in offline("both")
    assert "Saved from Broth" in offline("both")


# -- pictures -----------------------------------------------------------------------------------------


def test_the_last_picture_is_the_last_frame() -> None:
    log = example()[2]
    last = len(log["events"])
    assert frame_at(log, 0) == log["init"]
    assert frame_at(log, last)["totals"]["evicted"] == 1
    text = picture(log, last, "zh")
    ElementTree.fromstring(text)
    assert f"title of P0 · {last} / {last}" in text


@pytest.mark.parametrize("level", ["micro", "block", "request"])
def test_the_zip_holds_one_picture_per_stop(level: str) -> None:
    log = example()[2]
    with zipfile.ZipFile(io.BytesIO(frames_zip(log, level, "en"))) as archive:
        names = archive.namelist()
        assert archive.read(names[-1]).decode() == picture(log, len(log["events"]), "en")
    assert names == [f"P0-{step:05}.svg" for step in stops(log, level)]
    assert names == sorted(names)


def test_a_strip_of_beats_is_told_by_beats() -> None:
    log = stage_log_of("three")
    assert len(stops(log, "beat")) == 28  # the beginning, then one picture a press
    with zipfile.ZipFile(io.BytesIO(frames_zip(log, "beat", "en"))) as archive:
        told = archive.read("three-00012.svg").decode()
    assert "#1, #2, #3 are reserved. ×1: one request uses each." in told
    assert "#1, #2, #3 are" not in picture(log, 12, "en")


def test_the_same_run_gives_the_same_bytes() -> None:
    log = example()[2]
    assert frames_zip(log, "request", "en") == frames_zip(log, "request", "en")


def test_a_zip_stays_bounded() -> None:
    log = example()[2]
    many = {**log, "events": log["events"] * 20}
    assert len(stops(many, "micro")) > MAX_FRAMES
    with zipfile.ZipFile(io.BytesIO(frames_zip(many, "micro", "en"))) as archive:
        assert len(archive.namelist()) == MAX_FRAMES


# -- tables -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", preset_ids())
def test_rows_agree_with_the_events(preset: str) -> None:
    """Counted once more, event by event."""
    _, log, shown = example(preset)
    rows = request_rows(log)
    arrived = [event for event in log.events if isinstance(event, RequestArrived)]
    assert [(row.request, row.prompt_tokens) for row in rows] == [
        (event.request_id, len(event.token_ids)) for event in arrived
    ]
    first = {}
    for event in log.events:
        if isinstance(event, RequestAdmitted) and not event.resumed:
            first[event.request_id] = event.hit_tokens
    assert {row.request: row.hit_tokens for row in rows if row.request in first} == first
    totals = frame_at(shown, len(shown["events"]))["totals"]
    worked = totals["computed"] + totals["decoded"] + totals["recomputed"]
    assert sum(row.computed_tokens for row in rows) == worked
    assert sum(row.preemptions for row in rows) == totals["preempted"]
    assert all(0 <= float(row.hit_percent or 0) <= 100 for row in rows)


def test_the_table_opens_as_csv() -> None:
    log = example()[1]
    rows = list(csv.DictReader(io.StringIO(requests_csv(log))))
    assert [row["request"] for row in rows] == ["R0", "R1", "R2"]
    assert [row["hit_tokens"] for row in rows] == ["0", "8", "12"]
    assert [row["evictions_caused"] for row in rows] == ["0", "0", "1"]
    assert {row["status"] for row in rows} == {"finished"}


def test_the_table_needs_no_block_events() -> None:
    scenario = example()[0]
    plain = request_rows(run(scenario, block_events=False))
    assert [row.hit_tokens for row in plain] == [row.hit_tokens for row in request_rows(example()[1])]


def test_a_spreadsheet_takes_no_salt_for_a_formula() -> None:
    scenario = load_setup(Setup("P6", knobs={"salt": "=1+1"}), "en")
    rows = list(csv.DictReader(io.StringIO(requests_csv(run(scenario)))))
    assert {row["salt"] for row in rows} == {"'=1+1"}


def test_an_empty_run_gives_files_too() -> None:
    config = example()[0].config
    empty = EventLog(config, ())
    scenario = Scenario("empty", config, ())
    log = stage_log(scenario, empty, "empty")
    assert requests_csv(empty).count("\n") == 1
    assert load_jsonl(empty.to_jsonl()) == empty
    assert "mountStage" in offline_html(stage_payload(log, None, "en", {}), "empty")
    with zipfile.ZipFile(io.BytesIO(frames_zip(log, "request", "en"))) as archive:
        assert archive.namelist() == ["empty-00000.svg"]


# -- the README's picture -----------------------------------------------------------------------------

README_PICTURE = Path(__file__).resolve().parents[4] / "docs" / "pictures" / "stage.svg"


def test_the_picture_in_the_readme_is_what_the_stage_shows() -> None:
    """After a wanted change: ``BROTH_GOLDEN=write python -m pytest tests/unit/ui/export/test_export.py``."""
    scenario = load_setup(Setup("P0"), "en")
    log = stage_log(scenario, run(scenario), t("scenario.P0.title", "en"))
    shared = next(number for number, event in enumerate(log["events"], 1) if event["op"] == "touch")
    text = picture(log, shared, "en")
    if os.environ.get("BROTH_GOLDEN") == "write":
        README_PICTURE.write_text(text, "utf-8")
    assert README_PICTURE.read_text("utf-8") == text
    assert "docs/pictures/stage.svg" in (README_PICTURE.parents[2] / "README.md").read_text("utf-8")
