"""What each turn of a conversation cost: tokens, K/V, first token; and why its hit ended there."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.backends.experiments.chat import Chat
from core.backends.experiments.measure import Timing
from ui.frame.formulas import formula_lines
from ui.frame.seen import seen
from ui.frame.session import lang, plain, say
from ui.prefill.about import equality_words
from ui.prefill.chat_blocks import show_blocks
from ui.prefill.conversation import Conversation, Turn
from ui.words.i18n import listed
from ui.words.numbers import digits
from ui.words.tables import show_table

_HEAD = ("question", "prompt", "hit_tokens", "computed", "decoded", "kv", "ttft_with", "ttft_without")
_MOST_MARKS = 4


def ledger(talk: Conversation) -> None:
    """Block tables and numbers of all turns, and sentences about the one that the conversation stands at."""
    assert talk.chat is not None
    show_blocks(talk.turns, talk.at, talk.chat.block_size)
    timed = next((turn.clock.full for turn in talk.turns if turn.clock), None)
    kind = _kind(timed) if timed else ""
    head = [say(f"prefill.head.{name}", kind=kind) for name in _HEAD]
    show_table("prefill-chat", head, [_cells(turn) for turn in talk.turns])
    turn = talk.current
    if turn is not None:
        st.markdown("\n\n".join(_sentences(talk, turn)))
        with st.expander(say("prefill.chat.read")):
            st.markdown(_marked(turn))
            st.caption(say("prefill.chat.legend"))
            if turn.note:
                st.caption(say(f"prefill.chat.{turn.note}"))
        if turn.marks:
            st.warning(say("prefill.chat.marks", marks=listed(map(plain, turn.marks[:_MOST_MARKS]), lang())))
    with st.popover(say("prefill.how")):
        _how(talk.chat, turn)


def _cells(turn: Turn) -> list[str]:
    answer = turn.answer
    changed = f" · *{say('prefill.chat.beside', n=turn.beside)}*" if turn.beside else ""
    clock = turn.clock
    return [
        f"{turn.number}. {seen(turn.question)}{changed}",
        digits(answer.num_prompt),
        digits(answer.hit_tokens),
        digits(answer.num_prompt - answer.hit_tokens),
        digits(answer.num_tokens),
        digits(turn.kv_bytes / 1e6),
        *(digits(side.ms) if side else "–" for side in (clock and clock.hit, clock and clock.full)),
    ]


def _sentences(talk: Conversation, turn: Turn) -> list[str]:
    told = [_clock_words(turn), _end_words(turn)]
    other = talk.turn(turn.beside)
    if other is not None:
        told.append(_beside_words(turn, other))
    if turn.clock is not None:
        told.append(equality_words(turn.clock.difference))
        if turn.clock.hit.disturbed or turn.clock.full.disturbed:
            told.append(say("prefill.disturbed"))
    return told


def _clock_words(turn: Turn) -> str:
    answer, clock = turn.answer, turn.clock
    counts = {"n": turn.number, "hit": answer.hit_tokens, "total": answer.num_prompt}
    if clock is None:
        return say("prefill.chat.untimed", **counts)
    sides = {"ms": digits(clock.hit.ms), "without": digits(clock.full.ms)}
    words = {**counts, **sides, "kind": _kind(clock.full), "rounds": clock.full.num}
    if not answer.hit_tokens:
        return say("prefill.chat.cold", **words)
    ratio, low, high = map(_times, clock.ratio)
    return say("prefill.chat.saved", ratio=ratio, low=low, high=high, **words)


def _times(value: float) -> str:
    """Two digits: more of them three rounds do not hold."""
    return f"{value:.1f}×" if value < 9.95 else f"{value:,.0f}×"


def _kind(timing: Timing) -> str:
    return say("prefill.chat.wall" if timing.cpu_ms is None else "prefill.chat.cpu")


def _end_words(turn: Turn) -> str:
    """Why the hit ends where it does."""
    end = turn.answer.hit_end
    counts = {"shared": end.num_shared, "hit": turn.answer.hit_tokens}
    return say(f"prefill.chat.end.{end.reason}", was=_badges(end.was), now=_badges(end.now), **counts)


def _badges(texts: Sequence[str]) -> str:
    return " ".join(f":gray-badge[{seen(text)}]" for text in texts if text)


def _beside_words(turn: Turn, other: Turn) -> str:
    """A changed conversation beside the one it was made from."""
    computed, before = (one.answer.num_prompt - one.answer.hit_tokens for one in (turn, other))
    words = {"n": other.number, "computed": computed, "before": before}
    if turn.clock is None or other.clock is None:
        return say("prefill.chat.cost.tokens", **words)
    return say(
        "prefill.chat.cost", ms=digits(turn.clock.hit.ms), before_ms=digits(other.clock.hit.ms), **words
    )


def _how(chat: Chat, turn: Turn | None) -> None:
    """How times and bytes come about."""
    st.markdown(say("prefill.chat.how").replace("\n", "\n\n"))
    formula_lines(("formula.kv_bytes",))
    if turn is None:
        return
    spec, blocks = chat.model.spec, len(turn.answer.table)
    st.markdown(
        say(
            "prefill.chat.bytes",
            layers=spec.num_layers,
            heads=spec.num_kv_heads,
            dim=spec.head_dim,
            size=chat.kv_bytes_per_token // (2 * spec.num_layers * spec.num_kv_heads * spec.head_dim),
            bytes=digits(chat.kv_bytes_per_token),
            blocks=blocks,
            tokens=chat.block_size,
            mb=digits(turn.kv_bytes / 1e6),
        )
    )


def _marked(turn: Turn) -> str:
    """Prompt and answer as tokens' texts, each kind on a ground of its own."""
    answer = turn.answer
    parts = (
        ("blue", answer.pieces[: answer.hit_tokens]),
        ("orange", answer.pieces[answer.hit_tokens : answer.num_prompt]),
        ("green", answer.pieces[answer.num_prompt :]),
    )
    return "".join(_on_ground(colour, pieces) for colour, pieces in parts)


def _on_ground(colour: str, pieces: Sequence[str]) -> str:
    text = seen("".join(pieces))
    return f":{colour}-background[{text}]" if text else ""
