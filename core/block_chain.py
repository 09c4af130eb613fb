"""BlockChain: one prompt as a cache sees it, block by block, without its tokens.

Two sources give the same form. Tokens are hashed as the engine hashes them, so adapter, images, salt and
version keep contents apart (16 bytes a block). Logs that name their blocks are taken at their word (8 bytes
a block). Either way only equality counts, and a block is the same only behind the same blocks: whoever
reads a chain compares it from the first block on.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from xxhash import xxh3_128_digest

from core.errors import TraceError
from core.hash_chain import HashChain, token_array, token_bytes
from core.types import HashName, Request

ID_BYTES = 8
HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class BlockChain:
    """``full``: identities of the full blocks, ``width`` bytes each; ``tail``: that of the last block if it
    is not full and known, else empty. No cache stores a tail; some hit rates count it. Chains of different
    ``scope`` share nothing. ``arrival_s``: seconds since the log began, None where it has no times.
    """

    num_tokens: int
    full: bytes
    tail: bytes = b""
    width: int = ID_BYTES
    scope: str = ""
    arrival_s: float | None = None


class TracedPrompt(Protocol):
    """What a trace reader yields (``core.traces.model.TraceRequest``). ``block_ids``, if the log has them:
    one number per chain of blocks of ``block_size`` tokens; the last may stand for a block not full."""

    @property
    def num_tokens(self) -> int: ...
    @property
    def block_ids(self) -> array[int] | None: ...
    @property
    def block_size(self) -> int | None: ...
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
    return BlockChain(num_tokens, content[:cut], content[cut:], ID_BYTES, scope, arrival_s)


def chain_of_request(
    request: Request,
    block_size: int,
    *,
    version: str = "",
    hash_name: HashName = "xxh3_128",
    arrival_s: float | None = None,
) -> BlockChain:
    """A prompt given as tokens, hashed as the engine hashes it. O(tokens).

    Raises:
        RequestError: a token id out of range.
    """
    chain = HashChain(request, version, block_size, hash_name)
    tokens = token_array(request.token_ids, request.request_id)
    chain.extend(tokens)
    rest = tokens[len(chain.hashes) * block_size :]
    tail = xxh3_128_digest(token_bytes(rest)) if rest else b""
    return BlockChain(len(tokens), b"".join(chain.hashes), tail, HASH_BYTES, "", arrival_s)


def chain_of_prompt(prompt: TracedPrompt, block_size: int, *, version: str = "") -> BlockChain:
    """A log's prompt, in blocks of ``block_size``: by its numbers if those blocks can be put together from
    the log's, else by its tokens (or what stands in for them).

    Raises:
        TraceError: the ids do not cover the prompt.
        RequestError: a token id out of range.
    """
    own, ids = prompt.block_size, prompt.block_ids
    if ids is None or own is None or block_size % own:
        request = prompt.request()
        return chain_of_request(request, block_size, version=version, arrival_s=prompt.arrival_s)
    step, num_full = block_size // own, prompt.num_tokens // block_size
    # A number stands for everything up to its block's end, so the last of a larger block names all of it.
    coarse = ids[step - 1 :: step][:num_full]
    if prompt.num_tokens % block_size and len(ids) == -(-prompt.num_tokens // own):
        coarse.append(ids[-1])
    return chain_of_ids(coarse, prompt.num_tokens, block_size, scope=prompt.scope, arrival_s=prompt.arrival_s)


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
