"""Chapter 7's kinds of use: usual lengths, prompts as strips, verdicts, and each in small for the stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from core.cost import CostModel
from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario
from core.scenario.use_cases import ROLES, VARIANTS, Outcome, by_part, hit_rate, outcomes, plan
from core.tradeoffs.tradeoffs import saving
from ui.course.in_turn import hits_in_turn, ids_of
from ui.stage.setup import Setup, load_setup
from ui.words.i18n import Lang, t

SMALL_COUNT = {"batch": 4}
SMALL = 3
SMALL_DOCUMENTS = 3
SMALL_SLOTS = 32
WORTH, DEPENDS = 0.5, 0.1
"""Shares of a part's tokens that were reused, from which on the verdict is better."""


@dataclass(frozen=True, slots=True)
class Usual:
    """How many requests, and how many tokens; ``most`` requests a slider gives."""

    count: int
    shared: int
    own: int
    most: int = 100


USUAL: Mapping[str, Usual] = MappingProxyType(
    {
        "chat": Usual(10, 500, 50, 20),
        "bank": Usual(50, 400, 40),
        "teacher": Usual(30, 300, 60),
        "law": Usual(20, 200, 900),
        "safety": Usual(50, 1500, 60),
        "medical": Usual(20, 512, 128),
        "legal": Usual(20, 800, 1200),
        "review": Usual(20, 1000, 400),
        "batch": Usual(32, 512, 128),
        "rag": Usual(20, 1536, 64),
        "free": Usual(20, 0, 128),
    }
)


def all_rates() -> dict[tuple[str, str], float]:
    """Every kind of use at its usual lengths."""
    found = {}
    for case, variants in VARIANTS.items():
        usual = USUAL[case]
        for variant in variants:
            found[case, variant] = hit_rate(outcomes(case, variant, usual.count, usual.shared, usual.own))
    return found


MINE = "mine"
"""The visitor's own three prompts: the one kind of use whose lengths nobody chooses."""
CASES = (MINE, *VARIANTS)
MINE_BLOCK = 4


def mine_outcomes(parts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> tuple[Outcome, ...]:
    """The visitor's prompts, one after another. ``parts``: beginning and question of each as token texts."""
    hits = hits_in_turn([ids_of([*first, *last]) for first, last in parts], MINE_BLOCK)
    found = []
    for number, ((first, last), hit) in enumerate(zip(parts, hits, strict=True)):
        named = (("system", len(first)), (f"question{number + 1}", len(last)))
        found.append(Outcome(tuple((name, tokens) for name, tokens in named if tokens), hit))
    return tuple(found)


GUESSES = ("little", "some", "much")
"""Below a third of all tokens, between, from two thirds on."""


def guess_of(rate: float) -> str:
    """Which of the guesses is right."""
    return GUESSES[min(int(3 * rate), 2)]


def drawn(count: int, most: int) -> tuple[int, ...]:
    """Which of so many prompts are drawn: all, or the first ones and the last."""
    return tuple(range(count)) if count <= most else (*range(most - 1), count - 1)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one kind of part: its tokens in all prompts, the share reused, and whether to keep it."""

    kind: str
    tokens: int
    share: float

    @property
    def word(self) -> str:
        """worth, depends or waste."""
        return "worth" if self.share >= WORTH else "depends" if self.share >= DEPENDS else "waste"


def verdicts(found: tuple[Outcome, ...]) -> list[Verdict]:
    """One for each kind of part."""
    return [Verdict(kind, tokens, hit / tokens) for kind, (tokens, hit) in by_part(found).items() if tokens]


# -- the map ---------------------------------------------------------------------------------------------

PREFIXES = (0, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
SUFFIXES = (4096, 2048, 1024, 512, 256, 128, 64, 16, 1)


def share_map(block_size: int, cost: CostModel, of_time: bool) -> list[list[float]]:
    """For each suffix (rows) and prefix (columns) the share saved by a warm request: tokens, or time."""
    return [[_share(prefix, suffix, block_size, cost, of_time) for prefix in PREFIXES] for suffix in SUFFIXES]


def _share(prefix: int, suffix: int, block_size: int, cost: CostModel, of_time: bool) -> float:
    one = saving(prefix, suffix, block_size, cost)
    return one.time_share if of_time else one.token_share


# -- the stage -------------------------------------------------------------------------------------------


def small_scenario(case: str, variant: str, lang: Lang) -> Scenario:
    """The same order of parts with short texts and blocks of four; a role's is a preset."""
    if case in ROLES:
        return load_setup(Setup(case), lang)
    count = SMALL_COUNT.get(case, SMALL)
    wanted = plan(case, variant, count, SMALL_DOCUMENTS)
    gap = "" if lang == "zh" else " "
    commands: list[dict[str, Any]] = []
    for number, (prompt, answer) in enumerate(zip(wanted.prompts, wanted.answers, strict=True)):
        command = {
            "op": "submit",
            "id": f"R{number}",
            "text": gap.join(_text(case, part, lang) for part in prompt),
        }
        if answer:
            command["output"] = gap + _text(case, answer, lang)
        commands.append(command)
        if not wanted.at_once:
            commands.append({"op": "run"})
    if wanted.at_once:
        commands.append({"op": "run"})
    data = {
        "schema": 1,
        "id": f"{case}-{variant}",
        "block_size": 4,
        "num_slots": SMALL_SLOTS,
        "commands": commands,
    }
    return load_scenario(data, lang=lang, name=case)


def _text(case: str, part: str, lang: Lang) -> str:
    """What a part says."""
    return t(f"course.ch07.text.{case}.{part}", lang)


def last_request(case: str) -> str:
    """The id of the last request of the small run."""
    return f"R{SMALL_COUNT.get(case, SMALL) - 1}"
