"""The values everything else is made of: ids, the engine's settings, a request.

All of them are frozen: an engine owns its state, and what goes in or comes out never changes under
somebody's hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from core.errors import ConfigError, RequestError
from core.fields import is_whole

BlockId = int
"""Index of a physical block (a slot). 0 is the null block and belongs to nobody."""

BlockHash = bytes
"""16 bytes that stand for everything from the first token to the end of one full block."""

RequestId = str

MAX_TOKEN_ID = 2**32 - 1
"""Tokens are hashed as little-endian uint32, so this is the largest id that has its own hash."""

MAX_LESSON_SLOTS = 100_000
"""Slots a scenario or an event log may have: a bound for uploads, far above any lesson. Engines have none."""

MAX_SETTING = 2**31 - 1
"""The largest whole number a setting takes: far above any use, and safe wherever it is counted with."""

SchedulingPolicy = Literal["fcfs", "priority"]
QueueRule = Literal["vllm", "all_to_back"]
HashName = Literal["xxh3_128", "weak"]
TtlKind = Literal["idle", "absolute"]


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """All settings of one engine. The defaults behave as vLLM 0.33 does; every policy of ours is off.

    Sizes: ``block_size`` in tokens; ``num_blocks``, ``cache_cap`` in blocks (``num_blocks`` counts the
    null block, so ``num_blocks - 1`` are usable); ``max_num_batched_tokens`` and
    ``long_prefill_token_threshold`` in tokens a step; ``ttl`` and ``admit_window`` in ticks of the
    logical clock.

    Raises:
        ConfigError: a value outside its range; the message names field, value and range.
    """

    block_size: int = 16
    num_blocks: int = 64
    enable_caching: bool = True
    watermark: float = 0.0
    max_num_seqs: int = 128
    max_num_batched_tokens: int = 8192
    policy: SchedulingPolicy = "fcfs"
    reserve_full_prompt: bool = True
    long_prefill_token_threshold: int = 0
    queue_rule: QueueRule = "vllm"
    hash_name: HashName = "xxh3_128"
    verify_tokens: bool = False
    cache_cap: int | None = None
    admit_after: int = 1
    admit_window: int | None = None
    ttl: int | None = None
    ttl_kind: TtlKind = "idle"
    version: str = ""

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            _check_int(name, getattr(self, name), least, optional=name in _OPTIONAL)
        for name, allowed in _CHOICES.items():
            _check_choice(name, getattr(self, name), allowed)
        for name in ("enable_caching", "reserve_full_prompt", "verify_tokens"):
            _check_choice(name, getattr(self, name), (True, False))
        _check_watermark(self.watermark)
        if not isinstance(self.version, str):
            raise _bad("version", self.version, "a text")

    @property
    def num_usable(self) -> int:
        """Blocks that requests can hold: all but the null block."""
        return self.num_blocks - 1

    @property
    def uses_policies(self) -> bool:
        """Whether a policy of ours stands between the scheduler and the cache. (A version does not: it is
        part of what is hashed.)"""
        return self.cache_cap is not None or self.admit_after > 1 or self.ttl is not None


_LEAST = {
    "block_size": 1,
    "num_blocks": 1,
    "max_num_seqs": 1,
    "max_num_batched_tokens": 1,
    "long_prefill_token_threshold": 0,
    "cache_cap": 0,
    "admit_after": 1,
    "admit_window": 1,
    "ttl": 0,
}
_OPTIONAL = frozenset({"cache_cap", "admit_window", "ttl"})
_CHOICES: dict[str, tuple[object, ...]] = {
    "policy": ("fcfs", "priority"),
    "queue_rule": ("vllm", "all_to_back"),
    "hash_name": ("xxh3_128", "weak"),
    "ttl_kind": ("idle", "absolute"),
}

POLICY_FIELDS = ("cache_cap", "admit_after", "admit_window", "ttl", "ttl_kind")
"""The settings that may change while the engine runs (``Engine.set_policy``)."""


def config_field_names() -> tuple[str, ...]:
    """The names of all engine settings, in order of declaration."""
    return tuple(field.name for field in fields(EngineConfig))


def _bad(name: str, value: object, expected: str) -> ConfigError:
    message = f"Setting {name} is {value!r}; expected {expected}. Change {name} and try again."
    return ConfigError(f"config.{name}", message, field=name, value=value, expected=expected)


def _check_int(name: str, value: object, least: int, *, optional: bool) -> None:
    if value is None and optional:
        return
    if not is_whole(value) or not least <= value <= MAX_SETTING:
        none = "nothing (off) or " if optional else ""
        raise _bad(name, value, f"{none}a whole number from {least} to {MAX_SETTING}")


def _check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if not any(value is option or (isinstance(value, str) and value == option) for option in allowed):
        raise _bad(name, value, "one of " + ", ".join(str(option) for option in allowed))


def _check_watermark(value: object) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value < 1:  # type: ignore[operator]
        raise _bad("watermark", value, "a fraction from 0 up to, not including, 1")


@dataclass(frozen=True, slots=True)
class MultiModalItem:
    """An image or audio item inside a prompt: its content's id and the token positions it covers."""

    item_id: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Request:
    """One request as a client sends it.

    ``token_ids`` may be a tuple, a list or a one-dimensional numpy array of unsigned integers: it is read,
    never changed. ``outputs`` are the tokens that the stand-in model will sample; the request finishes
    when they run out (without any, it finishes once its prompt is computed). ``lora`` is (name, path).

    Raises:
        RequestError: an empty id, an empty prompt, or a field of the wrong type.
    """

    request_id: RequestId
    token_ids: Sequence[int]
    outputs: Sequence[int] = ()
    salt: str | None = None
    lora: tuple[str, str] | None = None
    mm: tuple[MultiModalItem, ...] = ()
    priority: int = 0
    skip_read: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.request_id, str) or not self.request_id:
            raise RequestError(
                "request.id",
                f"A request's id is {self.request_id!r}; expected a text that is not empty.",
                request_id=str(self.request_id),
            )
        for name, right, expected in (
            ("token_ids", hasattr(self.token_ids, "__len__"), "a sequence of token ids"),
            ("outputs", hasattr(self.outputs, "__len__"), "a sequence of token ids"),
            ("salt", self.salt is None or isinstance(self.salt, str), "a text or nothing"),
            ("lora", self.lora is None or _is_pair_of_texts(self.lora), "(name, path) or nothing"),
            ("mm", all(map(_is_item, self.mm)), "items with an id, an offset from 0 and a length from 1"),
            ("priority", is_whole(self.priority), "a whole number"),
            ("skip_read", isinstance(self.skip_read, bool), "true or false"),
        ):
            if not right:
                raise _bad_field(self.request_id, name, getattr(self, name), expected)
        if len(self.token_ids) == 0:
            raise RequestError(
                "request.empty",
                f"Request {self.request_id} has an empty prompt; a prompt needs at least one token.",
                request_id=self.request_id,
            )


def _is_pair_of_texts(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, str) for part in value)


def _is_item(item: object) -> bool:
    if not isinstance(item, MultiModalItem) or not isinstance(item.item_id, str):
        return False
    return is_whole(item.offset) and is_whole(item.length) and item.offset >= 0 and item.length >= 1


def _bad_field(request_id: RequestId, name: str, value: object, expected: str) -> RequestError:
    return RequestError(
        "request.field",
        f"Request {request_id}: {name} is {value!r}; expected {expected}.",
        request_id=request_id,
        field=name,
        value=str(value),
        expected=expected,
    )
