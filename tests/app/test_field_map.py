"""Which field is what, on the page: asked where we do not know, kept in the link, told by record if wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.test_traffic import link_of, paste, rows, state_of
from tests.app.visit import calm, choose, components, press, texts, visit
from ui.words.i18n import LANGS, Lang, t

CALL = {"who": {"customer": "c1"}, "raw": json.dumps({"turns": [{"role": "user", "content": "a b c d"}]})}
UNKNOWN = rows(*[CALL | {"when": f"2026-05-01T10:00:0{n}Z", "guide": "Long words " * 40} for n in range(4)])
"""No format claims it, and the long text beside the messages may belong to the prompt: a person is asked."""
MAP = "prompt=raw.turns,time=when,tenant=who.customer"


def tree(at: AppTest) -> dict[str, dict[str, Any]]:
    """The rows of the tree by path; {} while it is folded."""
    found = components(at, "broth_fields")
    return {row["path"]: row for row in json.loads(found[0].json)["rows"]} if found else {}


@pytest.mark.parametrize("lang", LANGS)
def test_a_format_nobody_knows_is_asked_for_field_by_field(lang: Lang) -> None:
    at = paste(visit("traffic", lang=lang), UNKNOWN)
    assert t("traffic.fields.unknown", lang, name=t("traffic.pasted", lang)) in [w.value for w in at.warning]
    assert at.error.len == 0
    shown = tree(at)
    assert shown["raw.turns"]["role"] == "prompt"
    assert shown["raw.turns"]["proposed"] is True
    assert (shown["when"]["role"], shown["when"]["share"]) == ("time", "100")
    assert shown["guide"]["role"] == ""
    assert shown["who.customer"]["name"] == "customer"
    assert at.text_input(key="traffic_map_0").value == MAP
    assert [one.value for one in at.code] == [f"python -m ui.report - --map {MAP}"]
    press(at, "traffic_apply_fields")
    assert link_of(at)["fields"] == MAP
    log = state_of(at).log
    assert log is not None
    assert [request.tenant for request in log.trace.requests] == ["c1"] * 4
    assert tree(at) == {}, "folded once it is read"


def test_the_link_brings_the_map_back_and_the_next_log_is_read_by_it() -> None:
    at = visit("traffic", lang="en", ys="paste", fields=MAP)
    at.text_area(key="traffic_paste").set_value(UNKNOWN)
    calm(at.run())
    assert "4 requests" in texts(at)
    assert link_of(at)["fields"] == MAP
    choose(at, "traffic_source", "sample")
    assert "fields" not in link_of(at), "another source is another log"
    assert "247 requests" in texts(at)


def test_a_map_that_does_not_fit_says_where_and_loses_nothing() -> None:
    at = paste(visit("traffic", lang="en"), rows({"prompt": "a b c d"}, {"prompt": "a b c e"}))
    choose(at, "traffic_panel", "fields")
    at.text_input(key="traffic_map_0").set_value("prompt=prompt,time=prompt").run()
    press(at, "traffic_apply_fields")
    assert "line 1" in at.error[0].value
    assert "prompt" in at.error[0].value
    assert tree(at), "it opens again"
    log = state_of(at).log
    assert log is not None
    assert len(log.trace.requests) == 2
    assert t("traffic.kept", "en", name="pasted text") in texts(at)
    press(at, "traffic_drop_fields")
    assert at.error.len == 0
    assert "fields" not in link_of(at)


def test_what_is_no_map_is_told_and_nothing_is_read_by_it() -> None:
    at = paste(visit("traffic", lang="en"), UNKNOWN)
    at.text_input(key="traffic_map_0").set_value("nonsense").run()
    assert at.error.len == 1
    assert at.text_input(key="traffic_map_0").value == MAP
    assert "fields" not in link_of(at)
    again = visit("traffic", lang="en", fields="nonsense")
    assert t("traffic.fields", "en") in texts(again)


def test_a_known_format_is_folded_and_a_format_chosen_by_hand_ends_the_map() -> None:
    at = paste(visit("traffic", lang="en"), rows({"prompt": "a b c d"}))
    assert tree(at) == {}
    choose(at, "traffic_panel", "fields")
    at.text_input(key="traffic_map_0").set_value("prompt=prompt").run()
    press(at, "traffic_apply_fields")
    assert link_of(at)["fields"] == "prompt=prompt"
    choose(at, "traffic_format", "prompts")
    assert "fields" not in link_of(at)
    assert at.error.len == 0


def test_a_broken_line_is_left_out_by_one_click() -> None:
    at = paste(visit("traffic", lang="en"), rows({"prompt": "a b c d"}) + "{broken\n")
    assert at.error.len == 1
    press(at, "traffic_on_skip_broken")
    assert at.error.len == 0
    assert at.checkbox(key="traffic_skip").value is True
    assert "1 request" in texts(at)


def test_a_time_that_cannot_be_read_is_left_aside_by_one_click() -> None:
    at = paste(visit("traffic", lang="en"), rows({"prompt": "a b", "timestamp": "someday"}))
    assert "someday" in at.error[0].value
    press(at, "traffic_on_ignore_times")
    assert at.error.len == 0
    assert at.checkbox(key="traffic_ignore_times").value is True
    assert "1 request" in texts(at)


def test_fields_that_were_taken_without_asking_are_named_and_can_be_changed() -> None:
    """Messages under a name of their own and nothing beside them: nothing else is thinkable."""
    at = paste(visit("traffic", lang="en"), rows(CALL, CALL))
    used = f"{t('traffic.role.prompt', 'en')} ← raw\\.turns"
    assert [one.value for one in at.caption if used in one.value]
    assert tree(at) == {}


def test_a_path_that_no_record_has_is_told() -> None:
    at = paste(visit("traffic", lang="en"), UNKNOWN)
    at.text_input(key="traffic_map_0").set_value("prompt=raw.turns,time=whenn").run()
    said = t("traffic.fields.absent", "en", paths="whenn", n=4)
    assert said in [one.value for one in at.warning]
