"""Records read by a field map: what every format does that is one request a record.

A format of this kind is a `FieldMap` and a few rules: which records are no requests (`left_out`), which name
is said twice for one call. Whatever a record has no field for stays unknown.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, Packing, each_row
from core.traces.field_map import FieldMap, Role, entered, row_at, value_at
from core.traces.mapping.shapes import plain_messages
from core.traces.mapping.times import time_of
from core.traces.model import Fact, Segment, TraceRequest
from core.traces.numbers import whole_of
from core.traces.packing.json_rows import parse_object
from core.traces.prompts.bodies import Segments, body_prompts, prompts_in, token_segment
from core.traces.prompts.chat import output_text
from core.traces.reported.reading import read_usage
from core.traces.rows import Row
from core.traces.usage import Usage

COMMON = FieldMap(
    id=("request_id", "id", "custom_id"),
    time=("timestamp", "ts", "created_at", "request_time", "time"),
    session=("session_id", "session", "conversation_id", "thread_id", "prompt_cache_key"),
    tenant=("tenant", "tenant_id", "user", "end_user"),
    tag=("tag", "route"),
    template=("template", "template_id", "prompt_name"),
    model=("model",),
    usage=("usage", "response.usage", "response.body.usage", "timings", "response.timings"),
)
"""Names that many formats share."""
MOST_SHAPES = 256
"""Sets of names that are remembered during one reading."""
_LABELS: tuple[Role, ...] = ("session", "tenant", "tag", "template", "model")
_ADAPTERS = ("lora_name", "lora_path", "adapter")
_SALTS = ("cache_salt", "extra_key")
ReadUsage = Callable[[Row], Usage | None]


def common(*prompt: str, body: str = "", **roles: tuple[str, ...]) -> FieldMap:
    """The shared names in the record, its `tags` and the call's body; `roles` overrule them."""
    within = ("", "tags.", f"{body}." if body else "")
    found: dict[str, Any] = {
        role: tuple(f"{start}{name}" for start in dict.fromkeys(within) for name in COMMON.paths(role))
        for role in _LABELS
    }
    return replace(COMMON, prompt=prompt, **(found | roles))


@dataclass(frozen=True, slots=True)
class Rules:
    """What a format says beside its map. `left_out`: the code of the note that says why a record is no
    request; `prepare`: the record as the map expects it; `also`: where the answer's own id stands, by which
    a record that was delivered twice is known; `usage`: how this format's counts are to be understood;
    `remark`: the code of a note about a record that is kept; `is_answer`: whether a record is the answer to
    a request with a record of its own, of the same name."""

    left_out: Callable[[Row], str | None] = lambda _row: None
    prepare: Callable[[Row], Row] = lambda row: row
    also: tuple[str, ...] = ()
    usage: ReadUsage = read_usage
    is_answer: Callable[[Row], bool] = lambda _row: False
    remark: Callable[[Row], str | None] = lambda _row: None


USUAL = Rules()


def json_texts(*names: str) -> Callable[[Row], Row]:
    """A `prepare` for fields that hold the JSON text of an object; an empty one holds nothing.

    Raises (when it is used):
        TraceError: something else stands there.
    """

    def prepare(row: Row) -> Row:
        there = [name for name in names if row.get(name) not in (None, "")]
        read = {
            name: parse_object(row.text(name), row.place, row.name(name)).value
            for name in there
            if not isinstance(row.get(name), dict)
        }
        return Row(row.value | read, row.place, row.path)

    return prepare


def mapped(
    name: str,
    title: str,
    packing: Packing,
    gives: Sequence[Fact],
    claims: Callable[[Mapping[str, Any]], bool],
    fields: FieldMap,
    rules: Rules = USUAL,
) -> Format:
    """A format whose records are read by a map."""

    def each(builder: Builder, row: Row) -> None:
        row = rules.prepare(row)
        code = rules.left_out(row)
        if code is not None:
            builder.note(code)
        elif builder.wants(row, lambda: usage_at(row, fields, rules.usage) is not None):
            read_mapped(builder, row, fields, rules)
            remark = rules.remark(row)
            if remark is not None:
                builder.note(remark)

    return Format(name, title, packing, frozenset(gives), claims, each_row(each))


def read_mapped(builder: Builder, row: Row, fields: FieldMap, rules: Rules = USUAL) -> None:
    """One record as a request, or as many as it holds prompts.

    Raises:
        TraceError: no prompt, no length and no usage in it, or a field of another kind than its role.
    """
    row = unfolded(row, fields)
    there = _there(builder, row, fields)
    builder.wants_times = builder.wants_times or bool(fields.time)
    prompts = _prompts(builder, row, there)
    facts = facts_of(builder, row, there, rules.usage)
    also = label_at(row, rules.also)
    for number, segments in enumerate(prompts):
        named: dict[str, Any] = {"request_id": label_at(row, fields.id) or also or builder.next_id(row)}
        if number:  # a call's usage is counted once, whatever the number of its prompts
            named |= {"usage": None, "num_output": None}
        tokens = num_tokens(segments)
        request = TraceRequest(num_tokens=tokens, segments=segments, **facts | named)
        builder.add(request, also=also)
    if not prompts:
        _add_without_prompt(builder, row, fields, rules, facts)


def _add_without_prompt(
    builder: Builder, row: Row, fields: FieldMap, rules: Rules, facts: dict[str, Any]
) -> None:
    """A record that only counts: its length, or its usage."""
    length, usage = _number(row, fields.length), facts["usage"]
    if length is None and usage is None:
        wanted = (*fields.prompt, *fields.tokens, *fields.length, *fields.usage, "prompt")[0]
        raise row.wrong(wanted, "a prompt, token ids, a length or usage")
    if length is None:
        length = usage.prompt_tokens or 0
    also = label_at(row, rules.also)
    name = label_at(row, fields.id) or also
    request = TraceRequest(name or builder.next_id(row), num_tokens=length, **facts)
    if name is not None and rules.is_answer(row):
        builder.answers[name] = request
        return
    if (fields.prompt or fields.tokens) and not builder.is_part:
        builder.note("redacted")
    builder.add(request, also=also)


def _there(builder: Builder, row: Row, fields: FieldMap) -> FieldMap:
    """The map without what this record cannot have; most records of a log have the same names."""
    key = (id(fields), tuple(row.value))
    if key not in builder.maps:
        if len(builder.maps) >= MOST_SHAPES:
            return fields
        builder.maps[key] = fields.within(row.value)
    return builder.maps[key]


def unfolded(row: Row, fields: FieldMap) -> Row:
    """The record with the JSON texts read that its map enters, each once."""
    found: dict[str, Any] = {}
    for name, value in row.value.items():
        if name in fields.heads and isinstance(value, str | list):
            inner = entered(value)
            if inner is not value:
                found[name] = inner
    return Row(row.value | found, row.place, row.path) if found else row


def num_tokens(segments: tuple[Segment, ...]) -> int:
    """Tokens of a prompt."""
    return sum(len(segment.token_ids) for segment in segments)


def object_or_none(row: Row, field: str) -> Row | None:
    """An object that nothing depends on; anything else in its place is passed over."""
    value = row.get(field)
    return Row(value, row.place, row.name(field)) if isinstance(value, dict) else None


# -- one role -------------------------------------------------------------------------------------------


def _prompts(builder: Builder, row: Row, fields: FieldMap) -> list[Segments]:
    for path in fields.tokens:
        found = row_at(row, path)
        if found is not None:
            holder, name = found
            ids = entered(holder.get(name))
            return [token_segment(Row(holder.value | {name: ids}, holder.place, holder.path), name)]
    for path in fields.prompt:
        if path == ".":
            return body_prompts(builder.chat, row)
        found = row_at(row, path)
        if found is not None and found[0].get(found[1]) != "":
            holder, name = found
            value = holder.get(name)
            plain = plain_messages(value) if type(value) is list else value
            if plain is not value:
                holder = Row(holder.value | {name: plain}, holder.place, holder.path)
            return prompts_in(builder.chat, holder, name)
    return []


def facts_of(builder: Builder, row: Row, fields: FieldMap, read: ReadUsage = read_usage) -> dict[str, Any]:
    """Everything about a request but its name and its prompt."""
    builder.wants_times = builder.wants_times or bool(fields.time)
    usage = usage_at(row, fields, read)
    output = None if usage is None else usage.output_tokens
    labels: dict[str, Any] = {role: label_at(row, fields.paths(role)) for role in _LABELS}
    ids = _output_ids(row, fields.output)
    if ids is not None:
        labels["output_ids"] = ids
        output = len(ids)
    return labels | {
        "arrival_s": time_of(builder, row, fields),
        "adapter": label_at(row, _beside(fields.prompt, _ADAPTERS)),
        "salt": label_at(row, _beside(fields.prompt, _SALTS)),
        "usage": usage,
        "num_output": _output(builder, row, fields.output) if output is None else output,
        "line": row.place.line,
    }


@lru_cache(maxsize=256)
def _beside(prompt: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """These names in the record and in the prompt's own object."""
    holders = dict.fromkeys(path.rpartition(".")[0] for path in prompt)
    inner = (f"{path}.{name}" for path in (*holders, *prompt) if path not in ("", ".") for name in names)
    return (*names, *dict.fromkeys(inner))


def label_at(row: Row, paths: Sequence[str]) -> str | None:
    """The first name found; a structure where a name could stand is no name."""
    for path in paths:
        value = value_at(row.value, path)
        if value is None:
            continue
        value = entered(value)
        if isinstance(value, str) and value:
            return value
        if type(value) is int:
            holder, name = row_at(row, path) or (row, path)
            return holder.label(name)
        if isinstance(value, list) and value and isinstance(value[0], str):
            return str(value[0])
    return None


def _number(row: Row, paths: Sequence[str]) -> int | None:
    for path in paths:
        found = row_at(row, path)
        if found is not None and (number := found[0].whole_or_none(found[1])) is not None:
            return number
    return None


def _output(builder: Builder, row: Row, paths: Sequence[str]) -> int | None:
    """The answer's tokens: as a number, or counted where the answer itself stands there."""
    for path in paths:
        value = entered(value_at(row.value, path))
        if type(value) in (int, float):
            return _number(row, (path,))
        if value is None:
            continue
        holder = value if isinstance(value, dict) else {"content": value}
        text = output_text(Row(holder, row.place, path))
        if text is not None:
            return builder.chat.num_tokens(text)
    return None


def _output_ids(row: Row, paths: Sequence[str]) -> array[int] | None:
    """The answer as token ids, where the log has them."""
    for path in paths:
        found = row_at(row, path)
        ids = None if found is None else found[0].get(found[1])
        if found is not None and isinstance(ids, list) and ids and type(ids[0]) is int:
            return found[0].token_ids(found[1])
    return None


def usage_at(row: Row, fields: FieldMap, read: ReadUsage = read_usage) -> Usage | None:
    """The first usage that says what was cached, else the first: an object in any provider's words, or a
    count with the cached one beside it. (llama.cpp says it in `timings`, beside an OpenAI-like usage.)"""
    first: Usage | None = None
    for path in fields.usage:
        if path == "." and first is None and (usage := read(row)) is not None:
            return usage
        found = row_at(row, path)
        if found is None:
            continue
        holder, name = found
        value = entered(holder.get(name))
        if isinstance(value, dict):
            usage = read(Row(value, row.place, holder.name(name)))
            if usage is not None and usage.cached_tokens is not None:
                return usage
            first = first or usage
        elif first is not None:
            continue
        elif type(value) in (int, float) or (isinstance(value, str) and whole_of(value) is not None):
            output = _number(row, fields.output) if fields.cached else None
            return Usage(holder.whole(name), _number(row, fields.cached), None, output)
    cached = None if fields.usage else _number(row, fields.cached)
    if cached is None:
        return first
    return Usage(_number(row, fields.length), cached, None, _number(row, fields.output))
