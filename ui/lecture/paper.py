"""The notes of a lecture on paper: what to ask, what one hears, how it is, what to point at, minutes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import Template

from ui.frame.static_files import ROOT
from ui.lecture.payload import Lecture, LectureStop, Text
from ui.words.i18n import Lang, t

_TEMPLATE = ROOT / "assets" / "page" / "notes.html"
_SAID = ("ask", "hear", "truth", "point")


def notes_html(lecture: Lecture) -> str:
    """One page that a browser prints; what people typed is text in it."""
    spoken = lecture["langs"]
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        lang="zh-CN" if spoken[0] == "zh" else "en",
        title=escape(t("teacher.paper.title", spoken[0])),
        minutes=escape(t("teacher.minutes", spoken[0], n=lecture["minutes"])) if lecture["minutes"] else "",
        print=escape(t("teacher.paper.print", spoken[0])),
        stops="".join(_stop(stop, begun, spoken) for stop, begun in _with_minutes(lecture)),
    )


def _with_minutes(lecture: Lecture) -> list[tuple[LectureStop, int]]:
    begun, found = 0, []
    for stop in lecture["stops"]:
        found.append((stop, begun))
        begun += stop["minutes"]
    return found


def _stop(stop: LectureStop, begun: int, spoken: Sequence[Lang]) -> str:
    ends = begun + stop["minutes"]
    when = escape(t("teacher.when", spoken[0], begun=begun, ends=ends)) if stop["minutes"] else ""
    rows = [_row(key, _said(stop, key), spoken) for key in _SAID]
    rows.insert(1, _options(stop, spoken))
    spare = f" · {escape(t('teacher.optional', spoken[0]))}" if stop["optional"] else ""
    head = f"<h2>{_texts(stop['title'], spoken)} <small>{when}{spare}</small></h2>"
    return f"<section>{head}<dl>{''.join(rows)}</dl></section>"


def _options(stop: LectureStop, spoken: Sequence[Lang]) -> str:
    options = enumerate(stop["options"])
    items = "".join(f"<li{_mark(stop, n)}>{_texts(one, spoken)}</li>" for n, one in options)
    return f"<dd><ol>{items}</ol></dd>" if items else ""


def _said(stop: LectureStop, key: str) -> Text:
    said: Text = stop[key]  # type: ignore[literal-required]
    return said


def _mark(stop: LectureStop, option: int) -> str:
    return ' class="right"' if stop["right"] == option else ""


def _row(key: str, said: Text, spoken: Sequence[Lang]) -> str:
    if not any(said.values()):
        return ""
    name = escape(t(f"teacher.{'true' if key == 'truth' else key}", spoken[0]))
    return f"<dt>{name}</dt><dd>{_texts(said, spoken)}</dd>"


def _texts(said: Text, spoken: Sequence[Lang]) -> str:
    """The leading language, the other one behind it; lines stay lines. What both say alike is said once."""
    parts = dict.fromkeys(escape(said[lang]).replace("\n", "<br>") for lang in spoken)
    return "<br>".join(part for part in parts if part)
