"""One case judged: the visitor's answers beside the right ones, and the first that differs told in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.demo.judge.address import BASE, address, step_of
from core.demo.judge.cases import Case, Lang, load
from core.demo.judge.play import LIMIT, Played, play
from core.demo.judge.script import TOO_LARGE, Ask, script
from core.demo.judge.why import Judge, Why
from core.demo.judge.words import words
from core.scenario.scenario import Scenario, run

MOST_BLOCKS = 24
"""Blocks of a prompt that are written out; the rest is "…"."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a case that failed; ``rule`` is its key. ``usable`` is False where nothing could be
    asked at all. Lines without text are not drawn."""

    rule: str
    asked: str = ""
    mine: str = ""
    right: str = ""
    why: str = ""
    link: str = ""
    line: int | None = None
    printed: str = ""
    usable: bool = True


@dataclass(frozen=True, slots=True)
class Judging:
    """How it is judged: whose file, in which language, where the stage is."""

    file: Path
    lang: Lang = "en"
    base: str = BASE
    limit: float = LIMIT


def judge(case: Case, how: Judging) -> Told | None:
    """Ask the visitor's cache; None if everything is right."""
    scenario = load(case, how.lang)
    log = run(scenario)
    asks = script(log, case.until, case.drain, case.look)
    config = scenario.config
    played = play(how.file, config.block_size, config.num_usable, asks, how.limit)
    pairs = zip(asks, played.answers, strict=False)
    place = next((place for place, (ask, answer) in enumerate(pairs) if answer != _right(ask)), None)
    teller = _Teller(case, how, scenario, asks)
    if place is not None:
        drained = [
            answer for ask, answer in zip(asks[:place], played.answers, strict=False) if ask.method == "evict"
        ]
        looked = {
            block
            for ask in asks[:place]
            if ask.method == "look_up" and not ask.events
            for block in ask.right or ()
        }
        why = Judge(log).why(asks[place], played.answers[place], drained, looked)
        link = address(case, how.lang, step_of(log, why.event), how.base)
        return teller.differs(place, played, why, link)
    if played.wrong and _no_room(asks, played):
        why = Judge(log).why(asks[len(played.answers)], [])
        return teller.broke(played, why, address(case, how.lang, step_of(log, why.event), how.base))
    return teller.broke(played) if played.wrong else None


def _no_room(asks: Sequence[Ask], played: Played) -> bool:
    """Whether the call that broke is one for which there is no room: the rule behind most errors there."""
    broken = asks[len(played.answers) : len(played.answers) + 1]
    no_room = any(ask.method == "store" and ask.right is None for ask in broken)
    return no_room and played.wrong in ("raised", "type_store")


def _right(ask: Ask) -> Any:
    if ask.right is None:
        return None
    return ask.right[0] if ask.method == "evict" else list(ask.right)


class _Teller:
    """Puts into words what happened in one case."""

    def __init__(self, case: Case, how: Judging, scenario: Scenario, asks: Sequence[Ask]) -> None:
        self.how = how
        self.lang = how.lang
        self.config = scenario.config
        self.asks = asks
        self.pieces = scenario.pieces()

    def differs(self, place: int, played: Played, why: Why, link: str) -> Told:
        """An answer that is not the right one."""
        return Told(
            why.rule,
            asked=self.asked(place),
            mine=self.blocks(played.answers[place], self.asks[place].method),
            right=self.blocks(_right(self.asks[place]), self.asks[place].method),
            why=words(f"rule.{why.rule}", self.lang, **why.values),
            link=link,
            printed=played.printed,
        )

    def broke(self, played: Played, room: Why | None = None, link: str = "") -> Told:
        """No answer came: an error, no end, an answer of the wrong kind. ``room``: because there was none."""
        values = {
            "file": self.how.file.name,
            "blocks": self.config.num_usable,
            "limit": f"{self.how.limit:g}",
        }
        values |= {name: "?" if value is None else value for name, value in played.values.items()}
        kind = played.wrong
        if not played.loaded:
            kind = {"raised": "import", "endless": "import_endless", "died": "died"}.get(kind, kind)
        values = {"got": "", "name": "", "line": "?"} | values
        place = len(played.answers)
        why = words(f"wrong.{kind}", self.lang, **values)
        if room is not None:
            gap = " " if self.lang == "en" else ""
            why, kind = why + gap + words(f"rule.{room.rule}", self.lang, **room.values), room.rule
        return Told(
            kind,
            asked=self.asked(place) if played.loaded else "",
            right=words("answer.none", self.lang) if room else "",
            why=why,
            link=link,
            line=played.values.get("line") if played.loaded else None,
            printed=played.printed,
            usable=played.loaded,
        )

    def asked(self, place: int) -> str:
        """The call, with its tokens as words, cut where blocks are cut."""
        if place >= len(self.asks):
            return ""
        ask = self.asks[place]
        if ask.method == "evict":
            before = sum(one.method == "evict" for one in self.asks[:place])
            return words("ask.evict" if before else "ask.evict_first", self.lang, n=before)
        key = "grow" if ask.grows else ask.method
        if ask.request == TOO_LARGE:
            key = "too_large"
        elif ask.method == "store" and any(
            one.request == ask.request for one in self.asks[:place] if one.method == "free"
        ):
            key = "resumed"
        values = {"req": ask.request, "n": len(ask.tokens), "tokens": self.text(ask)}
        return words(f"ask.{key}", self.lang, **values)

    def text(self, ask: Ask) -> str:
        """[Hot soup with egg] [and rice]"""
        pieces, size = self._pieces(ask), self.config.block_size
        cut = size * MOST_BLOCKS
        if len(pieces) > cut:
            pieces = [*pieces[:cut], "…"]
        parts = ["".join(pieces[start : start + size]).strip() for start in range(0, len(pieces), size)]
        return " ".join(f"[{part}]" for part in parts)

    def _pieces(self, ask: Ask) -> Sequence[str]:
        if ask.request != TOO_LARGE:
            return self.pieces[ask.request][: len(ask.tokens)]
        known = {
            token: piece
            for one in self.asks
            if one.request in self.pieces
            for token, piece in zip(one.tokens, self.pieces[one.request], strict=False)
        }
        return [known[token] for token in ask.tokens]

    def blocks(self, answer: Any, method: str = "") -> str:
        """An answer as the stage names blocks."""
        if answer is None:
            return words("answer.none_free" if method == "evict" else "answer.none", self.lang)
        if isinstance(answer, int):
            return f"#{answer}"
        return " ".join(f"#{block}" for block in answer) or words("answer.nothing", self.lang)
