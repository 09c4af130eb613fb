"""What every section of the prefill page has: model and library, the measure button, progress, provenance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.backends.decoders.loader import Library
from core.backends.decoders.torch_prefill import torch_available
from core.backends.models.sources import small_model_path
from core.backends.spec import SIZES
from core.errors import BrothError
from core.extras import how_to_add
from ui.frame.session import plain, say, say_each, show_error, stands_on_one
from ui.prefill.experiments import EXPERIMENTS
from ui.prefill.job import Job
from ui.prefill.models import (
    RANDOM,
    Choice,
    is_loaded,
    libraries,
    model_name,
    models,
    need_mb,
)
from ui.prefill.state import (
    PrefillState,
    Whence,
    collect,
    forget_measured,
    measure,
    seconds_of,
    state,
    usable_choice,
)
from ui.words.numbers import digits

TICK_S = 0.4
"""Seconds between two looks at the running work."""

_MUCH_MB = 100


# -- what computes --------------------------------------------------------------------------------------


def choice_row() -> None:
    """Library and model, in two columns of whoever calls."""
    choice = usable_choice()
    left, right = st.columns([5, 9], vertical_alignment="center")
    with left:
        st.session_state["prefill_library"] = choice.library
        st.segmented_control(
            say_each("prefill.library"), libraries(), required=True, key="prefill_library", on_change=_choose
        )
    with right:
        st.session_state["prefill_model"] = choice.model
        words = {name: model_words(Choice(choice.library, name)) for name in models()}
        st.selectbox(
            say_each("prefill.model"),
            models(),
            format_func=words.__getitem__,
            key="prefill_model",
            on_change=_choose,
        )


def adding() -> None:
    """How to add what this server lacks."""
    lacking = _lacking()
    if lacking:
        with st.popover(say("prefill.more")):
            st.markdown("\n\n".join(lacking))


def memory_words() -> None:
    """What a large model will take, while it is not loaded."""
    need = _memory_words(state().choice)
    if need:
        st.caption(need)


def _choose() -> None:
    if not (stands_on_one("prefill_model", models()) and stands_on_one("prefill_library", libraries())):
        return
    library: Library = st.session_state["prefill_library"]
    state().choice = replace(state().choice, library=library, model=st.session_state["prefill_model"])


def model_words(choice: Choice) -> str:
    """A model for a list: its name and size."""
    if choice.model in RANDOM:
        millions = f"{SIZES[choice.model].num_parameters / 1e6:.2g}"
        return say("prefill.model.random", size=choice.model, millions=millions)
    return say("prefill.model.trained", name=model_name(choice))


def _lacking() -> list[str]:
    """What this server could have and has not."""
    found = []
    if not torch_available():
        found.append(say("prefill.no_torch", command=how_to_add("torch")))
    if small_model_path() is None:
        found.append(say("prefill.no_model", command=how_to_add("model")))
    return found


def _memory_words(choice: Choice) -> str:
    try:
        need = need_mb(choice)
    except BrothError:
        return ""  # said in full when somebody presses the button
    if need < _MUCH_MB or is_loaded(choice):
        return ""
    return say_each("prefill.memory", name=plain(model_name(choice)), need=digits(need))


# -- measuring ------------------------------------------------------------------------------------------


def measure_row(experiment: str, whence: Whence) -> None:
    """Measure here and now; go back to the kept result. While something is measured its progress stands in
    this place, so that nothing on the page moves."""
    with st.container(key=f"prefill-measure-{experiment}"):
        if state().job is not None and experiment == state().section:
            _watch()
        else:
            _offer(experiment, whence)


def _offer(experiment: str, whence: Whence) -> None:
    choice = usable_choice()
    seconds = seconds_of(experiment, choice)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say_each("prefill.again" if whence == "own" else "prefill.measure"),
            type="primary",
            key=f"prefill_measure_{experiment}",
            on_click=measure,
            args=(experiment,),
            disabled=state().job is not None,
        )
        if whence:
            st.button(
                say_each(f"prefill.back.{_behind(experiment, whence)}"),
                key=f"prefill_kept_{experiment}",
                on_click=forget_measured,
                args=(experiment,),
            )
        takes = say_each("prefill.takes", seconds=digits(max(1, round(seconds))))
        st.caption(" · ".join(filter(None, (takes, _memory_words(choice)))), width="stretch")


def _behind(experiment: str, whence: Whence) -> str:
    """What stands behind the result that is shown."""
    own = (experiment, usable_choice()) in state().results
    return "own" if whence != "own" and own else "kept"


def job_panel(section: str) -> None:
    """Progress of what is under way, or why it ended without a result."""
    if state().job is not None:
        _watch()
    ended_panel(section)


def ended_panel(section: str) -> None:
    """Why the section's last work ended without a result; what was stopped elsewhere is told there."""
    now = state()
    here = (section, "astray") if section == "breaks" else (section,)
    of_another = section in EXPERIMENTS and now.ended_choice != now.choice
    if now.job is not None or now.ended not in here or of_another:
        return
    if now.failed:
        st.error(say("prefill.failed"))
    elif now.error is not None:
        _tell(now)


def _tell(now: PrefillState) -> None:
    error = now.error
    if error is not None and error.code == "backend.cancelled":
        st.info(say("error.backend.cancelled"))
    elif error is not None:
        show_error(error)


@st.fragment(run_every=TICK_S)
def _watch() -> None:
    """Only this part of the page runs again while the work goes on."""
    job = state().job
    if job is None:
        return
    if not job.running:
        collect()
        st.rerun()
    percent = min(99, int(100 * job.fraction))
    words = _phase_words(job, percent)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(percent, f"{say(f'prefill.{job.name}.title')} · {words}")
        st.button(say_each("prefill.cancel"), key="prefill_cancel", on_click=job.stop, disabled=job.stopping)
    if job.text:
        st.markdown(f"> {plain(job.text)}".replace("\n", "\n> "))


def _phase_words(job: Job[Any], percent: int) -> str:
    place, phase = job.place, "stopping" if job.stopping else job.phase
    if phase == "waiting" and place is not None:
        seconds = digits(max(1, round(place.wait_s)))
        return say("prefill.phase.waiting", place=place.ahead + 1, seconds=seconds)
    return say(f"prefill.phase.{phase}", percent=percent, name=plain(model_name(job.choice)))
