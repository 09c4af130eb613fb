"""Six ideas asked before the course and after it, two new situations at the end, and how they compare."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ui.export.six_paper import paper_html
from ui.frame.link import write_this_time
from ui.frame.session import lang, lang_mode, say
from ui.frame.shell import toolbar
from ui.study.class_code import to_code
from ui.study.compared import result
from ui.study.ideas import SIX, TIMES
from ui.study.six_questions import Sheet
from ui.study.study import STUDY
from ui.study.variants import Variant, fresh_seed, repeats, variant
from ui.words.i18n import languages, t

COPIES = 40

_STYLE = """<style>
.stMainBlockContainer:has(.st-key-sheet-read){max-width:52rem;margin-inline:auto}
.stMainBlockContainer:has(.st-key-sheet-result){max-width:70rem;margin-inline:auto}
.st-key-sheet-read :is(.stRadio,.stCheckbox) label p{font-size:1.05rem;line-height:1.5}
.st-key-sheet-read .stForm>div{gap:.4rem}
.st-key-sheet-read .stCheckbox{margin-bottom:1.4rem}
@media (max-width:699px){
.st-key-sheet-read :is([role=radiogroup],.stCheckbox) label{min-height:2.75rem;align-items:center}}
</style>"""


def render() -> None:
    """The questions while there is a time to come, else the comparison. Paper in any case."""
    toolbar()
    st.html(_STYLE)
    sheet = STUDY.get().sheet
    with st.container(key="sheet-result" if sheet.time == "done" else "sheet-read"):
        st.subheader(say("nav.sheet"), anchor=False)
        if sheet.time == "done":
            _code(sheet, "sheet.code")
            result(sheet)
        elif sheet.time == "before" or sheet.seed is not None:
            _tell(sheet.time)
            _questions(_begun(sheet))
        else:
            _tell("between")
            st.button(say("sheet.again"), key="sheet-go", type="primary", on_click=_begin_again)
            _code(sheet, "sheet.code.first")
        _below(sheet)


def _tell(what: str) -> None:
    for one in languages(lang_mode()):
        st.markdown(t(f"sheet.{what}", one))


def _begin_again() -> None:
    _begun(STUDY.get().sheet)


def _keep(sheet: Sheet) -> None:
    STUDY.set(replace(STUDY.get(), sheet=sheet))


def _begun(sheet: Sheet) -> Sheet:
    """The sheet with questions: a seed nobody else has, kept in the link from now on. A link whose second
    time would ask what the first one asked gets another one."""
    first = sheet.before.seed if sheet.before else None
    if sheet.seed is None or (first is not None and repeats(sheet.seed, first)):
        sheet = sheet.begun(fresh_seed(sheet.time, first))
        _keep(sheet)
        write_this_time()
    return sheet


def _questions(sheet: Sheet) -> None:
    """All at once; nothing is kept before the button is pressed."""
    assert sheet.seed is not None
    letters: dict[str, str | None] = {}
    sure: dict[str, bool] = {}
    with st.form(f"sheet-{sheet.time}", border=False):
        for place, name in enumerate(TIMES[sheet.time], 1):
            if place == len(SIX) + 1:
                st.markdown(f"**{say('sheet.new')}**")
            letters[name] = _options(place, variant(name, sheet.seed), sheet.time)
            sure[name] = st.checkbox(say("sheet.sure"), key=f"sheet-{sheet.time}-{name}-sure")
        if st.form_submit_button(say("sheet.keep"), key=f"sheet-keep-{sheet.time}", type="primary"):
            _keep(sheet.answered(letters, sure))
            st.rerun()


def _options(place: int, asked: Variant, time: str) -> str | None:
    spoken = languages(lang_mode())
    options = {letter: " · ".join(asked.option(letter, one) for one in spoken) for letter in asked.order}
    chosen: str | None = st.radio(
        f"**{place}.** " + "  \n".join(asked.ask(one) for one in spoken),
        asked.order,
        index=None,
        format_func=options.__getitem__,
        key=f"sheet-{time}-{asked.name}",
    )
    return chosen


def _code(sheet: Sheet, key: str) -> None:
    """The code, if any time of the sheet can be part of one."""
    if any(one is not None and one.seed is not None for one in (sheet.before, sheet.after)):
        st.markdown(say(key))
        st.code(to_code(sheet), language=None)
        st.caption(say("sheet.code.help"))


def _below(sheet: Sheet) -> None:
    with st.expander(say("sheet.paper"), icon=":material/print:"):
        _paper()
    if sheet.is_answered:
        st.button(say("sheet.clear"), key="sheet-clear", type="tertiary", on_click=_clear)


def _paper() -> None:
    """Copies with numbers of their own, never those that are open on this screen."""
    mode = lang_mode()
    st.caption(say("sheet.paper.help"))
    titles = {time: t(f"sheet.time.{time}", lang()) for time in TIMES}
    left, right = st.columns(2)
    time = left.segmented_control(
        say("sheet.paper.time"),
        list(titles),
        default="before",
        required=True,
        format_func=titles.__getitem__,
        key="sheet-paper-time",
    )
    copies = int(right.number_input(say("sheet.paper.copies"), 1, COPIES, 1, key="sheet-paper-copies"))
    st.download_button(
        say("sheet.download"),
        lambda: paper_html(mode, time or "before", [fresh_seed(time or "before") for _ in range(copies)]),
        f"broth-sheet-{time}-{mode}.html",
        "text/html",
        key="sheet-download",
        on_click="ignore",
    )


def _clear() -> None:
    _keep(Sheet())


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
