"""The finish page's report: one sentence, the shop owner's numbers beside ours, and what reuse saved."""

from __future__ import annotations

import streamlit as st

from core.cost import FORMULAS, Figure
from core.report import Report
from ui.finish.lines import LECTURE_TOKENS, lecture_size
from ui.finish.quiz import bet_words
from ui.frame.session import lang, say
from ui.machine.machine import MACHINE
from ui.machine.panel import machine_panel
from ui.stage.setup import SETUP
from ui.words.formula_words import legend
from ui.words.numbers import change, digits, money, percent, seconds
from ui.words.tables import show_table

MANY = 1_000_000
"""Runs like this one: a lesson is too small for money to show."""

OWNER_BEFORE_MIN, OWNER_AFTER_MIN, OWNER_GUESTS = 15, 6, 2


def headline(report: Report) -> str:
    """The run in one sentence."""
    total, hit = report.waterfall.total, report.waterfall.tokens["reused"]
    if total == 0:
        return say("finish.headline.empty")
    if hit == 0:
        return say("finish.headline.zero", total=digits(total))
    return say("finish.headline", hit=digits(hit), total=digits(total), rate=percent(hit / total))


def headline_panel(report: Report, slots: int) -> None:
    """The sentence, what ran, and the bet beside it."""
    st.header(headline(report), anchor=False)
    words, bet = st.columns([3, 2], gap="large")
    evicted = sum(report.evicted_blocks.values())
    with words:
        told = {
            "requests": report.num_requests,
            "count": slots,
            "size": report.block_size,
            "evicted": evicted,
        }
        st.markdown(say("finish.subline", **told))
    total = report.waterfall.total
    if SETUP.get().bet is None and st.context.is_embedded:
        return  # in a lecture's frame: the room placed no bet on this page
    with bet:
        said = bet_words(SETUP.get().bet, report.waterfall.tokens["reused"], total)
        st.markdown(f"**{say('finish.bet.title')}** · {said}")


def owner_panel(report: Report) -> None:
    """The story's report and ours, side by side."""
    story, ours = st.columns(2, gap="large")
    with story, st.container(border=True, height="stretch"):
        st.markdown(f"**{say('finish.owner.title')}**")
        saved = change(1 - OWNER_AFTER_MIN / OWNER_BEFORE_MIN)
        numbers = {"before": OWNER_BEFORE_MIN, "after": OWNER_AFTER_MIN, "saved": saved}
        st.markdown(
            f"- {say('finish.owner.first', **numbers)}\n- {say('finish.owner.guests', n=OWNER_GUESTS)}"
        )
        st.caption(say("finish.owner.note", ratio=digits(OWNER_BEFORE_MIN / OWNER_AFTER_MIN), n=OWNER_GUESTS))
    with ours, st.container(border=True, height="stretch"):
        st.markdown(f"**{say('finish.ours.title')}** · {say('basis.modelled')}")
        _ours(report)


def _ours(report: Report) -> None:
    if not report.rows:
        st.markdown(say("finish.headline.empty"))
        return
    full, hit = (1e3 * sum(times) / len(report.rows) for times in _times(report))
    first = say("finish.ours.first", full=digits(full), hit=digits(hit), saved=change(1 - hit / full))
    guests = say("finish.ours.guests", ratio=digits(report.savings.ratio.value or 1))
    st.markdown(f"- {first}\n- {guests}")
    st.caption(say("finish.ours.note"))
    if report.waterfall.total / len(report.rows) < LECTURE_TOKENS / 2:
        full, hit = lecture_size(MACHINE.get().cost(), report.waterfall.part("reused"))
        size = {"full": digits(full), "hit": digits(hit), "saved": change(1 - hit / full)}
        st.caption(say("finish.ours.short", tokens=LECTURE_TOKENS, **size))


def _times(report: Report) -> tuple[list[float], list[float]]:
    return [row.full_s for row in report.rows], [row.hit_s for row in report.rows]


def savings_panel(report: Report) -> None:
    """Tokens, time, money and memory; each number says what it rests on, formulas one click away."""
    machine = machine_panel()
    saved, prices = report.savings, machine.prices
    by_hour = prices.of_gpu_time(saved.gpu_seconds.value or 0, machine.num_gpus)
    by_token = prices.of_cached_tokens(report.waterfall.tokens["reused"])
    rows = [
        _row("tokens", saved.tokens, digits(_of(saved.tokens)), digits(MANY * _of(saved.tokens))),
        _row(
            "gpu", saved.gpu_seconds, seconds(_of(saved.gpu_seconds)), seconds(MANY * _of(saved.gpu_seconds))
        ),
        _row("ms", saved.ms_per_request, seconds(_of(saved.ms_per_request) / 1e3), "–"),
        _row("hour", by_hour, *(money(k * _of(by_hour), prices.currency) for k in (1, MANY))),
        _row("token", by_token, *(money(k * _of(by_token), prices.currency) for k in (1, MANY))),
        _row("memory", report.peak_gib, _memory(report), "–"),
    ]
    show_table("savings", [say(f"finish.savings.{name}") for name in ("what", "run", "many", "basis")], rows)
    st.caption(say("finish.savings.linear", linear=digits(saved.linear_ratio.value or 1),
                   model=digits(saved.ratio.value or 1)))  # fmt: skip
    with st.expander(say("finish.formulas")):
        _formulas([saved.tokens, saved.gpu_seconds, by_hour, by_token, saved.linear_ratio, saved.ratio,
                   report.peak_gib, report.prefill_s])  # fmt: skip


def _of(figure: Figure) -> float:
    return figure.value or 0.0


def _row(name: str, figure: Figure, run: str, many: str) -> list[str]:
    return [say(f"finish.savings.{name}"), run, many, say(f"basis.{figure.basis}")]


def _memory(report: Report) -> str:
    peak, gib = report.peak, (report.peak_gib.value or 0, report.peak_unshared_gib.value or 0)
    return say("finish.savings.peak", shared=peak.shared, unshared=peak.unshared,
               gib=digits(gib[0]), gib_unshared=digits(gib[1]))  # fmt: skip


def _formulas(figures: list[Figure]) -> None:
    names = tuple(dict.fromkeys(figure.formula for figure in figures))
    for name in names:
        st.markdown(f"`{FORMULAS[name]}` · {say(name)}")
    st.caption(legend(names, lang()))
