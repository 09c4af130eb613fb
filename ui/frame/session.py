"""What belongs to one visitor: the setup, the language, the last few runs. Nothing lives in a module."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast
from uuid import uuid4

import streamlit as st

from core.errors import BrothError
from core.scenario.scenario import Scenario, run
from core.texts import showable
from core.timeline.event_log import EventLog
from ui.machine import machine as machines
from ui.machine.machine import Machine
from ui.moment import link as moments
from ui.moment.link import MomentLink
from ui.monitor import deeds as plans
from ui.monitor.deeds import LoadPlan
from ui.monitor.setup import LoadSetup
from ui.stage import record as records
from ui.stage.fork import Fork, forked
from ui.stage.own import OWN
from ui.stage.payload import Payload, stage_log
from ui.stage.record import Record, run_name
from ui.stage.setup import Setup, from_query, load_setup, to_query
from ui.study import study as studies
from ui.study.study import Study
from ui.teacher import seq as sequences
from ui.teacher.seq import Sequence
from ui.traffic import setup as traffics
from ui.traffic.setup import TrafficSetup
from ui.words.i18n import MODES as LANG_MODES
from ui.words.i18n import Lang, LangMode, error_text, languages, resolve_mode, t

Run = tuple[Scenario, EventLog, Payload]
_KEPT_RUNS = 4
_ARROW = re.compile("(?<=[<>=~-])(?=[<>=~-])")


def begin() -> None:
    """Once per script run: read the link the first time, keep the address bar up to date ever after."""
    state = st.session_state
    if "setup" not in state:
        query = {name: value for name, value in st.query_params.items() if isinstance(value, str)}
        state["setup"], lost = from_query(query)
        state["record"], lost_done = records.from_query(query, run_name(state["setup"]))
        state["machine"], lost_machine = machines.from_query(query)
        state["load_plan"], lost_load = plans.from_query(query)
        state["load_setup"] = state["load_plan"].first
        state["moment_link"], lost_moment = moments.from_query(query)
        state["study"], lost_study = studies.from_query(query)
        state["link_lost"] = lost + lost_done + lost_machine + lost_load + lost_moment + lost_study
        state["traffic_setup"], lost_traffic = traffics.from_query(query)
        state["link_lost"] += lost_traffic
        state["lang"] = resolve_mode(query.get("lang"), st.context.locale)
        state["sequence"], lost_sequence = sequences.from_query(query)
        state["link_lost"] += lost_sequence
        state["runs"] = {}
        if query:
            state["link_opened"] = True


def sync_link() -> None:
    """Write setup and language into the address bar, without a rerun.

    An opened link is left alone until something changes: writing the query drops the part behind ``#``,
    in which the stage looks for its step.
    """
    done = {**records.to_query(record(), run_name(setup())), **studies.to_query(study())}
    done |= sequences.to_query(sequence())
    load = {**plans.to_query(load_plan()), **moments.to_query(moment_link())}
    wanted = {**to_query(setup()), **done, **machines.to_query(machine()), **load, "lang": lang_mode()}
    wanted |= traffics.to_query(traffic_setup())
    opened = st.session_state.pop("link_opened", None)
    if opened is None and dict(st.query_params.items()) != wanted:
        st.query_params.from_dict(wanted)


def setup() -> Setup:
    """This visitor's setup."""
    return cast(Setup, st.session_state["setup"])


def change_setup(new: Setup) -> None:
    """Replace this visitor's setup. A request of the load that stood on the stage makes way."""
    st.session_state["setup"] = new
    drop_moment()


def wanted_load() -> LoadSetup:
    """What this visitor's monitor is set to."""
    return cast(LoadSetup, st.session_state["load_setup"])


def change_load(new: LoadSetup) -> None:
    """Replace it."""
    st.session_state["load_setup"] = new


def load_plan() -> LoadPlan:
    """How this visitor's load began and what was done to it: what a link needs to run it again."""
    return cast(LoadPlan, st.session_state["load_plan"])


def change_plan(new: LoadPlan) -> None:
    """Replace it."""
    st.session_state["load_plan"] = new


def moment_link() -> MomentLink | None:
    """Which request of a load, or of a log, stands on the stage instead of the scenario."""
    return cast("MomentLink | None", st.session_state["moment_link"])


def show_moment(moment: object, link: MomentLink) -> None:
    """Put a request on the stage of the execute page."""
    st.session_state["moment"] = moment
    st.session_state["moment_link"] = link


def drop_moment() -> None:
    """Take it off again."""
    st.session_state.pop("moment", None)
    st.session_state["moment_link"] = None


def drop_load_moment() -> None:
    """Take it off if it belongs to a load: there is another one now."""
    link = moment_link()
    if link is not None and link.request_id is not None:
        drop_moment()


def record() -> Record:
    """What this visitor has tried and answered so far."""
    return cast(Record, st.session_state["record"])


def change_record(new: Record) -> None:
    """Replace this visitor's record."""
    st.session_state["record"] = new


def forget_answers() -> None:
    """No question answered; the stage forgets too, once it hears the new token."""
    change_record(record().without_answers())
    st.session_state["forget"] = uuid4().hex


def forget_token() -> str | None:
    """Changes each time the answers are to be forgotten."""
    return cast("str | None", st.session_state.get("forget"))


def study() -> Study:
    """What this visitor has learned so far: flash cards, and the six questions."""
    return cast(Study, st.session_state["study"])


def change_study(new: Study) -> None:
    """Replace it."""
    st.session_state["study"] = new


def sequence() -> Sequence:
    """The stops this visitor has collected, and which one is presented."""
    return cast(Sequence, st.session_state["sequence"])


def change_sequence(new: Sequence) -> None:
    """Replace it."""
    st.session_state["sequence"] = new


def traffic_setup() -> TrafficSetup:
    """Every setting of this visitor's page of logs, but not the log."""
    return cast(TrafficSetup, st.session_state["traffic_setup"])


def change_traffic(new: TrafficSetup) -> None:
    """Replace it."""
    st.session_state["traffic_setup"] = new


def machine() -> Machine:
    """What this visitor's modelled times and prices are for."""
    return cast(Machine, st.session_state["machine"])


def change_machine(new: Machine) -> None:
    """Replace this visitor's machine. Other times make another load."""
    if new.cost() != machine().cost():
        drop_load_moment()
    st.session_state["machine"] = new


def hear_answer(told: object) -> None:
    """An answer to a question on the stage; the first one to each question counts."""
    run_now = run_name(setup())
    answer = records.read_answer(told, run_now, current_run()[2]["events"])
    if answer is not None:
        change_record(record().with_answer(answer))


def go_to_step(step: int) -> None:
    """Ask the execute page for one step, wherever the visitor was before."""
    st.session_state["go"] = [uuid4().hex, step]


def asked_step() -> list[object] | None:
    """What ``go_to_step`` asked for last: a token that the stage obeys once, and the step."""
    return cast("list[object] | None", st.session_state.get("go"))


def lang_mode() -> LangMode:
    """What this visitor reads: en, zh or both."""
    return cast("LangMode", st.session_state["lang"])


def choose_language(mode: object) -> None:
    """Take over a language chosen anywhere, on the stage too; anything else is ignored."""
    if mode in LANG_MODES:
        st.session_state["lang"] = mode


def lang() -> Lang:
    """The leading language: of widgets, of prompts, of messages."""
    return languages(lang_mode())[0]


def say(key: str, **args: object) -> str:
    """A sentence in the visitor's leading language."""
    return t(key, lang(), **args)


def show_error(error: BrothError) -> None:
    """Tell a mistake in the visitor's language; nothing is lost."""
    st.error(plain(error_text(error, lang())))


def plain(text: str) -> str:
    """User text that passes through Markdown as it is.

    Streamlit would draw ``->`` and its like as arrows: an invisible joiner keeps the two signs two.
    """
    apart = _ARROW.sub("\u2060", showable(text))
    return "".join("\\" + char if char in "\\`*_{}[]()<>#+-.!|~$:" else char for char in apart)


def title_of(scenario_id: str) -> str:
    """The scenario's title."""
    return say(f"scenario.{scenario_id}.title")


def current_run() -> Run:
    """The run of the setup: scenario, event log, and the log as the stage wants it. The last few are kept.

    Raises:
        BrothError: prompts or knobs that cannot be used.
    """
    return _remember(_key(setup()), lambda: load_setup(setup(), lang()))


def forked_run(fork: Fork) -> Run:
    """The run of the setup with one thing changed, like ``current_run``.

    Raises:
        BrothError: the change cannot be made at that step.
    """
    scenario, log, shown = current_run()
    key = (*_key(setup()), fork)
    return _remember(key, lambda: forked(scenario, log, shown["events"], fork, lang()))


def _key(chosen: Setup) -> tuple[object, ...]:
    own = chosen.own if chosen.scenario == OWN else None
    return (chosen.scenario, str(sorted(chosen.knobs.items())), own, lang())


def _remember(key: tuple[object, ...], make: Callable[[], Scenario]) -> Run:
    """The run under this key; it is made if it is not among the last few."""
    runs: dict[tuple[object, ...], Run] = st.session_state["runs"]
    if key not in runs:
        scenario = make()
        log = run(scenario)
        runs[key] = (scenario, log, stage_log(scenario, log, title_of(setup().scenario)))
        while len(runs) > _KEPT_RUNS:
            del runs[next(iter(runs))]
    return runs[key]
