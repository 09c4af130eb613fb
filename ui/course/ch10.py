"""The application scenarios: read from their file, counted at real size, and small enough for the stage."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from core.engine.events import RequestAdmitted
from core.scenario.reader import load_scenario
from core.scenario.scenario import Json, Scenario, run
from core.scenario.tokenizer import TeachingTokenizer
from ui.course.strips import Stretch
from ui.stage.setup import Setup
from ui.words.i18n import Lang

FILE = Path(__file__).resolve().parents[2] / "assets" / "applications.toml"
Way = Literal["good", "broken"]
WAYS: tuple[Way, ...] = ("good", "broken")
REAL_BLOCK, STAGE_BLOCK = 16, 4


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its parts in order, the answer's part, whose it is, and whether the next comes at once."""

    parts: tuple[str, ...]
    answer: str | None = None
    salt: str | None = None
    lora: str | None = None
    together: bool = False


@dataclass(frozen=True, slots=True)
class Application:
    """A scenario: its parts (real size, texts), and the requests of both ways; a text is a new version."""

    name: str
    parts: Mapping[str, Mapping[str, Any]]
    ways: Mapping[str, tuple[Asked | str, ...]]
    evidence: tuple[str, ...]
    reported: Mapping[str, Any]
    preset: str | None


@cache
def applications() -> Mapping[str, Application]:
    """All scenarios by name, in the order of the file."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return MappingProxyType(
        {
            name: Application(
                name,
                MappingProxyType(one["parts"]),
                MappingProxyType({way: tuple(map(_asked, one[way])) for way in WAYS}),
                tuple(one["evidence"]),
                MappingProxyType(one.get("reported", {})),
                one.get("preset"),
            )
            for name, one in data.items()
        }
    )


def _asked(line: str | Mapping[str, Any]) -> Asked | str:
    extra: Mapping[str, Any] = {} if isinstance(line, str) else line
    if "version" in extra:
        return str(extra["version"])
    prompt, _, answer = (line if isinstance(line, str) else str(extra["say"])).partition(" > ")
    rest = {key: value for key, value in extra.items() if key != "say"}
    return Asked(tuple(prompt.split()), answer or None, **rest)


# -- runs --------------------------------------------------------------------------------------------------


def real(app: Application, way: Way) -> Scenario:
    """The requests with parts of real size, on an engine with room for all."""
    sizes = {part: int(one["tokens"]) for part, one in app.parts.items()}
    spelt = {part: f"{part}_[0:{size}] " for part, size in sizes.items()}
    return _scenario(app, way, REAL_BLOCK, ("tokens", "output_tokens"), spelt, sizes)


def on_stage(app: Application, way: Way, lang: Lang) -> Scenario:
    """The same requests with the short texts; every part ends its line."""
    spelt = {part: f"{one[lang]}\n" for part, one in app.parts.items()}
    sizes = {part: len(TeachingTokenizer().encode(text)) for part, text in spelt.items()}
    return _scenario(app, way, STAGE_BLOCK, ("text", "output"), spelt, sizes)


def _scenario(
    app: Application,
    way: Way,
    block_size: int,
    fields: tuple[str, str],
    spelt: Mapping[str, str],
    sizes: Mapping[str, int],
) -> Scenario:
    """``fields``: where prompt and answer stand in a command; ``spelt`` and ``sizes``: the parts."""
    commands: list[Json] = []
    number, room = 0, 2
    for asked in app.ways[way]:
        if isinstance(asked, str):
            commands.append({"op": "version", "version": asked})
            continue
        command: Json = {"op": "submit", "id": f"R{number}"}
        command[fields[0]] = "".join(spelt[part] for part in asked.parts)
        command |= {fields[1]: spelt[asked.answer]} if asked.answer else {}
        command |= {"salt": asked.salt} if asked.salt else {}
        command |= {"lora": [asked.lora, f"/{asked.lora}"]} if asked.lora else {}
        command |= {"mm": images} if (images := list(_images(app, asked, sizes))) else {}
        commands += [command] if asked.together else [command, {"op": "run"}]
        number += 1
        length = sum(sizes[part] for part in (*asked.parts, *filter(None, [asked.answer])))
        room += -(-length // block_size)
    data = {
        "schema": 1,
        "id": app.name,
        "block_size": block_size,
        "num_slots": room,
        "config": {"max_num_batched_tokens": 65536},
        "commands": commands if commands[-1]["op"] == "run" else [*commands, {"op": "run"}],
    }
    return load_scenario(data, name=app.name)


def _images(app: Application, asked: Asked, sizes: Mapping[str, int]) -> Iterator[Json]:
    offset = 0
    for part in asked.parts:
        if "image" in app.parts[part]:
            yield {"id": app.parts[part]["image"], "offset": offset, "length": sizes[part]}
        offset += sizes[part]


# -- what came of it ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """All prompts of one way: prompt tokens, reused ones, and per request how its parts fared."""

    prompt_tokens: int
    hit_tokens: int
    rows: tuple[tuple[Stretch, ...], ...]

    @property
    def percent(self) -> float:
        """Hit tokens in 100 prompt tokens."""
        return 100 * self.hit_tokens / self.prompt_tokens

    @property
    def computed(self) -> int:
        """Prompt tokens that were not reused."""
        return self.prompt_tokens - self.hit_tokens


def outcome(app: Application, way: Way) -> Outcome:
    """Run it at real size and count."""
    events = run(real(app, way), block_events=False).events
    admitted = [event for event in events if isinstance(event, RequestAdmitted)]
    asked = [one for one in app.ways[way] if isinstance(one, Asked)]
    rows = tuple(
        tuple(_stretches(app, one, event.hit_tokens)) for one, event in zip(asked, admitted, strict=True)
    )
    return Outcome(
        sum(event.num_tokens for event in admitted), sum(event.hit_tokens for event in admitted), rows
    )


def _stretches(app: Application, asked: Asked, hit: int) -> Iterator[Stretch]:
    """The parts of a prompt, each cut where the hit ends."""
    start = 0
    for part in asked.parts:
        end = start + int(app.parts[part]["tokens"])
        cuts = sorted({start, min(max(hit, start), end), end})
        for left, right in pairwise(cuts):
            yield Stretch(part, right - left, right <= hit)
        start = end


def own_setup(app: Application, way: Way, lang: Lang) -> Setup | None:
    """The run as typed prompts, which a link can carry; None where it needs more than prompts."""
    asked = [one for one in app.ways[way] if isinstance(one, Asked)]
    pictures = any("image" in app.parts[part] for one in asked for part in one.parts)
    plain = all(not (one.answer or one.salt or one.lora or one.together) for one in asked)
    if pictures or not plain or len(asked) < len(app.ways[way]):
        return None
    messages = tuple("".join(f"{app.parts[part][lang]}\n" for part in one.parts) for one in asked)
    slots = on_stage(app, way, lang).config.num_usable
    return Setup("own", {"num_slots": slots}, replace(Setup().own, messages=messages))
