"""What to know about a result: where it comes from, how sure it is, how it was measured; and its files."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from core.backends.base import Difference
from core.backends.experiments.report import Report
from core.backends.experiments.standing import two_digits
from ui.frame.session import built_under, plain, say, say_each, say_under
from ui.prefill.experiments import as_csv, as_json, has_model
from ui.prefill.models import OWN, SMALL_NAME, model_name
from ui.prefill.state import Whence, state, usable_choice
from ui.words.numbers import digits, power

UNTIMED = ("prefix", "breaks", "documents", "astray")
"""Experiments whose results are no times."""

WALL = "engines"
"""The one that compares wall times."""

_SMALL_INSIDE = "Smollm2 135M 8k Lc100K Mix1 Ep2"
"""What the small model's file calls itself."""


def tell_other(report: Report, whence: Whence) -> None:
    """Loudly, where a result is of another model or library than the chosen ones."""
    choice = usable_choice()
    own_file = whence == "file" and choice.model == OWN  # by its name alone nobody can tell
    same = own_file or has_model(report, choice)
    if whence in ("own", "link") or (same and report.backend == choice.library):
        return
    words = {
        "model": plain(model_name(choice)),
        "library": choice.library,
        "other": plain(model_words(report)),
        "by": report.backend,
    }
    with st.container(key=f"prefill-other-{report.experiment}"):
        st.warning(say_under(f"prefill.other.{whence or 'kept'}", **words), icon=":material/swap_horiz:")


def origin(report: Report, whence: Whence) -> None:
    """Where a result comes from."""
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    words: dict[str, Any] = {
        "device": plain(report.device),
        "library": report.backend,
        "model": plain(model_words(report)),
        "date": report.date,
        "versions": plain(versions),
    }
    told = [say_each(f"prefill.from.{whence or 'kept'}", **words)]
    if report.runs > 1:
        told.append(say_each("prefill.runs", runs=report.runs))
    if report in state().too_long:
        told.append(say_each("prefill.link.too_long"))
    st.caption(" · ".join(told))


def certainty(report: Report) -> None:
    """How sure a result is, how it was measured, and the files to take home."""
    if report.equality is not None:
        equality = report.equality
        st.markdown(built_under(lambda: equality_words(equality)))
    if report.disturbed:
        key = "prefill.disturbed.wall" if report.experiment == WALL else "prefill.disturbed"
        st.markdown(say_under(key))
    if not report.complete:
        st.info(say_under("prefill.incomplete"))
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover(say_each("prefill.how")):
            st.markdown(say_under(f"prefill.{report.experiment}.how").replace("\n", "\n\n"))
            if report.experiment not in UNTIMED:
                clock = "wall" if report.experiment == WALL else "clock"
                st.caption(say_under(f"prefill.how.{clock}"))
        for kind, make, mime in (("json", as_json, "application/json"), ("csv", as_csv, "text/csv")):
            st.download_button(
                say(f"prefill.save.{kind}"),
                partial(make, report),
                f"broth-{report.experiment}-{report.backend}.{kind}",
                mime,
                key=f"prefill_{kind}_{report.experiment}",
                on_click="ignore",
            )


def equality_words(difference: Difference) -> str:
    """Equal within X, bitwise or not, the same token or not."""
    bitwise = say("prefill.yes" if difference.bitwise else "prefill.no")
    key = "prefill.equal" if difference.equal else "prefill.unequal"
    return say(key, within=power(difference.max_abs), bitwise=bitwise)


def model_words(report: Report) -> str:
    """What a report's model is called here."""
    return SMALL_NAME if report.model == _SMALL_INSIDE else report.model


def times(value: float) -> str:
    """How many times, with the two digits that a clock knows, and two places below 2: 1.08×, 4.0×, 670×."""
    known = two_digits(value)
    return f"{known:,.{0 if known >= 10 else 1 if known >= 2 else 2}f}×"


def claimed(value: float) -> str:
    """How many times, of what was counted or said and is exact: 5×, 65×, 4.81×."""
    return f"{digits(int(value) if float(value).is_integer() else float(value))}×"
