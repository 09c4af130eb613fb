"""The handout: what is left open, what is given, and that its answers are those of the engine."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from ui.export.handout import handout_html, moments, worked_example
from ui.export.pictures import frame_at
from ui.stage.setup import preset_text
from ui.study.ideas import SIX
from ui.study.variants import variant
from ui.svg.sheet import render_sheet
from ui.words.i18n import LANGS, Lang, LangMode, t

FIGURE = re.compile(r"<figure>.*?</figure>", re.S)
ANSWERS = re.compile(r'<div class="answers">(.*?)</div>', re.S)
EXPECTED = json.loads(preset_text("P0"))["expected"]


def tags(lang: Lang) -> set[str]:
    log = worked_example(lang)[1]
    requests = frame_at(log, len(log["events"]))["reqs"].values()
    return {digest[:4] for request in requests for digest in request["hashes"]}


@pytest.mark.parametrize("mode", ["zh", "en", "both"])
def test_two_pages_four_frames_six_questions(mode: LangMode) -> None:
    page = handout_html(mode)
    assert page.count("<section>") == 2
    assert len(FIGURE.findall(page)) == 4
    assert page.count("▢") == len(SIX) == 6
    assert "$" not in re.sub(r"\$\{", "", page), "a hole of the template was left open"


@pytest.mark.parametrize("lang", LANGS)
def test_the_gaps_are_open_and_what_fills_them_is_given(lang: Lang) -> None:
    page = handout_html(lang)
    frames = "".join(FIGURE.findall(page))
    assert tags(lang) == set(re.findall(r"<code>\d+&thinsp;([0-9a-f]{4})</code>", page))
    assert [tag for tag in tags(lang) if tag in frames] == []
    assert re.findall(r"×\d", frames) == []
    assert "×__" in frames
    queue = frame_at(worked_example(lang)[1], moments(worked_example(lang)[1])[2][0])["queue"]
    assert frames.count(">____<") >= len(queue)


@pytest.mark.parametrize("lang", LANGS)
def test_the_four_moments_are_what_their_captions_say(lang: Lang) -> None:
    log = worked_example(lang)[1]
    first, second, third, fourth = (frame_at(log, step) for step, _ in moments(log))
    assert [row[0] for row in first["reqs"]["R0"]["btable"]] == [1, 2, 3, 4]  # from the head of 1 … 10
    assert first["reqs"]["R0"]["written"] == first["reqs"]["R0"]["num_prompt"]
    assert [slot for slot, how in second["reqs"]["R1"]["btable"] if how == "hit"] == [1, 2]
    assert second["reqs"]["R1"]["written"] == second["reqs"]["R1"]["num_prompt"]
    assert {request["status"] for request in third["reqs"].values()} == {"finished"}
    assert third["queue"] == EXPECTED["queues"]["R1"]
    assert fourth["reqs"]["R2"]["hit"] == 3 * log["meta"]["block_size"]
    assert fourth["totals"]["evicted"] - third["totals"]["evicted"] == 1


@pytest.mark.parametrize("lang", LANGS)
def test_the_answers_fill_the_gaps(lang: Lang) -> None:
    log = worked_example(lang)[1]
    told = ANSWERS.findall(handout_html(lang))[0]
    for step, _ in moments(log):
        frame = frame_at(log, step)
        assert "◂ " + " ".join(f"#{block_id}" for block_id in frame["queue"]) + " ▸" in told
        for name, slot in frame["slots"].items():
            if slot["ref"] and slot["hash"]:
                assert f"#{name} {slot['hash'][:4]} ×{slot['ref']}" in told


@pytest.mark.parametrize("lang", LANGS)
def test_the_questions_are_those_of_the_sheet(lang: Lang) -> None:
    page = unescape(handout_html(lang, seed=77))
    for name in SIX:
        asked = variant(name, 77)
        assert asked.ask(lang) in page
        options = "".join(f"<li>{asked.option(letter, lang)}</li>" for letter in asked.order)
        assert options in page
        assert f"<b>{asked.order.index(asked.right) + 1}</b> {asked.why(lang)}" in page


def test_both_languages_stand_on_one_page() -> None:
    page = handout_html("both")
    for lang in LANGS:
        assert t("handout.questions", lang) in page
        assert t("part.queue.what", lang) in page


def test_paper_is_white_and_states_differ_without_colour() -> None:
    log = worked_example("en")[1]
    step, rid = moments(log)[3]
    sheet = render_sheet(frame_at(log, step), block_size=4, lang="en", rid=rid, blanks=False)
    colours = {colour.upper() for colour in re.findall(r"#[0-9A-Fa-f]{6}\b", sheet)}
    assert colours <= {"#FFFFFF", "#16202B", "#6B7887"}
    assert "url(#stripes)" in sheet
    assert 'stroke-dasharray="6 4"' in sheet


def test_an_open_sheet_tells_all() -> None:
    log = worked_example("en")[1]
    frame = frame_at(log, moments(log)[1][0])
    sheet = render_sheet(frame, block_size=4, lang="en", rid="R1", blanks=False)
    assert "____" not in sheet
    assert "×2" in sheet
    assert all(f">#{block_id}<" in sheet for block_id in frame["queue"])
