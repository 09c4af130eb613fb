"""One token of a prompt changed: what becomes of its tags and of its hits. The hash machine shows it.

Nothing here knows how a cache works. What a variant hits is read off the engine's own run of the scenario
with that prompt in the place of the old one; what it could share with the old prompt, off the engine's own
look-up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from core.engine import events as ev
from core.engine.engine import Engine
from core.errors import BrothError
from core.scenario.scenario import Command, Scenario, execute
from core.scenario.tokenizer import TeachingTokenizer
from core.types import EngineConfig, Request
from ui.stage.variant_words import changed_texts

MAX_TOKENS = 64
"""Prompts the stage brings variants for; in a longer one a single token is too small to be touched."""

MAX_BLOCKS = 3
MAX_REQUESTS = 4
MAX_VARIANTS = 3
"""Bounds of what travels to the stage: full blocks and requests from the beginning, variants of a token."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A prompt with one token replaced by ``text``, or as it is (``text`` is empty).

    ``tags``: of its full blocks; ``hit_tokens``: what it hits when its turn comes in the scenario;
    ``left_tokens``: what it would hit if nothing but the old prompt were in the cache.
    """

    text: str
    tags: tuple[str, ...]
    hit_tokens: int
    left_tokens: int


def unchanged(scenario: Scenario, request: int) -> Variant | None:
    """The prompt as it is; ``left_tokens`` is then all that can hit. ``request``: its number, from 0, in the
    order of the scenario's commands. None: it is never admitted."""
    return _Prompt(scenario, request).variant("", None)


def token_variants(scenario: Scenario, request: int, token: int, most: int = MAX_VARIANTS) -> list[Variant]:
    """What one token can become: what somebody else asks in this place, another word, other white space,
    a look-alike, another case. Each is one token and leaves its neighbours alone."""
    return list(_Prompt(scenario, request).variants(token, most))


def stage_variants(scenario: Scenario) -> dict[str, Any]:
    """For the stage: {request: {hit, could, tokens: {index: [[text, tags from its block on, hit, left]]}}}.

    Only tokens of the first full blocks of short prompts: ``MAX_BLOCKS`` and so on.
    """
    told: dict[str, Any] = {}
    names = [command.request.request_id for command in _prompts(scenario) if command.request]
    for number, name in enumerate(names[:MAX_REQUESTS]):
        prompt = _Prompt(scenario, number)
        if names.count(name) == 1 and len(prompt.tokens.ids) <= MAX_TOKENS and (told_one := _told(prompt)):
            told[name] = told_one
    return told


def _told(prompt: _Prompt) -> dict[str, Any]:
    size, whole = prompt.size, prompt.variant("", None)
    if whole is None or not whole.tags:
        return {}
    full = min(len(whole.tags), MAX_BLOCKS)
    tokens = {}
    for token in range(full * size):
        made = prompt.variants(token, MAX_VARIANTS)
        rows = [[v.text, list(v.tags[token // size :]), v.hit_tokens, v.left_tokens] for v in made]
        if rows:
            tokens[str(token)] = rows
    return {"hit": whole.hit_tokens, "could": whole.left_tokens, "tokens": tokens} if tokens else {}


def _prompts(scenario: Scenario) -> list[Command]:
    return [c for c in scenario.commands if c.request is not None and c.op in ("submit", "start")]


class _Prompt:
    """One prompt of a scenario, about to be changed."""

    def __init__(self, scenario: Scenario, number: int) -> None:
        self._scenario = scenario
        self._command = command = _prompts(scenario)[number]
        self._others = [*_prompts(scenario)[number + 1 :], *_prompts(scenario)[:number]]
        assert command.request is not None
        self._request: Request = command.request
        self.tokens = command.prompt
        self.size = scenario.config.block_size

    def variants(self, token: int, most: int) -> Iterator[Variant]:
        """What the token can become, at most so many."""
        for text, token_id in list(self._changes(token).items())[:most]:
            made = self.variant(text, (token, token_id))
            if made is not None:
                yield made

    def variant(self, text: str, change: tuple[int, int] | None) -> Variant | None:
        """The prompt with one token (place, id) changed, or as it is; None where it is never admitted."""
        ids = list(self.tokens.ids)
        if change is not None:
            ids[change[0]] = change[1]
        asked = replace(self._request, token_ids=tuple(ids))
        found = _admission(self._scenario, self._command, asked)
        if found is None:
            return None
        tags, hit = found
        return Variant(text, tags, hit, self._served.lookup(replace(asked, request_id="again")).hit)

    @cached_property
    def _served(self) -> Engine:
        """An engine with room and without policies, in which this prompt is all that was ever asked."""
        config = self._scenario.config
        room = len(self.tokens.ids) // config.block_size + 2
        plain = EngineConfig(
            block_size=config.block_size,
            num_blocks=room,
            enable_caching=config.enable_caching,
            hash_name=config.hash_name,
        )
        engine = Engine(plain)
        engine.start(replace(self._request, outputs=()))
        return engine

    def _changes(self, token: int) -> dict[str, int]:
        """Texts that can stand in a token's place, each with its id; best first."""
        tokens = self.tokens
        changes = dict(self._asked_here(token))
        if self._is_text:
            changes = {text: known for text, known in changes.items() if self._stays_whole(token, text)}
            for text in changed_texts(tokens.pieces[token], bool(changes)):
                if self._stays_whole(token, text):
                    changes.setdefault(text, self._tokenizer.encode(text)[0])
        return {text: known for text, known in changes.items() if known != tokens.ids[token]}

    def _asked_here(self, token: int) -> list[tuple[str, int]]:
        """What the next request (or else an earlier one) with the same beginning asks in this place."""
        ids = self.tokens.ids
        for other in self._others:
            theirs = other.prompt
            differs = len(theirs.ids) > token and theirs.ids[token] != ids[token]
            if differs and theirs.ids[:token] == ids[:token]:
                return [(theirs.pieces[token], theirs.ids[token])]
        return []

    @cached_property
    def _tokenizer(self) -> TeachingTokenizer:
        return TeachingTokenizer()

    @cached_property
    def _is_text(self) -> bool:
        """Whether the ids are those of the lessons' tokenizer: then any text has one."""
        return self._tokenizer.encode("".join(self.tokens.pieces)) == list(self.tokens.ids)

    def _stays_whole(self, token: int, text: str) -> bool:
        """Whether a tokenizer would cut the changed prompt in the same places."""
        around = [
            *self.tokens.pieces[max(token - 1, 0) : token],
            text,
            *self.tokens.pieces[token + 1 : token + 2],
        ]
        return self._tokenizer.pieces("".join(around)) == around


def _admission(scenario: Scenario, command: Command, asked: Request) -> tuple[tuple[str, ...], int] | None:
    """Tags and hits of a request when the engine first admits it, in the place of the one of ``command``."""
    found: list[tuple[tuple[str, ...], int]] = []
    has_come = False  # before it there may have been another one of its name

    def hear(event: ev.Event) -> None:
        if not has_come or found or not isinstance(event, ev.RequestAdmitted):
            return
        if event.request_id == asked.request_id:
            hashes = engine.view.block_hashes(asked.request_id)
            found.append((tuple(digest.hex()[:4] for digest in hashes), event.hit_tokens))

    engine = Engine(scenario.config, hear, block_events=False)
    try:
        for one in scenario.commands:
            has_come = has_come or one is command
            execute(engine, replace(one, request=asked) if one is command else one)
            if found:
                return found[0]
    except BrothError:  # it was refused, and a later command counts on it
        pass
    return None
