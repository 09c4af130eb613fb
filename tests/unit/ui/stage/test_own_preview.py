"""The preview of own prompts is the engine's run of them, and hides no character that decides."""

from __future__ import annotations

import pytest

from core.scenario.scenario import run
from ui.frame.seen import difference, seen, seen_diff
from ui.stage.own import OwnPrompts
from ui.stage.own_preview import Looked, blocks_line, look_up
from ui.stage.payload import stage_log
from ui.stage.setup import Setup, load_setup


def looked(*messages: str, system: str = "", answer: str = "", **knobs: int) -> list[Looked]:
    own = OwnPrompts(system, messages, answer)
    return look_up(load_setup(Setup("own", knobs, own), "en"))


def hits(*messages: str, system: str = "", answer: str = "", **knobs: int) -> list[int]:
    return [one.hit_tokens for one in looked(*messages, system=system, answer=answer, **knobs)]


def test_what_the_second_and_the_third_share_is_reused() -> None:
    """It compared with request 0 only, and said 0."""
    second = "a b c d e f g h and more"
    assert hits("none of it is here at all", second, "a b c d e f g h or less") == [0, 0, 8]


def test_answers_are_reused_too() -> None:
    answer = " five six seven eight nine"
    assert hits("one two three four", "one two three four five six seven eight nine ten", answer=answer) == [
        0,
        8,
    ]


def test_the_knobs_count() -> None:
    texts = ("a b c d e f g h i", "a b c d e f g h i")
    assert hits(*texts) == [0, 8]
    assert hits(*texts, block_size=1) == [0, 8]
    assert hits(*texts, block_size=16) == [0, 0]
    assert hits(*texts, cache_cap=1) == [0, 4]


def test_it_says_what_the_stage_says() -> None:
    own = OwnPrompts(
        "You are kind to all. ", ("Is it open?", "Is this far?", "Is it open?", "Is it open? Or not?"), "Yes."
    )
    scenario = load_setup(Setup("own", {}, own), "en")
    steps = stage_log(scenario, run(scenario), "")["events"]
    planned = [step["args"]["hit"] for step in steps if step["op"] == "plan"]
    assert [one.hit_tokens for one in look_up(scenario)] == planned
    assert planned[2] > planned[1] > 0


@pytest.mark.parametrize(
    ("left", "right", "shown", "words"),
    [
        ("You", " You", ":orange-background[**␣**]You", "What differs: nothing there, a space here."),
        ("You", "\nYou", ":orange-background[**↵**]You", "What differs: nothing there, a line break here."),
        (
            "a b", "a\u00a0b", "a:orange-background[**⍽**]b",
            "What differs: a space there, a no-break space here.",
        ),
        (
            "a\nb", "a\r\nb", "a:orange-background[**␍**]↵b",
            "What differs: nothing there, a carriage return here.",
        ),
        ("You", "you", ":orange-background[**y**]ou", "Only capital and small letters differ."),
        ("\tx", " x", ":orange-background[**␣**]x", "What differs: a tab there, a space here."),
        (
            "page", "p\u0430ge", "p:orange-background[**:gray-badge[\u0430]**]ge",
            "What differs: “a” there, the look-alike \u0430 (U+0430) here.",
        ),
        (
            "soup", "soup\u200b", r"soup:orange-background[**:gray-badge[U\+200B]**]",
            "What differs: nothing there, the unseen U\\+200B here.",
        ),
    ],
)  # fmt: skip
def test_the_difference_is_seen_and_told(left: str, right: str, shown: str, words: str) -> None:
    assert seen_diff(left, right)[1] == shown
    assert difference(left, right) == words


def test_text_stays_text() -> None:
    assert seen("**bold** <b> :red[x] $a$") == r"\*\*bold\*\* \<b\> \:red\[x\] \$a\$"


def test_the_preview_shows_white_space_and_the_nearest_block() -> None:
    """Two prompts that differ in one leading space looked the same."""
    first, second = looked("You are kind to all", " You are kind to all")
    assert blocks_line(first, 4).startswith(":orange-background[+ You are kind to]")
    assert second.near is not None
    assert second.near[:2] == ("You are kind to", " You are kind to")
    assert blocks_line(second, 4).startswith(":orange-background[+ ␣You")
    assert (
        blocks_line(looked("a b c d e", "a b c d f")[1], 4)
        == ":blue-background[✓ a b c d] :orange-background[+ ␣f …]"
    )
