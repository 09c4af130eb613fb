"""The hash machine of the act: the first prompt with one token changed, and what the engine makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from core.engine import events as ev
from core.scenario.reader import load_scenario
from core.scenario.scenario import run
from ui.act.play import FIRST, SECOND, act_run, play_text
from ui.stage.steps.telling import tag_of
from ui.words.i18n import Lang

Json = dict[str, Any]


@cache
def act_variants(lang: Lang) -> tuple[tuple[Json, ...], ...]:
    """For each token of the first prompt what may stand in its place: text, tags, tokens that would hit."""
    pieces = _first_pieces(lang)
    instead: list[list[str]] = play_text()["instead"][lang]
    return tuple(
        tuple(
            {"text": text} | asked_again(lang, [*pieces[:place], text, *pieces[place + 1 :]])
            for text in texts
        )
        for place, texts in enumerate(instead)
    )


def could_hit(lang: Lang) -> int:
    """Tokens that hit when the first prompt is asked again as it was."""
    hit: int = asked_again(lang, _first_pieces(lang))["hit"]
    return hit


def asked_again(lang: Lang, pieces: Sequence[str]) -> Json:
    """The first request runs; then a prompt of these tokens and the answer comes. Its tags, and its hit.

    The answer stands behind it because of a prompt's last token none can be reused: so each full block can.
    """
    scenario, _ = act_run(lang)
    first = scenario.commands[0]
    answer = "".join(first.output.pieces)
    data = play_text()["scenario"]
    prompt = {"op": "submit", "id": SECOND, "text": "".join(pieces) + answer}
    asked = load_scenario({**data, "commands": [*data["commands"][:2], prompt, {"op": "run"}]}, lang=lang)
    events = [event for event in run(asked).events if getattr(event, "request_id", None) == SECOND]
    full = len(pieces) // asked.config.block_size
    tags = [tag_of(event.hash.hex()) for event in events if isinstance(event, ev.BlockHashed)]
    hit = next(event.hit_tokens for event in events if isinstance(event, ev.RequestAdmitted))
    return {"tags": tags[:full], "hit": hit}


def _first_pieces(lang: Lang) -> list[str]:
    scenario, _ = act_run(lang)
    return list(scenario.pieces()[FIRST][: len(scenario.commands[0].prompt.pieces)])
