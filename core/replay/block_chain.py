"""BlockChain: one prompt as a cache sees it, block by block, without its tokens.

Two sources give the same form. Tokens are hashed, each block by itself with the engine's hash (16 bytes);
logs that name their blocks are taken at their word (8 bytes). A block's identity in the cache includes all
before it: whoever reads a chain compares it from the first block on, so nothing needs to be hashed into it.
What keeps whole prompts apart (adapter, salt, version) is their scope.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from xxhash import xxh3_128_digest

from core.engine.hash_chain import TOKEN_BYTES, block_extras, image_extras, token_array, token_bytes
from core.errors import TraceError
from core.texts import text_bytes
from core.types import Request

ID_BYTES = 8
HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class BlockChain:
    """``full``: names of the full blocks, ``width`` bytes each; ``tail``: that of the last block if it is not
    full and known, else empty. No cache stores a tail; some hit rates count it. Chains of different ``scope``
    share nothing. ``arrival_s``: seconds since the log began, None where it has no times.
    """

    num_tokens: int
    full: bytes
    tail: bytes = b""
    width: int = ID_BYTES
    scope: bytes = b""
    arrival_s: float | None = None


class TracedPrompt(Protocol):
    """What a trace reader yields (``core.traces.model.TraceRequest``). ``block_ids``, if the log has them:
    one number per chain of blocks of ``block_size`` tokens; the last may stand for a block that is not full,
    or that one's own number is ``tail_id``."""

    @property
    def num_tokens(self) -> int: ...
    @property
    def block_ids(self) -> array[int] | None: ...
    @property
    def block_size(self) -> int | None: ...
    @property
    def tail_id(self) -> int | None: ...
    @property
    def scope(self) -> str: ...
    @property
    def arrival_s(self) -> float | None: ...
    def request(self) -> Request: ...


def chain_of_ids(
    block_ids: Sequence[int],
    num_tokens: int,
    block_size: int,
    *,
    scope: str = "",
    arrival_s: float | None = None,
) -> BlockChain:
    """A prompt whose log names its blocks; a last block that is not full needs no id. O(blocks).

    Raises:
        TraceError: too few or too many ids for the tokens, or an id that does not fit into 64 bits.
    """
    num_full, left = divmod(num_tokens, block_size)
    if num_tokens < 1 or not num_full <= len(block_ids) <= num_full + (left > 0):
        raise _wrong_count(len(block_ids), num_tokens, block_size)
    try:
        content = array("q", block_ids).tobytes()
    except (OverflowError, TypeError):
        raise _wrong_id(block_ids) from None
    cut = num_full * ID_BYTES
    return BlockChain(num_tokens, content[:cut], content[cut:], ID_BYTES, text_bytes(scope), arrival_s)


def chain_of_request(
    request: Request, block_size: int, *, version: str = "", arrival_s: float | None = None
) -> BlockChain:
    """A prompt given as tokens. O(tokens).

    Raises:
        RequestError: a token id out of range.
    """
    tokens = token_array(request.token_ids, request.request_id)
    data = token_bytes(tokens)
    num_full, width = len(tokens) // block_size, block_size * TOKEN_BYTES
    blocks = np.frombuffer(data, f"V{width}", num_full).tolist()
    if request.mm:
        images = image_extras(request, 0, num_full, block_size)
        blocks = [block + images.get(index, b"") for index, block in enumerate(blocks)]
    rest = data[num_full * width :]
    plain = replace(request, mm=()) if request.mm else request
    return BlockChain(
        len(tokens),
        b"".join(map(xxh3_128_digest, blocks)),
        xxh3_128_digest(rest) if rest else b"",
        HASH_BYTES,
        block_extras(plain, version, 0, block_size),
        arrival_s,
    )


def chain_of_prompt(prompt: TracedPrompt, block_size: int, *, version: str = "") -> BlockChain:
    """A log's prompt, in blocks of ``block_size``: by its numbers if those can be cut or put together into
    such blocks, else by its tokens (or what stands in for them).

    Raises:
        TraceError: the ids do not cover the prompt.
        RequestError: a token id out of range.
    """
    own, ids, num_tokens = prompt.block_size, prompt.block_ids, prompt.num_tokens
    if ids is None or own is None or (own % block_size and block_size % own):
        request = prompt.request()
        return chain_of_request(request, block_size, version=version, arrival_s=prompt.arrival_s)
    if block_size < own:
        ids = _cut(ids, prompt.tail_id, own // block_size)[: -(-num_tokens // block_size)]
    elif block_size > own:
        ids = _put_together(ids, block_size // own, num_tokens, block_size)
    return chain_of_ids(ids, num_tokens, block_size, scope=prompt.scope, arrival_s=prompt.arrival_s)


def _cut(ids: array[int], tail_id: int | None, parts: int) -> array[int]:
    """Each part of a block goes by the block's number: in a chain its place tells it from the others."""
    whole = [*ids, tail_id] if tail_id is not None else ids
    return array("q", np.repeat(np.asarray(whole, np.int64), parts).tobytes())


def _put_together(ids: array[int], step: int, num_tokens: int, block_size: int) -> array[int]:
    """A number stands for all up to its block's end, so the last one in a larger block names all of it."""
    own = block_size // step
    coarse = ids[step - 1 :: step][: num_tokens // block_size]
    if num_tokens % block_size and len(ids) == -(-num_tokens // own):
        coarse.append(ids[-1])
    return coarse


def _wrong_count(num_ids: int, num_tokens: int, block_size: int) -> TraceError:
    message = (
        f"A prompt of {num_tokens} tokens has {num_ids} block ids; expected one for every {block_size} "
        f"tokens, {num_tokens // block_size} or {-(-num_tokens // block_size)}. Check the block size."
    )
    return TraceError(
        "trace.ids_count", message, num_ids=num_ids, num_tokens=num_tokens, block_size=block_size
    )


def _wrong_id(block_ids: Sequence[int]) -> TraceError:
    wrong = next((i for i in block_ids if not isinstance(i, int) or not -(2**63) <= i < 2**63), None)
    message = f"A block's id is {wrong!r}; expected a whole number of at most 64 bits."
    return TraceError("trace.id", message, value=str(wrong))
