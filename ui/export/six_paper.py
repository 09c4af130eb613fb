"""The six questions on one page of A4: open, or with the letters a visitor has given so far."""

from __future__ import annotations

from html import escape
from string import Template

from ui.export.handout import answers_html, questions_html, speaker
from ui.frame.static_files import ROOT
from ui.study.six_questions import QUESTIONS, Answers, Sheet, num_right
from ui.words.i18n import LangMode, languages, t

_TEMPLATE = ROOT / "assets" / "page" / "sheet.html"
_GAP = "____"


def sheet_html(mode: LangMode, sheet: Sheet) -> str:
    """The page, ready to print: zh, en, or both."""
    spoken = languages(mode)
    say = speaker(spoken)
    done = sheet.time == "done"
    scores = {"before": num_right(sheet.before), "after": num_right(sheet.after), "total": len(QUESTIONS)}
    written = {
        name: say("sheet.tries", before=_letter(sheet.before, place), after=_letter(sheet.after, place))
        for place, name in enumerate(QUESTIONS)
    }
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        lang="zh-CN" if spoken[0] == "zh" else "en",
        density="one" if len(spoken) == 1 else "two",
        print=say("sheet.print"),
        title=say("nav.sheet"),
        result=say("sheet.result", **scores) if done else "",
        name=escape(t("handout.name", spoken[0])),
        questions=questions_html(say, written),
        answers_title=say("handout.answers"),
        answers=answers_html(say),
    )


def _letter(answers: Answers | None, place: int) -> str:
    letter = answers[place] if answers else None
    return letter.upper() if letter else _GAP
