"""The sheet on paper: copies with numbers of their own, then all answers with the letters for a code.

For the same seed paper and screen ask the same words in the same order. Options are numbered 1 to 4 on paper,
so that nobody takes a number for a code's letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import Template

from ui.export.speaker import Say, speaker
from ui.frame.static_files import ROOT
from ui.study.ideas import TIMES
from ui.study.six_questions import seed_text
from ui.study.variants import Variant, variant
from ui.words.i18n import Lang, LangMode, languages, t

_TEMPLATE = ROOT / "assets" / "page" / "sheet.html"


def paper_html(mode: LangMode, time: str, seeds: Sequence[int]) -> str:
    """The pages, ready to print: zh, en, or both; a copy for each seed."""
    spoken = languages(mode)
    say = speaker(spoken)
    names = TIMES[time]
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        lang="zh-CN" if spoken[0] == "zh" else "en",
        density=f"{'one' if len(spoken) == 1 else 'two'} {time}",
        print=say("sheet.print"),
        copies="".join(_copy(say, spoken, time, names, seed) for seed in seeds),
        answers_title=say("handout.answers"),
        coded=say("sheet.paper.coded"),
        answers="".join(_answers(spoken, names, seed) for seed in seeds),
    )


def _copy(say: Say, spoken: Sequence[Lang], time: str, names: Sequence[str], seed: int) -> str:
    head = f"{say('nav.sheet')} · {say(f'sheet.time.{time}')}"
    number = escape(t("sheet.seed", spoken[0], seed=seed_text(seed)))
    name = escape(t("handout.name", spoken[0]))
    boxes = " ".join("_" * len(names))
    code = f"{escape(t('sheet.paper.code', spoken[0]))} {boxes}"
    return (
        f"<section><header><h1>{head}</h1><span>{number}</span><div>{name}</div></header>"
        f'{questions_html(spoken, names, seed)}<p class="code">{code}</p></section>'
    )


def questions_html(spoken: Sequence[Lang], names: Sequence[str], seed: int) -> str:
    """The questions of a seed as a list."""
    sure = " · ".join(escape(t("sheet.paper.sure", lang)) for lang in spoken)
    items = []
    for name in names:
        asked = variant(name, seed)
        options = "".join(f"<li>{_both(asked, letter, spoken)}</li>" for letter in asked.order)
        box = f'<span class="tries">▢ {sure}</span>'
        items.append(f"<li>{box}<p>{_both(asked, None, spoken)}</p><ol>{options}</ol></li>")
    return f'<ol class="questions">{"".join(items)}</ol>'


def _both(asked: Variant, letter: str | None, spoken: Sequence[Lang]) -> str:
    """A question, or one of its options: the leading language, the other one small behind it."""
    texts = [escape(asked.option(letter, lang) if letter else asked.ask(lang)) for lang in spoken]
    return texts[0] + "".join(f' <span class="second" lang="en">{text}</span>' for text in texts[1:])


def _answers(spoken: Sequence[Lang], names: Sequence[str], seed: int) -> str:
    title = escape(t("sheet.seed", spoken[0], seed=seed_text(seed)))
    return f'<div class="answers"><b>{title}</b>{answers_html(spoken, names, seed)}</div>'


def answers_html(spoken: Sequence[Lang], names: Sequence[str], seed: int, *, coded: bool = True) -> str:
    """The right numbers and why, as a list; ``coded``: with the code's letter of every number."""
    items = []
    for name in names:
        asked = variant(name, seed)
        number = asked.order.index(asked.right) + 1
        why = " ".join(escape(asked.why(lang)) for lang in spoken)
        letters = " ".join(f"{place}→{letter}" for place, letter in enumerate(asked.order, 1))
        told = f" <code>{letters}</code>" if coded else ""
        items.append(f"<li><b>{number}</b>{told} {why}</li>")
    return f"<ol>{''.join(items)}</ol>"
