"""Which field of a log nobody knows may be what: proposals, and whether they can be taken without asking.

A proposal is *sure* only where another choice is not thinkable: one list of messages that ends with a
question, no other long text beside it that could belong to the prompt, times that agree on the order. A
wrong map gives a wrong hit rate that looks like any other; asking costs one click.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from types import MappingProxyType
from typing import Any

from core.traces.field_map import ROLES, FieldMap, Role, entered, value_at
from core.traces.mapping import shapes
from core.traces.mapping.tree import tree_of
from core.traces.names import TIMES, is_late, plain_name
from core.traces.rows import Row

_WAYS: tuple[Role, ...] = ("prompt", "tokens", "blocks")
_LABELS: tuple[Role, ...] = ("id", "session", "tenant", "tag", "template", "model")
_COUNTS: tuple[Role, ...] = ("length", "cached", "output")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s\-@]+")
NAMES: Mapping[Role, tuple[str, ...]] = MappingProxyType(
    {
        "prompt": (
            "messages",
            "prompt",
            "contents",
            "input",
            "inputs",
            "text_input",
            "input_text",
            "prompt_text",
        ),
        "tokens": (
            "token_ids",
            "prompt_token_ids",
            "input_ids",
            "input_token_ids",
            "prompt_ids",
            "prompt_tokens",
        ),
        "blocks": ("hash_ids", "block_hashes", "block_ids", "prefix_hashes"),
        "length": ("input_length", "prompt_tokens", "input_tokens", "num_prompt_tokens", "prompt_length"),
        "time": TIMES,
        "id": ("request_id", "req_id", "id", "custom_id", "call_id", "uuid", "event_id", "span_id"),
        "session": ("session_id", "session", "conversation_id", "thread_id", "chat_id", "trace_id"),
        "tenant": (
            "tenant",
            "tenant_id",
            "customer",
            "customer_id",
            "org_id",
            "team",
            "end_user",
            "user_id",
            "user",
        ),
        "tag": ("tag", "route", "endpoint", "operation"),
        "template": ("template", "template_id", "prompt_name", "prompt_template"),
        "model": ("model", "model_name", "model_id", "deployment"),
        "cached": ("cached_tokens", "num_cached_tokens", "cache_read_input_tokens", "cached_input_tokens"),
        "output": ("output_length", "completion_tokens", "output_tokens", "num_output_tokens"),
    }
)
_ANSWER = re.compile(
    r"(?:^|[._])(?:response|output|completion|answer|reply|result|generat|choice|candidates|error|reason)"
)
_READ_BESIDE = re.compile(
    r"(?:^|\.)(?:tools|functions|system|instructions|system_?instruction|tool_?config|cached_?content)(?:$|[.\[])",
    re.IGNORECASE,
)
"""What a prompt's own object may hold beside the messages, and what is read with them."""
BIG = 200
"""Characters from which on a text that no role takes may be a part of the prompt."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """`field_map` holds the first candidate of each role; `sure`: it may be taken without asking;
    `candidates`: per role the paths that fit, best first."""

    field_map: FieldMap
    sure: bool
    candidates: dict[Role, tuple[str, ...]] = field(default_factory=dict)


def propose(rows: Sequence[Row]) -> Proposal:
    """What the fields of these records may be. O(fields x records) of a log's head."""
    fields = _Fields(rows)
    found: dict[Role, tuple[str, ...]] = {
        "prompt": fields.prompts(),
        "tokens": fields.of_kind("tokens", shapes.is_ids),
        "blocks": fields.of_kind("blocks", shapes.is_ids),
        "usage": fields.usages(),
        "time": fields.times(),
    }
    found |= {role: fields.named(role, str | int) for role in _LABELS}
    found |= {role: fields.named(role, int) for role in _COUNTS}
    candidates = {role: found[role] for role in ROLES if found.get(role)}
    chosen = _chosen(candidates)
    field_map = FieldMap(**{role: paths[:1] for role, paths in chosen.items()})
    return Proposal(field_map, fields.are_sure(field_map), candidates)


def _chosen(candidates: Mapping[Role, tuple[str, ...]]) -> dict[Role, tuple[str, ...]]:
    """One way to know a prompt is enough: the others would contradict it, or only repeat it."""
    chosen = dict(candidates)
    there = [role for role in _WAYS if role in chosen]
    named = [role for role in there if _is_named(chosen[role][0], role)]
    for role in there:
        if role != (*named, *there)[0]:
            del chosen[role]
    if "usage" in chosen:
        for count in _COUNTS:
            chosen.pop(count, None)
    elif not any(role in chosen for role in _WAYS) and "cached" in chosen and "length" in chosen:
        chosen["usage"] = chosen.pop("length")
    elif "blocks" not in chosen and ("prompt" in chosen or "tokens" in chosen):
        if "cached" in chosen and "length" in chosen:
            chosen["usage"] = chosen["length"]
        else:
            chosen.pop("cached", None)
        chosen.pop("length", None)
    return chosen


def _is_named(path: str, role: Role) -> bool:
    return plain_name(path) in NAMES[role]


class _Fields:
    """The fields of a log's head with all their values."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._num_rows = len(rows)
        leaves = tree_of(rows) if rows else []
        self._leaves = {leaf.path: leaf for leaf in leaves if _is_whole(leaf.path, rows)}
        self._values = {path: [value_at(row.value, path) for row in rows] for path in self._leaves}

    def prompts(self) -> tuple[str, ...]:
        """Lists of messages, then texts: those with a name that says so first."""
        lists = self._where(
            shapes.is_messages, lambda path: not shapes.share(self._values[path], shapes.only_answers)
        )
        texts = [
            path
            for path, values in self._values.items()
            if shapes.is_long_text(values)
            and not self._is_inside(path, lists)
            and not _ANSWER.search(_plain_path(path))
        ]
        return (*self._best_first(lists, "prompt"), *self._best_first(texts, "prompt"))

    def of_kind(self, role: Role, holds: Any) -> tuple[str, ...]:
        """Fields of which nearly all values are so, known names first."""
        return self._best_first(self._where(holds), role)

    def usages(self) -> tuple[str, ...]:
        """Objects that say what a provider counted; one inside another only repeats it."""
        found = self._where(shapes.usage_of, outside_answers=False)
        outer = [path for path in found if not any(path.startswith(f"{other}.") for other in found)]
        return tuple(sorted(outer, key=lambda path: not plain_name(path).startswith("usage")))

    def times(self) -> tuple[str, ...]:
        """Moments, those of the beginning first."""
        found = []
        for path, values in self._values.items():
            named = plain_name(path) in NAMES["time"]
            if not named and not shapes.share(values, shapes.looks_like_a_moment):
                continue
            if self._leaves[path].kind in ("text", "number") and shapes.moments(values) is not None:
                found.append(path)
        return tuple(sorted(found, key=lambda path: (is_late(path), _rank(path, "time"))))

    def named(self, role: Role, kind: Any) -> tuple[str, ...]:
        """Plain values under a name that this role usually has."""
        found = [
            path
            for path, values in self._values.items()
            if plain_name(path) in NAMES[role]
            and "[" not in path
            and shapes.share(values, lambda value: isinstance(value, kind) and not isinstance(value, bool))
        ]
        return tuple(sorted(found, key=lambda path: (path.count("."), _rank(path, role))))

    def _where(self, holds: Any, also: Any = lambda _path: True, outside_answers: bool = True) -> list[str]:
        return [
            path
            for path, values in self._values.items()
            if shapes.share(values, holds)
            and also(path)
            and not (outside_answers and _ANSWER.search(_plain_path(path)))
        ]

    def _best_first(self, paths: Sequence[str], role: Role) -> tuple[str, ...]:
        return tuple(sorted(paths, key=lambda path: (-self._leaves[path].present_in, _rank(path, role))))

    def _is_inside(self, path: str, holders: Sequence[str]) -> bool:
        return any(path.startswith((f"{holder}.", f"{holder}[")) for holder in holders)

    # -- whether to ask --------------------------------------------------------------------------------

    def are_sure(self, chosen: FieldMap) -> bool:
        """Whether nothing else is thinkable."""
        taken = chosen.prompt or chosen.tokens
        if not self._agree_on_order() or not self._agree_on_usage():
            return False
        if not taken:
            return bool(chosen.usage) and not chosen.blocks and not self._big_rest(())
        (path,) = taken
        return (
            self._leaves[path].present_in >= shapes.ENOUGH
            and (self._is_one_chat(path) if chosen.prompt else self._are_named_ids(path))
            and not self._big_rest(taken)
        )

    def _is_one_chat(self, path: str) -> bool:
        """Messages that ask, the only ones; or the only text with a prompt's name or a template's markers."""
        values = self._values[path]
        lists = [other for other in self.prompts() if shapes.share(self._values[other], shapes.is_messages)]
        if path in lists:
            return len(lists) == 1 and shapes.share(values, shapes.asks)
        texts = [other for other in self.prompts() if other not in lists]
        framed = [other for other in texts if shapes.share(self._values[other], shapes.is_framed)]
        return framed == [path] or (len(texts) == 1 and plain_name(path) in NAMES["prompt"])

    def _are_named_ids(self, path: str) -> bool:
        return _is_named(path, "tokens") and len(self.of_kind("tokens", shapes.is_ids)) == 1

    def _big_rest(self, taken: tuple[str, ...]) -> bool:
        """Whether a long text is left that may belong to the prompt: a system text under another name."""
        outer = {path.rpartition(".")[0] for path in taken}
        for path, values in self._values.items():
            texts = [value for value in values if isinstance(value, str) and entered(value) is value]
            if not texts or median(map(len, texts)) < BIG or _ANSWER.search(_plain_path(path)):
                continue
            beside = any(
                path.startswith(f"{holder}." if holder else "") and _READ_BESIDE.search(path)
                for holder in outer
            )
            if not beside and path not in taken and not self._is_inside(path, taken):
                return True
        return False

    def _agree_on_order(self) -> bool:
        """Whether all that may be the time order the records alike: any of them will do then."""
        orders = set()
        for path in self.times():
            values = shapes.moments(self._values[path]) or []
            orders.add(tuple(sorted(range(len(values)), key=values.__getitem__)))
        return len(orders) <= 1

    def _agree_on_usage(self) -> bool:
        """Whether all that may be the usage count alike."""
        return len({tuple(map(shapes.usage_of, self._values[path])) for path in self.usages()}) <= 1


def _is_whole(path: str, rows: Sequence[Row]) -> bool:
    """Whether the lists that a path leads through hold one thing each: the others would be lost."""
    for cut in re.finditer(r"\[", path):
        holders = (entered(value_at(row.value, path[: cut.start()])) for row in rows)
        if any(isinstance(holder, list) and len(holder) > 1 for holder in holders):
            return False
    return True


def _rank(path: str, role: Role) -> int:
    names = NAMES[role]
    name = plain_name(path)
    return names.index(name) if name in names else len(names)


def _plain_path(path: str) -> str:
    return _CAMEL.sub("_", path).lower()
