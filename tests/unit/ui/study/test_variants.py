"""The sheet's questions over many seeds: the key is what the engine does with what the question says."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from core.cost import GPUS, MODELS, CostModel
from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.types import EngineConfig, Request
from ui.stage.setup import preset_ids, preset_text
from ui.study.draw import Draw, tokens
from ui.study.ideas import LETTERS, NEW, RIGHT, SIX, TIMES, wrong_letters
from ui.study.numbers import SIZES
from ui.study.variants import NUM_SEEDS, fresh_seed, repeats, same_numbers, variant
from ui.words.i18n import LANGS, Lang, t

SEEDS = range(200)


def for_many_seeds(check: Callable[[int], None]) -> Callable[[], None]:
    """One test that tries them all; a failure names its seed."""

    def test() -> None:
        for seed in SEEDS:
            try:
                check(seed)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {error}") from error

    return test


def args_of(name: str, seed: int) -> dict[str, Any]:
    return dict(variant(name, seed).args)


def second_hits(size: int, *prompts: tuple[str, ...], salts: tuple[str | None, ...] = ()) -> list[int]:
    """Hits of prompts spelled as words, on an engine of this test's own."""
    events: list[Event] = []
    engine = Engine(EngineConfig(block_size=size, num_blocks=999), events.append)
    ids = {word: number for number, word in enumerate(dict.fromkeys(w for p in prompts for w in p))}
    for number, prompt in enumerate(prompts):
        salt = salts[number] if salts else None
        engine.submit(Request(f"R{number}", tuple(ids[word] for word in prompt), salt=salt))
        engine.run()
    return [event.hit_tokens for event in events if isinstance(event, RequestAdmitted)]


def words(name: str, count: int, start: int = 0) -> tuple[str, ...]:
    return tuple(f"{name}{number}" for number in range(start, start + count))


@for_many_seeds
def test_a_token_in_front_that_differs(seed: int) -> None:
    asked = args_of("stamp", seed)
    first = words("w", asked["total"])
    second = (*first[: asked["at"] - 1], "another", *first[asked["at"] :])
    assert second_hits(asked["size"], first, second)[1] == asked[SIX["stamp"]]


@for_many_seeds
def test_a_part_of_a_block(seed: int) -> None:
    asked = args_of("part", seed)
    first = words("w", asked["total"])
    second = (*first[: asked["same"]], *words("x", asked["total"] - asked["same"]))
    assert second_hits(asked["size"], first, second)[1] == asked[SIX["part"]]


@for_many_seeds
def test_the_pool_after_a_hit(seed: int) -> None:
    asked = args_of("hit", seed)
    size = 3
    engine = Engine(EngineConfig(block_size=size, num_blocks=99))
    shared = tuple(range(asked["blocks"] * size))
    for user in range(asked["users"]):
        engine.start(Request(f"R{user}", (*shared, 900 + user)))
    before = {slot for user in range(asked["users"]) for slot in engine.view.block_table(f"R{user}")}
    engine.start(Request("new", (*shared, 999)))
    table = engine.view.block_table("new")[: asked["blocks"]]
    assert set(table) <= before, "no slot was filled for the newcomer"
    assert len(set(table)) == asked["num"]
    assert {engine.view.ref_count(slot) for slot in table} == {asked["ref"]}
    for lang in LANGS:
        told = [int(number) for number in re.findall(r"\d+", variant("hit", seed).option("b", lang))]
        assert told == [asked["num"], asked["ref"]]
    assert RIGHT["hit"] == "b"


@for_many_seeds
def test_the_tags_that_an_ending_takes(seed: int) -> None:
    asked = args_of("done", seed)
    size = 3
    engine = Engine(EngineConfig(block_size=size, num_blocks=99))
    engine.start(Request("ends", tuple(range(asked["blocks"] * size))))
    engine.start(Request("stays", (*range(asked["shared"] * size), 999)))
    known = engine.view.cached_hashes()
    assert len(known) == asked["blocks"]
    engine.free("ends")
    assert len(known) - len(engine.view.cached_hashes()) == asked[SIX["done"]] == 0


@for_many_seeds
def test_the_same_prompt_once_more(seed: int) -> None:
    asked = args_of("repeat", seed)
    prompt = words("w", asked["total"])
    assert asked["total"] - second_hits(asked["size"], prompt, prompt)[1] == asked[SIX["repeat"]]


@for_many_seeds
def test_the_times_of_an_answer(seed: int) -> None:
    asked = args_of("speed", seed)
    cost = CostModel(MODELS[asked["model"]], GPUS[asked["gpu"]])
    total, hit = asked["total"], asked["hit"]
    assert asked["full"] == f"{1000 * cost.prefill_s(total):.0f}"
    assert asked["soon"] == f"{1000 * cost.prefill_s(total - hit, hit):.0f}"
    assert float(asked["soon"]) < float(asked["full"])
    assert asked["gap"] == f"{1000 * cost.decode_s([total]):.1f}", "the same with and without a hit"
    assert float(asked["fast"]) < float(asked["gap"])


@for_many_seeds
def test_two_tools_that_change_places(seed: int) -> None:
    asked = args_of("tools", seed)
    tools = [words(f"tool{number}-", asked["each"]) for number in range(asked["count"])]
    talk = words("talk", asked["talk"])
    first = (*words("s", asked["system"]), *(word for tool in tools for word in tool), *talk)
    one, two = asked["place"] - 1, asked["next"] - 1
    tools[one], tools[two] = tools[two], tools[one]
    second = (*words("s", asked["system"]), *(word for tool in tools for word in tool), *talk, "more")
    assert two == one + 1 < asked["count"]
    assert second_hits(asked["size"], first, second)[1] == asked[NEW["tools"]]
    assert asked["total"] == len(first)


@for_many_seeds
def test_two_customers_with_salts(seed: int) -> None:
    asked = args_of("salts", seed)
    senders = ("one",) * asked["first"] + ("two",) * asked["second"]
    prompts = [(*words("s", asked["shared"]), f"own{number}") for number in range(len(senders))]
    hit = second_hits(asked["size"], *prompts, salts=senders)
    assert sum(asked["shared"] - one for one in hit) == asked[NEW["salts"]] == 2 * asked["shared"]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", RIGHT)
def test_four_different_options_whatever_the_seed(name: str, lang: Lang) -> None:
    for seed in range(1000):
        asked = variant(name, seed)
        assert sorted(asked.order) == list(LETTERS)
        options = {letter: asked.option(letter, lang) for letter in LETTERS}
        assert len(set(options.values())) == 4, (seed, options)
        said = asked.ask(lang) + asked.why(lang) + "".join(options.values())
        assert not {"{", "#"} & set(said), "a hole is open, or a number reads as a slot's name"


@pytest.mark.parametrize("name", ["stamp", "part", "done", "repeat", "tools", "salts"])
def test_the_options_are_the_numbers(name: str) -> None:
    for seed in range(50):
        asked = variant(name, seed)
        for lang in LANGS:
            shown = {letter: re.findall(r"\d+", asked.option(letter, lang)) for letter in LETTERS}
            assert shown == {letter: [str(asked.args[letter])] for letter in LETTERS}


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_one_stands_anywhere(name: str) -> None:
    places = Counter(variant(name, seed).order.index(RIGHT[name]) for seed in range(1000))
    assert all(200 < places[place] < 300 for place in range(4))


@pytest.mark.parametrize("name", RIGHT)
def test_every_wrong_option_is_a_belief_with_a_name(name: str) -> None:
    for lang in LANGS:
        beliefs = [t(f"six.{name}.belief.{letter}", lang) for letter in wrong_letters(name)]
        assert len({*beliefs, t(f"six.{name}.so", lang)}) == 4


def test_nobody_has_seen_these_runs() -> None:
    sizes = {json.loads(preset_text(name))["block_size"] for name in preset_ids()}
    assert not sizes & set(SIZES)


def test_a_second_time_repeats_no_question() -> None:
    for _ in range(10):
        first = fresh_seed("before")
        second = fresh_seed("after", first)
        assert 0 <= first < NUM_SEEDS > second >= 0
        assert not repeats(first, second)
        for name in SIX:
            for lang in LANGS:
                texts = [
                    (asked.ask(lang), asked.option(asked.right, lang))
                    for asked in (variant(name, first), variant(name, second))
                ]
                assert texts[0][0] != texts[1][0]
                assert name == "done" or texts[0][1] != texts[1][1], name


def test_paper_never_asks_at_one_time_what_it_asks_at_the_other() -> None:
    """Copies are handed out without a look at what anybody had before."""
    before, after = ([fresh_seed(time) for _ in range(12)] for time in ("before", "after"))
    for name in SIX:
        asked = [{variant(name, seed).ask("en") for seed in seeds} for seeds in (before, after)]
        assert not asked[0] & asked[1]
        assert min(map(len, asked)) > 3, "and there are enough at each"


def test_neighbours_have_other_numbers() -> None:
    """Two seeds by chance: most of their questions differ."""
    same = [sum(same_numbers(name, seed, seed + 1000) for name in RIGHT) for seed in range(400)]
    assert sum(same) / len(same) < 1.5, "of eight"


def test_a_seed_means_the_same_for_ever() -> None:
    """Seeds stand in links and on paper: change what they give, and old sheets show other questions."""
    assert [variant(name, 9507).order for name in TIMES["after"]] == [tuple(one) for one in ORDERS.split()]
    for name, (holes, values) in SAVED.items():
        assert [args_of(name, 9507)[hole] for hole in holes.split()] == values


ORDERS = "dcba bdca dbac adbc cbad dbca adbc cadb"
SAVED: dict[str, tuple[str, list[Any]]] = {
    "stamp": ("size total at what", [12, 66, 15, 2]),
    "part": ("size same total", [8, 38, 53]),
    "hit": ("users blocks", [5, 5]),
    "done": ("blocks shared", [4, 1]),
    "repeat": ("size total", [12, 45]),
    "speed": ("model gpu total hit", ["Qwen2.5-7B", "A100", 4000, 2800]),
    "tools": ("size system each count talk place", [12, 48, 12, 6, 24, 3]),
    "salts": ("size shared first second", [10, 80, 4, 5]),
}


def test_names_are_other_tokens() -> None:
    """Two pieces of a run never share a token by accident."""
    names = ["head", "8h", "9h", "body", "both", "one", "other", "own", "all", "system", "talk", "news"]
    names += [f"tool{number}" for number in range(1, 9)] + [f"own{number}" for number in range(8)]
    names += [f"{who}{number}" for who in ("first", "second") for number in range(8)]
    every = [token for name in names for token in tokens((name, 200))]
    assert len(every) == len(set(every))
    assert tokens(("head", 3)) == tokens(("head", 5))[:3]


def test_one_more_number_changes_no_other() -> None:
    draw = Draw(5, "x")
    size = draw.one("size", SIZES)
    draw.one("something", range(9))
    assert draw.one("size", SIZES) == size
