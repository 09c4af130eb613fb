"""What visitors share is public, pure and never changed; what one of them typed or loaded is not in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from pages.navigation import PAGES
from tests.app.test_sessions import type_prompt
from tests.app.test_traffic import VIEWS, paste, rows
from tests.app.visit import calm, choose, visit
from ui.frame.shared import Shared

MARK = "Quagga-7341"
PLAIN = (str, bytes, int, float, range, frozenset, np.generic)


def stores() -> list[Shared]:
    """Every store of the server, whoever holds it."""
    gc.unfreeze()  # the collector lists no other objects (tests/conftest.py)
    return [one for one in gc.get_objects() if type(one) is Shared]


def entries() -> dict[tuple[int, Any], Any]:
    return {(id(one), key): value for one in stores() for key, value in one._found.items()}


def told(value: Any) -> Iterator[bytes]:
    """Everything that a value holds, as a sequence that is equal for equal values."""
    yield type(value).__name__.encode()
    if isinstance(value, np.ndarray):
        yield value.tobytes()
    elif is_dataclass(value):
        for field in fields(value):
            yield from told(getattr(value, field.name))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from told(key)
            yield from told(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from told(one)
    elif value is None or isinstance(value, PLAIN):
        yield repr(value).encode()
    else:  # an object of the house: what it holds
        names = [*getattr(value, "__slots__", ()), *getattr(value, "__dict__", ())]
        yield from told({name: getattr(value, name, None) for name in names})


def digest(value: Any) -> str:
    return blake2b(b"\0".join(told(value))).hexdigest()


def visit_all(at: AppTest) -> AppTest:
    """The same visitor on every page."""
    for page in PAGES:
        at.session_state["visited"] = page
        calm(at.run())
    return at


def test_what_is_shared_follows_from_its_key_and_stays_as_it_was() -> None:
    """Another visitor, with another machine, other knobs and answers, comes to the same results, and leaves
    them alone."""
    for store in stores():
        store._found.clear()
    same = {"dice": "7", "six": "7c3_"}  # the questions that chapters and the sheet put to both
    visit_all(visit("start", lang="en", **same))
    first = {key: digest(value) for key, value in entries().items()}
    assert len({key[0] for key in first}) >= 8, "most stores were asked for something"
    kept = entries()
    for store in stores():
        store._found.clear()
    visit_all(visit("start", lang="en", s="P5", slots="9", on="Qwen3-8B~H100~2~1~1~1", **same))
    again = {key: digest(value) for key, value in entries().items()}
    both = first.keys() & again.keys()
    assert len(both) > len(first) / 2
    assert {key: again[key] for key in both} == {key: first[key] for key in both}
    for store in stores():  # the first visitor's results, and everybody back
        store._found.update({key: value for (of, key), value in kept.items() if of == id(store)})
    visit_all(visit("start", lang="zh"))
    visit_all(visit("start", lang="en", s="P9"))
    assert {key: digest(kept[key]) for key in first} == first


def test_nothing_that_a_person_typed_or_loaded_is_shared() -> None:
    at = type_prompt(visit("execute", lang="en"), f"{MARK} is my recipe. ", "one\ntwo")
    assert MARK.encode() in b"".join(told(at.session_state["runs"])), "the search would find it"
    visit_all(at)
    visit_all(visit("execute", lang="en", s="P3", salt=MARK, ver=MARK))
    row = {"messages": [{"role": "user", "content": f"{MARK} writes a long question about caches"}]}
    at = paste(visit("traffic", lang="en"), rows(row, row))
    assert MARK in str(at.session_state["traffic"].log)
    for view in VIEWS:
        choose(at, "traffic_view", view)
    assert shared_with(MARK) == []


def shared_with(mark: str) -> list[Any]:
    return [key for key, value in entries().items() if mark.encode() in b"".join(told((key[1], value)))]
