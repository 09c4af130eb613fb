"""The picture beside the interview: the path of one question, the trap branching off it, and all questions as
marks. Ink only: hollow lies ahead, solid is done; nothing that is still open is named."""

from __future__ import annotations

from html import escape

import streamlit as st

from ui.frame.session import lang_mode, say
from ui.interview.questions import num_must, words
from ui.interview.talk import ANSWER, ANY, ASK, FAILS, NAMED, THEN, Talk
from ui.study.flashcards import Deck
from ui.study.names import LEVEL_OF, QUESTIONS, THEMES
from ui.words.i18n import languages

NODES = ("ask", "must", "answer", "next", "trap")
_OPENS = {"ask": ASK, "must": NAMED, "answer": ANSWER, "next": ANSWER, "trap": THEN}
_DONE = {"ask": NAMED, "must": ANSWER, "answer": ANSWER, "next": THEN, "trap": FAILS}

_STYLE = """<style>
.talk-path{font-size:.95rem}
.talk-path>div{position:relative;margin:0;padding:0 0 .9rem 2rem;color:light-dark(#4A5868,#B3BECB)}
.talk-path>div::before{content:"";position:absolute;left:.2rem;top:.2rem;width:.95rem;height:.95rem;
border:2px solid currentColor;border-radius:50%;box-sizing:border-box}
.talk-path>div::after{content:"";position:absolute;left:calc(.675rem - 1px);top:1.3rem;bottom:-.05rem;
border-left:2px solid currentColor}
.talk-path>div.done,.talk-path>div.now{color:light-dark(#16202B,#F2F5F8)}
.talk-path>div.done::before{background:currentColor}
.talk-path>div.now::before{border-width:4px}
.talk-path>div.ahead::after,.talk-path>div.now::after{border-left-style:dotted}
.talk-path>div.trap{margin-left:2.2rem}
.talk-path>div.trap::before{border-radius:0;transform:rotate(45deg) scale(.8)}
.talk-path>div.trap::after{left:-1.53rem;top:-1rem;bottom:-.05rem}
.talk-path>div.trap i{position:absolute;left:-1.5rem;top:.65rem;width:1.6rem;
border-top:2px dashed currentColor}
.talk-path b{display:block}
.talk-path span{display:block;line-height:1.35}
.talk-map{margin-top:.6rem;font-size:.9rem;display:grid;grid-template-columns:auto 1fr;gap:.15rem .9rem}
.talk-map span{letter-spacing:.25em}
.talk-map u{text-decoration-thickness:2px;text-underline-offset:.3em}
.talk-told{margin-top:.6rem;font-size:.875rem;color:light-dark(#4A5868,#B3BECB)}
@media (max-width:640px){.talk-map,.talk-told,.talk-path span,.talk-path>div.ahead b{display:none}
.talk-path{display:flex;flex-wrap:wrap;padding:.3rem 0}
.talk-path>div{padding:0 .4rem 0 1.4rem;min-height:1.4rem;font-size:.85rem}
.talk-path>div::after,.talk-path>div.trap i{display:none}
.talk-path>div.trap{margin-left:0}}
</style>"""


def show_picture(card: int | None, talk: Talk, deck: Deck) -> None:
    """The path of the question on the table, if there is one, and below it all questions."""
    path = "" if card is None else "".join(_node(node, QUESTIONS[card], talk) for node in NODES)
    st.html(f'{_STYLE}<div class="talk-path" role="list">{path}</div>{_map(deck, card, talk)}')


def _node(node: str, name: str, talk: Talk) -> str:
    state = "done" if talk.beat >= _DONE[node] else "now" if talk.beat >= _OPENS[node] else "ahead"
    said = _said(node, name, talk) if state != "ahead" else ""
    branch = "<i></i>" if node == "trap" else ""
    classes = f"{state} trap" if node == "trap" else state
    title = f"<b>{escape(say(f'course.ch12.node.{node}'))}</b>"
    return f'<div role="listitem" class="{classes}">{branch}{title}<span>{escape(said)}</span></div>'


def _said(node: str, name: str, talk: Talk) -> str:
    """What the picture repeats of the text, once the text has told it."""
    if node == "must":
        return say("course.ch12.named", n=len(talk.named), total=num_must(name))
    key = "short" if node == "answer" else node
    return " · ".join(words(name, key, one) for one in languages(lang_mode()))


def _map(deck: Deck, card: int | None, talk: Talk) -> str:
    """A mark for each question, theme by theme: known, to come again, open; the one now asked underlined."""
    rows = "".join(
        f"<div>{escape(say(f'course.ch12.theme.{theme}'))}</div>"
        f"<span>{''.join(_mark(QUESTIONS.index(name), deck, card, talk) for name in names)}</span>"
        for theme, names in THEMES.items()
    )
    told = say(
        "course.ch12.progress",
        known=len(deck.known),
        total=deck.num_cards,
        again=deck.num_again,
    )
    signs = f"● {told} · ○ {say('course.ch12.mark.open')} · ◍ {say('course.ch12.mark.again')}"
    marks = f'<div class="talk-map" aria-hidden="true">{rows}</div>'
    return f'{marks}<p class="talk-told">{escape(signs)}</p>'


def _mark(card: int, deck: Deck, now: int | None, talk: Talk) -> str:
    sign = "●" if card in deck.known else "◍" if card in deck.missed else "○"
    drawn = talk.level in (ANY, LEVEL_OF[QUESTIONS[card]])
    shown = sign if drawn else f'<span style="opacity:.45">{sign}</span>'
    return f"<u>{shown}</u>" if card == now else shown
