"""Why did it miss: causes over the whole log, then every request with its reason and text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from core.texts import showable
from core.traffic.analysis import Analysis, misses_of
from core.traffic.diagnosis.account import account_of
from core.traffic.diagnosis.ranking import find_causes
from core.traffic.misses import REASONS, Miss
from core.traffic.words import Words, words_at
from ui.frame.seen import difference, seen_in
from ui.frame.session import plain, say, say_each
from ui.traffic.findings import account_line, findings_view, summary_line
from ui.traffic.settings import Open
from ui.traffic.state import MANY, Log, remember, state
from ui.traffic.work import work
from ui.words.numbers import digits

MOST_ROWS = 5_000


def misses_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Causes, then requests."""
    misses = all_misses(log, analysis)
    if misses is None:
        return
    _causes(log, analysis, misses, open_it)
    _requests(log, analysis, misses, open_it)


def all_misses(log: Log, analysis: Analysis) -> list[Miss] | None:
    """Why each request missed; None if a person stopped the search."""
    key = ("misses", log.key, analysis.settings)
    return work(key, lambda tell: misses_of(analysis, tell), "traffic.looking")


# -- causes ------------------------------------------------------------------------------------------------


def _causes(log: Log, analysis: Analysis, misses: list[Miss], open_it: Open) -> None:
    st.subheader(say_each("traffic.causes"), anchor=False)
    key = ("causes", log.key, analysis.settings)
    many = len(analysis.requests) > MANY and key not in state().computed
    if many and not st.button(say("traffic.causes.run", n=digits(len(analysis.requests)))):
        return
    found = work(key, lambda tell: find_causes(analysis, misses, log.options.tokenizer, tell))
    if found is None:
        return
    key = ("account", log.key, analysis.settings)
    account = remember(key, lambda: account_of(analysis, misses, found))
    summary_line(account, analysis)
    if log.trace.tokenizer is None:
        st.caption(say("traffic.causes.no_text"))
    elif not found:
        st.markdown(say(f"traffic.causes.{account.verdict}"))
    if found:
        if analysis.lower_bound:
            st.caption(say("traffic.basis.lower_bound.causes"))
        findings_view(found, analysis, open_it)
    account_line(account, found)
    if found:
        st.caption(say("traffic.causes.help"))


# -- requests ------------------------------------------------------------------------------------------------


def _requests(log: Log, analysis: Analysis, misses: list[Miss], open_it: Open) -> None:
    st.subheader(say("traffic.requests"), anchor=False)
    counts = Counter(miss.reason for miss in misses)
    present = [reason for reason in REASONS if counts[reason]]
    words = {one: f"{say(f'traffic.reason.{one}')} · {counts[one]}" for one in present}
    chosen = st.pills(
        say("traffic.reason"),
        present,
        selection_mode="multi",
        format_func=words.__getitem__,
        label_visibility="collapsed",
        key="traffic_reasons",
    )
    shown = [miss for miss in misses if not chosen or miss.reason in chosen]
    shown.sort(key=lambda miss: (-miss.lost, miss.request))
    rows = [_row(analysis, miss) for miss in shown[:MOST_ROWS]]
    if not rows:
        return
    told: Any = st.dataframe(
        rows,
        hide_index=True,
        height=320,
        on_select="rerun",
        selection_mode="single-row",
        key=f"traffic_rows_{state().looks}",
        column_config=_columns(analysis.lower_bound),
    )
    if len(shown) > MOST_ROWS:
        st.caption(say("traffic.rows.cut", n=MOST_ROWS, total=len(shown)))
    picked = told["selection"]["rows"]
    number = shown[picked[0]].request if picked else state().picked
    if number is None or number >= len(misses):
        st.caption(say("traffic.rows.help"))
        return
    state().picked = number
    _detail(log, analysis, misses[number], open_it)


def _row(analysis: Analysis, miss: Miss) -> dict[str, object]:
    request, length = analysis.requests[miss.request], int(analysis.lengths[miss.request])
    return {
        "place": miss.request + 1,
        "request": showable(request.request_id),
        "session": showable(request.session or ""),
        "tokens": length,
        "hit": miss.hit_tokens,
        "rate": miss.hit_tokens / max(length, 1),
        "reason": say(f"traffic.reason.{miss.reason}"),
        "lost": miss.lost,
    }


def _columns(bound: bool) -> dict[str, Any]:
    names = ("place", "request", "session", "tokens", "hit", "rate", "reason", "lost")
    found: dict[str, Any] = {name: say(f"traffic.column.{name}") for name in names}
    title = say("traffic.column.rate_bound" if bound else "traffic.column.rate")
    if bound:
        found["hit"] = say("traffic.column.bound", name=found["hit"])
    found["rate"] = st.column_config.ProgressColumn(title, min_value=0.0, max_value=1.0, format="percent")
    return found


def _detail(log: Log, analysis: Analysis, miss: Miss, open_it: Open) -> None:
    """One request in words: the reason, the two texts where they part, the way to the stage."""
    with st.container(border=True):
        name = plain(analysis.requests[miss.request].request_id)
        words, button = st.columns([5, 1], vertical_alignment="center")
        with words:
            length = int(analysis.lengths[miss.request])
            hit = digits(miss.hit_tokens)
            hit = say("traffic.at_least", rate=hit) if analysis.lower_bound else hit
            numbers = {"hit": hit, "total": digits(length)}
            st.markdown(f"**{say('traffic.detail', place=miss.request + 1, name=name, **numbers)}**")
            st.markdown(reason_words(analysis, miss))
        with button:
            if st.button(say("traffic.watch"), type="primary", key="traffic_watch", width="stretch"):
                open_it(miss.request)
        _difference(log, analysis, miss)


def reason_words(analysis: Analysis, miss: Miss) -> str:
    """The reason as a sentence."""
    best = "" if miss.best is None else plain(analysis.requests[miss.best].request_id)
    numbers = {"common": digits(miss.common), "lost": digits(miss.lost)}
    numbers |= {"block": str(miss.block + 1), "best": best}
    reason = miss.reason
    if reason == "differs" and analysis.requests[miss.request].block_ids is not None:
        return say("traffic.why.differs_block", **numbers)
    return say(f"traffic.why.{reason}", token=miss.common + 1, **numbers)


def _difference(log: Log, analysis: Analysis, miss: Miss) -> None:
    if miss.best is None or miss.reason in ("all", "refused", "too_short"):
        return
    tokenizer = log.options.tokenizer
    mine = words_at(analysis.requests[miss.request], miss.common, tokenizer)
    stored = words_at(analysis.requests[miss.best], miss.common, tokenizer)
    if mine is None:
        if log.trace.tokenizer is None:
            st.caption(say("traffic.no_text"))
        return
    left, right = st.columns(2)
    with left:
        _quote(say("traffic.stored"), stored, mine.token)
    with right:
        _quote(say("traffic.mine"), mine, "" if stored is None else stored.token)
    if stored is not None:
        st.caption(difference(stored.token, mine.token))


def _quote(title: str, words: Words | None, other: str) -> None:
    if words is None:
        st.caption(f"{title}: {say('traffic.ended')}")
        return
    st.caption(f"{title} ({plain(words.role)})")
    st.markdown(f"…{seen_in(words.before, words.token, words.behind, other)}…")
