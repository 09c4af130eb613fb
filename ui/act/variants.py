"""The hash machine of the act: the first prompt with one token changed, and what the engine makes of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario
from ui.act.play import act_run, play_text
from ui.stage.variants import token_variants, unchanged
from ui.words.i18n import Lang

Json = dict[str, Any]


@cache
def act_variants(lang: Lang) -> tuple[tuple[Json, ...], ...]:
    """For each token of the first prompt what may stand in its place: text, tags, tokens that would hit."""
    asked = _with_answer(lang)
    prompt = act_run(lang)[0].commands[0].prompt.ids
    return tuple(
        tuple(
            {"text": one.text, "tags": list(one.tags), "hit": one.left_tokens}
            for one in token_variants(asked, 0, token)
        )
        for token in range(len(prompt))
    )


def could_hit(lang: Lang) -> int:
    """Tokens that hit when the first prompt is asked again as it was."""
    whole = unchanged(_with_answer(lang), 0)
    return whole.left_tokens if whole is not None else 0


def _with_answer(lang: Lang) -> Scenario:
    """The first prompt asks with its answer behind it: a prompt's last token is always computed, and so each
    full block can hit."""
    scenario = play_text()
    first, *others = scenario["commands"]
    text = {name: first["text"][name] + first["output"][name] for name in first["text"]}
    return load_scenario({**scenario, "commands": [{**first, "text": text}, *others]}, lang=lang, name="act")
