"""The setup and its link: what is set up comes back; what is damaged is named, and nothing breaks."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BrothError
from core.scenario.scenario import run
from tests.address import through_the_address
from tests.stage_runs import PRESETS
from tests.strategies import shown_texts
from tests.unit.ui.stage.test_fork import forks
from ui.stage.bet import MAX_TOKENS, Bet
from ui.stage.fork import Fork
from ui.stage.own import (
    MAX_OWN_CHARS,
    MAX_OWN_LINK,
    MAX_OWN_MESSAGES,
    OWN,
    OwnPrompts,
    own_scenario,
    pack_own,
)
from ui.stage.setup import (
    CHOICES,
    KNOBS,
    MAX_TEXT,
    MODES,
    PANELS,
    SCENARIO_FOLDER,
    SCENARIO_ORDER,
    TEXTS,
    Setup,
    from_query,
    load_setup,
    preset_ids,
    to_query,
)
from ui.words.i18n import LANGS, Lang, table

NAMES = ["v", "s", "m", "bet", "fork", "own", "hide", "present", *(knob.short for knob in KNOBS)]
NAMES += [short for short, _ in CHOICES.values()] + list(TEXTS.values())

words = shown_texts.map(lambda text: text[:MAX_TEXT] or "a")
knobs = st.fixed_dictionaries(
    {},
    optional={
        **{knob.name: st.integers(knob.least, knob.most) for knob in KNOBS if not knob.optional},
        **{knob.name: st.none() | st.integers(knob.least, knob.most) for knob in KNOBS if knob.optional},
        **{name: st.sampled_from(allowed) for name, (_, allowed) in CHOICES.items()},
        **dict.fromkeys(TEXTS, words),
    },
)
bets = st.builds(Bet, st.integers(0, MAX_TOKENS)) | st.builds(Bet, st.integers(0, 100), st.just("percent"))
owns = st.builds(OwnPrompts, words, st.lists(words, min_size=1, max_size=3).map(tuple), words)
setups = st.one_of(
    st.builds(
        Setup,
        scenario=st.sampled_from(PRESETS),
        knobs=knobs,
        mode=st.sampled_from(MODES),
        hide=st.lists(st.sampled_from(["code", "log", "quiz"]), unique=True).map(tuple),
        presenter=st.booleans(),
        bet=st.none() | bets,
        fork=st.none() | forks,
    ),
    st.builds(Setup, scenario=st.just(OWN), knobs=knobs, own=owns),
)


# -- the link ----------------------------------------------------------------------------------------------


@given(setups)
def test_a_setup_survives_the_link(setup: Setup) -> None:
    assert from_query(through_the_address(to_query(setup))) == (setup, [])


@given(setups, owns)
def test_own_prompts_stay_out_of_links_that_are_about_something_else(setup: Setup, own: OwnPrompts) -> None:
    """They wait in the session while a preset is on the stage."""
    waiting = replace(setup, own=own)
    assert ("own" in to_query(waiting)) == (setup.scenario == OWN)
    if setup.scenario != OWN:
        assert to_query(waiting) == to_query(setup)


def test_the_plain_setup_makes_a_short_link() -> None:
    assert to_query(Setup()) == {"v": "1", "s": "P0"}
    assert from_query({}) == (Setup(), [])


def test_prompts_too_long_for_a_link_stay_out_of_it() -> None:
    """The link then says nothing of them rather than half of them; on reload that is told."""
    own = OwnPrompts("", tuple(f"message {n} {n * n * 7919:x}" for n in range(400)))
    query = to_query(Setup(OWN, own=own))
    assert "own" not in query
    assert from_query(query) == (Setup(), ["s"])
    assert len(pack_own(own)) > MAX_OWN_LINK


@pytest.mark.parametrize(
    ("query", "lost"),
    [
        ({"s": "P99"}, ["s"]),
        ({"s": "../../etc/passwd"}, ["s"]),
        ({"s": "own"}, ["s"]),
        ({"s": "own", "own": "@@@"}, ["own"]),
        ({"own": "eJx"}, ["own"]),
        ({"v": "0"}, ["v"]),
        ({"v": "2", "bs": "8"}, ["v"]),
        ({"bs": "0"}, ["bs"]),
        ({"bs": "-4"}, ["bs"]),
        ({"bs": "4.0"}, ["bs"]),
        ({"bs": "٤"}, ["bs"]),
        ({"bs": "9" * 5_000}, ["bs"]),
        ({"bs": ""}, ["bs"]),
        ({"bs": "off"}, ["bs"]),
        ({"slots": "1"}, ["slots"]),
        ({"slots": "1e3"}, ["slots"]),
        ({"ttl": "never"}, ["ttl"]),
        ({"pol": "lru"}, ["pol"]),
        ({"ttlk": ""}, ["ttlk"]),
        ({"salt": "x" * 41}, ["salt"]),
        ({"m": "fast"}, ["m"]),
        ({"bet": "101"}, ["bet"]),
        ({"bet": "50%"}, ["bet"]),
        ({"bet": "t"}, ["bet"]),
        ({"bet": "1000000t"}, ["bet"]),
        ({"bet": "5T"}, ["bet"]),
        ({"fork": "3.slots.999999"}, ["fork"]),
        ({"fork": ""}, ["fork"]),
        ({"hide": "everything"}, ["hide"]),
        ({"hide": "log,Pool,"}, ["hide"]),
        ({"s": "P99", "bs": "x", "m": "y"}, ["bs", "s", "m"]),
    ],
)
def test_damage_is_named_and_the_rest_stays(query: dict[str, str], lost: list[str]) -> None:
    whole = {"s": "P4", "cap": "3", "bet": "7", "hide": "log"}
    setup, named = from_query({**whole, **query})
    assert named == lost
    assert setup.knobs.get("cache_cap") == 3
    assert setup.scenario == ("P0" if "s" in lost else "P4" if "s" not in query else setup.scenario)
    assert setup.bet == (None if "bet" in lost else Bet(7, "percent"))


def test_a_panel_nobody_knows_hides_nothing() -> None:
    assert from_query({"hide": "log,everything,pool"}) == (Setup(hide=("log", "pool")), ["hide"])
    assert from_query({"hide": ",".join(PANELS)}) == (Setup(hide=PANELS), [])


def test_what_nobody_knows_is_left_alone() -> None:
    assert from_query({"s": "P4", "utm_source": "mail", "lang": "zh"}) == (Setup("P4"), [])


values = st.one_of(
    shown_texts,
    st.sampled_from(
        ["0", "1", "4", "off", "own", "P0", "vllm", "idle", "guided", "3.slots.4", "3.prompt.x", ""]
    ),
    owns.map(pack_own),
)


@given(st.dictionaries(st.sampled_from(NAMES) | shown_texts, values))
def test_no_link_ever_raises(query: dict[str, str]) -> None:
    """And what is not named as lost is kept: the setup's own link leads to the same place, but for prompts
    that wait while the link is about something else."""
    setup, lost = from_query(query)
    assert set(lost) <= set(NAMES)
    again = through_the_address(to_query(setup))
    shown = setup if setup.scenario == OWN else replace(setup, own=OwnPrompts())
    assert from_query(again) == (shown, [])
    for name in set(query) & set(NAMES) - {"own", "hide"}:
        kept = query[name] == again.get(name) or query[name] in ("", "walk")
        assert kept or name in lost or (name == "s" and "own" in lost), name


@given(setups, st.sampled_from(LANGS))
def test_any_setup_runs_or_is_refused_by_us(setup: Setup, lang: Lang) -> None:
    codes = {"own.empty"}
    try:
        scenario = load_setup(setup, lang)
        if setup.scenario in ("own", "P1", "P10", "P11"):  # the longer ones take their time
            run(scenario)
    except BrothError as error:
        codes.add(error.code)
    assert all(f"error.{code}" in table("zh") for code in codes)


# -- scenarios -----------------------------------------------------------------------------------------------


def test_every_preset_file_is_in_the_teaching_order() -> None:
    assert sorted(SCENARIO_ORDER) == sorted(path.stem for path in SCENARIO_FOLDER.glob("*.json"))
    assert preset_ids() == SCENARIO_ORDER


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_knobs_turn_the_scenario(scenario_id: str) -> None:
    knobs = {
        "block_size": 8,
        "num_slots": 60,
        "cache_cap": 9,
        "ttl": 5,
        "version": "v2",
        "queue_rule": "all_to_back",
    }
    config = load_setup(Setup(scenario_id, knobs), "en").config
    assert (config.block_size, config.num_usable, config.cache_cap, config.ttl) == (8, 60, 9, 5)
    assert (config.version, config.queue_rule) == ("v2", "all_to_back")


def test_an_optional_knob_can_be_switched_off() -> None:
    assert load_setup(Setup("P10"), "en").config.ttl == 10
    assert load_setup(Setup("P10", {"ttl": None}), "en").config.ttl is None


def test_a_salt_stands_on_every_request() -> None:
    for setup in (Setup("P11", {"salt": "mine"}), Setup(OWN, {"salt": "mine"}, OwnPrompts("a", ("b", "c")))):
        requests = [c.request for c in load_setup(setup, "en").commands if c.request is not None]
        assert {request.salt for request in requests} == {"mine"}
    salts = [c.request.salt for c in load_setup(Setup("P11"), "en").commands if c.request is not None]
    assert salts == ["red-inn", "blue-inn", "red-inn", "blue-inn"]


def test_loading_with_a_salt_leaves_the_preset_as_it_is() -> None:
    load_setup(Setup("P1", {"salt": "mine"}), "en")
    requests = [c.request for c in load_setup(Setup("P1"), "en").commands if c.request is not None]
    assert {request.salt for request in requests} == {None}


def test_turning_a_knob_or_changing_the_scenario_closes_the_what_if() -> None:
    setup = Setup("P4", {"ttl": 5}, bet=Bet(3), fork=Fork(3, "slots", 4))
    assert setup.with_knob("num_slots", 9) == Setup("P4", {"ttl": 5, "num_slots": 9}, bet=Bet(3))
    assert setup.with_scenario("P5") == Setup("P5"), "the bet was on the other run"
    assert setup.with_scenario("P4") == Setup("P4", bet=Bet(3))


# -- own prompts as a scenario -----------------------------------------------------------------------------


def test_own_prompts_become_requests_one_after_the_other() -> None:
    made = own_scenario(OwnPrompts("You are kind.", (" Hello", "  ", " Bye"), "Fine."))
    ops = [(c["op"], c.get("id"), c.get("text"), c.get("output")) for c in made["commands"]]
    assert ops == [
        ("submit", "R0", "You are kind. Hello", "Fine."), ("run", None, None, None),
        ("submit", "R1", "You are kind.  ", "Fine."), ("run", None, None, None),
        ("submit", "R2", "You are kind. Bye", "Fine."), ("run", None, None, None),
    ]  # fmt: skip
    json.dumps(made, allow_nan=False)


@pytest.mark.parametrize(
    ("words", "block_size", "slots"), [(3, 4, 16), (200, 4, 50), (200, 8, 25), (2_000, 4, 128)]
)
def test_the_pool_of_own_prompts_holds_the_longest(words: int, block_size: int, slots: int) -> None:
    """Sixteen slots once refused any prompt of more than 64 tokens."""
    own = OwnPrompts("a" + " a" * (words - 2), (" b", ""))
    assert own_scenario(own, None, block_size)["num_slots"] == slots


def test_a_prompt_of_two_hundred_words_runs() -> None:
    own = OwnPrompts("a" + " a" * 198, (" b",), "c c c")
    assert run(load_setup(Setup("own", {"block_size": 8}, own=own), "en")).events


def test_a_system_prompt_alone_is_one_request() -> None:
    """It once passed the form and then was refused as empty."""
    commands = own_scenario(OwnPrompts("You are kind."))["commands"]
    assert [command.get("text") for command in commands] == ["You are kind.", None]


@pytest.mark.parametrize(
    ("own", "code"),
    [
        (OwnPrompts(), "own.empty"),
        (OwnPrompts("", ("", "  ")), "own.empty"),
        (OwnPrompts("x" * MAX_OWN_CHARS, ("y",)), "own.too_long"),
        (OwnPrompts("x" * (MAX_OWN_CHARS // 10), ("y",) * 10), "own.too_long"),
        (OwnPrompts("", ("y",) * 10, "z" * (MAX_OWN_CHARS // 10)), "own.too_long"),
        (OwnPrompts("x", ("y",) * (MAX_OWN_MESSAGES + 1)), "own.too_many"),
    ],
)
def test_own_prompts_that_cannot_run_are_refused(own: OwnPrompts, code: str) -> None:
    with pytest.raises(BrothError) as caught:
        own_scenario(own)
    assert caught.value.code == code
