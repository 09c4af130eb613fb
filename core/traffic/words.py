"""The place at which two prompts part, in the log's own text."""

from __future__ import annotations

from dataclasses import dataclass

from core.scenario.tokenizer import Tokenizer
from core.traces.model import TraceRequest

BEFORE, AFTER = 8, 12
"""Tokens shown around a difference."""


@dataclass(frozen=True, slots=True)
class Words:
    """Text before, the token itself, text behind it, and the role of the message it stands in. Without text
    in the log the pieces are token ids."""

    role: str
    before: str
    token: str
    behind: str


def words_at(request: TraceRequest, place: int, tokenizer: Tokenizer) -> Words | None:
    """What stands around token ``place``; None behind the prompt's end and in logs of blocks."""
    if not request.segments or not 0 <= place < request.num_tokens:
        return None
    role = request.segment_at(place)[0].role
    pieces = pieces_of(request, place - BEFORE, place + AFTER + 1, tokenizer)
    at = place - max(place - BEFORE, 0)
    return Words(role, "".join(pieces[:at]), pieces[at], "".join(pieces[at + 1 :]))


def pieces_of(request: TraceRequest, first: int, last: int, tokenizer: Tokenizer) -> list[str]:
    """The texts of tokens ``first`` … ``last`` - 1; ids in the log's own form where it has no text."""
    found: list[str] = []
    start = 0
    first = max(first, 0)
    for part in request.segments:
        stop = start + len(part.token_ids)
        if stop > first and start < last:
            found += _pieces(part.text, part.token_ids, tokenizer)[max(first - start, 0) : last - start]
        start = stop
    return found


def _pieces(text: str | None, token_ids: object, tokenizer: Tokenizer) -> list[str]:
    ids = list(token_ids)  # type: ignore[call-overload]
    pieces = tokenizer.pieces(text) if text is not None else []
    return pieces if len(pieces) == len(ids) else [f" {token}" for token in ids]
