"""Section: why only the prefix. A bet; the picture; what the engine did; a prompt of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import streamlit as st
from streamlit.components.v2 import component

from core.backends.base import Difference
from core.backends.decoders.loader import ModelLoader
from core.backends.experiments.prefix import (
    INSTEAD,
    PROMPT,
    WORD,
    why_prefix,
    with_another_word,
)
from core.backends.experiments.report import Report
from core.errors import BrothError
from ui.frame.kept import Kept
from ui.frame.session import lang, lang_mode, plain, say, tell
from ui.frame.static_files import loader_js
from ui.prefill.about import equality_words
from ui.prefill.job import Job
from ui.prefill.models import loader
from ui.prefill.prefix_payload import blocks_of, digest, is_right, off_by, prefix_payload, worst_of
from ui.prefill.state import begin, refuse, seconds_of, state, usable_choice
from ui.prefill.wrong import changed_words
from ui.stage.payload import to_bytes
from ui.words.i18n import listed
from ui.words.numbers import digits

LONGEST_PROMPT, LONGEST_WORD = 800, 60
NONE = -1
"""Among the blocks of a bet: none of them."""

_KEY = "prefill_map"

_mount = component("broth_attention", js=loader_js("attention/attention.js"))


@dataclass
class PrefixState:
    """What this visitor typed and bet. ``bets``: by the digest of a result the blocks that were named (None:
    the visitor only wanted to see)."""

    prompt: str = PROMPT
    word: str = WORD
    instead: str = INSTEAD
    sent: bool = False
    """A prompt of one's own was sent: what becomes of it is told beside the form too."""
    bets: dict[str, tuple[int, ...] | None] = field(default_factory=dict)


_state: Callable[[], PrefixState] = Kept("prefill_prefix", PrefixState).get


def prefix_view(report: Report) -> None:
    """The bet is above as long as it is open; then the picture is first, and what it says follows."""
    shown = digest(report) in _state().bets
    if not shown:
        _bet(report)
    _mount(key=_KEY, data=to_bytes(prefix_payload(report, shown, lang_mode())))
    if shown:
        _told(report)
    if not report.settings["reads"]:
        st.caption(say("prefill.prefix.random"))
    _own_prompt()


# -- the bet --------------------------------------------------------------------------------------------


def _bet(report: Report) -> None:
    """Which blocks can still be used? Nothing on the page says so before."""
    words = {n: say("prefill.map.block", n=n) for n in range(len(blocks_of(report)))}
    words[NONE] = say("prefill.prefix.bet.none")
    key = f"prefill_bet_{digest(report)}"
    st.markdown(f"**{say('prefill.prefix.bet', **_words_changed(report))}**")
    chosen = st.pills(
        say("prefill.prefix.bet.blocks"),
        list(words),
        format_func=words.__getitem__,
        selection_mode="multi",
        label_visibility="collapsed",
        key=key,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("prefill.prefix.bet.place"), type="primary", key="prefill_bet_place", on_click=_place,
            args=(report, key), disabled=not chosen,
        )  # fmt: skip
        st.button(
            say("prefill.prefix.bet.skip"), key="prefill_bet_skip", on_click=_place, args=(report, None)
        )


def _place(report: Report, key: str | None) -> None:
    """Take the bet; without a key the visitor only wants to see. Nothing chosen is no bet."""
    known = range(len(blocks_of(report)))
    chosen = (st.session_state.get(key) or []) if key else []
    if key is None or chosen:
        _state().bets[digest(report)] = tuple(sorted({n for n in chosen if n in known})) if key else None


def _words_changed(report: Report) -> dict[str, str]:
    """The two words, and the block where the change is."""
    settings = report.settings
    before, after = changed_words(settings["prompt"], settings["other_prompt"])
    block = min(settings["changed"][0], len(report.rows) - 1) // settings["block_size"]
    return {"before": plain(before), "after": plain(after or "–"), "block": str(block)}


# -- what the engine did --------------------------------------------------------------------------------


def _told(report: Report) -> None:
    """The engine's answer beside the bet, and why."""
    settings, summary, rows = report.settings, report.summary, report.rows
    hit, size = summary["hit_tokens"], settings["block_size"]
    reused = tuple(range(hit // size))
    bet = _state().bets[digest(report)]
    sentences = []
    if bet is not None:
        key = "prefill.prefix.bet.right" if bet == reused else "prefill.prefix.bet.other"
        sentences.append(say(key, bet=_numbers(bet)))
    amounts = {
        "blocks": _numbers(reused),
        "hit": hit,
        "all": len(rows),
        "computed": len(rows) - hit,
        "mb": digits(hit * settings["kv_bytes_per_token"] / 1e6),
        "all_mb": digits(len(rows) * settings["kv_bytes_per_token"] / 1e6),
    }
    sentences.append(say("prefill.prefix.reused" if hit else "prefill.prefix.reused.none", **amounts))
    st.markdown(tell(*sentences))
    st.markdown(tell(*_reasons(report)))
    st.markdown(equality_words(Difference(**summary["equality"])))


def _reasons(report: Report) -> list[str]:
    """Why not the rest: tokens behind the change, tokens before it in a broken block."""
    settings, summary, rows = report.settings, report.summary, report.rows
    first, stop = settings["changed"]
    found = []
    behind = [worst for row in rows[stop:] if (worst := worst_of(row)) is not None]
    if behind:
        layer_0 = max(row["value"][0] for row in rows[stop:])
        words = {"n": len(behind), "least": off_by(min(behind)), "worst": off_by(max(behind))}
        found.append(say("prefill.prefix.why.behind", first=off_by(layer_0), **words))
    if settings["moved_by"]:
        found.append(say("prefill.prefix.why.moved", n=abs(settings["moved_by"])))
    unused = sum(is_right(row) and not row["hit"] for row in rows[:first])
    if unused:
        found.append(
            say(
                "prefill.prefix.why.whole",
                n=unused,
                block=str(summary["hit_tokens"] // settings["block_size"]),
            )
        )
    return found


def _numbers(blocks: tuple[int, ...]) -> str:
    return listed(map(str, blocks), lang()) if blocks else say("prefill.prefix.bet.none")


# -- a prompt of one's own ------------------------------------------------------------------------------


def _own_prompt() -> None:
    """Another prompt, another word: computed with the chosen model."""
    now = _state()
    refused = now.sent and state().error is not None
    with st.expander(say("prefill.prefix.own"), expanded=refused):
        _form(now)
        if refused:
            st.warning(say("prefill.prefix.own.refused"))


def _form(now: PrefixState) -> None:
    with st.form("prefill_prefix_form", border=False):
        prompt = st.text_area(
            say("prefill.prefix.own.prompt"),
            now.prompt,
            max_chars=LONGEST_PROMPT,
            key="prefill_prefix_prompt",
        )
        left, right = st.columns(2)
        word = left.text_input(
            say("prefill.prefix.own.word"), now.word, max_chars=LONGEST_WORD, key="prefill_prefix_word"
        )
        instead = right.text_input(
            say("prefill.prefix.own.instead"),
            now.instead,
            max_chars=LONGEST_WORD,
            key="prefill_prefix_instead",
        )
        st.caption(say("prefill.prefix.own.limit"))
        sent = st.form_submit_button(
            say("prefill.prefix.own.measure"), key="prefill_prefix_send", disabled=state().job is not None
        )
    if sent:
        now.prompt, now.word, now.instead, now.sent = prompt, word, instead, True
        _compute(prompt, word, instead)
        st.rerun()


def _compute(prompt: str, word: str, instead: str) -> None:
    now, choice = state(), usable_choice()
    try:
        with_another_word(prompt, word, instead)
    except BrothError as error:
        refuse("prefix", choice, error)
        return

    def keep(report: Report) -> None:
        now.results["prefix", choice] = report

    work = partial(_work, prompt, word, instead, loader())
    begin("prefix", choice, work, keep, seconds_of("prefix", choice))


def _work(prompt: str, word: str, instead: str, known: ModelLoader, job: Job[Report]) -> Report:
    """On the job's thread."""
    model = job.load(known)
    with job.clock_of(known):
        return why_prefix(
            model, prompt=prompt, word=word, instead=instead, progress=job.progress, cancelled=job.cancelled
        )
