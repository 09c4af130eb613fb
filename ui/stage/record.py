"""What a visitor has done with the runs so far: changes tried, questions answered. Kept in session and link.

The setup says what is on the screen; this says what happened there. The finish page reports it, and because
it travels in the link like everything else, it survives a reload without any storage of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote

from core.texts import text_bytes
from ui.frame.link import LinkPart, Query
from ui.stage.fork import Fork, fork_from_link
from ui.stage.own import OWN
from ui.stage.setup import SETUP, Setup
from ui.stage.setup import from_query as setup_from_query

MAX_FORKS = 8
MAX_LINK = 1_500
"""Characters of answers and of changes that a link may carry; the oldest are left out first."""

_RUN = re.compile(r"[A-Za-z0-9]+(?:-[0-9a-f]{6})?")
_ANSWER = re.compile(r"([a-z]+)(\d{1,6})(x?)")


@dataclass(frozen=True, slots=True)
class Answer:
    """The first answer to one question: in which run, before which step, what it asked, right or wrong."""

    run: str
    step: int
    question: str
    right: bool


@dataclass(frozen=True, slots=True)
class Record:
    """``forks`` belong to the run ``run`` alone; ``answers`` are those of all runs, oldest first."""

    run: str = ""
    forks: tuple[Fork, ...] = ()
    answers: tuple[Answer, ...] = ()

    def with_fork(self, run: str, fork: Fork) -> Record:
        """One more change tried; the same change at the same step counts once, another run starts anew."""
        before = self.forks_of(run)
        kept = [one for one in before if one != fork][-(MAX_FORKS - 1) :]
        return replace(self, run=run, forks=(*kept, fork))

    def without_forks(self) -> Record:
        """Nothing tried."""
        return replace(self, forks=())

    def with_answer(self, answer: Answer) -> Record:
        """One more answer; only the first answer to a question counts."""
        known = {(one.run, one.step) for one in self.answers}
        if (answer.run, answer.step) in known:
            return self
        return replace(self, answers=(*self.answers, answer))

    def without_answers(self) -> Record:
        """No question answered."""
        return replace(self, answers=())

    def forks_of(self, run: str) -> tuple[Fork, ...]:
        """The changes tried on that run."""
        return self.forks if run == self.run else ()

    def score(self) -> dict[str, tuple[int, int]]:
        """Per question: (right at first try, asked)."""
        score: dict[str, tuple[int, int]] = {}
        for answer in self.answers:
            right, asked = score.get(answer.question, (0, 0))
            score[answer.question] = (right + answer.right, asked + 1)
        return score


def run_name(setup: Setup) -> str:
    """A short name for the run of a setup: equal exactly when scenario, knobs and own prompts are."""
    own = repr(setup.own) if setup.scenario == OWN else ""
    if not setup.knobs and not own:
        return setup.scenario
    text = f"{sorted(setup.knobs.items())}{own}"
    return f"{setup.scenario}-{blake2b(text_bytes(text), digest_size=3).hexdigest()}"


def read_answer(told: object, run: str, steps: Sequence[Mapping[str, Any]]) -> Answer | None:
    """What the stage told, checked against the run: it comes from a browser. None: not an answer."""
    if not isinstance(told, dict):
        return None
    step, question, right = told.get("event"), told.get("id"), told.get("right")
    if isinstance(step, float) and step.is_integer():
        step = int(step)
    if (
        isinstance(step, bool)
        or not isinstance(step, int)
        or not 0 <= step < len(steps)
        or not isinstance(right, bool)
    ):
        return None
    asked = steps[step].get("ask") or {}
    return Answer(run, step, str(question), right) if asked.get("id") == question else None


def open_question(record: Record, setup: Setup, steps: Sequence[Mapping[str, Any]]) -> int | None:
    """The step before which a guided run still waits for an answer; none where nothing is open."""
    if setup.mode != "guided":
        return None
    run = run_name(setup)
    answered = {one.step for one in record.answers if one.run == run}
    return next((i for i, step in enumerate(steps) if "ask" in step and i not in answered), None)


# -- links --------------------------------------------------------------------------------------------


def to_query(record: Record, run: str) -> dict[str, str]:
    """The record as query parameters, as far as it fits."""
    tried = _newest("~", [_escape(fork.to_link()) for fork in record.forks_of(run)])
    quiz = _newest("_", _by_run(record.answers))
    return {name: text for name, text in (("tried", tried), ("quiz", quiz)) if text}


def from_query(query: Mapping[str, str], run: str) -> tuple[Record, list[str]]:
    """The record a link carries, and the names of parameters that could not be read."""
    lost: list[str] = []
    forks = [fork_from_link(unquote(part)) for part in query.get("tried", "").split("~") if part]
    answers = list(_read_answers(query.get("quiz", "")))
    if None in forks:
        lost.append("tried")
    if None in answers:
        lost.append("quiz")
    record = Record(run)
    for fork in filter(None, forks):
        record = record.with_fork(run, fork)
    for answer in filter(None, answers):
        record = record.with_answer(answer)
    return record, lost


def _read(query: Query) -> tuple[Record, list[str]]:
    """What was tried belongs to the run that stands in the same link."""
    return from_query(query, run_name(setup_from_query(query)[0]))


_NAMES = {"tried": "finish.compare.title", "quiz": "finish.quiz.title"}

RECORD = LinkPart(
    "record",
    lambda: Record(run_name(Setup())),
    _NAMES,
    _read,
    lambda record: to_query(record, run_name(SETUP.get())),
    personal=frozenset(_NAMES),
)


def _by_run(answers: Iterable[Answer]) -> list[str]:
    """``P0.hit12.touch23x``: a run, then question, step, x for a wrong answer."""
    runs: dict[str, list[str]] = {}
    for one in answers:
        runs.setdefault(one.run, [one.run]).append(f"{one.question}{one.step}{'' if one.right else 'x'}")
    return [".".join(parts) for parts in runs.values()]


def _read_answers(text: str) -> Iterable[Answer | None]:
    for part in filter(None, text.split("_")):
        run, *answers = part.split(".")
        for answer in answers:
            found = _ANSWER.fullmatch(answer)
            known = found is not None and _RUN.fullmatch(run) is not None
            yield Answer(run, int(found[2]), found[1], not found[3]) if found and known else None


def _newest(separator: str, parts: Sequence[str]) -> str:
    """The newest parts that fit into a link, in their order."""
    kept: list[str] = []
    room = MAX_LINK
    for part in reversed(parts):
        room -= len(part) + 1
        if room < 0:
            break
        kept.insert(0, part)
    return separator.join(kept)


def _escape(text: str) -> str:
    return quote(text, safe=".").replace("~", "%7E")
