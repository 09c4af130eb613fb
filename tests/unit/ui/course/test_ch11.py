"""Chapter 11: each demonstration runs, and what is believed and what is true are what we teach."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost import FORMULAS
from core.misconceptions import BELIEFS
from core.scenario.scenario import run
from core.scenario.tokenizer import TeachingTokenizer
from pages.ch11 import MODELLED, amount, as_read, claim_of
from tests.strategies import examples
from tests.unit.ui.course.typed import hits_by_comparing, typed_prompts
from ui.course.ch11_beliefs.claims import PLACES, claim
from ui.course.ch11_beliefs.own import KINDS, asked, rows_of, tried
from ui.course.ch11_beliefs.stands import STANDS
from ui.course.ch11_beliefs.words import beside, opening, report_link, with_words
from ui.course.lessons import part, parts
from ui.course.said import SEEDS
from ui.stage.own import OwnPrompts
from ui.stage.payload import stage_log
from ui.stage.setup import Setup, load_setup
from ui.words.i18n import LANGS, Lang, t, table

# name, knobs, believed, true. The values of public reports were run on vLLM 0.33 before they came here.
VALUES: list[tuple[str, dict[str, Any], float, float]] = [
    ("clock", {"place": "front"}, 17, 113),
    ("clock", {"place": "middle"}, 17, 49),
    ("clock", {"place": "end"}, 17, 17),
    ("full", {"length": 32}, 32, 16),
    ("full", {"length": 33}, 33, 32),
    ("zero", {"size": 256}, 200, 0),
    ("zero", {"size": 128}, 200, 128),
    ("zero", {"size": 8}, 200, 200),
    ("rates", {"definition": "mean_of_ratios"}, 50.0484, 41.5509),
    ("rates", {"definition": "tokens_full"}, 41.5509, 41.5509),
    ("anywhere", {"order": "swapped"}, 80, 16),
    ("anywhere", {"order": "same"}, 80, 80),
    ("all", {"place": 41}, 0, 32),
    ("all", {"place": 40}, 0, 32),
    ("all", {"place": 32}, 0, 16),
    ("all", {"place": 1}, 0, 0),
    ("all", {"place": 101}, 0, 96),
    ("turns", {"client": "thinking"}, 88, 40),
    ("turns", {"client": "text"}, 24, 16),
    ("turns", {"client": "tools"}, 128, 0),
    ("turns", {"client": "trim"}, 48, 16),
    ("size", {"slots": 7}, 16, 16),
    ("size", {"slots": 6}, 96 / 7, 0),
    ("size", {"slots": 3}, 48 / 7, 0),
    ("lru", {"blocks": 1}, 0, 8),
    ("lru", {"blocks": 3}, 0, 0),
    ("cleared", {"moment": "finished"}, 0, 3),
    ("cleared", {"moment": "running"}, 4, 4),
    ("hash", {"kind": "weak"}, 0, 4),
    ("hash", {"kind": "checked"}, 0, 0),
    ("hash", {"kind": "strong"}, 0, 0),
    ("tenants", {"guess": "right", "salts": "shared"}, 0, 12),
    ("tenants", {"guess": "right", "salts": "own"}, 0, 0),
    ("weights", {"key": "none"}, 0, 12),
    ("weights", {"key": "version"}, 0, 0),
    ("together", {"count": 4, "publish": "allocation"}, 52, 16),
    ("together", {"count": 4, "publish": "forward"}, 52, 52),
    ("decode", {"prompt": 2000, "answer": 200}, 80.0, 1.976),
    ("decode", {"prompt": 8000, "answer": 1}, 80.0, 73.9),
    ("names", {"second": "meaning"}, 0, 52),
    ("names", {"second": "same"}, 0, 4),
    ("ttl", {"gap": 240}, 2, 4),
    ("ttl", {"gap": 120}, 3, 4),
    ("ttl", {"gap": 360}, 0, 0),
    ("replicas", {"count": 4}, 56, 32),
    ("replicas", {"count": 1}, 56, 56),
    ("everything", {"threshold": 1, "flood": 3}, 8, 0),
    ("everything", {"threshold": 2, "flood": 3}, 8, 8),
]


@pytest.mark.parametrize(("name", "knobs", "believed", "true"), VALUES)
def test_believed_and_true(name: str, knobs: dict[str, Any], believed: float, true: float) -> None:
    shown = BELIEFS[name].show(**knobs)
    assert shown.believed == pytest.approx(believed, rel=1e-3)
    assert shown.true == pytest.approx(true, rel=1e-3)


def test_bits_differ_and_the_token_does_not() -> None:
    shown = BELIEFS["bits"].opened()
    assert shown.believed == 0
    assert 0 < shown.true < 1e-4
    assert shown.numbers["same"] == shown.numbers["prompts"] == 5


def test_there_are_twenty_and_each_opens_on_a_surprise() -> None:
    assert len(BELIEFS) == 20
    assert {name for name, *_ in VALUES} | {"bits"} == set(BELIEFS) == set(STANDS)
    for belief in BELIEFS.values():
        opened = belief.opened()
        assert opened.believed != opened.true, belief.name
        assert all(knob.opens in knob.values for knob in belief.knobs)


def test_what_the_texts_say() -> None:
    numbers = {name: belief.opened().numbers for name, belief in BELIEFS.items()}
    assert numbers["zero"]["again"] == 256, "the cache works"
    assert (numbers["cleared"]["usage"], numbers["cleared"]["hit"]) == ("0", 12)
    assert numbers["weights"]["rollback"] == 12
    assert (numbers["names"]["prefix"], numbers["names"]["prompt"]) == (1488, 1408)
    assert BELIEFS["names"].show("close").numbers["alike"] == "60", "alike, and the old answer is wrong"
    assert (numbers["ttl"]["absolute"], numbers["ttl"]["none"]) == (2, 4)
    assert (numbers["replicas"]["total"], numbers["replicas"]["affinity"]) == (72, 56)
    assert BELIEFS["tenants"].show("wrong", "own").numbers == {"right": 13, "wrong": 13, "size": 4}
    assert dict(BELIEFS["clock"].opened().bars) == {"front": 113, "middle": 49, "end": 17}
    assert [hit for _, hit in BELIEFS["zero"].opened().bars] == [200, 192, 192, 192, 128, 0]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", BELIEFS)
def test_every_setting_has_its_words(name: str, lang: Lang) -> None:
    belief = BELIEFS[name]
    for knob in belief.knobs:
        for value in knob.values if len(knob.values) < 10 else knob.values[::10]:
            shown = belief.show(**{one.name: one.opens for one in belief.knobs} | {knob.name: value})
            for piece in ("think", "try", "see"):
                assert part("ch11", f"{name}_{piece}", lang, **shown.numbers)
            words = [one for one, _ in shown.bars if isinstance(one, str)]
            assert all(f"course.ch11.{name}.{word}" in table(lang) for word in words)
            assert bool(shown.across) == (len(words) < len(shown.bars))
            assert not shown.across or f"course.ch11.{name}.knob.{shown.across}" in table(lang)
            assert shown.true <= 100 or shown.unit != "percent"
    assert f"course.ch11.{name}" in table(lang)


def test_no_part_without_a_belief() -> None:
    wanted = {f"{name}_{piece}" for name in BELIEFS for piece in ("think", "try", "see")}
    assert set(parts("ch11", "en")) == {"hook", "bet", "recap"} | wanted


def test_what_is_called_a_cliff_is_one() -> None:
    """One slot decides: nothing below, everything from there on, wherever one turns it."""
    curve = dict(BELIEFS["size"].opened().bars)
    steps = [slots for slots in curve if slots + 1 in curve and curve[slots] != curve[slots + 1]]
    assert steps == [BELIEFS["size"].opened().numbers["documents"]]
    assert set(curve.values()) == {0, 16}
    assert all(
        "cliff" in part("ch11", "size_see", "en", **BELIEFS["size"].show(slots).numbers) for slots in curve
    )


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", BELIEFS)
def test_the_stage_stands_on_a_telling_step(name: str, lang: Lang) -> None:
    belief, stand = BELIEFS[name], STANDS[name]
    for knob in belief.knobs:
        for value in (knob.values[0], knob.opens, knob.values[-1]):
            shown = belief.show(**{one.name: one.opens for one in belief.knobs} | {knob.name: value})
            if shown.scenario is None:
                continue
            scenario = with_words(shown.scenario, lambda word: t(f"course.ch11.piece.{word}", lang))
            assert scenario.pieces().keys() == shown.scenario.pieces().keys()
            log = stage_log(scenario, run(scenario), name)
            assert 0 < opening(log, stand.opens_on) <= len(log["events"])


@pytest.mark.parametrize("name", [name for name, stand in STANDS.items() if stand.preset])
def test_show_me_opens_on_its_step(name: str) -> None:
    seen = STANDS[name].preset
    assert seen is not None
    scenario = load_setup(Setup(seen.preset, seen.knobs), "en")
    log = stage_log(scenario, run(scenario), name)
    step = opening(log, seen.opens_on)
    assert seen.opens_on[0](log["events"][step - 1]), "the most telling one"


@pytest.mark.parametrize("name", STANDS)
def test_each_has_public_reports(name: str) -> None:
    stand = STANDS[name]
    assert stand.preset or stand.page or stand.opens_on
    for report in stand.reports:
        link = report_link(report)
        assert link.startswith(f"[{report}](https://github.com/")
        assert link.endswith(f"{'/pull/' if 'PR#' in report else '/issues/'}{report.split('#')[1]})")


def test_the_chart_marks_this_setting_and_the_belief() -> None:
    figure = beside(BELIEFS["zero"].opened(), str, "tokens", "size", "believed").to_dict()
    assert figure["data"][0]["marker"]["line"]["width"] == [1] * 5 + [4]
    assert figure["layout"]["shapes"][0]["y0"] == 200


def test_modelled_numbers_name_their_formulas() -> None:
    assert MODELLED.keys() <= BELIEFS.keys()
    assert all(formula in FORMULAS for names in MODELLED.values() for formula in names)
    assert amount(0, "apart").endswith(" 0 apart")
    assert "4.0×10⁻⁶" in amount(4e-6, "apart")
    assert [as_read(value) for value in (1488, 13, "4.2e-06", "50")] == ["1,488", 13, "4.2×10⁻⁶", "50"]


# -- sentences to judge ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BELIEFS)
def test_a_sentence_is_right_or_wrong_and_one_cannot_know_by_its_place(name: str) -> None:
    found = [claim(name, seed) for seed in range(16)]
    assert {one.holds for one in found} == {True, False}
    for one in found:
        again = BELIEFS[name].show(**one.knobs)
        assert again.believed != again.true, "right and wrong are not the same sentence"
        assert one.value == (again.true if one.holds else again.believed)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", BELIEFS)
def test_a_sentence_says_its_number_and_the_answer_says_the_true_one(
    name: str, lang: Lang, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.ch11.say", lambda key, **args: t(key, lang, **args))
    for seed in range(8):
        one, bet = claim(name, seed), claim_of(name, seed)
        said = t(bet.ask, lang, **bet.args)
        assert str(bet.args["n"]) in said
        assert "#" not in said
        assert bet.truth == (0 if one.holds else 1)
        key, words = bet.told(bet.truth)
        assert str(words["true"]) in amount(one.shown.true, one.shown.unit)
        assert (str(words["true"]) == str(bet.args["n"])) == one.holds
        assert t(key, lang, **words)
        assert all(t(option, lang) for option, _ in bet.options)
    assert f"course.ch11.topic.{name}" in table(lang)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("name", "needed"),
    {
        "clock": ("clock", "system", "history", "question", "size"),
        "anywhere": ("system", "documents", "size"),
        "tenants": ("size",),
        "weights": ("tokens", "size"),
        "together": ("count", "prompt", "size"),
        "replicas": ("requests", "shared", "size", "count"),
        "everything": ("size", "cap", "flood", "threshold"),
    }.items(),
)
def test_a_sentence_says_what_one_needs_to_decide_it(name: str, needed: tuple[str, ...], lang: Lang) -> None:
    asked_of = table(lang)[f"course.ch11.claim.{name}"]
    assert all(f"{{{hole}}}" in asked_of for hole in needed)


def test_the_last_token_is_a_reason_only_where_it_decides() -> None:
    found = {}
    for first, second in (
        ("a b c d e f g h", " i"), ("a b c d e f g", ""), ("a b c d e f g h", ""),
    ):  # fmt: skip
        prompt = OwnPrompts(first, (second, second, ""))
        for seed in range(60):
            one = asked(prompt, seed)
            key, words = one.told(0)
            if key.startswith(("course.ch11.own.full", "course.ch11.own.zero")):
                equal, block = int(str(words.get("shared", words["tokens"]))), int(str(words["block"]))
                decides = equal % block == 0 and equal == words["tokens"]
                assert key.endswith(".last") == decides, words
                found[key] = words
    assert len(found) == 4


def test_each_belief_has_its_place_in_the_link() -> None:
    assert len(set(PLACES.values())) == 20
    assert "a" not in PLACES.values()
    assert all(place.isascii() and place.islower() and len(place) == 1 for place in PLACES.values())


@given(typed_prompts(), st.integers(0, SEEDS - 1))
@examples(80)
def test_a_belief_can_be_tried_on_any_prompt(prompt: OwnPrompts, seed: int) -> None:
    cut = TeachingTokenizer()
    first, second = (cut.encode(prompt.system + message) for message in prompt.messages[:2])
    one, bet = tried(first, second, seed), asked(prompt, seed)
    reach = (len(first) - 1) // one.block * one.block
    wanted = {
        "full": reach,
        "all": min(one.place - 1, len(first) - 1) // one.block * one.block,
        "zero": hits_by_comparing([first, second], one.block)[1],
        "together": 2 * reach,
    }
    assert one.hit == bet.truth == wanted[one.kind]
    assert bet.truth in bet.answers()
    key, words = bet.told(0)
    assert all(t(key, lang, **words) and t(bet.ask, lang, **bet.args) for lang in LANGS)
    assert len({asked(prompt, other).mark for other in range(12)}) > 1


def test_every_kind_comes_up() -> None:
    assert {tried(range(20), range(30), seed).kind for seed in range(40)} == set(KINDS)


@given(typed_prompts(), st.integers(0, SEEDS - 1))
@examples(40)
def test_the_rows_beside_the_bet_are_its_prompts(prompt: OwnPrompts, seed: int) -> None:
    rows, block = rows_of(prompt, seed)
    bet = asked(prompt, seed)
    assert sum(row.hit for row in rows) == bet.truth
    assert bet.args["block"] == block
    assert all(len(row.words) == bet.args["tokens"] for row in rows)
