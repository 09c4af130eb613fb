"""Settings and requests: what is refused, and how the refusal reads."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest

from core.errors import ConfigError, RequestError
from core.types import POLICY_FIELDS, EngineConfig, MultiModalItem, Request, config_field_names

WRONG_SETTINGS: list[tuple[str, Any]] = [
    ("block_size", 0),
    ("block_size", -4),
    ("block_size", 4.0),
    ("block_size", True),
    ("block_size", None),
    ("block_size", "4"),
    ("num_blocks", 0),
    ("num_blocks", np.int64(8)),
    ("enable_caching", 1),
    ("enable_caching", "yes"),
    ("watermark", -0.1),
    ("watermark", 1.0),
    ("watermark", float("nan")),
    ("watermark", True),
    ("watermark", "0.1"),
    ("max_num_seqs", 0),
    ("max_num_batched_tokens", 0),
    ("policy", "lifo"),
    ("policy", None),
    ("reserve_full_prompt", None),
    ("long_prefill_token_threshold", -1),
    ("queue_rule", "front"),
    ("hash_name", "sha256"),
    ("verify_tokens", 0),
    ("cache_cap", -1),
    ("cache_cap", 1.5),
    ("admit_after", 0),
    ("admit_after", None),
    ("admit_window", 0),
    ("ttl", -1),
    ("ttl", False),
    ("ttl_kind", "sliding"),
    ("version", None),
    ("version", 3),
]


@pytest.mark.parametrize(("name", "value"), WRONG_SETTINGS)
def test_a_wrong_setting_is_named_with_its_value_and_its_range(name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        EngineConfig(**{name: value})
    error = caught.value
    assert error.code == f"config.{name}"
    assert error.values["field"] == name
    assert error.values["value"] is value
    assert str(error) == error.message
    for part in (f"Setting {name} is {value!r}", "expected", f"Change {name}"):
        assert part in error.message


def test_every_setting_has_a_wrong_value_above() -> None:
    assert {name for name, _ in WRONG_SETTINGS} == set(config_field_names())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("block_size", 1),
        ("num_blocks", 1),  # only the null block: nothing is usable, and that is no error
        ("watermark", 0.999),
        ("watermark", 0),
        ("cache_cap", 0),
        ("cache_cap", None),
        ("ttl", 0),
        ("admit_window", None),
        ("long_prefill_token_threshold", 0),
    ],
)
def test_the_edges_of_the_ranges_are_allowed(name: str, value: Any) -> None:
    assert getattr(EngineConfig(**{name: value}), name) == value


def test_the_defaults_are_those_of_vllm_with_every_policy_off() -> None:
    config = EngineConfig()
    assert (config.block_size, config.enable_caching, config.watermark, config.policy) == (
        16,
        True,
        0.0,
        "fcfs",
    )
    assert (config.reserve_full_prompt, config.long_prefill_token_threshold) == (True, 0)
    assert (config.queue_rule, config.hash_name, config.verify_tokens) == ("vllm", "xxh3_128", False)
    assert (config.cache_cap, config.admit_after, config.admit_window, config.ttl) == (None, 1, None, None)
    assert config.version == ""


def test_the_null_block_is_not_usable() -> None:
    assert EngineConfig(num_blocks=1).num_usable == 0
    assert EngineConfig(num_blocks=11).num_usable == 10


def test_settings_and_requests_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        EngineConfig().block_size = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Request("a", (1,)).salt = "x"  # type: ignore[misc]
    assert replace(EngineConfig(), block_size=2).block_size == 2


def test_replacing_a_setting_checks_it_again() -> None:
    with pytest.raises(ConfigError):
        replace(EngineConfig(), block_size=0)


def test_policy_fields_are_settings() -> None:
    assert set(POLICY_FIELDS) <= set(config_field_names())
    assert config_field_names() == tuple(field.name for field in fields(EngineConfig))


@pytest.mark.parametrize(
    ("changes", "code", "part"),
    [
        ({"request_id": ""}, "request.id", "not empty"),
        ({"request_id": 7}, "request.id", "7"),
        ({"token_ids": ()}, "request.empty", "at least one token"),
        ({"token_ids": np.array([], dtype=np.uint32)}, "request.empty", "at least one token"),
        ({"token_ids": 5}, "request.field", "token_ids"),
        ({"token_ids": None}, "request.field", "token_ids"),
        ({"outputs": 5}, "request.field", "outputs"),
        ({"salt": 5}, "request.field", "salt"),
        ({"lora": "ab"}, "request.field", "lora"),
        ({"lora": ("a",)}, "request.field", "lora"),
        ({"lora": ("a", 1)}, "request.field", "lora"),
        ({"mm": (("i", 0, 4),)}, "request.field", "mm"),
        ({"mm": (MultiModalItem("i", -1, 4),)}, "request.field", "mm"),
        ({"mm": (MultiModalItem("i", 0, 0),)}, "request.field", "mm"),
        ({"mm": (MultiModalItem("i", 0.5, 4),)}, "request.field", "mm"),  # type: ignore[arg-type]
        ({"priority": "high"}, "request.field", "priority"),
        ({"priority": True}, "request.field", "priority"),
        ({"skip_read": 1}, "request.field", "skip_read"),
    ],
)
def test_a_wrong_request_is_refused(changes: dict[str, Any], code: str, part: str) -> None:
    with pytest.raises(RequestError) as caught:
        Request(**{"request_id": "R0", "token_ids": (1, 2), **changes})
    assert caught.value.code == code
    assert part in caught.value.message
    assert caught.value.values["request_id"] == str(changes.get("request_id", "R0"))


def test_a_request_may_bring_lists_and_arrays() -> None:
    assert list(Request("a", [1, 2]).token_ids) == [1, 2]
    assert list(Request("a", np.array([1, 2], dtype=np.uint32)).token_ids) == [1, 2]
