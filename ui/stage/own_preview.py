"""Own prompts before they are run: where the blocks fall, and what the engine reuses of each, one after the
other, with the knobs that a run would have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.engine.events import RequestAdmitted
from core.engine.hash_chain import split
from core.errors import BrothError
from core.scenario.scenario import Scenario, run
from core.timeline.diagnose import MissReason, explain
from ui.frame.kept import LastFew
from ui.frame.seen import difference, seen, seen_diff
from ui.frame.session import lang, plain, say
from ui.stage.setup import Setup, load_setup
from ui.words.i18n import error_text

_MAX_PROMPTS = 6
_MAX_PREVIEW = 60
"""Tokens of each prompt that the preview shows."""

_MAX_PIECE = 24
"""Characters of one token that it shows: a line without a space is a single token, however long."""

_PREVIEWS = LastFew("own_previews", 4)


@dataclass(frozen=True, slots=True)
class Looked:
    """One prompt as the engine met it: its tokens' texts, how many hit, where the nearest stored block parts
    from it (stored text, own text, request), if one does."""

    pieces: tuple[str, ...]
    hit_tokens: int
    near: tuple[str, str, str] | None = None


def preview(chosen: Setup) -> list[Looked]:
    """What a run of this setup does with its first few prompts.

    Raises:
        BrothError: prompts or knobs that cannot be used.
    """
    key = (chosen.own, str(sorted(chosen.knobs.items())), lang())
    return _PREVIEWS.get(key, lambda: look_up(load_setup(replace(chosen, fork=None), lang())))


def look_up(scenario: Scenario) -> list[Looked]:
    """Each prompt of a scenario, in the order of arrival: an engine runs all of it."""
    log = run(scenario)
    reasons = explain(log)
    admitted = {
        event.request_id: (event.hit_tokens, reasons[index])
        for index, event in reversed(
            list(enumerate(log.events))
        )  # the first admission is the one that counts
        if isinstance(event, RequestAdmitted)
    }
    prompts = {str(one.args["id"]): one.prompt for one in scenario.commands if one.request is not None}
    texts = {
        token: piece for one in prompts.values() for token, piece in zip(one.ids, one.pieces, strict=True)
    }
    found: list[Looked] = []
    for name in list(prompts)[:_MAX_PROMPTS]:
        hit, reason = admitted[name]
        found.append(Looked(prompts[name].pieces, hit, _near(reason, texts)))
    return found


def _near(reason: MissReason, texts: dict[int, str]) -> tuple[str, str, str] | None:
    if reason.first_diff is None or not {*reason.stored} <= {*texts}:
        return None
    stored, mine = ("".join(texts[token] for token in ids) for ids in (reason.stored, reason.mine))
    return stored, mine, str(reason.best_request)


def draw_preview(chosen: Setup) -> None:
    """The first prompts, each cut into blocks, with what of it is reused."""
    try:
        looked, size = preview(chosen), load_setup(chosen, lang()).config.block_size
    except BrothError as error:
        st.caption(plain(error_text(error, lang())))
        return
    for number, one in enumerate(looked):
        st.caption(say("own.preview", number=number, n=len(one.pieces), reused=one.hit_tokens))
        st.markdown(blocks_line(one, size))
        if one.near is not None:
            stored, mine, name = one.near
            left, right = seen_diff(stored, mine)
            told = say("own.preview.near", name=name, stored=left, mine=right)
            st.caption(f"{told} {difference(stored, mine)}")


def blocks_line(one: Looked, block_size: int) -> str:
    """Each block with its fate: reused, computed, or not full."""
    pieces = [piece if len(piece) <= _MAX_PIECE else f"{piece[:_MAX_PIECE]}…" for piece in one.pieces]
    shown = pieces[:_MAX_PREVIEW]
    blocks = [
        _block(shown, block, one.hit_tokens, block_size) for block in split(range(len(shown)), block_size)
    ]
    return " ".join([*blocks, *(["…"] if len(pieces) > _MAX_PREVIEW else [])])


def _block(pieces: Sequence[str], block: Sequence[int], hit_tokens: int, block_size: int) -> str:
    text = seen("".join(pieces[place] for place in block))
    if block[-1] < hit_tokens:
        return f":blue-background[✓ {text}]"
    return f":orange-background[+ {text}{'' if len(block) == block_size else ' …'}]"
