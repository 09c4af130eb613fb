"""Every answer key of the app is proven by a run of the engine.

Where the proofs stand: the stage's questions, each kind against frames and tables (stage/test_questions.py);
the sheet and the handout (study/, export/); chapter 11's beliefs, chapter 13's faults by their repairs, all
bets of the course (course/); the lecture's stops (lecture/); the interview's figures (interview/). Here: that
whatever grades an answer has such a test, the lessons of the finish page, what the act says of a choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from core.engine import events as ev
from core.engine.engine import Engine
from core.types import EngineConfig, Request
from ui.act.play import act_beats, alike
from ui.finish.quiz import EARLIER
from ui.stage.questions import KINDS
from ui.words.i18n import LANGS, Lang, table

ROOT = Path(__file__).resolve().parents[3]
GRADES = re.compile(r"(?m)(=|return) Asked\(|index=None|^QUESTIONS\b.*= \{\"|\"answers\": \[")
"""How a place is written that knows a right answer: a bet, an open choice, letters, a question."""

DRAWN_ELSEWHERE = {"ui/course/bets.py", "pages/sheet.py", "pages/ch06.py", "pages/ch13.py"}
"""They draw what others grade."""


def graders() -> list[str]:
    found = []
    for folder in ("ui", "pages", "core"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            text = path.read_text("utf-8")
            asks = "course.asked import" in text or not re.search(r"\bAsked\(", text)
            if GRADES.search(text) and asks and name not in DRAWN_ELSEWHERE:
                found.append(name)
    return found


def test_the_list_of_graders_sees_them() -> None:
    assert {"ui/act/play.py", "ui/course/ch13.py"} <= set(graders())


@pytest.mark.parametrize("name", graders())
def test_whatever_grades_an_answer_is_held_against_the_engine(name: str) -> None:
    """Some test imports it, or its package, together with something of core."""
    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    names = {module, module.rpartition(".")[0]} - {"ui", "pages", "core"}
    wanted = re.compile("|".join(rf"from {re.escape(one)}(\.\w+)* import" for one in names))
    tests = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    assert any(wanted.search(text) and re.search(r"^from core\.", text, re.MULTILINE) for text in tests), name


# -- the lessons of the finish page ------------------------------------------------------------------------


def engine(num_slots: int = 12, **config: object) -> Engine:
    return Engine(EngineConfig(block_size=4, num_blocks=num_slots + 1, **config))  # type: ignore[arg-type]


def serve(on: Engine, name: str, tokens: object, **more: object) -> int:
    """Run one request to its end; tokens that it reused."""
    request = Request(name, tuple(tokens), **more)  # type: ignore[arg-type]
    hit = on.lookup(request).hit
    on.submit(request)
    on.run()
    return hit


def empty() -> bool:
    return serve(engine(), "a", range(9)) == 0


def until() -> bool:
    on = engine()
    serve(on, "a", range(12))
    equal_but_behind_another = [99, *range(1, 12)]
    return serve(on, "b", equal_but_behind_another) == 0 and serve(on, "c", range(12)) == 8


def whole() -> bool:
    on = engine()
    serve(on, "a", range(12))
    return serve(on, "b", [*range(7), 99, 98]) == 4


def gone() -> bool:
    on = engine(3)
    serve(on, "a", range(8))
    serve(on, "b", range(50, 62))
    return serve(on, "c", range(8)) == 0


def old() -> bool:
    on = engine(ttl=5)
    serve(on, "a", range(8))
    on.wait(20)
    return serve(on, "b", range(8)) == 0


def lock() -> bool:
    on = engine()
    serve(on, "a", range(8), salt="x")
    other_salt = serve(on, "b", range(8), salt="y")
    same_salt = serve(on, "c", range(8), salt="x")
    on.set_version("v2")
    return (other_salt, same_salt, serve(on, "d", range(8), salt="x")) == (0, 4, 0)


def once() -> bool:
    on = engine(admit_after=2)
    hits = [serve(on, name, range(8)) for name in "abc"]
    return hits == [0, 0, 4]


def stays() -> bool:
    """The block stored first survives, if it is let go of last."""
    on = engine(3)
    on.start(Request("first", tuple(range(4))))
    on.start(Request("second", tuple(range(50, 54))))
    on.free("second")
    on.free("first")
    serve(on, "new", range(90, 98))
    return serve(on, "again", range(5)) == 4


def full() -> bool:
    on = engine()
    serve(on, "a", range(8))
    return serve(on, "b", range(8)) == 4


def bigger() -> bool:
    found = []
    for size in (4, 16):
        on = Engine(EngineConfig(block_size=size, num_blocks=20))
        serve(on, "a", range(12))
        found.append(serve(on, "b", [*range(10), 99]))
    return found == [8, 0]


def chain() -> bool:
    on = engine()
    serve(on, "a", range(12))
    return serve(on, "b", [99, *range(1, 12), 13]) == 0


def merge() -> bool:
    told: list[ev.Event] = []
    on = engine()
    on.listen(told.append)
    serve(on, "a", range(8))
    serve(on, "b", range(8))
    copies = [one for one in told if isinstance(one, ev.BlockStored) and one.duplicate_of]
    return len(copies) == 1 and on.view.block_hash(copies[0].block_id) == copies[0].hash


def touch() -> bool:
    told: list[ev.Event] = []
    on = engine()
    serve(on, "a", range(8))
    on.listen(told.append)
    serve(on, "b", range(9))
    touched = [one for one in told if isinstance(one, ev.BlockTouched)]
    moved = [one.block_id for one in told if isinstance(one, ev.BlockAllocated)]
    return [one.ref_count for one in touched] == [1, 1] and not set(moved) & {one.block_id for one in touched}


def evict() -> bool:
    told: list[ev.Event] = []
    on = engine(3)
    on.start(Request("running", tuple(range(4))))  # the oldest, but in use
    serve(on, "a", range(50, 54))
    serve(on, "b", range(60, 64))
    on.listen(told.append)
    serve(on, "c", range(70, 74))
    return [one.block_id for one in told if isinstance(one, ev.BlockEvicted)] == [2]


def free() -> bool:
    told: list[ev.Event] = []
    on = engine()
    on.listen(told.append)
    serve(on, "a", range(12))
    return [one.index for one in told if isinstance(one, ev.BlockReleased)] == [2, 1, 0]


def done() -> bool:
    on = engine()
    serve(on, "a", range(8))
    return on.lookup(Request("b", tuple(range(9)))).hit == 8


def append() -> bool:
    """Tokens computed for each answer token, with hits and without."""
    on = engine()
    work = []
    for name in "ab":
        told: list[ev.Event] = []
        on.listen(told.append)
        serve(on, name, range(9), outputs=(7, 8, 9))
        work.append([one.num_scheduled for one in told if isinstance(one, ev.RequestScheduled)])
    return work[0] == work[1] and set(work[0]) == {1}


TRUTHS: dict[str, Callable[[], bool]] = {
    one.__name__: one
    for one in (
        *(empty, chain, until, whole, full, gone, old, lock, once, free, evict, stays, touch, done, merge),
        *(bigger, append),
    )
}


@pytest.mark.parametrize("name", TRUTHS)
def test_what_the_finish_page_calls_true_is_what_the_engine_does(name: str) -> None:
    assert TRUTHS[name]()


def test_each_lesson_has_its_truth() -> None:
    assert set(TRUTHS) == set(KINDS)
    assert set(EARLIER.values()) <= set(KINDS)
    for lang in LANGS:
        assert {f"finish.quiz.{name}.truth" for name in KINDS} <= set(table(lang))


# -- the act ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_what_the_act_says_of_a_choice_is_so(lang: Lang) -> None:
    """From which token on must we compute? Each wrong place has a reason of its own, and it is the case."""
    ask = next(one["ask"] for one in act_beats(lang) if "ask" in one)
    [hit] = ask["answers"]
    equal = alike(lang)
    differs = equal.index(False)
    for place, key in enumerate(ask["said"]):
        name = key.removeprefix("act.said.")
        assert {
            "right": place == hit,
            "nothing": place == 0 < hit,
            "inside": 0 < place < hit and place % 4 != 0,
            "whole": hit < place < differs and equal[place] and not all(equal[place // 4 * 4 :][:4]),
            "tokens": place == differs,
            "behind": place > differs and equal[place],
        }[name], (place, key)
