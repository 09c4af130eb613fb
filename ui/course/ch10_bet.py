"""The bet on applications: the visitor's own prompt, put together in one of four ways."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.scenario.tokenizer import TeachingTokenizer
from core.types import EngineConfig, Request
from ui.course.asked import Asked, Words
from ui.course.mine import joined
from ui.stage.own import OwnPrompts

ORDERS = ("question_first", "clock_first", "clock_between", "clock_last")
BLOCKS = (2, 4, 8)
HOURS = ("11:58", "11:59", "12:00")


@dataclass(frozen=True, slots=True)
class Assembled:
    """The three prompts in one order: their texts, tokens that hit in each, all of their tokens, how many
    would hit with the beginning in front and nothing that changes before the question."""

    order: str
    block: int
    texts: tuple[str, ...]
    hits: tuple[int, ...]
    tokens: int
    best: int

    @property
    def hit(self) -> int:
        """Tokens that hit in all three."""
        return sum(self.hits)


def assembled(prompt: OwnPrompts, seed: int) -> Assembled:
    """The seed picks the order and the block size; if there is one, a pair that costs something. That the
    time at the very end costs nothing is worth a bet, too."""
    puts = [(order, block) for order in ORDERS for block in BLOCKS]
    Random(seed).shuffle(puts)
    found = (_assembled(prompt, *put) for put in puts)
    return next(
        (one for one in found if one.hit < one.best or one.order == "clock_last"),
        _assembled(prompt, *puts[0]),
    )


def _assembled(prompt: OwnPrompts, order: str, block: int) -> Assembled:
    texts = tuple(
        put_together(order, hour, prompt.system, message.strip())
        for hour, message in zip(HOURS, prompt.messages, strict=True)
    )
    plain = [prompt.system + message for message in prompt.messages]
    tokens, hits = _count(list(texts), block)
    return Assembled(order, block, texts, hits, tokens, sum(_count(plain, block)[1]))


def put_together(order: str, hour: str, beginning: str, question: str) -> str:
    """One prompt."""
    parts = {
        "question_first": (question, beginning),
        "clock_first": (hour, beginning, question),
        "clock_between": (beginning, hour, question),
        "clock_last": (beginning, question, hour),
    }[order]
    text = ""
    for part in parts:
        text = (text + joined(OwnPrompts(text, (part,))).messages[0]) if text else part
    return text


def _count(texts: list[str], block: int) -> tuple[int, tuple[int, ...]]:
    """Tokens of all prompts, one after another in a pool with room for all, and those of each that hit."""
    cut = TeachingTokenizer()
    found: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, RequestAdmitted):
            found.append(event.hit_tokens)

    ids = [cut.encode(text) for text in texts]
    slots = sum(-(-len(one) // block) for one in ids) + 2
    engine = Engine(EngineConfig(block, slots), note, block_events=False)
    for number, one in enumerate(ids):
        engine.submit(Request(f"R{number}", one))
        engine.run()
    return sum(map(len, ids)), tuple(found)


def asked(prompt: OwnPrompts, seed: int) -> Asked:
    """The bet: of all tokens of the three prompts, how many hit?"""
    one = assembled(prompt, seed)
    words: dict[str, object] = {"tokens": one.tokens, "block": one.block}
    told: Words = (f"course.ch10.bet.{one.order}", {**words, "hit": one.hit, "best": one.best})
    return Asked(
        ask=f"course.ch10.bet.ask.{one.order}",
        args=words,
        high=one.tokens,
        unit="course.bet.unit.tokens",
        truth=one.hit,
        tolerance=(0, 2 * one.block),
        told=lambda _: told,
    )
