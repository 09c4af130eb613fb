"""What the server holds of a visitor is said, and forgotten when they wish."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm, choose, press, setup_of, texts, visit
from tests.record_links import open_link
from ui.course.mine import MINE, own_words
from ui.stage.fork import Fork
from ui.stage.own import OwnPrompts
from ui.stage.record import Answer, Record
from ui.stage.setup import Setup, to_query
from ui.words.i18n import LANGS, Lang, t

LOG = '{"prompt": "Pomegranate is a word of ours"}\n'


def everything() -> AppTest:
    """A visitor who typed prompts, pasted a log, and gave an answer."""
    own = OwnPrompts("Pomegranate", ("one", "two"))
    course = MINE.write(own_words("Quince", "a", "", "bc")) | {"bets": "03a7c.24r0fz"}
    at = open_link("traffic", {"lang": "en", **to_query(Setup("own", own=own)), **course})
    at.session_state["record"] = Record("P1", (Fork(3, "slots", 8),), (Answer("P1", 12, "hit", False),))
    at = choose(at, "traffic_source", "paste")
    at.text_area(key="traffic_paste").set_value(LOG)
    return calm(at.run())


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("page", ["start", "traffic"])
def test_of_a_new_visitor_it_holds_nothing(page: str, lang: Lang) -> None:
    at = visit(page, lang=lang)
    assert t("held.nothing", lang) in texts(at)
    assert t("held.where", lang, minutes=2) in texts(at)


def test_what_it_holds_is_said() -> None:
    said = texts(everything())
    assert t("held.own", "en", n=len("Pomegranateonetwo" + "Quinceabc")) in said
    assert t("held.pasted", "en", n=len(LOG)) in said
    assert t("held.log", "en", name="pasted text", n=1) in said
    assert t("held.answers", "en", n=3) in said
    assert t("held.nothing", "en") not in said


def test_forgetting_leaves_nothing_but_the_language() -> None:
    at = press(everything(), "held-forget")
    assert t("held.nothing", "en") in texts(at)
    assert setup_of(at) == Setup()
    assert at.query_params["lang"] in ("en", ["en"])
    assert not {"own", "mine", "bets"} & set(at.query_params)
    assert not any(word in everything_kept(at) for word in ("Pomegranate", "Quince"))
    assert any("location.replace" in str(one.proto.body) for one in at.get("html"))


def test_the_watch_sees_what_is_kept() -> None:
    """Else the test above could find nothing anywhere."""
    assert "Pomegranate" in everything_kept(everything())


def everything_kept(at: AppTest) -> str:
    """All values of the session, and all they hold, as one text."""
    return str([seen(value) for value in at.session_state.to_dict().values()])


def seen(value: Any, depth: int = 6) -> object:
    if depth == 0 or isinstance(value, str | bytes | int | float | None):
        return value
    if isinstance(value, dict):
        return [(seen(key, depth - 1), seen(one, depth - 1)) for key, one in value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        return [seen(one, depth - 1) for one in value]
    names = [*getattr(value, "__dict__", ()), *getattr(type(value), "__slots__", ())]
    return [seen(getattr(value, name, None), depth - 1) for name in names] or repr(value)
