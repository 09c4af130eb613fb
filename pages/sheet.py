"""Six questions before the course, the same six after it, and how the two compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from ui.export.handout import question_numbers
from ui.export.six_paper import sheet_html
from ui.frame.session import lang_mode, say
from ui.frame.shell import toolbar
from ui.study.six_questions import LETTERS, QUESTIONS, Sheet, num_right
from ui.study.study import STUDY
from ui.words.i18n import languages, t

AGAIN = "sheet-again"


def render() -> None:
    """The questions while there is a time to come, else the comparison. A sheet to print in any case."""
    toolbar()
    st.subheader(say("nav.sheet"), anchor=False)
    sheet, numbers = STUDY.get().sheet, question_numbers()
    if sheet.time == "done":
        _result(sheet, numbers)
    elif sheet.time == "before":
        _tell("before")
        _questions(sheet, numbers)
    elif st.session_state.get(AGAIN):
        _tell("after")
        _questions(sheet, numbers)
    else:
        _tell("between")
        st.button(say("sheet.again"), key="sheet-go", type="primary", on_click=_begin_again)
    _below(sheet)


def _tell(what: str) -> None:
    for lang in languages(lang_mode()):
        st.markdown(t(f"sheet.{what}", lang))


def _begin_again() -> None:
    st.session_state[AGAIN] = True


def _questions(sheet: Sheet, numbers: Mapping[str, Mapping[str, int]]) -> None:
    """All six at once; nothing is kept before the button is pressed."""
    leading, *others = languages(lang_mode())
    with st.form(f"sheet-{sheet.time}", border=False):
        given: dict[str, str | None] = {}
        for place, name in enumerate(QUESTIONS, 1):
            args = numbers.get(name, {})
            options = {
                one: f"{one.upper()} · {t(f'handout.{name}.{one}', leading, **args)}" for one in LETTERS
            }
            for other in others:
                for one in LETTERS:
                    options[one] += f" · {t(f'handout.{name}.{one}', other, **args)}"
            asked = [t(f"handout.{name}", lang, **args) for lang in (leading, *others)]
            given[name] = st.radio(
                f"**{place}.** " + "  \n".join(asked),
                LETTERS,
                index=None,
                format_func=options.__getitem__,
                key=f"sheet-{sheet.time}-{name}",
            )
        if st.form_submit_button(say("sheet.keep"), key=f"sheet-keep-{sheet.time}", type="primary"):
            STUDY.set(replace(STUDY.get(), sheet=sheet.answered(given)))
            st.session_state.pop(AGAIN, None)
            st.rerun()


def _result(sheet: Sheet, numbers: Mapping[str, Mapping[str, int]]) -> None:
    scores = {"before": num_right(sheet.before), "after": num_right(sheet.after), "total": len(QUESTIONS)}
    for lang in languages(lang_mode()):
        st.markdown(f"#### {t('sheet.result', lang, **scores)}")
    head = [say(f"sheet.head.{name}") for name in ("question", "before", "after", "right")]
    lines = ["| " + " | ".join(head) + " |", "| --- | --- | --- | --- |"]
    for place, (name, right) in enumerate(QUESTIONS.items()):
        given = [
            _given(answers[place] if answers else None, right) for answers in (sheet.before, sheet.after)
        ]
        lines.append(f"| {_asked(name, numbers)} | {given[0]} | {given[1]} | {_told(name, right, numbers)} |")
    with st.container(key="table-sheet"):
        st.markdown("\n".join(lines), unsafe_allow_html=True)  # our own words only


def _given(letter: str | None, right: str) -> str:
    """Letter and mark, so that it can be read without colour."""
    return say("sheet.left_out") if letter is None else f"{letter.upper()} {'✓' if letter == right else '✗'}"


def _asked(name: str, numbers: Mapping[str, Mapping[str, int]]) -> str:
    args = numbers.get(name, {})
    return "<br>".join(t(f"handout.{name}", lang, **args) for lang in languages(lang_mode()))


def _told(name: str, right: str, numbers: Mapping[str, Mapping[str, int]]) -> str:
    args = numbers.get(name, {})
    told = []
    for lang in languages(lang_mode()):
        answer, why = t(f"handout.{name}.{right}", lang, **args), t(f"handout.{name}.answer", lang, **args)
        told.append(f"**{right.upper()} · {answer}** {why}")
    return "<br>".join(told)


def _below(sheet: Sheet) -> None:
    with st.container(horizontal=True):
        mode = lang_mode()
        st.download_button(
            say("sheet.download"),
            sheet_html(mode, sheet),
            f"broth-sheet-{mode}.html",
            "text/html",
            key="sheet-download",
            on_click="ignore",
        )
        if sheet != Sheet():
            st.button(say("sheet.clear"), key="sheet-clear", type="tertiary", on_click=_clear)


def _clear() -> None:
    st.session_state.pop(AGAIN, None)
    STUDY.set(replace(STUDY.get(), sheet=Sheet()))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
