"""What a cache is judged by: presets and small runs of our own, each about one rule; then hidden ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario

Lang = Literal["en", "zh"]
Both = Mapping[Lang, tuple[str, ...]]
PRESETS = Path(__file__).resolve().parents[3] / "assets" / "scenarios"
OWN = "own"
"""What the stage calls prompts that stand in the link itself."""
NUM_HIDDEN = 12


@dataclass(frozen=True, slots=True)
class Case:
    """One run. ``name``: the key of its words; ``preset``: the stage's, or ``OWN`` with the ``texts`` of
    requests that come one after another; ``until``: stop when this request has ended; ``look``: then
    ask what must change nothing; ``drain``: then take all free blocks, one by one, and one more."""

    name: str
    preset: str = OWN
    texts: Both = field(default_factory=lambda: MappingProxyType({"en": (), "zh": ()}))
    knobs: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    until: str = ""
    look: bool = False
    drain: bool = False


def _own(
    name: str, slots: int, texts: Both, *, look: bool = False, drain: bool = False, size: int = 4
) -> Case:
    return Case(name, texts=texts, knobs={"block_size": size, "num_slots": slots}, look=look, drain=drain)


def _many(last: str) -> tuple[str, ...]:
    return tuple(f"{number}{last}" for number in range(1, NUM_MANY + 1))


NUM_MANY = 100
"""Prompts that all begin otherwise: of so many, tags of a few bits are equal by chance."""
ALIKE = ((115_064, 95_477, 85_330, 96_440), (184_675, 58_104, 32_239, 178_363))
"""Numbers as text, two and two. The token ids of the first two, written one behind the other, read as those of
the last two do (tests)."""

RECORDED: tuple[Case, ...] = (
    _own("cold", 4, {"en": ("Hot soup with egg and rice",), "zh": ("热汤加蛋和饭",)}, drain=True),
    Case("warm", "P1"),
    _own(
        "whole",
        6,
        {
            "en": (
                "One large bowl of noodle soup with beef please",
                "One large bowl of noodle rice and tea now",
            ),
            "zh": ("请来一碗牛肉汤面吧", "请来一碗牛奶和茶吧"),
        },
    ),
    _own(
        "equal",
        6,
        {
            "en": ("Soup with egg today please", "Soup with egg tomorrow please"),
            "zh": ("要一碗面吧", "要一碗汤吧"),
        },
    ),
    _own(
        "part",
        6,
        {"en": ("Hot soup with egg and rice",) * 2, "zh": ("热汤加蛋和饭",) * 2},
    ),
    Case("last", "P6"),
    _own(
        "chain",
        9,
        {
            "en": (
                "Beef broth with noodles and some chili oil please",
                "Pork broth with rice and two soft eggs please",
                "Beef broth with noodles and two soft eggs please",
            ),
            "zh": ("牛肉汤面多加辣油吧", "猪骨汤饭再加两蛋吧", "牛肉汤面再加两蛋吧"),
        },
    ),
    _own(
        "own_hit",
        3,
        {
            "en": (
                "Beef broth with noodles",
                "Pork broth with noodles",
                "Fish broth with noodles",
                "Beef broth with noodles and two soft eggs please",
            ),
            "zh": ("牛肉汤面", "猪肉汤面", "鲜鱼汤面", "牛肉汤面再加两蛋吧"),
        },
    ),
    _own(
        "tail",
        3,
        {
            "en": (
                "How do we keep one large pot of broth warm all night",
                "Any seats left today",
                "How do we keep one large pot of broth warm all night",
            ),
            "zh": ("一锅高汤怎样过夜才算最好", "还有位吗", "一锅高汤怎样过夜才算最好"),
        },
    ),
    _own(
        "forgotten",
        2,
        {
            "en": (
                "Soup of the day with egg and rice",
                "Tea for two at the window please now",
                "Soup of the day with egg and rice",
            ),
            "zh": ("今天的汤加蛋和饭", "窗边两位喝热茶吧", "今天的汤加蛋和饭"),
        },
    ),
    _own(
        "lru",
        5,
        {
            "en": (
                "Beef broth with noodles please",
                "Pork broth with noodles please",
                "Beef broth with noodles now",
                "Old hen broth with rice and two soft eggs on a large plate today",
                "Beef broth with noodles please",
            ),
            "zh": (
                "牛肉汤面吧",
                "猪肉汤面吧",
                "牛肉汤面呀",
                "老母鸡汤配饭再加两个蛋用大碗装",
                "牛肉汤面吧",
            ),
        },
        drain=True,
    ),
    Case("pair", "three", until="R0", drain=True),
    Case("shared", "T10", until="R0", drain=True),
    Case("room", "T10", knobs={"num_slots": 12}),
    _own(
        "copies",
        8,
        {
            "en": (
                "Soup of the day with egg and rice",
                "Soup of the day with egg and rice",
                "Soup of the day with egg and rice please",
            ),
            "zh": ("今天的汤加蛋和饭", "今天的汤加蛋和饭", "今天的汤加蛋和饭吧"),
        },
    ),
    Case("talk", "P5", drain=True),
    Case("cliff", "P9", knobs={"num_slots": 5}, drain=True),
    Case("preempt", "P8", knobs={"num_slots": 6}, drain=True),
    _own(
        "two_back",
        12,
        {
            "en": (
                "Hot beef soup with noodles and two eggs for all of us please",
                "Old hen broth with noodles and two eggs on a large plate please",
                "Old hen broth with noodles and two eggs for all of us please",
            ),
            "zh": ("牛肉热汤加面加蛋三人来吃吧", "老鸡高汤加面加蛋装进大碗吧", "老鸡高汤加面加蛋三人来吃吧"),
        },
    ),
    _own(
        "middle",
        12,
        {
            "en": (
                "Hot beef soup with noodles and two eggs for all of us please",
                "Hot beef soup with rice and one spoon on a large plate please",
                "Hot beef soup with rice and one spoon for all of us please",
            ),
            "zh": ("牛肉热汤加面加蛋三人来吃吧", "牛肉热汤配饭配茶装进大碗吧", "牛肉热汤配饭配茶三人来吃吧"),
        },
    ),
    _own(
        "order",
        6,
        {
            "en": ("Soup egg and rice please", "Soup rice and egg please"),
            "zh": ("鱼肉和蛋吧", "鱼蛋和肉吧"),
        },
    ),
    _own(
        "joined",
        6,
        {
            "en": tuple(f"Orders {one} {two} please now" for one, two in (ALIKE[0][:2], ALIKE[0][2:])),
            "zh": tuple(f"单号 {one} {two}吧" for one, two in (ALIKE[0][:2], ALIKE[0][2:])),
        },
    ),
    _own("many", 128, {"en": _many(" soup"), "zh": _many("汤")}, size=1),
    _own(
        "copy_left",
        4,
        {
            "en": (
                "Soup of the day with egg and rice",
                "Soup of the day with egg and rice",
                "Tea for two at the window please now",
                "Soup of the day with egg and rice please",
            ),
            "zh": ("今天的汤加蛋和饭", "今天的汤加蛋和饭", "窗边两位喝热茶吧", "今天的汤加蛋和饭吧"),
        },
    ),
    _own(
        "older_copy",
        4,
        {
            "en": (
                "Tea for two at the window please now",
                "Soup of the day with egg and rice",
                "Soup of the day with egg and rice",
                "Soup of the day with egg and rice please",
            ),
            "zh": ("窗边两位喝热茶吧", "今天的汤加蛋和饭", "今天的汤加蛋和饭", "今天的汤加蛋和饭吧"),
        },
    ),
    _own(
        "looked",
        8,
        {
            "en": ("Beef broth with noodles please", "Pork broth with noodles please"),
            "zh": ("牛肉汤面吧", "猪肉汤面吧"),
        },
        look=True,
        drain=True,
    ),
    _own(
        "front_tag",
        3,
        {
            "en": ("Beef broth with noodles please", "Pork broth with rice and two soft eggs"),
            "zh": ("牛肉汤面吧", "猪肉汤饭加两个蛋"),
        },
        look=True,
        drain=True,
    ),
)


def load(case: Case, lang: Lang) -> Scenario:
    """The run as the engine takes it; the same that the stage shows under its link."""
    config = dict(case.knobs)
    if case.preset != OWN:
        return load_scenario(_preset(case.preset), lang=lang, name=case.preset, config=config)
    commands: list[dict[str, Any]] = []
    for number, text in enumerate(case.texts[lang]):
        commands += [{"op": "submit", "id": f"R{number}", "text": text}, {"op": "run"}]
    return load_scenario({"schema": 1, "id": OWN, "commands": commands}, lang=lang, name=OWN, config=config)


@cache
def _preset(name: str) -> str:
    return (PRESETS / f"{name}.json").read_text(encoding="utf-8")


# -- hidden ones --------------------------------------------------------------------------------------------

_WORDS: Both = MappingProxyType(
    {
        "en": ("beef", "pork", "egg", "rice", "soup", "noodles", "tea", "chili"),
        "zh": ("牛", "猪", "蛋", "饭", "汤", "面", "茶", "辣"),
    }
)
_AT_ONCE = (("T10", 11, 16), ("P8", 6, 10), ("three", 4, 8))
"""Presets in which several requests run at the same time, and the pools in which they are tried."""


def hidden(seed: int) -> tuple[Case, ...]:
    """Runs that nobody has seen: the same seed gives the same ones."""
    dice = np.random.default_rng(seed)
    made = [
        make(dice) for make in (_mixed, _mixed, _crossed, _crossed, _again, _again, _mixed, _joined, _counted)
    ]
    for preset, least, most in _AT_ONCE:
        slots = int(dice.integers(least, most + 1))
        made.append(Case("hidden", preset, knobs={"num_slots": slots}, look=True, drain=True))
    assert len(made) == NUM_HIDDEN
    return tuple(made)


def _mixed(dice: np.random.Generator) -> Case:
    """Requests of few words, many of which begin alike, in a pool that is too small for all of them."""
    size = int(dice.integers(2, 5))
    prompts: list[list[int]] = []
    for _ in range(int(dice.integers(6, 11))):
        new = [int(word) for word in dice.integers(0, 8, int(dice.integers(1, 3 * size + 2)))]
        kept: list[int] = []
        if prompts and dice.random() < 0.8:  # most begin like one before
            old = prompts[int(dice.integers(len(prompts)))]
            kept = old[: int(dice.integers(1, len(old) + 1))]
        prompts.append((kept + new)[: 5 * size])
    slots = max(-(-max(map(len, prompts)) // size), 2) + int(dice.integers(0, 4))
    return _of_words(prompts, size, slots)


def _crossed(dice: np.random.Generator) -> Case:
    """Three blocks, each in two orders of the same words: all eight prompts that they make, and a last word.
    What differs stands in the first block alone, in the middle, or in the order only."""
    size = int(dice.integers(2, 5))
    pairs: list[tuple[list[int], list[int]]] = []
    for _ in range(3):
        block = [int(word) for word in dice.choice(8, size, replace=False)]
        pairs.append((block, block[::-1]))
    prompts = [
        [word for place, pair in enumerate(pairs) for word in pair[number >> place & 1]] + [0]
        for number in dice.permutation(8)
    ]
    return _of_words(prompts, size, 8 * 4)


def _again(dice: np.random.Generator) -> Case:
    """Few prompts that fill their blocks, each again and again, so that there are copies, and a small pool, so
    that some of them go."""
    size = int(dice.integers(2, 5))
    prompts = [[int(word) for word in dice.integers(0, 8, 2 * size)] for _ in range(3)]
    order = [int(number) for number in dice.integers(0, 3, 12)]
    longer = int(dice.integers(2, 4))
    asked = [prompts[one] + [0] * (place % longer == 0) for place, one in enumerate(order)]
    return _of_words(asked, size, int(dice.integers(4, 8)))


def _joined(dice: np.random.Generator) -> Case:
    """Two blocks whose token ids, written one behind the other, read alike."""
    numbers = ALIKE[int(dice.integers(len(ALIKE)))]
    word = int(dice.integers(8))
    texts: dict[Lang, tuple[str, ...]] = {
        lang: tuple(
            f"{_WORDS[lang][word]} {one} {two} {last}"
            for one, two, last in ((*numbers[:2], 1), (*numbers[2:], 2), (*numbers[:2], 3))
        )
        for lang in ("en", "zh")
    }
    return Case("hidden", texts=texts, knobs={"block_size": 3, "num_slots": 8}, look=True, drain=True)


def _counted(dice: np.random.Generator) -> Case:
    """Very many prompts that begin otherwise."""
    first, word = int(dice.integers(1, 9_000)), int(dice.integers(8))
    texts: dict[Lang, tuple[str, ...]] = {
        lang: tuple(f"{first + number} {_WORDS[lang][word]}" for number in range(NUM_MANY))
        for lang in ("en", "zh")
    }
    return Case("hidden", texts=texts, knobs={"block_size": 1, "num_slots": 128})


def _of_words(prompts: Sequence[Sequence[int]], size: int, slots: int) -> Case:
    texts: dict[Lang, tuple[str, ...]] = {
        "en": tuple(" ".join(_WORDS["en"][word] for word in prompt) for prompt in prompts),
        "zh": tuple("".join(_WORDS["zh"][word] for word in prompt) for prompt in prompts),
    }
    return Case("hidden", texts=texts, knobs={"block_size": size, "num_slots": slots}, look=True, drain=True)
