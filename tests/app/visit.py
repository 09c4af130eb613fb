"""A visitor without a browser: one page in Streamlit's own test tool, with the address it was opened by."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from ui.prefill.guess import QUESTIONS, Guesses
from ui.prefill.sections import GROUPS, SECTION, group_of
from ui.stage.setup import Setup

TIMEOUT_S = 60
HERE = Path(__file__).resolve().parent


def visit(name: str, **query: str) -> AppTest:
    """Open a page by a link; the shell around it comes with ``visit_app``."""
    at = AppTest.from_file(str(HERE / "one_page.py"), default_timeout=TIMEOUT_S)
    at.session_state["visited"] = name
    if name.startswith("ch"):
        at.session_state["bet_dice"] = 7  # which questions the course puts
    for key in ("set_up", "machine_box"):  # the panels with knobs, prompts and the machine stand open
        at.session_state[key] = True
    at.session_state["prefill_guesses"] = Guesses(dict.fromkeys(QUESTIONS))  # who only wants to see
    for key, value in query.items():
        at.query_params[key] = value
    return calm(at.run())


def open_tab(at: AppTest, name: str) -> AppTest:
    """One of the tabs of the front page: presets, knobs or own."""
    at.session_state["start_tab"] = name
    return calm(at.run())


def visit_app(**query: str) -> AppTest:
    """Open the front page as a person does, through app.py."""
    at = AppTest.from_file(str(HERE.parents[1] / "app.py"), default_timeout=TIMEOUT_S)
    for key, value in query.items():
        at.query_params[key] = value
    return calm(at.run())


def go_to(at: AppTest, name: str) -> AppTest:
    """The same visitor on another page."""
    at.session_state["visited"] = name
    return calm(at.run())


def calm(at: AppTest) -> AppTest:
    """Nothing was raised."""
    assert [error.value for error in at.exception] == []
    return at


def components(at: AppTest, name: str = "broth_stage") -> list[Any]:
    """The page's components of that name."""
    return [one.proto for one in at.get("bidi_component") if one.proto.component_name == name]


def has_stage(at: AppTest) -> bool:
    return len(components(at)) > 0


def payload(at: AppTest) -> dict[str, Any]:
    """What the stage of the page gets, logs unpacked."""
    data: dict[str, Any] = json.loads(components(at)[0].bytes)
    return {**data, "a": unpacked(data["a"]), "b": unpacked(data["b"])}


def unpacked(log: Any) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(log["z"]))) if log and "z" in log else log


def prompts(at: AppTest) -> list[str]:
    """The requests' texts as the stage gets them, prompt and answer together."""
    return ["".join(pieces) for pieces in payload(at)["a"]["pieces"].values()]


def setup_of(at: AppTest) -> Setup:
    setup: Setup = at.session_state["setup"]
    return setup


def texts(at: AppTest) -> str:
    """Every sentence the page says outside of widgets and stage."""
    kinds = (at.markdown, at.caption, at.subheader, at.error, at.warning)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def choose(at: AppTest, key: str, value: object) -> AppTest:
    """Change one widget, found by its key, and run again. A section of real prefill stands in its group."""
    if key == SECTION and at.session_state["prefill_group"] != (group := group_of(str(value))):
        at = choose(at, "prefill_group", group)
        if len(GROUPS[group]) == 1:
            return at
    one_line = (at.text_input, at.number_input, at.slider, at.select_slider)
    for kind in (at.selectbox, at.multiselect, *one_line, at.button_group):
        for widget in kind:
            if widget.key == key:
                widget.set_value(value)
                return calm(at.run())
    raise AssertionError(f"no widget {key} on the page")


def press(at: AppTest, key: str) -> AppTest:
    """Press the button whose key begins with ``key``."""
    button = next(button for button in at.button if (button.key or "").startswith(key))
    button.click()
    return calm(at.run())
