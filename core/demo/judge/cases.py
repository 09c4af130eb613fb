"""What a cache is judged by: presets and small runs of our own, each about one rule; then hidden ones."""

from __future__ import annotations

from collections.abc import Mapping
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
    requests that come one after another; ``until``: stop when this request has ended; ``drain``: at the end
    take all free blocks, one by one, and one more."""

    name: str
    preset: str = OWN
    texts: Both = field(default_factory=lambda: MappingProxyType({"en": (), "zh": ()}))
    knobs: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    until: str = ""
    drain: bool = False


def _own(name: str, slots: int, texts: Both, *, drain: bool = False) -> Case:
    return Case(name, texts=texts, knobs={"block_size": 4, "num_slots": slots}, drain=drain)


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
    made = [_mixed(dice) for _ in range(NUM_HIDDEN - len(_AT_ONCE))]
    for preset, least, most in _AT_ONCE:
        slots = int(dice.integers(least, most + 1))
        made.append(Case("hidden", preset, knobs={"num_slots": slots}, drain=True))
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
    texts: dict[Lang, tuple[str, ...]] = {
        "en": tuple(" ".join(_WORDS["en"][word] for word in prompt) for prompt in prompts),
        "zh": tuple("".join(_WORDS["zh"][word] for word in prompt) for prompt in prompts),
    }
    return Case("hidden", texts=texts, knobs={"block_size": size, "num_slots": slots}, drain=True)
