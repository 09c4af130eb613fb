"""Where a prefix cache pays and where it does not: kinds of use as requests of named parts, on the engine.

A prompt is a row of part names. The same name is the same tokens wherever it stands, another name others; so
two prompts share a beginning exactly as far as their first parts have the same names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.types import EngineConfig, Request

SEED = 7
BLOCK_SIZE = 16
OPENING = 32
"""Tokens of a template before a field that stands early."""
ANSWER = 300
DOCUMENTS = 5
TEMPLATES = ("medical", "legal", "review")
ROLES = ("bank", "teacher", "law", "safety")
"""One system prompt in front of everybody's question: a bank's service, a teacher, a lawyer, a policy."""
VARIANTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "chat": ("turns",),
        **dict.fromkeys(ROLES, ("role",)),
        "medical": ("late", "early"),
        "legal": ("late", "early"),
        "review": ("late", "early"),
        "batch": ("same", "ab"),
        "rag": ("fixed", "shuffled"),
        "free": ("questions",),
    }
)
"""Kinds of use, each with its variants. role: a system prompt, then a question. late, early: where the field
stands. same: one prompt many times; ab: two versions that differ behind a common part. fixed, shuffled: the
order of the same documents."""

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Prompts as part names. ``answers``: what is sampled behind each, "" for nothing; ``at_once``: all of
    them arrive together."""

    prompts: tuple[Parts, ...]
    answers: Parts
    at_once: bool = False


def plan(case: str, variant: str, count: int, documents: int = DOCUMENTS) -> Plan:
    """``count`` requests of one kind."""
    numbers = range(1, count + 1)
    if case == "chat":
        return _chat(count)
    if case in TEMPLATES:
        late = variant == "late"
        prompts: list[Parts] = [
            ("opening", "template", f"field{k}") if late else ("opening", f"field{k}", "template")
            for k in numbers
        ]
    elif case == "batch":
        versions = [2 - k % 2 if variant == "ab" else 1 for k in numbers]
        return Plan(tuple(("task", f"version{one}") for one in versions), ("",) * count, at_once=True)
    elif case == "rag":
        dice = np.random.default_rng(SEED)
        orders = [
            range(documents) if variant == "fixed" else dice.permutation(documents).tolist() for _ in numbers
        ]
        prompts = [
            ("opening", *(f"document{place + 1}" for place in order), f"question{k}")
            for k, order in zip(numbers, orders, strict=True)
        ]
    elif case in ROLES:
        prompts = [("system", f"question{k}") for k in numbers]
    else:
        prompts = [(f"question{k}",) for k in numbers]
    return Plan(tuple(prompts), ("",) * count)


def _chat(turns: int) -> Plan:
    said: Parts = ("system",)
    prompts = []
    for k in range(1, turns + 1):
        prompts.append((*said, f"question{k}"))
        said = (*prompts[-1], f"answer{k}")
    return Plan(tuple(prompts), tuple(f"answer{k}" for k in range(1, turns + 1)))


def lengths(case: str, shared: int, own: int) -> dict[str, int]:
    """Tokens of each kind of part, if the parts that all share have ``shared`` together and each request's
    own part has ``own``."""
    if case == "chat":
        return {"system": shared, "question": own, "answer": ANSWER}
    if case in ROLES:
        return {"system": shared, "question": own}
    if case in TEMPLATES:
        opening = min(OPENING, shared)
        return {"opening": opening, "template": shared - opening, "field": own}
    if case == "batch":
        return {"task": shared, "version": own}
    if case == "rag":
        each = shared // (DOCUMENTS + 1)
        return {"opening": shared - DOCUMENTS * each, "document": each, "question": own}
    return {"question": own}


def kind_of(part: str) -> str:
    """A part's name without its number."""
    return part.rstrip("0123456789")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One prompt: its parts with their tokens, and how many of its tokens were hit."""

    parts: tuple[tuple[str, int], ...]
    hit: int

    @property
    def total(self) -> int:
        """Tokens of the prompt."""
        return sum(tokens for _, tokens in self.parts)

    def split(self) -> list[tuple[str, int, int]]:
        """Each part with its hit and its computed tokens: hits are always a beginning."""
        found, left = [], self.hit
        for name, tokens in self.parts:
            reused = min(tokens, left)
            found.append((name, reused, tokens - reused))
            left -= reused
        return found


@lru_cache(maxsize=256)
def outcomes(case: str, variant: str, count: int, shared: int, own: int) -> tuple[Outcome, ...]:
    """Run the requests on an engine with room for everything; what each prompt hit."""
    wanted, tokens_of = plan(case, variant, count), lengths(case, shared, own)
    texts = _Texts(tokens_of)
    requests = [
        Request(f"R{k}", texts.ids(*prompt), texts.ids(*([answer] if answer else [])))
        for k, (prompt, answer) in enumerate(zip(wanted.prompts, wanted.answers, strict=True))
    ]
    room = sum(-(-(len(one.token_ids) + len(one.outputs)) // BLOCK_SIZE) for one in requests)
    hits: dict[str, int] = {}

    def listen(event: Event) -> None:
        if isinstance(event, RequestAdmitted):
            hits.setdefault(event.request_id, event.hit_tokens)

    engine = Engine(EngineConfig(BLOCK_SIZE, room + 2), listen, block_events=False)
    for request in requests:
        engine.submit(request)
        if not wanted.at_once:
            engine.run()
    engine.run()
    return tuple(
        Outcome(tuple((part, tokens_of[kind_of(part)]) for part in prompt), hits[f"R{k}"])
        for k, prompt in enumerate(wanted.prompts)
    )


class _Texts:
    """Token ids of parts: each name has its own."""

    def __init__(self, tokens_of: Mapping[str, int]) -> None:
        self._tokens_of = tokens_of
        self._starts: dict[str, int] = {}
        self._next = 0

    def ids(self, *parts: str) -> tuple[int, ...]:
        found: list[int] = []
        for part in parts:
            length = self._tokens_of[kind_of(part)]
            if part not in self._starts:
                self._starts[part] = self._next
                self._next += length
            found.extend(range(self._starts[part], self._starts[part] + length))
        return tuple(found)


def hit_rate(found: tuple[Outcome, ...]) -> float:
    """Hit tokens of all prompts over all their tokens; the first, cold one counts too."""
    return sum(one.hit for one in found) / max(sum(one.total for one in found), 1)


def by_part(found: tuple[Outcome, ...]) -> dict[str, tuple[int, int]]:
    """For each kind of part, in order of first sight: its tokens in all prompts, and those that were hit."""
    sums: dict[str, tuple[int, int]] = {}
    for one in found:
        for name, reused, computed in one.split():
            tokens, hit = sums.get(kind_of(name), (0, 0))
            sums[kind_of(name)] = (tokens + reused + computed, hit + reused)
    return sums
