"""What the chapter on costs counts: caps, time to live, one changed word, new weights, decode, the owner."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event, RequestAdmitted
from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario, run
from core.scenario.tokenizer import TeachingTokenizer
from core.timeline.event_log import EventLog
from core.types import EngineConfig, Request
from ui.stage.setup import Setup, load_setup, preset_text
from ui.words.i18n import Lang, t

# -- runs of presets ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counted:
    """One run: tokens asked, tokens hit (of each request, and in all), blocks evicted."""

    hits: tuple[int, ...]
    tokens: int
    evicted: int

    @property
    def hit_tokens(self) -> int:
        return sum(self.hits)

    @property
    def rate(self) -> float:
        return self.hit_tokens / self.tokens


def counted(log: EventLog) -> Counted:
    """Counted from the events; preempted requests do not occur here."""
    admitted = [event for event in log.events if isinstance(event, RequestAdmitted)]
    evicted = sum(isinstance(event, BlockEvicted) for event in log.events)
    return Counted(tuple(e.hit_tokens for e in admitted), sum(e.num_tokens for e in admitted), evicted)


def preset_counted(preset: str, knobs: Mapping[str, Any]) -> Counted:
    """A preset with knobs. Token counts do not depend on the language."""
    return counted(run(load_setup(Setup(preset, knobs), "en")))


Limit = Literal["slots", "cap"]
POTS = range(1, 9)
AMPLE = 12  # slots, where only the cap is to be felt


def pot_knobs(limit: Limit, pots: int) -> dict[str, Any]:
    """Room for so many blocks: as slots of the pool, or as a cap on cached blocks in a large pool. One slot
    more than there are pots is needed for the private end of the prompt that is being served."""
    return {"num_slots": pots + 1} if limit == "slots" else {"num_slots": AMPLE, "cache_cap": pots}


def pot_curve(limit: Limit) -> list[Counted]:
    """Four recipes in turn, for each number of pots."""
    return [preset_counted("P9", pot_knobs(limit, pots)) for pots in POTS]


PLAIN: Mapping[str, Any] = MappingProxyType(
    {"cache_cap": None, "admit_after": 1, "admit_window": None, "ttl": None}
)
OWNER_SLOTS = (4, 5, 6, 8)


def owner_beside_lru(slots: int) -> tuple[Counted, Counted]:
    """The owner's rule and plain LRU, the same orders, as many slots."""
    return preset_counted("P9c", {"num_slots": slots}), preset_counted("P9c", {"num_slots": slots, **PLAIN})


# -- one changed word ---------------------------------------------------------------------------------------

TEMPLATE, OWN, WORD_BLOCK = 512, 128, 16
VISITS = ("old", "new", "again", "back")


@dataclass(frozen=True, slots=True)
class Visit:
    """One request: which template it uses, and how much hits of all its tokens."""

    name: str
    hit: int
    tokens: int


def changed_word(place: int) -> list[Visit]:
    """A template of 512 tokens; from the second request on token number ``place`` (from 1) is another one,
    and at last the old template comes back. The engine's answers."""
    hits: list[int] = []
    engine = Engine(
        EngineConfig(WORD_BLOCK, 4 * (TEMPLATE + OWN) // WORD_BLOCK + 1),
        lambda event: _note_hit(event, hits),
        block_events=False,
    )
    old = list(range(TEMPLATE))
    new = [*old[: place - 1], 100_000, *old[place:]]
    for number, template in enumerate((old, new, new, old)):
        own = range(200_000 + number * OWN, 200_000 + (number + 1) * OWN)
        engine.submit(Request(f"R{number}", (*template, *own)))
        engine.run()
    return [Visit(name, hit, TEMPLATE + OWN) for name, hit in zip(VISITS, hits, strict=True)]


def _note_hit(event: Event, hits: list[int]) -> None:
    if isinstance(event, RequestAdmitted):
        hits.append(event.hit_tokens)


# -- new weights ---------------------------------------------------------------------------------------


def new_weights(lang: Lang, told: bool) -> Scenario:
    """Two requests; new weights; two more; the old weights come back. ``told``: the cache hears of it."""
    data = json.loads(preset_text("P1"))
    prompts = [command for command in data["commands"] if command["op"] == "submit"]
    commands: list[dict[str, Any]] = []
    for number, version in enumerate(("v1", "v1", "v2", "v2", "v1")):
        if told:
            commands.append({"op": "version", "version": version})
        commands += [{**prompts[number % 3], "id": f"R{number}"}, {"op": "run"}]
    return _made(data, {"num_slots": 16}, commands, lang, "weights")


# -- decode takes blocks back --------------------------------------------------------------------------

DECODE_SLOTS = 10
MOST_ANSWER = 36


def long_answer(lang: Lang, answer: int) -> Scenario:
    """A prefix is cached; a stranger's answer of so many tokens needs blocks; then the prefix is wanted."""
    data = json.loads(preset_text("P1"))
    first, last, _ = (command for command in data["commands"] if command["op"] == "submit")
    tale = "".join(TeachingTokenizer().pieces(t("course.ch08.tale.example", lang))[:answer])
    stranger = {"op": "submit", "id": "R1", "text": t("course.ch08.ask", lang), "output": tale}
    go = {"op": "run"}
    commands = [first, go, stranger, go, {**last, "id": "R2"}, go]
    return _made(data, {"num_slots": DECODE_SLOTS}, commands, lang, "decode")


def _made(
    data: Mapping[str, Any], change: dict[str, Any], commands: Sequence[Any], lang: Lang, name: str
) -> Scenario:
    """A scenario of our own from a preset's prompts."""
    head = {key: data[key] for key in ("schema", "id", "block_size", "num_slots")} | change
    return load_scenario({**head, "commands": list(commands)}, lang=lang, name=name)
