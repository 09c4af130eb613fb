"""Glossary: each word in both languages, with the noodle shop's word and the place where it can be seen."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ui.course.glossary import Term, breaks, search, terms
from ui.course.place import opened_at
from ui.frame.session import lang_mode, say
from ui.frame.shell import toolbar
from ui.stage.show_me import address
from ui.words.i18n import Lang, LangMode, languages
from ui.words.tables import markdown_table


def render() -> None:
    """A search box and the words that match."""
    toolbar()
    st.subheader(say("nav.glossary"), anchor=False)
    st.markdown(say("glossary.intro"))
    slugs = {term.slug: term.name[languages(lang_mode())[0]] for term in terms()}
    opened = opened_at("glossary", slugs)
    wanted = st.text_input(
        say("glossary.search"),
        slugs[opened] if opened else "",
        key="glossary-search",
        placeholder=say("glossary.search.example"),
        label_visibility="collapsed",
        icon=":material/search:",
        max_chars=60,
    )
    found = search(wanted)
    st.caption(say("glossary.count", n=len(found), total=len(terms())))
    if found:
        with st.container(key="table-glossary"):
            # Our own words only, so HTML is safe; a cell has no other line break.
            st.markdown(_table(found, lang_mode()), unsafe_allow_html=True)
    else:
        st.info(say("glossary.none"))
    with st.expander(say("glossary.breaks")):
        st.markdown("\n".join(f"- {_spoken(one, ' ')}" for one in breaks()))


def _table(found: Sequence[Term], mode: LangMode) -> str:
    head = [say(f"glossary.head.{name}") for name in _head(languages(mode)[0])]
    return markdown_table(head, [_cells(term, mode) for term in found], "l" * len(head))


def _head(leading: Lang) -> tuple[str, ...]:
    return (*_names_in_order(leading), "what", "noodle", "show")


def _names_in_order(leading: Lang) -> tuple[Lang, Lang]:
    """Every word is named in both languages, the reader's first."""
    return ("zh", "en") if leading == "zh" else ("en", "zh")


def _cells(term: Term, mode: LangMode) -> tuple[str, ...]:
    first, second = _names_in_order(languages(mode)[0])
    link = f"[{_place(term)}]({address(term.show, mode)})"
    names = (f"**{term.name[first]}**", term.name[second])
    return (*names, _spoken(term.what), _spoken(term.noodle), link)


def _spoken(texts: dict[Lang, str], between: str = "<br>") -> str:
    return between.join(texts[lang] for lang in languages(lang_mode()) if texts[lang])


def _place(term: Term) -> str:
    page = term.show.page
    if not page:
        return say("glossary.stage")
    return say("glossary.chapter", n=int(page[2:])) if page.startswith("ch") else say(f"nav.{page}")


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
