"""What single requests have, and the least memory that is enough: beside the headline."""

from __future__ import annotations

import streamlit as st

from core.traffic.analysis import Analysis
from core.traffic.bounds import Bound
from core.traffic.enough import Enough, enough_for
from core.traffic.groups import Group
from ui.frame.session import lang, say, say_each, tell
from ui.machine.machine import MACHINE
from ui.traffic.state import Log, remember
from ui.traffic.words import bounded, rate_words, spread_words
from ui.words.numbers import digits, percent


def enough_in(log: Log, analysis: Analysis) -> Enough | None:
    """Slots for nine tenths of the gain."""
    return remember(("enough", log.key, analysis.settings), lambda: enough_for(analysis))


def enough_metric(log: Log, analysis: Analysis) -> None:
    """The least memory, in GiB of the chosen model."""
    found = enough_in(log, analysis)
    if found is None:
        st.metric(say_each("traffic.enough"), "–", help=say("traffic.enough.none"))
        return
    machine = MACHINE.get()
    gib = machine.cost().gib(found.slots, analysis.settings.block_size).value or 0.0
    ttl_s = analysis.settings.ttl_s
    about, low = _bounds(analysis)
    words = {
        "slots": bounded(digits(found.slots), about, lang()),
        "rate": bounded(percent(found.rate), low, lang()),
        "of": bounded(percent(found.of), low, lang()),
        "model": machine.model_spec.name,
        "dtype": machine.model_spec.kv_dtype,
    }
    if ttl_s is None:
        told = say("traffic.enough.help", **words)
    else:
        told = say("traffic.enough.help.ttl", ttl=f"{ttl_s:g}", **words)
    if analysis.lower_bound:
        told = tell(told, say("traffic.enough.bound"))
    st.metric(say_each("traffic.enough"), bounded(f"{digits(gib)} GiB", about, lang()), help=told)


def _bounds(analysis: Analysis) -> tuple[Bound | None, Bound | None]:
    """Of slots, and of rates."""
    return ("either", "lower") if analysis.lower_bound else (None, None)


def spread_line(analysis: Analysis, total: Group) -> None:
    """A tenth, half and nine tenths of the requests: hit rates and lengths."""
    rates, lengths = total.rates, total.lengths
    words = {
        f"r{name[1:]}": rate_words(getattr(rates, name), False, lang()) for name in ("p10", "p50", "p90")
    }
    words |= {f"n{name[1:]}": digits(int(getattr(lengths, name))) for name in ("p10", "p50", "p90")}
    bound = say("traffic.spread.bound") if analysis.lower_bound else ""
    st.caption(f"{spread_words(words, lang())} {bound}")
