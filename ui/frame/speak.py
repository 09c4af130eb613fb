"""What the browser is told on every page: its language, and what Streamlit says in English alone, in the
visitor's words; and in the head, before any page, how a page stands in its history."""

from __future__ import annotations

import json
from functools import cache

import streamlit as st

from ui.frame.session import lang, say
from ui.frame.static_files import ROOT, SOURCE
from ui.server.uploads import at_once_mb, one_mb

TAGS = {"en": "en", "zh": "zh-CN"}
WHERE = '[role="dialog"],[role="tooltip"],[data-testid="stTooltipContent"],[data-testid="stFileUploader"]'
SAID = {
    r"^Connection error$": "server.gone.title",
    r"^Is Streamlit still running\?|^Streamlit server is not responding": "server.gone",
    r"^streamlit run yourscript\.py$": "server.gone.start",
    r"status code 413$": "traffic.upload.too_much",
    r"status code 403$": "traffic.upload.framed",
    r"^File must be .* or smaller\.$": "traffic.upload.too_large",
    r"^Error:$": "traffic.upload.refused",
    r"^AxiosError: Network Error$": "server.gone",
}
"""Patterns of Streamlit 1.67's own sentences, and the keys of ours. What it words anew stays English."""


def speak() -> None:
    """Once on every page. Draws nothing."""
    said = [[pattern, say(key, one=one_mb(), mb=at_once_mb())] for pattern, key in SAID.items()]
    words = json.dumps(
        {
            "lang": TAGS[lang()],
            "where": WHERE,
            "said": said,
            "trying": say("server.trying"),
            "drawing": say("page.drawing"),
            "menu": say("stage.phone.menu"),
        }
    ).replace("<", "\\u003c")
    texts = f"{_script('address')}\n{_script('speak')}"
    call = f"{texts}\naskAgainAfterGap(window);\nspeak(document, {words});"
    st.html(f'<i id="speaks"></i><script>{{\n{call}\n}}</script>', unsafe_allow_javascript=True)


def head_script() -> str:
    """For the head, before any page: a page is one entry of the browser's history."""
    return f"<script>{{\n{_script('address')}\nonePageOneEntry(window);\n}}</script>"


@cache
def _script(name: str) -> str:
    """One of ``assets/page``."""
    return (ROOT / SOURCE / "page" / f"{name}.js").read_text("utf-8").replace("export ", "")
