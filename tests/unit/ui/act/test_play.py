"""Every beat of the act says what the engine's own log says; nothing of it is written down by hand."""

from __future__ import annotations

from typing import Any

import pytest

from core.engine import events as ev
from core.engine.hash_chain import hash_chain
from core.scenario.tokenizer import TeachingTokenizer
from ui.act.payload import act_payload
from ui.act.play import BEATS, FIRST, RIDS, SECOND, act_beats, act_run, alike
from ui.act.variants import act_variants, could_hit
from ui.stage.presets import FIRST as SHOWN
from ui.stage.presets import path
from ui.words.i18n import LANGS, Lang, t

BEAT = {beat.name: place for place, beat in enumerate(BEATS)}


def beat(lang: Lang, name: str) -> dict[str, Any]:
    return act_beats(lang)[BEAT[name]]


def told(lang: Lang, kind: type[ev.Event], rid: str) -> list[Any]:
    _, log = act_run(lang)
    return [event for event in log.events if type(event) is kind and event.request_id == rid]  # type: ignore[attr-defined]


@pytest.mark.parametrize("lang", LANGS)
def test_two_prompts_of_two_full_blocks_in_twelve_beats(lang: Lang) -> None:
    scenario, log = act_run(lang)
    assert (log.config.block_size, log.config.num_usable) == (4, 4)
    prompts = [command.prompt.pieces for command in scenario.commands if command.op == "submit"]
    assert [len(pieces) for pieces in prompts] == [8, 8]
    assert alike(lang) == [a == b for a, b in zip(*prompts, strict=True)]
    assert alike(lang).index(False) > log.config.block_size, (
        "the first block is equal, the second begins equal"
    )
    assert len(act_beats(lang)) == 12


@pytest.mark.parametrize("lang", LANGS)
def test_tags_are_the_hash_chain_and_appear_when_they_are_made(lang: Lang) -> None:
    scenario, _ = act_run(lang)
    for rid, made, name in ((FIRST, "tag", "cut"), (SECOND, "hit", "bet")):
        place = RIDS.index(rid)
        ids = next(one.prompt.ids for one in scenario.commands if one.args.get("id") == rid)
        chain = [digest.hex()[:4] for digest in hash_chain(ids, 4)]
        assert beat(lang, name)["reqs"][place]["tags"] == [], "not before"
        assert beat(lang, made)["reqs"][place]["tags"] == chain
        assert beat(lang, "end")["reqs"][place]["tags"] == chain
    assert beat(lang, "miss")["args"]["tag"] == beat(lang, "tag")["reqs"][0]["tags"][0]


@pytest.mark.parametrize("lang", LANGS)
def test_the_first_request_misses_reserves_and_only_then_computes(lang: Lang) -> None:
    assert [event.index for event in told(lang, ev.BlockMissed, FIRST)] == [0]
    assert beat(lang, "miss")["reqs"][0]["blocks"] == ["miss", "skip"]
    slots = [event.block_id for event in told(lang, ev.BlockAllocated, FIRST)]
    reserved, computed = beat(lang, "reserve"), beat(lang, "compute")
    assert reserved["reqs"][0]["blocks"] == ["reserved"] * 2
    assert reserved["reqs"][0]["slots"] == computed["reqs"][0]["slots"] == slots
    assert reserved["args"]["places"] == ", ".join(f"#{slot}" for slot in slots)
    states = {slot["id"]: (slot["state"], slot["fill"]) for slot in reserved["slots"]}
    assert [states[slot] for slot in slots] == [("reserved", 0)] * 2, "taken is not written"
    states = {slot["id"]: (slot["state"], slot["fill"]) for slot in computed["slots"]}
    assert [states[slot] for slot in slots] == [("computed", 4)] * 2
    assert [event.fill for event in told(lang, ev.BlockComputed, FIRST)] == [4, 4]
    assert beat(lang, "reserve")["reqs"][0]["answer"] == ""
    assert beat(lang, "compute")["args"]["answer"] == beat(lang, "compute")["reqs"][0]["answer"].strip()


@pytest.mark.parametrize("lang", LANGS)
def test_done_is_not_deleted(lang: Lang) -> None:
    kept = beat(lang, "keep")
    freed = {event.block_id for event in told(lang, ev.BlockReleased, FIRST)}
    assert {slot["id"] for slot in kept["slots"] if slot["state"] == "kept"} == freed
    assert kept["reqs"][0]["on"] == "done"
    assert beat(lang, "compute")["reqs"][0]["on"] == "now"


@pytest.mark.parametrize("lang", LANGS)
def test_the_second_request_reuses_a_block_and_computes_the_other(lang: Lang) -> None:
    hits, plan = told(lang, ev.BlockHit, SECOND), told(lang, ev.RequestAdmitted, SECOND)[0]
    computed = told(lang, ev.BlockComputed, SECOND)
    hit, rest, end = (beat(lang, name) for name in ("hit", "rest", "end"))
    assert hit["reqs"][1]["slots"][0] == hits[0].block_id == beat(lang, "keep")["reqs"][0]["slots"][0]
    assert hit["reqs"][1]["tokens"] == ["reused"] * plan.hit_tokens + [""] * plan.num_scheduled
    assert rest["reqs"][1]["slots"][1] == computed[0].block_id
    assert rest["args"]["places"] == f"#{computed[0].block_id}"
    assert end["reqs"][1]["tokens"] == ["reused"] * plan.hit_tokens + ["computed"] * plan.num_scheduled
    assert end["args"]["reused"] == plan.hit_tokens
    assert rest["args"]["computed"] == plan.num_scheduled == sum(event.num_new for event in computed)
    assert rest["args"]["same"] == sum(alike(lang)[4:])
    fresh = rest["reqs"][1]["tags"][1]
    assert fresh not in [slot["tag"] for slot in hit["slots"]], "block 1 was nowhere"
    looks = [range(1, place + 2) for place in range(8)]  # token 0 looks at one place, itself
    assert end["args"]["looks"] == sum(len(one) for one in looks)
    assert end["args"]["saved"] == sum(len(one) for one in looks[: plan.hit_tokens])


@pytest.mark.parametrize("lang", LANGS)
def test_reused_and_computed_and_reserved_and_waiting_are_what_was_asked(lang: Lang) -> None:
    for one in act_beats(lang):
        for req in one["reqs"]:
            counted = {state: req["tokens"].count(state) for state in ("", "reserved", "computed", "reused")}
            assert sum(counted.values()) == 8
            written = {slot["id"]: slot["fill"] for slot in one["slots"]}
            for block, state in enumerate(req["blocks"]):
                if state in ("computed", "hit"):
                    assert written[req["slots"][block]] == 4, "nothing is claimed before it is written"


@pytest.mark.parametrize("lang", LANGS)
def test_before_the_bet_nothing_tells_its_answer(lang: Lang) -> None:
    """Neither a tag nor a state nor a number of the second request is in any beat up to the question."""
    answer = beat(lang, "hit")["reqs"][1]["tags"]
    for one in act_beats(lang)[: BEAT["bet"] + 1]:
        assert one["reqs"][1]["tags"] == []
        assert set(one["reqs"][1]["blocks"]) | set(one["reqs"][1]["tokens"]) == {""}
        assert (one["args"]["reused"], one["args"]["computed"], one["args"]["saved"]) == (0, 0, 0)
        assert answer[1] not in [slot["tag"] for slot in one["slots"]]


@pytest.mark.parametrize("lang", LANGS)
def test_the_bet_asks_what_the_engine_decides(lang: Lang) -> None:
    ask = beat(lang, "bet")["ask"]
    plan = told(lang, ev.RequestAdmitted, SECOND)[0]
    assert ask["answers"] == [plan.hit_tokens]
    said = [key.removeprefix("act.said.") for key in ask["said"]]
    assert said == ["nothing", *["inside"] * 3, "right", "whole", "tokens", "behind"]
    assert [name for name in BEAT if "ask" in beat(lang, name)] == ["bet"]


@pytest.mark.parametrize("lang", LANGS)
def test_variants_are_runs_of_the_changed_prompt(lang: Lang) -> None:
    scenario, _ = act_run(lang)
    pieces = list(scenario.commands[0].prompt.pieces)
    base = beat(lang, "tag")["reqs"][0]["tags"]
    assert could_hit(lang) == 8
    assert len(act_variants(lang)) == len(pieces)
    tokenizer = TeachingTokenizer()
    for place, variants in enumerate(act_variants(lang)):
        assert variants, "each token can be changed"
        for variant in variants:
            text = "".join([*pieces[:place], variant["text"], *pieces[place + 1 :]])
            assert len(tokenizer.pieces(text)) == len(pieces), "still one token"
            chain = [digest.hex()[:4] for digest in hash_chain(tokenizer.encode(text), 4)]
            assert variant["tags"] == chain
            same = [a == b for a, b in zip(base, chain, strict=True)]
            assert same == [block < place // 4 for block in range(2)], (
                "all tags from here on flip, none before"
            )
            assert variant["hit"] == 4 * sum(same)


@pytest.mark.parametrize("mode", ["en", "zh", "both"])
def test_the_path_stands_at_the_end_without_results(mode: Any) -> None:
    found = act_payload(mode)["path"]
    assert [group["id"] for group in found] == list(path())
    for group in found:
        assert [run["s"] for run in group["runs"]] == list(path()[group["id"]][:SHOWN])
        for run_ in group["runs"]:
            assert set(run_) == {"s", "href", "said"}
            assert run_["href"] == f"execute?s={run_['s']}&m=guided&lang={mode}"


@pytest.mark.parametrize("lang", LANGS)
def test_there_are_words_for_everything_that_is_drawn(lang: Lang) -> None:
    for one in act_beats(lang):
        for part in ("what", "why"):
            assert t(f"act.{one['name']}.{part}", lang, **one["args"])
        assert all(t(f"act.word.{word}", lang) for word in one["words"])
        assert all(slot["state"] == "empty" or t(f"act.slot.{slot['state']}", lang) for slot in one["slots"])
    words = [word for one in act_beats(lang) for word in one["words"]]
    assert len(words) == len(set(words)), "each is named once, when it first appears"
    limits = {"en": (66, 95), "zh": (31, 48)}[lang]
    for one in act_beats(lang):
        for part, most in zip(("what", "why"), limits, strict=True):
            said = t(f"act.{one['name']}.{part}", lang, **one["args"]).replace("**", "")
            assert len(said) <= most, (said, len(said))
