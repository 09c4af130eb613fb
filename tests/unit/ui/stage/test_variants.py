"""One token changed: tags and hits are the engine's own, and what is offered is one token."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.engine.events import BlockHashed, Event, RequestAdmitted
from core.errors import BrothError
from core.scenario.scenario import Command, Scenario, run
from core.scenario.tokenizer import TeachingTokenizer
from core.types import Request
from tests.stage_runs import PRESETS, scenario, scenario_of
from tests.strategies import examples, scenarios
from ui.stage.variant_words import changed_texts
from ui.stage.variants import MAX_REQUESTS, Variant, stage_variants, token_variants, unchanged
from ui.words.i18n import Lang


def prompts(made: Scenario) -> list[Command]:
    return [c for c in made.commands if c.request is not None and c.op in ("submit", "start")]


def run_with(made: Scenario, number: int, token: int, token_id: int) -> tuple[list[str], int]:
    """Tags and hits of a full run with that prompt; the first admission counts."""
    old = prompts(made)[number]
    assert old.request is not None
    ids = list(old.request.token_ids)
    ids[token] = token_id
    asked: Request = replace(old.request, token_ids=tuple(ids))
    commands = tuple(replace(c, request=asked) if c is old else c for c in made.commands)
    events: list[Event] = []
    with suppress(BrothError):  # a later command may count on what the old prompt did
        run(replace(made, commands=commands), emit=events.append)
    rid = asked.request_id
    admitted = next(e for e in events if isinstance(e, RequestAdmitted) and e.request_id == rid)
    before = events[: events.index(admitted)]
    hashed = {e.index: e.hash for e in before if isinstance(e, BlockHashed) and e.request_id == rid}
    return [digest.hex()[:4] for digest in hashed.values()], admitted.hit_tokens  # the newest of each block


def id_of(made: Scenario, text: str) -> int:
    known = {p: i for c in made.commands for p, i in zip(c.prompt.pieces, c.prompt.ids, strict=True)}
    return known[text] if text in known else TeachingTokenizer().encode(text)[0]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scenario_id", PRESETS)
def test_what_the_machine_shows_is_what_a_full_run_gives(scenario_id: str, lang: Lang) -> None:
    made = scenario_of(scenario_id, lang)
    size = made.config.block_size
    told = stage_variants(made)
    numbers = {c.request.request_id: n for n, c in enumerate(prompts(made)) if c.request}
    for rid, prompt in told.items():
        whole = unchanged(made, numbers[rid])
        assert whole is not None
        assert (prompt["hit"], prompt["could"]) == (whole.hit_tokens, whole.left_tokens)
        assert run_with(made, numbers[rid], 0, prompts(made)[numbers[rid]].prompt.ids[0])[1] == prompt["hit"]
        for index, rows in list(prompt["tokens"].items())[::5]:
            token = int(index)
            for text, tags, hit, left in rows:
                known, hits = run_with(made, numbers[rid], token, id_of(made, text))
                assert (list(tags), hit) == (known[token // size :], hits), (rid, text)
                assert known[: token // size] == list(whole.tags[: token // size])
                assert (
                    left == token // size * size
                )  # blocks before the changed one stay, this one and all behind go


@examples(40)
@given(scenarios(), st.data())
def test_any_scenario(made: Scenario, data: st.DataObject) -> None:
    try:
        run(made)
    except BrothError:
        assume(False)
    assume(prompts(made))
    number = data.draw(st.integers(0, len(prompts(made)) - 1))
    command = prompts(made)[number]
    names = [c.args["id"] for c in prompts(made)]
    assume(names.count(names[number]) == 1)
    token = data.draw(st.integers(0, len(command.prompt.ids) - 1))
    for variant in token_variants(made, number, token):
        tags, hits = run_with(made, number, token, id_of(made, variant.text))
        assert (list(variant.tags), variant.hit_tokens) == (tags, hits)


def test_two_requests_that_wait_together_are_looked_up_when_their_turn_comes() -> None:
    """At its submission the cache is empty; when it is admitted, the one before it is stored."""
    commands = [{"op": "submit", "id": r, "text": "hot soup please now"} for r in ("a", "b")]
    made = scenario([*commands, {"op": "run"}])
    assert unchanged(made, 1) == Variant("", unchanged(made, 0).tags, 2, 2)  # type: ignore[union-attr]
    assert {v.hit_tokens for v in token_variants(made, 1, 0)} == {0}


def test_a_name_used_twice() -> None:
    """The second request of a name is not the first one, though both are admitted under it."""
    steps = [[{"op": "submit", "id": "a", "text": "hot soup please now"}, {"op": "run"}] for _ in range(2)]
    made = scenario([command for pair in steps for command in pair])
    assert [unchanged(made, number).hit_tokens for number in (0, 1)] == [0, 2]  # type: ignore[union-attr]
    assert stage_variants(made) == {}


def test_what_another_request_asks_in_this_place_comes_first_and_hits() -> None:
    texts = [
        "You are a cook. Be brief. Spicy?",
        "You are a cook. Be brief. Open?",
        "You are a baker. Be brief. Open?",
    ]
    steps = [[{"op": "submit", "id": f"R{n}", "text": text}, {"op": "run"}] for n, text in enumerate(texts)]
    made = scenario([command for pair in steps for command in pair], block_size=4)
    assert token_variants(made, 0, 3)[0].text == " baker"
    first = token_variants(made, 2, 3)[0]
    assert (first.text, first.hit_tokens, first.left_tokens) == (" cook", 8, 0)
    assert unchanged(made, 2).hit_tokens == 0  # type: ignore[union-attr]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scenario_id", PRESETS)
def test_each_variant_is_one_token_where_the_old_one_was(scenario_id: str, lang: Lang) -> None:
    made = scenario_of(scenario_id, lang)
    pieces = {c.request.request_id: c.prompt.pieces for c in prompts(made) if c.request}
    for rid, prompt in stage_variants(made).items():
        for index, rows in prompt["tokens"].items():
            texts = [row[0] for row in rows]
            assert len(set(texts)) == len(texts)
            assert pieces[rid][int(index)] not in texts
            for text in texts:
                changed = [*pieces[rid]]
                changed[int(index)] = text
                assert TeachingTokenizer().pieces("".join(changed)) == changed


def test_white_space_a_look_alike_and_another_case_are_among_them() -> None:
    made = scenario([{"op": "submit", "id": "R0", "text": "You are a cook, aren't you?"}, {"op": "run"}])
    assert [v.text for v in token_variants(made, 0, 0)] == ["We", "Y\u043eu", " You"]
    assert [v.text for v in token_variants(made, 0, 4)] == [";", "，", " ,"]
    assert "cook" not in [v.text for v in token_variants(made, 0, 3)]  # the text would be cut elsewhere


def test_it_stays_small() -> None:
    assert len(stage_variants(scenario_of("T10"))) == MAX_REQUESTS
    assert stage_variants(scenario_of("L640")) == {}  # 640 tokens a prompt
    for scenario_id in PRESETS:
        assert len(json.dumps(stage_variants(scenario_of(scenario_id)))) < 11_000, scenario_id


@pytest.mark.parametrize("config", [{"enable_caching": False}, {"num_slots": 2}])
def test_no_cache_or_no_room_no_machine(config: dict[str, object]) -> None:
    commands = [{"op": "start", "id": "R0", "text": "hot soup please and now more"}, {"op": "run"}]
    assert stage_variants(scenario(commands, **config)) == {}


@given(st.text(min_size=1, max_size=6))
def test_words_for_any_token(piece: str) -> None:
    texts = changed_texts(piece)
    assert piece not in texts
    assert len(set(texts)) == len(texts)
    assert all(texts)
