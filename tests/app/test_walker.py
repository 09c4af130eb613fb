"""Visitors who click about: every page, away and back, in random order, whatever stands on it.

Seeded, over Streamlit's own protocol, on one server: ``WALKS`` walks in each language mode, each of them
every page three times: untouched at first, then with ``CLICKS`` widgets touched on every visit.
BROTH_EXAMPLES multiplies the walks, BROTH_SEED is the first seed. Any page that breaks, and any traceback
in the server's log fails, with the last steps that led there.
"""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX

from pages.navigation import MODES, PAGES
from tests.app.wire import Visitor, Widget, arrive
from tests.e2e.conftest import running_server
from tests.strategies import AWKWARD, FACTOR
from ui.words.i18n import MODES as LANG_MODES

WALKS, CLICKS = FACTOR, 2
FIRST_SEED = int(os.environ.get("BROTH_SEED", "1"))
LAST_STEPS = 12
LOG = '{"prompt": "a b c", "timestamp": 1}\n{"prompt": "a b d", "timestamp": 2}\n'
FORKS = (
    *(("block_size", 4), ("slots", 6), ("ttl", 5), ("admit_after", 2), ("cache_cap", 2), ("prompt", "a b c")),
    *(("queue_rule", "all_to_back"), ("timestamp", "first"), ("swap", "prompts")),
)
"""What the stage offers to change in a run."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("walk") / "log.txt"


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[str]:
    with running_server(log) as url:
        yield url


# -- what a person can do to a widget ----------------------------------------------------------------------


def _typed(widget: Widget, dice: random.Random) -> str:
    """Short or odd, and never longer than the field lets one type; half a pair never leaves a browser."""
    text = dice.choice([*AWKWARD, "", "7", "1 2 3 4", "a b c\nd e f", LOG])
    most: int = widget.proto.max_chars
    return text[:most] if most else text


def _number(widget: Widget, dice: random.Random) -> float:
    low = widget.proto.min if widget.proto.has_min else -5.0
    high = widget.proto.max if widget.proto.has_max else low + 1000
    return float(dice.choice([low, high, dice.randint(int(low), int(high))]))


def _places(widget: Widget, dice: random.Random) -> list[float]:
    """Each handle of a slider on one of its places, in order."""
    last = round((widget.proto.max - widget.proto.min) / widget.proto.step)
    places = [widget.proto.min + widget.proto.step * dice.randint(0, last) for _ in widget.proto.default]
    return sorted(places)


def _told(widget: Widget, dice: random.Random) -> WidgetState:
    """What the components tell: events, by a name that Streamlit makes of theirs."""
    if widget.proto.component_name == "broth_stage":
        change, value = dice.choice(FORKS)
        fork = {"step": dice.randint(0, 30), "change": change, "value": value}
        answer = {
            "id": "q",
            "event": dice.randint(0, 20),
            "choice": dice.randint(0, 3),
            "right": True,
            "first": True,
        }
        events: dict[str, Any] = {
            "fork": fork,
            "answer": {**answer, "votes": []},
            "seen": "P0",
            "bet": {"tokens": dice.randint(0, 99)},
            "lang": dice.choice(LANG_MODES),
        }
    elif widget.proto.component_name == "broth_act":
        events = {"take": dice.choice(["P1", "P9"])}
    elif widget.proto.component_name == "broth_fields":
        path, role = dice.choice(["prompt", "timestamp", "x"]), dice.choice(["prompt", "time", "", "soup"])
        events = {"pick": {"path": path, "role": role}}
    else:
        playing = dice.choice([None, True, False])
        events = {"told": {"press": dice.randint(0, 9), "playing": playing, "lacks": dice.random() < 0.5}}
    name = dice.choice(sorted(events))
    told = WidgetState(id=f"{STREAMLIT_INTERNAL_KEY_PREFIX}_{widget.proto.id}__events")
    told.json_trigger_value = json.dumps([{"event": name, "value": events[name]}])
    return told


def _clicked(widget: Widget, dice: random.Random) -> str:
    """A point of a chart that knows what it is about."""
    spec = json.loads(widget.proto.spec)
    points = [
        {"x": x, "customdata": about}
        for curve in spec["data"]
        if isinstance(curve.get("customdata"), list) and isinstance(curve.get("x"), list)
        for x, about in zip(curve["x"], curve["customdata"], strict=False)
    ]
    chosen = [dice.choice(points)] if points else []
    return json.dumps({"selection": {"points": chosen, "point_indices": [], "box": [], "lasso": []}})


def touched(widget: Widget, dice: random.Random) -> WidgetState | None:
    """The widget after a person's hand; None where there is nothing to do with it."""
    state, proto = WidgetState(id=widget.proto.id), widget.proto
    if widget.kind in ("button", "download_button"):
        state.trigger_value = True
    elif widget.kind == "checkbox":
        state.bool_value = dice.random() < 0.5
    elif widget.kind in ("selectbox", "radio") and proto.options:
        state.string_value = dice.choice(proto.options)
    elif widget.kind == "button_group":
        names = [one.content for one in proto.options]
        state.string_array_value.data[:] = (
            [] if dice.random() < 0.2 and not proto.required else [dice.choice(names)]
        )
    elif widget.kind == "multiselect":
        state.string_array_value.data[:] = dice.sample(
            list(proto.options), dice.randint(0, len(proto.options))
        )
    elif widget.kind == "slider" and proto.options:
        state.string_array_value.data[:] = [dice.choice(proto.options)]
    elif widget.kind == "slider":
        state.double_array_value.data[:] = _places(widget, dice)
    elif widget.kind == "number_input":
        state.double_value = _number(widget, dice)
    elif widget.kind in ("text_input", "text_area"):
        state.string_value = _typed(widget, dice)
    elif widget.kind == "bidi_component":
        return _told(widget, dice)
    elif widget.kind == "plotly_chart" and proto.selection_mode:
        state.string_value = _clicked(widget, dice)
    elif widget.kind in ("popover", "expandable"):
        state.bool_value = dice.random() < 0.8
    elif widget.kind == "tab_container":
        state.string_value = dice.choice(widget.tabs)
    else:
        return None
    return state


NUMBERS = (-1.0, 0.5, 1e18, -1e300)
NO_NUMBERS = (math.nan, math.inf, -math.inf)
"""Not for number fields: there Streamlit itself turns them into whole numbers before any page runs."""
TOLD = ("null", "[]", "7", "NaN", '{"lang": 5}', '{"lang": ["zh"]}', '{"told": -1}')
VALUES = (
    None,
    7,
    "x",
    [],
    [[]],
    {},
    {"step": -1},
    {"step": 1e400, "change": [], "value": {}},
    {"playing": "x"},
)


def spoilt(widget: Widget, dice: random.Random) -> WidgetState | None:
    """The same widget told something of its own type that no browser would let a person choose."""
    state = touched(widget, dice)
    if state is None or state.WhichOneof("value") in ("trigger_value", "bool_value"):
        return state
    kind = str(state.WhichOneof("value"))
    if kind == "string_value" and widget.kind != "plotly_chart":
        state.string_value = dice.choice([*AWKWARD, "", "no such option", "0"])
    elif kind == "string_value":
        state.string_value = json.dumps({"selection": {"points": [{"customdata": ["x"], "x": 1}]}})
    elif kind == "string_array_value":
        state.string_array_value.data[:] = dice.sample(AWKWARD, dice.randint(0, 3))
    elif kind == "double_value":
        state.double_value = dice.choice(NUMBERS)
    elif kind == "double_array_value":
        state.double_array_value.data[:] = dice.sample(NUMBERS + NO_NUMBERS, dice.randint(0, 3))
    elif kind == "json_value":
        state.json_value = dice.choice(TOLD)
    elif kind == "json_trigger_value":
        event = dice.choice(["fork", "answer", "bet", "seen", "take", "told", "lang", "none"])
        told = [json.dumps([{"event": event, "value": dice.choice(VALUES)}]), *TOLD]
        state.json_trigger_value = dice.choice(told)
    return state


# -- walking -----------------------------------------------------------------------------------------------


Hand = Callable[[Widget, random.Random], WidgetState | None]


def walk(url: str, log: Path, lang: str, seed: int, hand: Hand = touched, clicks: int = CLICKS) -> None:
    """Every page three times, in an order of its own each time; nothing breaks, no traceback."""
    dice = random.Random(f"{seed} {lang}")
    rounds = [(0, dice.sample(PAGES, len(PAGES))), *((clicks, dice.sample(PAGES, len(PAGES))) for _ in "12")]
    steps: list[str] = []
    before = log.stat().st_size
    try:
        with arrive(url) as visitor:
            for num_touched, page in ((number, page) for number, order in rounds for page in order):
                steps.append(f"open {page}")
                visitor.open("" if page == MODES[0] else page, "" if visitor.hashes else f"lang={lang}")
                well(visitor, log, before)
                for _ in range(num_touched):
                    act(visitor, dice, hand, steps)
                    well(visitor, log, before)
    except BaseException as error:
        error.add_note("\n".join(["after", *steps[-LAST_STEPS:]]))
        raise


def act(visitor: Visitor, dice: random.Random, hand: Hand, steps: list[str]) -> None:
    """One thing done on the page, told in ``steps``."""
    if visitor.ticks and dice.random() < 0.2:
        steps.append("tick")
        visitor.tick(dice.choice(sorted(visitor.ticks)))
        return
    widgets = [one for _, one in sorted(visitor.widgets.items())]
    for widget in dice.sample(widgets, len(widgets)):
        state = hand(widget, dice)
        if state is not None:
            steps.append(f"{widget.kind} {widget.key}: {str(state).partition(chr(10))[2][:200]!r}")
            visitor.change(state, widget.fragment)
            return


def well(visitor: Visitor, log: Path, before: int) -> None:
    """No exception box, no traceback."""
    said = log.read_bytes()[before:].decode("utf-8", "replace")
    assert (visitor.errors, "Traceback" in said) == ([], False), said[-3000:]


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + WALKS))
@pytest.mark.parametrize("lang", LANG_MODES)
def test_a_walk_through_every_page_and_back(server: str, log: Path, lang: str, seed: int) -> None:
    """A chapter died for good on its second visit: plain state vouched for a forgotten widget."""
    walk(server, log, lang, seed)


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + WALKS))
def test_what_no_browser_would_send_leaves_no_traceback(server: str, log: Path, seed: int) -> None:
    walk(server, log, LANG_MODES[seed % len(LANG_MODES)], seed, spoilt)
