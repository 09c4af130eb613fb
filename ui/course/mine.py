"""The visitor's own prompt that goes through the course: a beginning and three questions, kept in the link.

Whoever types nothing works on ours, in their language. Every chapter counts and bets on this prompt; what is
counted stays with its visitor unless the prompt is ours.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import streamlit as st

from core.errors import ScenarioError
from core.scenario.scenario import Scenario, run
from core.scenario.tokenizer import TeachingTokenizer
from ui.course.counted import hits_of
from ui.frame.kept import LastFew
from ui.frame.link import LinkPart, Query
from ui.frame.session import lang, lang_mode
from ui.frame.shared import Shared
from ui.stage.own import (
    MAX_OWN_LINK,
    MAX_SLOTS,
    OWN,
    OWN_BLOCK_SIZE,
    OWN_SLOTS,
    OwnPrompts,
    pack_own,
    unpack_own,
)
from ui.stage.run import Run, shown_run
from ui.stage.setup import TEXTS, Setup, load_setup
from ui.stage.show_me import execute_address
from ui.words.i18n import Lang, t

QUESTIONS = 3
MAX_BEGINNING, MAX_QUESTION = 600, 200
"""Characters of the two kinds of field."""

MAX_TOKENS = 160
"""Tokens of one prompt: all three then fit into one pool, and their blocks into one picture."""

_RUNS, _OURS = LastFew("mine_runs", 4), Shared(64)


def own_words(beginning: str, *questions: str) -> OwnPrompts:
    """What somebody typed, as it is kept. A question may be empty, a beginning may not.

    Raises:
        ScenarioError: no beginning, not three questions, or more than a chapter or a link can hold.
    """
    typed = OwnPrompts(beginning.strip(), tuple(question.strip() for question in questions))
    if not typed.system or len(typed.messages) != QUESTIONS:
        raise ScenarioError("mine.empty", "The prompt needs a beginning. Type one.")
    tokens = max(len(words) for words in tokens_of(joined(typed)))
    if tokens > MAX_TOKENS:
        message = f"One of the prompts has {tokens} tokens; a chapter can draw {MAX_TOKENS}. Shorten it."
        raise ScenarioError("mine.long", message, size=tokens, limit=MAX_TOKENS)
    too_long = len(typed.system) > MAX_BEGINNING or max(map(len, typed.messages)) > MAX_QUESTION
    if too_long or len(pack_own(typed)) > MAX_OWN_LINK:
        raise ScenarioError("mine.link", "The prompt is too long for the link that keeps it. Shorten it.")
    return typed


def joined(typed: OwnPrompts) -> OwnPrompts:
    """The same with the blank between beginning and question that words need and Chinese does not."""
    return OwnPrompts(typed.system, tuple(_gap(typed.system, one) + one for one in typed.messages))


def _gap(beginning: str, question: str) -> str:
    return "" if not question or _wide(beginning[-1]) or _wide(question[0]) else " "


def _wide(char: str) -> bool:
    """A sign that no blank stands beside: a Chinese character or a full-width mark, no emoji."""
    return unicodedata.east_asian_width(char) in "WF" and unicodedata.category(char) != "So"


# -- in the link -----------------------------------------------------------------------------------------


def _read(query: Query) -> tuple[OwnPrompts, list[str]]:
    if "mine" not in query:
        return OwnPrompts(), []
    found = unpack_own(query["mine"]) if len(query["mine"]) <= MAX_OWN_LINK else None
    try:
        if found is None or found.answer:
            return OwnPrompts(), ["mine"]
        return own_words(found.system, *found.messages), []
    except ScenarioError:
        return OwnPrompts(), ["mine"]


def _write(typed: OwnPrompts) -> dict[str, str]:
    return {} if typed == OwnPrompts() else {"mine": pack_own(typed)}


MINE = LinkPart("mine", OwnPrompts, {"mine": "course.mine.name"}, _read, _write)
"""What was typed; ``OwnPrompts()``: nothing, so ours. It travels with a link that is handed on."""


# -- what chapters ask for -------------------------------------------------------------------------------


def our_prompt(lang: Lang) -> OwnPrompts:
    """Ours, in that language, ready to run."""
    questions = tuple(t(f"course.mine.ours.{number}", lang) for number in range(1, QUESTIONS + 1))
    return joined(OwnPrompts(t("course.mine.ours.0", lang), questions))


def my_prompt(lang: Lang) -> OwnPrompts:
    """The visitor's, or ours in that language: a beginning and always three messages. Prompt number i is
    ``system + messages[i]``."""
    typed = MINE.get()
    return our_prompt(lang) if typed == OwnPrompts() else joined(typed)


def tokens_of(prompt: OwnPrompts) -> list[list[str]]:
    """The words of its prompts as the teaching tokenizer cuts them."""
    cut = TeachingTokenizer().pieces
    return [cut(prompt.system + message) for message in prompt.messages]


def my_tokens(lang: Lang, prompt: OwnPrompts | None = None) -> list[list[str]]:
    """``tokens_of`` the visitor's prompt, or of another one."""
    return tokens_of(prompt or my_prompt(lang))


def my_setup(lang: Lang, prompt: OwnPrompts | None = None, **knobs: Any) -> Setup:
    """The run of it: R0, R1 and R2, one after another. Unless knobs say otherwise the pool has room for all
    three, as far as a stage can draw it."""
    prompt = prompt or my_prompt(lang)
    size = int(knobs.get("block_size") or OWN_BLOCK_SIZE)
    answer = len(TeachingTokenizer().pieces(prompt.answer))
    blocks = sum(-(-(len(words) + answer) // size) for words in tokens_of(prompt))
    slots = min(max(OWN_SLOTS, blocks), MAX_SLOTS)
    return Setup(OWN, {"block_size": size, "num_slots": slots, **knobs}, own=prompt)


def my_scenario(lang: Lang, prompt: OwnPrompts | None = None, **knobs: Any) -> Scenario:
    """``my_setup`` as a scenario.

    Raises:
        BrothError: knobs that cannot be used.
    """
    return load_setup(my_setup(lang, prompt, **knobs), lang)


def my_hits(lang: Lang, prompt: OwnPrompts | None = None, **knobs: Any) -> list[int]:
    """Tokens that each of the three requests hits.

    Raises:
        BrothError: knobs that cannot be used.
    """
    return hits_of(run(my_scenario(lang, prompt, **knobs), block_events=False))


def my_run(prompt: OwnPrompts | None = None, **knobs: Any) -> Run:
    """The run as the stage wants it. Everybody shares the one of ours; what was typed stays with its visitor.
    ``prompt``: made of theirs by a chapter, with our own words alone added.

    Raises:
        BrothError: knobs that cannot be used.
    """
    spoken = lang()
    setup = my_setup(spoken, prompt, **knobs)
    shared = MINE.get() == OwnPrompts() and not any(knobs.get(name) for name in TEXTS)
    key = (spoken, setup.own, str(sorted(setup.knobs.items())))
    runs = _OURS if shared else _RUNS
    return runs.get(key, lambda: shown_run(load_setup(setup, spoken), machine=True))


def my_stage_link(label: str, step: int, **knobs: Any) -> None:
    """A link that opens the run in Execute, on that step."""
    st.link_button(label, execute_address(my_setup(lang(), **knobs), step, lang_mode()))
