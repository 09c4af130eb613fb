"""Hash chain: cut tokens into full blocks and give each block an identity that includes all before it.

A block's hash is ``xxh3_128(parent digest ‖ tokens as little-endian uint32 ‖ extras)``. The first block's
parent is a root digest that names the block size, so the tokens' length is fixed within a chain and the
three parts cannot run into each other; extras are domain-tagged and length-framed, so a salt "x" never
equals an adapter "x", and take any text (``core/texts.py``). vLLM hashes the same triple with sha256 over a
pickle (rules 2-5 of ``docs/fidelity.md``); only equality of hashes matters to a cache, so outcomes are the
same.

Tokens are compared nowhere here: like vLLM, the cache trusts the hash.
"""

from __future__ import annotations

import operator
import sys
from array import array
from collections.abc import Sequence
from struct import Struct, iter_unpack, pack
from typing import SupportsIndex

import numpy as np
from xxhash import xxh3_128_digest

from core.errors import RequestError
from core.texts import text_bytes
from core.types import MAX_TOKEN_ID, BlockHash, HashName, Request, RequestId

TOKEN_BYTES = 4
_LENGTH = Struct("<I")


def token_array(token_ids: Sequence[int], request_id: RequestId = "") -> array[int]:
    """The tokens as a new ``array('I')`` (uint32). O(n); a numpy array is copied without a Python loop.

    Raises:
        RequestError: an id that is not a whole number from 0 to 2**32 - 1; names its position.
    """
    if isinstance(token_ids, np.ndarray):
        if token_ids.ndim == 1 and token_ids.dtype.kind in "ui" and _in_range(token_ids):
            tokens = array("I")
            tokens.frombytes(np.ascontiguousarray(token_ids, np.uint32).view(np.uint8))
            return tokens
        token_ids = token_ids.tolist()  # something in it is wrong: find out what
    try:
        # Whole lists go in twice as fast as an iterator's items. (bytes must not: array reads words there.)
        whole = isinstance(token_ids, (list, tuple, array))
        tokens = array("I", token_ids if whole else iter(token_ids))
    except (TypeError, OverflowError, ValueError):
        raise _bad_token(token_ids, request_id) from None
    if tokens and any(isinstance(token_ids[place], bool) for place in _zeros_and_ones(tokens)):
        raise _bad_token(token_ids, request_id)  # array takes True for 1
    return tokens


def _zeros_and_ones(tokens: array[int]) -> list[int]:
    return np.flatnonzero(np.frombuffer(tokens, dtype=np.uint32) < 2).tolist()


def _in_range(token_ids: np.ndarray) -> bool:
    if token_ids.dtype == np.uint32 or token_ids.size == 0:
        return True
    return bool(token_ids.min() >= 0 and token_ids.max() <= MAX_TOKEN_ID)


def _bad_token(token_ids: Sequence[int], request_id: RequestId) -> RequestError:
    index = next((place for place, token in enumerate(token_ids) if not _is_token(token)), 0)
    token, where = token_ids[index], index + 1  # people count tokens from 1
    message = (
        f"Token {where} of request {request_id or '(look-up)'} is {token!r}; "
        f"expected a whole number from 0 to {MAX_TOKEN_ID}."
    )
    return RequestError("request.token", message, request_id=request_id, place=where, token=str(token))


def _is_token(token: object) -> bool:
    if isinstance(token, (bool, np.bool_)) or not isinstance(token, SupportsIndex):
        return False
    return 0 <= operator.index(token) <= MAX_TOKEN_ID


def token_bytes(tokens: array[int]) -> bytes:
    """The tokens as little-endian uint32, whatever the machine's own byte order is."""
    if sys.byteorder == "big":
        tokens = array("I", tokens)
        tokens.byteswap()
    return tokens.tobytes()


def _words(tokens: array[int]) -> memoryview | bytes:
    """As ``token_bytes``, without copying where the machine's order is the right one."""
    return memoryview(tokens).cast("B") if sys.byteorder == "little" else token_bytes(tokens)


def root_hash(block_size: int) -> BlockHash:
    """The parent of every first block."""
    return xxh3_128_digest(b"broth/root/" + pack("<I", block_size))


def frame_extra(domain: str, *values: str | int) -> bytes:
    """One extra as bytes: its domain and each value, every part preceded by its length."""
    return _LENGTH.pack(1 + len(values)) + b"".join(map(_framed, (domain, *values)))


def _framed(value: str | int) -> bytes:
    part = text_bytes(str(value))
    return _LENGTH.pack(len(part)) + part


def block_extras(request: Request, version: str, index: int, block_size: int) -> bytes:
    """All extras of block ``index``: adapter, overlapping images, and in block 0 salt and version.

    An empty salt or version counts as none (vLLM rule 4; the version is ours).
    """
    extras = _adapter_extra(request) + image_extras(request, index, index + 1, block_size).get(index, b"")
    if index == 0 and request.salt:
        extras += frame_extra("cache_salt", request.salt)
    if index == 0 and version:
        extras += frame_extra("version", version)
    return extras


def _adapter_extra(request: Request) -> bytes:
    return b"" if request.lora is None else frame_extra("lora", *request.lora)


def image_extras(request: Request, start: int, stop: int, block_size: int) -> dict[int, bytes]:
    """What images add to blocks ``start`` … ``stop``-1, those they reach into. O(images + such blocks)."""
    extras: dict[int, bytes] = {}
    for item in request.mm:
        beginning = _LENGTH.pack(3) + _framed("mm") + _framed(item.item_id)  # a frame_extra but for its end
        first, end = item.offset // block_size, -(-(item.offset + item.length) // block_size)
        for index in range(max(first, start), min(end, stop)):
            extra = beginning + _framed(item.offset - index * block_size)
            extras[index] = extras.get(index, b"") + extra
    return extras


class HashChain:
    """The chain of one request: its block hashes, extended as its tokens grow.

    ``hashes[i]`` is the identity of full block i. Each block is hashed once (vLLM rule 8).
    """

    __slots__ = ("_adapter", "_block_size", "_images_end", "_request", "_version", "_weak", "hashes")

    def __init__(self, request: Request, version: str, block_size: int, hash_name: HashName) -> None:
        self._block_size = block_size
        self._weak = hash_name == "weak"
        self._request = request
        self._version = version
        self._adapter = _adapter_extra(request)
        self._images_end = max((item.offset + item.length for item in request.mm), default=0)
        self.hashes: list[BlockHash] = []

    def extend(self, tokens: array[int]) -> int:
        """Hash the full blocks of ``tokens`` not hashed yet. Returns how many were new. O(new tokens)."""
        size, done = self._block_size, len(self.hashes)
        full = len(tokens) // size
        if full == done:
            return 0
        if self._weak:
            self._extend_weakly(tokens, full)
        else:
            self._extend(_words(tokens)[done * size * TOKEN_BYTES : full * size * TOKEN_BYTES], full)
        return full - done

    def _extend(self, data: memoryview | bytes, full: int) -> None:
        hashes, size, digest, adapter = self.hashes, self._block_size, xxh3_128_digest, self._adapter
        blocks = iter_unpack(f"{size * TOKEN_BYTES}s", data)
        if not hashes:  # salt and version stand in block 0 only
            extras = block_extras(self._request, self._version, 0, size)
            hashes.append(digest(root_hash(size) + next(blocks)[0] + extras))
        parent, done = hashes[-1], len(hashes)
        if done * size >= self._images_end:
            hashes += [parent := digest(parent + block + adapter) for (block,) in blocks]
            return
        images = image_extras(self._request, done, full, size)
        for index, (block,) in enumerate(blocks, done):
            parent = digest(parent + block + adapter + images.get(index, b""))
            hashes.append(parent)

    def _extend_weakly(self, tokens: array[int], full: int) -> None:
        for index in range(len(self.hashes), full):
            parent = weak_value(self.hashes[-1]) if self.hashes else 0
            block = tokens[index * self._block_size : (index + 1) * self._block_size]
            self.hashes.append(((parent * 31 + sum(block)) % 8).to_bytes(16, "little"))


def weak_value(digest: BlockHash) -> int:
    """The number inside a weak hash: (parent x 31 + sum of tokens) mod 8.

    Made to collide, for the lesson that shows what a collision does. Never used unless a scenario asks.
    """
    return int.from_bytes(digest, "little")


def hash_chain(
    token_ids: Sequence[int],
    block_size: int,
    *,
    request: Request | None = None,
    version: str = "",
    hash_name: HashName = "xxh3_128",
) -> list[BlockHash]:
    """The hashes of all full blocks of ``token_ids``.

    >>> one, two = hash_chain([1, 2, 3, 4, 5], 2)
    >>> one == hash_chain([1, 2, 9], 2)[0]
    True
    """
    tokens = token_array(token_ids)
    no_extras = Request("chain", (0,))
    chain = HashChain(request or no_extras, version, block_size, hash_name)
    chain.extend(tokens)
    return chain.hashes


def split(token_ids: Sequence[int], block_size: int) -> list[tuple[int, ...]]:
    """Cut tokens into blocks of ``block_size``; the last one may be shorter (it has no identity).

    >>> split([1, 2, 3, 4, 5], 2)
    [(1, 2), (3, 4), (5,)]
    """
    return [tuple(token_ids[i : i + block_size]) for i in range(0, len(token_ids), block_size)]
