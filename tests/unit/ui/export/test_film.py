"""The film of a run: every picture of it is the still of its step, in one small file without a script."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from core.scenario.scenario import run
from tests.stage_runs import stage_log_of
from ui.export.film import MAX_PICTURES, Film, film, film_steps
from ui.export.pictures import frame_at, picture, stops, title_at
from ui.stage.own import OWN, OwnPrompts
from ui.stage.payload import stage_log
from ui.stage.record import Answer, Record, open_question, run_name
from ui.stage.setup import Setup, load_setup
from ui.svg import render_svg

MOST_BYTES = 650_000
"""What slides hold without a thought; the dearest preset takes 617 kB, event by event."""

HOSTILE = "</text></svg><script>alert(1)</script>&<img src=x onerror=alert(1)>\"'"


def marks(svg: str) -> list[str]:
    """The elements of a drawing, from the ground up, without the ground itself."""
    body = svg.split("</defs>\n", 1)[1].rsplit("</svg>", 1)[0]
    return re.findall(r"<rect [^>]*/>|<path [^>]*/>|<text [^>]*>[^<]*</text>", body)[1:]


def seen_in(made: Film, number: int) -> list[str]:
    """What one picture of a film shows, read off the file: what each group is, unless it is set otherwise."""
    now = (number + 0.5) * made.pace_s
    turn = re.compile(
        r'<set attributeName="visibility" to="(\w+)" begin="turn.begin\+([\d.]+)s" dur="([\d.]+)s"/>'
    )

    def seen(group: re.Match[str]) -> str:
        state = "hidden" if group[1] else "visible"
        for other, begin, length in turn.findall(group[2]):
            if float(begin) <= now < float(begin) + float(length):
                state = other
        return group[2] if state == "visible" else ""

    return marks(re.sub(r'<g class="f\d+"( visibility="hidden")?>(.*?)</g>', seen, made.svg, flags=re.S))


@pytest.mark.parametrize(
    ("preset", "level"), [("P0", "micro"), ("P4", "beat"), ("P10", "block"), ("P9", "request")]
)
def test_each_picture_is_the_still_of_its_step(preset: str, level: str) -> None:
    log = stage_log_of(preset)
    made = film(log, film_steps(log, level, 0, len(log["events"])), "en", level=level)
    assert list(made.steps) == stops(log, level)
    for number, step in enumerate(made.steps):
        told = log["events"][step - 1] if step else None
        if told and level == "beat":
            told = {**told, **told.get("beat", {})}
        still = render_svg(
            frame_at(log, step),
            block_size=log["meta"]["block_size"],
            lang="en",
            step=told,
            pieces=log["pieces"],
            title=title_at(log, step),
        )
        assert seen_in(made, number) == marks(still), (number, step)


def test_every_step_is_shown_once_and_in_order() -> None:
    log = stage_log_of("P0")
    made = film(log, film_steps(log, "micro", 0, 127), "zh", "dark", level="micro")
    counted = [re.findall(r"· (\d+) / 127<", "".join(seen_in(made, number))) for number in range(128)]
    assert counted == [[str(step)] for step in range(128)]
    for own in made.spans:
        assert all(start < end for start, end in own)
        assert all(end < start for (_, end), (start, _) in pairwise(own))


@pytest.mark.parametrize("preset", ["three", "P0", "P5", "T10", "L640s", "L640"])
def test_a_film_is_small_whole_and_asks_nobody(preset: str) -> None:
    log = stage_log_of(preset)
    made = film(log, film_steps(log, "micro", 0, len(log["events"])), "en", level="micro")
    assert len(made.steps) == min(len(log["events"]) + 1, MAX_PICTURES)
    assert len(made.svg.encode()) < MOST_BYTES
    names = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(made.svg).iter()}
    assert names <= {"svg", "style", "defs", "pattern", "g", "set", "rect", "path", "text"}
    assert not re.search(r"href|https?://(?!www\.w3\.org/2000/svg)|@import|\bon\w+=", made.svg)


def test_without_motion_a_film_is_its_last_picture() -> None:
    log = stage_log_of("P3")
    steps = film_steps(log, "beat", 10, 40)
    made = film(log, steps, "en", level="micro")
    assert (steps[0], steps[-1]) == (10, 40)
    assert "<style>@media (prefers-reduced-motion:reduce){g{visibility:visible!important}g[vis" in made.svg
    resting = re.sub(r'<g class="f\d+" visibility="hidden">.*?</g>', "", made.svg, flags=re.S)
    assert marks(resting) == marks(picture(log, 40, "en"))


def test_what_people_typed_stays_text() -> None:
    setup = Setup(OWN, own=OwnPrompts("", (HOSTILE, HOSTILE)))
    scenario = load_setup(setup, "en")
    log = stage_log(scenario, run(scenario), HOSTILE)
    made = film(log, film_steps(log, "micro", 0, len(log["events"])), "en", level="micro")
    assert "<script" not in made.svg
    assert "<img" not in made.svg
    root = ElementTree.fromstring(made.svg)
    assert HOSTILE in str(root.get("aria-label"))


def test_pace_and_loop() -> None:
    log = stage_log_of("P3")
    made = film(log, [0, 5, 9], "en", pace_s=0.5, loop=False)
    assert made.seconds == 3.5
    assert 'begin="0s" dur="1.5s"' in made.svg
    assert 'begin="0s;rest.end" dur="6s"' in film(log, [0, 5, 9], "en").svg
    assert film(log, [0, 5, 9], "en") == film(log, [0, 5, 9], "en")
    still = film(log, [7], "en", level="micro")
    assert (still.spans, marks(still.svg)) == ((), marks(picture(log, 7, "en")))


def test_pictures_end_at_the_first_question_that_is_open() -> None:
    """Nothing that may be taken home answers what a guided run still asks."""
    setup = Setup("three", mode="guided")
    log = stage_log_of("three")
    asked = [i for i, step in enumerate(log["events"]) if "ask" in step]
    answered = Record(answers=(Answer(run_name(setup), asked[0], "x", False),))
    assert open_question(Record(), Setup("three"), log["events"]) is None
    assert open_question(Record(), setup, log["events"]) == asked[0]
    assert open_question(answered, setup, log["events"]) == asked[1]
