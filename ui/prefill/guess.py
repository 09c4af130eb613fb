"""A guess before a kept result is shown: people commit, then see. Whoever measures here has committed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import streamlit as st

from core.backends.experiments.report import Report
from ui.frame.kept import Kept
from ui.frame.session import built_under, say, say_each, say_under
from ui.prefill.about import claimed, times
from ui.prefill.serving import CLAIM
from ui.words.numbers import digits, percent

Unit = Literal["times", "share", "count"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked before a section shows its result. ``truth`` reads the answer off the very report that
    is shown (None: it does not say). One of the ``options`` lies near it; the others are what people
    believe."""

    options: tuple[float, ...]
    truth: Callable[[Report], float | None]
    unit: Unit = "times"

    def nearest(self, truth: float) -> float:
        """The option that is right: by its ratio for times, by its distance for shares and counts."""
        if self.unit == "times":
            return min(self.options, key=lambda option: abs(math.log(option / truth)))
        return min(self.options, key=lambda option: abs(option - truth))


def _ratio(report: Report) -> float:
    return float(report.rows[0]["ratio"])


def _in_band(report: Report) -> float:
    return float(sum(CLAIM[0] <= row["saved"] <= CLAIM[1] for row in report.rows))


def _flipped(report: Report) -> float:
    forced = report.summary["in_place"]
    return float(forced["flipped"] / forced["tries"])


def _wrong(report: Report) -> float:
    row = next(row for row in report.rows if row["side"] == "content")
    return float(row["wrong"] / row["requests"])


def _cached_of_four(report: Report) -> float | None:
    """What llama.cpp says it had cached of the most users that came at once; None: it was not asked."""
    rows = [row for row in report.rows if row["part"] == "users" and row["engine"] == "llama.cpp"]
    found = [row for row in rows if row["warm"]]
    share = max(found, key=lambda row: int(row["users"]), default={}).get("cached_share")
    return None if share is None else float(share)


QUESTIONS = {
    "pair": Question((2, 3, 4, 5), _ratio),
    "sweep": Question((5, 11, 15, 20), lambda report: float(report.rows[-1]["measured"])),
    "users": Question((2, 3, 4, 5), lambda report: float(report.summary["ratio"])),
    "long": Question((10, 20, 35, 65), _ratio),
    "decode": Question((2, 10, 70, 600), lambda report: float(report.rows[-1]["ratio"])),
    "saving": Question((1, 2, 3, 4, 5), _in_band, "count"),
    "breaks": Question((0.0, 0.25, 0.5, 0.75), _flipped, "share"),
    "documents": Question((0.0, 0.1, 0.5, 0.9), _wrong, "share"),
    "engines": Question((0.2, 0.4, 0.6, 0.8), _cached_of_four, "share"),
}


@dataclass
class Guesses:
    """By section what this visitor guessed (None: only wanted to see)."""

    placed: dict[str, float | None] = field(default_factory=dict)


_state: Callable[[], Guesses] = Kept("prefill_guesses", Guesses).get


def is_open(section: str) -> bool:
    """Whether the section's question still waits for a guess."""
    return section in QUESTIONS and section not in _state().placed


def ask(section: str) -> None:
    """The question, in the place of the result. One press answers it."""
    question = QUESTIONS[section]
    st.markdown(built_under(lambda: f"**{say(f'prefill.{section}.guess')}**"))
    with st.container(horizontal=True, vertical_alignment="center"):
        for number, option in enumerate(question.options):
            st.button(
                _words(question.unit, option), key=f"prefill_guess_{section}_{number}", on_click=_place,
                args=(section, option),
            )  # fmt: skip
        st.button(
            say_each("prefill.guess.skip"), key=f"prefill_guess_{section}_skip", type="tertiary",
            on_click=_place, args=(section, None),
        )  # fmt: skip


def _place(section: str, option: float | None) -> None:
    _state().placed[section] = option


def tell_guess(section: str, report: Report) -> None:
    """The guess beside what is shown, above it in one line; nothing where nobody guessed."""
    guess, question = _state().placed.get(section), QUESTIONS.get(section)
    if guess is not None and question is not None:
        truth = question.truth(report)
        if truth is None:
            return
        key = "prefill.guess.right" if guess == question.nearest(truth) else "prefill.guess.other"
        words = {"guess": _words(question.unit, guess), "truth": _words(question.unit, truth, measured=True)}
        st.markdown(say_under(key, **words))


def _words(unit: Unit, value: float, measured: bool = False) -> str:
    if unit == "times":
        return times(value) if measured else claimed(value)
    return say("unit.percent", n=percent(value, 0)) if unit == "share" else digits(round(value))
