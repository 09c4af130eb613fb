"""How modelled numbers are made, one click away: formulas in symbols and words, and how far off they are."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cost import FORMULAS
from ui.frame.session import lang, say
from ui.words.formula_words import error_words, legend


def formulas_panel(names: Sequence[str]) -> None:
    """A closed panel with these formulas; names are ids of ``core.cost.FORMULAS``."""
    with st.expander(say("formula.title")):
        formula_lines(names)
        st.caption(legend(names, lang()))
        st.caption(error_words(lang()))


def formula_lines(names: Sequence[str]) -> None:
    """These formulas, each with its sentence."""
    for name in names:
        st.markdown(f"`{FORMULAS[name]}` · {say(name)}")
