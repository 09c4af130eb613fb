"""Read a scenario from JSON: every mistake gets a message that names file, command and field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.errors import BrothError, ScenarioError
from core.scenario.scenario import SCHEMA_VERSION, Command, Json, Scenario, Tokens
from core.scenario.token_streams import TokenStreams
from core.scenario.tokenizer import TeachingTokenizer, Tokenizer
from core.types import MAX_LESSON_SLOTS, EngineConfig, MultiModalItem, Request, config_field_names

MAX_TOKENS = 2_000_000
"""Tokens one scenario may hold: a bound for uploads, far above any lesson."""
MAX_STEPS = 100_000
"""Steps one command may take: likewise."""

_PROMPT = frozenset(
    {"text", "tokens", "output", "output_tokens", "salt", "lora", "mm", "priority", "skip_read"}
)
_FIELDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    # op: (required fields, optional fields)
    "submit": (frozenset({"id"}), _PROMPT),
    "step": (frozenset(), frozenset({"n"})),
    "run": (frozenset(), frozenset()),
    "abort": (frozenset({"id"}), frozenset()),
    "reset": (frozenset(), frozenset({"running"})),
    "version": (frozenset({"version"}), frozenset()),
    "policy": (frozenset({"name", "value"}), frozenset()),
    "wait": (frozenset({"ticks"}), frozenset()),
    "start": (frozenset({"id"}), _PROMPT | {"chunk", "fit"}),
    "prefill": (frozenset({"id", "n"}), frozenset()),
    "decode": (frozenset({"id"}), frozenset({"text", "tokens"})),
    "append": (frozenset({"id"}), frozenset({"text", "tokens"})),
    "free": (frozenset({"id"}), frozenset()),
    "preempt": (frozenset({"id"}), frozenset()),
    "resume": (frozenset({"id"}), frozenset({"chunk", "fit"})),
    "lookup": (frozenset(), _PROMPT),
    "evict": (frozenset({"blocks"}), frozenset()),
}
OPS = tuple(_FIELDS)


def load_scenario(
    source: str | Mapping[str, Any],
    *,
    lang: str = "en",
    tokenizer: Tokenizer | None = None,
    name: str = "scenario",
    config: Mapping[str, Any] | None = None,
) -> Scenario:
    """Read a scenario from JSON text or values. ``config`` overrides settings (the knobs of a page).

    Raises:
        ScenarioError: not JSON, an unknown schema, op or field, a value of the wrong type; names ``name``,
            the command's number (from 1) and the field.
        ConfigError, RequestError: a setting or a request that makes no sense.
    """
    data = _parse(source, name) if isinstance(source, str) else dict(source)
    _check_head(data, name)
    reader = _Reader(lang, tokenizer or TeachingTokenizer(), name)
    commands = data["commands"]
    if not isinstance(commands, list):
        raise _wrong(name, "commands", "a list of commands", commands)
    read = tuple(reader.numbered(number, command) for number, command in enumerate(commands, 1))
    return Scenario(str(data.get("id", "")), _config(data, config or {}, name), read)


def _parse(text: str, name: str) -> Json:
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        message = f"{name} is not JSON ({error}). Check the file and load it again."
        raise ScenarioError("scenario.json", message, file=name, line=getattr(error, "lineno", 1)) from None
    if not isinstance(data, dict):
        raise _wrong(name, "the whole file", "a JSON object", data)
    return data


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _check_head(data: Json, name: str) -> None:
    known = {"schema", "id", "block_size", "num_slots", "config", "commands", "expected", "bilingual"}
    unknown = sorted(set(data) - known)
    if unknown:
        message = f"{name}: unknown field {unknown[0]!r}; known are {', '.join(sorted(known))}."
        raise ScenarioError("scenario.field", message, file=name, field=unknown[0])
    if data.get("schema") != SCHEMA_VERSION:
        message = f"{name}: schema is {data.get('schema')!r}; this version reads {SCHEMA_VERSION}."
        raise ScenarioError("scenario.schema", message, file=name, schema=str(data.get("schema")))
    if "commands" not in data:
        message = f"{name}: the field 'commands' is missing."
        raise ScenarioError("scenario.missing", message, file=name, field="commands")


def _config(data: Json, overrides: Mapping[str, Any], name: str) -> EngineConfig:
    extra = data.get("config", {})
    if not isinstance(extra, dict):
        raise _wrong(name, "config", "an object of settings", extra)
    settings: Json = {**extra, **overrides}
    if "block_size" in data:
        settings.setdefault("block_size", data["block_size"])
    num_slots = settings.pop("num_slots", data.get("num_slots"))
    if num_slots is not None:
        if isinstance(num_slots, bool) or not isinstance(num_slots, int) or num_slots < 0:
            raise _wrong(name, "num_slots", "a whole number of slots", num_slots)
        settings["num_blocks"] = num_slots + 1
    unknown = sorted(set(settings) - set(config_field_names()))
    if unknown:
        message = f"{name}: unknown setting {unknown[0]!r}; known are {', '.join(config_field_names())}."
        raise ScenarioError("scenario.setting", message, file=name, field=unknown[0])
    config = EngineConfig(**settings)
    if config.num_usable > MAX_LESSON_SLOTS:
        raise _wrong(name, "num_slots", f"at most {MAX_LESSON_SLOTS}", config.num_usable)
    return config


def _wrong(name: str, where: str, expected: str, value: object) -> ScenarioError:
    message = f"{name}: {where} is {str(value)[:60]!r}; expected {expected}."
    return ScenarioError(
        "scenario.value", message, file=name, field=where, expected=expected, value=str(value)[:60]
    )


class _Reader:
    """Reads commands one after the other; tokens of one scenario share tokenizer and streams."""

    def __init__(self, lang: str, tokenizer: Tokenizer, name: str) -> None:
        self._lang = lang
        self._tokenizer = tokenizer
        self._streams = TokenStreams()
        self._name = name
        self._num_tokens = 0
        self._where = ""

    def numbered(self, number: int, data: object) -> Command:
        """Read a command; whatever is wrong with it, the error's values name file and number."""
        try:
            return self.command(number, data)
        except BrothError as error:
            error.values.update(file=self._name, command=number)
            raise

    def command(self, number: int, data: object) -> Command:
        self._where = f"command {number}"
        if not isinstance(data, dict):
            raise self._wrong("it", "an object with an op", data)
        op = data.get("op")
        if not isinstance(op, str) or op not in _FIELDS:
            message = f"{self._name}: {self._where}: unknown op {op!r}; known are {', '.join(OPS)}."
            raise ScenarioError("scenario.op", message, file=self._name, command=number, op=str(op))
        args = {key: value for key, value in data.items() if key != "op"}
        self._check_fields(number, op, args)
        self._check_types(args)
        if op in ("decode", "append"):
            return Command(op, args, output=self._tokens(args, "text", "tokens", required=True))
        if op in ("submit", "start", "lookup"):
            return self._request(op, args)
        return Command(op, args)

    def _check_fields(self, number: int, op: str, args: Json) -> None:
        required, optional = _FIELDS[op]
        missing, unknown = sorted(required - set(args)), sorted(set(args) - required - optional)
        for what, names in (("missing", missing), ("unknown", unknown)):
            if names:
                message = f"{self._name}: {self._where} ({op}): {what} field {names[0]!r}."
                raise ScenarioError(
                    f"scenario.{'missing' if what == 'missing' else 'field'}",
                    message,
                    file=self._name,
                    command=number,
                    field=names[0],
                )

    def _check_types(self, args: Json) -> None:
        for names, kinds, expected in (
            (("id", "version", "name"), (str,), "a text"),
            (("n", "ticks", "chunk"), (int,), "a whole number of at least 1"),
            (("priority",), (int,), "a whole number"),
            (("running", "fit", "skip_read"), (bool,), "true or false"),
            (("blocks",), (list,), "a list of block ids"),
            (("salt",), (str, type(None)), "a text"),
        ):
            for name in names:
                if name in args and not _is_one_of(args[name], kinds):
                    raise self._wrong(name, expected, args[name])
        for name in ("n", "ticks", "chunk"):
            if name in args and args[name] < 1:
                raise self._wrong(name, "a whole number of at least 1", args[name])
        if args.get("n", 0) > MAX_STEPS:
            raise self._wrong("n", f"at most {MAX_STEPS}", args["n"])
        if not all(_is_one_of(block_id, (int,)) for block_id in args.get("blocks", ())):
            raise self._wrong("blocks", "a list of block ids", args["blocks"])

    def _request(self, op: str, args: Json) -> Command:
        prompt = self._tokens(args, "text", "tokens", required=True)
        output = self._tokens(args, "output", "output_tokens", required=False)
        request = Request(
            args.get("id", "look-up"),
            prompt.ids,
            output.ids,
            salt=args.get("salt"),
            lora=self._lora(args.get("lora")),
            mm=self._items(args.get("mm", [])),
            priority=args.get("priority", 0),
            skip_read=args.get("skip_read", False),
        )
        return Command(op, args, request, prompt, output)

    def _tokens(self, args: Json, text_name: str, ids_name: str, *, required: bool) -> Tokens:
        if text_name in args and ids_name in args:
            raise self._wrong(text_name, f"either {text_name} or {ids_name}, not both", "both given")
        if text_name in args:
            tokens = self._from_text(text_name, args[text_name])
        elif ids_name in args:
            tokens = self._from_ids(ids_name, args[ids_name])
        elif required:
            raise self._wrong(text_name, f"{text_name} or {ids_name}", "nothing")
        else:
            return Tokens()
        self._num_tokens += len(tokens.ids)
        if self._num_tokens > MAX_TOKENS:
            raise self._wrong(ids_name, f"at most {MAX_TOKENS} tokens in one scenario", self._num_tokens)
        return tokens

    def _from_text(self, name: str, value: object) -> Tokens:
        if isinstance(value, dict):
            value = value.get(self._lang)
        if not isinstance(value, str):
            raise self._wrong(name, f"a text, or texts for en and zh (wanted here: {self._lang})", value)
        return Tokens(tuple(self._tokenizer.encode(value)), tuple(self._tokenizer.pieces(value)))

    def _from_ids(self, name: str, value: object) -> Tokens:
        if isinstance(value, str):
            ids = self._streams.parse(value)
            return Tokens(ids, tuple(self._streams.pieces(value)))
        if isinstance(value, list) and all(_is_one_of(token, (int,)) for token in value):
            return Tokens(tuple(value), tuple(f" {token}" for token in value))
        raise self._wrong(name, "a list of token ids or a notation like S[0:16]", value)

    def _lora(self, value: object) -> tuple[str, str] | None:
        if value is None:
            return None
        if (
            isinstance(value, list | tuple)
            and len(value) == 2
            and all(isinstance(part, str) for part in value)
        ):
            return (value[0], value[1])
        raise self._wrong("lora", "[name, path]", value)

    def _items(self, value: object) -> tuple[MultiModalItem, ...]:
        if isinstance(value, list) and all(map(_is_item, value)):
            return tuple(MultiModalItem(item["id"], item["offset"], item["length"]) for item in value)
        raise self._wrong("mm", "a list of {id, offset, length}: a text, a number from 0, one from 1", value)

    def _wrong(self, field_name: str, expected: str, value: object) -> ScenarioError:
        return _wrong(self._name, f"{self._where}: {field_name}", expected, value)


def _is_item(item: object) -> bool:
    if not isinstance(item, dict) or set(item) != {"id", "offset", "length"}:
        return False
    if not isinstance(item["id"], str) or not all(_is_one_of(item[n], (int,)) for n in ("offset", "length")):
        return False
    return item["offset"] >= 0 and item["length"] >= 1  # type: ignore[no-any-return]


def _is_one_of(value: object, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in kinds
    return isinstance(value, kinds)
