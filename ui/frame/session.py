"""What belongs to one visitor and to no page: the language, and words and mistakes told in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from contextvars import ContextVar

import streamlit as st

from core.errors import BrothError
from core.texts import showable
from ui.frame.link import LinkPart
from ui.words.i18n import MODES as LANG_MODES
from ui.words.i18n import Lang, LangMode, error_text, languages, resolve_mode, run_on, t

BROKEN = "page-that-broke"
"""The key of the box that stands where a page broke."""

_ARROW = re.compile("(?<=[<>=~-])(?=[<>=~-])")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Signs that turn what stands behind them, our own words too."""


LANGUAGE = LinkPart[LangMode](
    "lang",
    lambda: resolve_mode(None, st.context.locale),
    {"lang": "lang.label"},
    lambda query: (resolve_mode(query.get("lang"), st.context.locale), []),
    lambda mode: {"lang": mode},
    personal=frozenset({"lang"}),
)
_TOLD_IN: ContextVar[Lang | None] = ContextVar("told_in", default=None)
"""The one language of a text that is being built; see ``built_under``."""


def lang_mode() -> LangMode:
    """What this visitor reads: en, zh or both."""
    return _TOLD_IN.get() or LANGUAGE.get()


def choose_language(mode: object) -> None:
    """Take over a language chosen anywhere, on the stage too; anything else is ignored."""
    if mode in LANG_MODES:
        LANGUAGE.set(mode)


def lang() -> Lang:
    """The leading language: of widgets, of prompts, of messages."""
    return languages(lang_mode())[0]


def say(key: str, **args: object) -> str:
    """A sentence in the visitor's leading language."""
    return t(key, lang(), **args)


def tell(*sentences: str) -> str:
    """Sentences one behind another, as the leading language sets them."""
    return run_on(sentences, lang())


def say_each(key: str, **args: object) -> str:
    """A title or a label in every language that is shown."""
    told = dict.fromkeys(t(key, one, **args) for one in languages(lang_mode()))
    return " · ".join(told)  # what both languages write alike stands there once


def say_under(key: str, **args: object) -> str:
    """A text in every language that is shown, one under the other."""
    return "\n\n".join(t(key, one, **args) for one in languages(lang_mode()))


def built_under(make: Callable[[], str]) -> str:
    """A text built of several sentences and words, once in every language that is shown, one under the
    other."""
    return "\n\n".join(_told_in(one, make) for one in languages(lang_mode()))


def _told_in(one: Lang, make: Callable[[], str]) -> str:
    token = _TOLD_IN.set(one)
    try:
        return make()
    finally:
        _TOLD_IN.reset(token)


def stands_on_one(key: str, options: Collection[object]) -> bool:
    """Whether a list to choose from stands on one of its options. A callback may find anything there: what
    was sent is held against the options only when the list is drawn."""
    return st.session_state[key] in options


def show_error(error: BrothError) -> None:
    """Tell a mistake in the visitor's language; nothing is lost."""
    st.error(plain(error_text(error, lang())))


def tell_aside(error: BrothError) -> None:
    """Tell a mistake without moving anything on the page: what one was looking at stays where it is."""
    st.toast(plain(error_text(error, lang())), icon=":material/error:", duration="long")


def show_broken(_error: Exception) -> bool:
    """A mistake of ours: a sentence for the visitor. True: no more is shown; the terminal has the rest."""
    with st.container(key=BROKEN):
        st.error(say("page.broken"))
    return True


def plain(text: str) -> str:
    """User text that passes through Markdown as it is.

    What would turn the direction of writing is told by its code, ``[U+202E]``.
    Streamlit would draw ``->`` and its like as arrows: an invisible joiner keeps the two signs two.
    """
    upright = _TURNING.sub(lambda sign: f"[U+{ord(sign[0]):04X}]", showable(text))
    apart = _ARROW.sub("\u2060", upright)
    return "".join("\\" + char if char in "\\`*_{}[]()<>#+-.!|~$:" else char for char in apart)
