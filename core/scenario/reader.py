"""Read a scenario from JSON: every mistake gets a message that names file, command and field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from core.errors import BrothError, ScenarioError
from core.fields import SHOWN, Fields, Place, is_whole, parse_json
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
    place = _Place(name)
    data = _parse(source, place) if isinstance(source, str) else dict(source)
    _check_head(data, place)
    commands = data["commands"]
    if not isinstance(commands, list):
        raise place.wrong("commands", "a list of commands", commands)
    reader = _Reader(lang, tokenizer or TeachingTokenizer(), place)
    read = tuple(reader.numbered(number, command) for number, command in enumerate(commands, 1))
    return Scenario(str(data.get("id", "")), _config(data, config or {}, place), read)


class _Place(Place[ScenarioError]):
    __slots__ = ()
    raises = ScenarioError
    prefix = "scenario"

    def shown(self, value: object) -> str:
        return str(value)[:SHOWN]


class _Fields(Fields[ScenarioError]):
    """A command. `path` is its number: command 3."""

    __slots__ = ()

    def name(self, field: str) -> str:
        return f"{self.path}: {field}"


def _parse(text: str, place: _Place) -> Json:
    try:
        data = parse_json(text)
    except ValueError as error:
        message = f"{place} is not JSON ({error}). Check the file and load it again."
        at = getattr(error, "lineno", 1)
        raise place.error("scenario.json", message, line=at, reason=str(error)) from None
    if not isinstance(data, dict):
        raise place.wrong("the whole file", "a JSON object", data)
    return data


def _check_head(data: Json, place: _Place) -> None:
    known = {"schema", "id", "block_size", "num_slots", "config", "commands", "expected", "bilingual"}
    _refuse_unknown("scenario.field", data, sorted(known), place)
    if data.get("schema") != SCHEMA_VERSION:
        message = f"{place}: schema is {data.get('schema')!r}; this version reads {SCHEMA_VERSION}."
        given = str(data.get("schema"))
        raise place.error("scenario.schema", message, schema=given, expected=str(SCHEMA_VERSION))
    if "commands" not in data:
        raise place.error("scenario.missing", f"{place}: the field 'commands' is missing.", field="commands")


def _refuse_unknown(code: str, names: Iterable[str], known: Collection[str], place: _Place) -> None:
    for name in sorted(set(names) - set(known)):
        message = f"{place}: unknown {code.partition('.')[2]} {name!r}; known are {', '.join(known)}."
        raise place.error(code, message, field=name, known=", ".join(known))


def _config(data: Json, overrides: Mapping[str, Any], place: _Place) -> EngineConfig:
    extra = data.get("config", {})
    if not isinstance(extra, dict):
        raise place.wrong("config", "an object of settings", extra)
    settings: Json = {**extra, **overrides}
    if "block_size" in data:
        settings.setdefault("block_size", data["block_size"])
    num_slots = settings.pop("num_slots", data.get("num_slots"))
    if num_slots is not None:
        if not is_whole(num_slots) or num_slots < 0:
            raise place.wrong("num_slots", "a whole number of slots", num_slots)
        settings["num_blocks"] = num_slots + 1
    _refuse_unknown("scenario.setting", settings, config_field_names(), place)
    config = EngineConfig(**settings)
    if config.num_usable > MAX_LESSON_SLOTS:
        raise place.wrong("num_slots", f"at most {MAX_LESSON_SLOTS}", config.num_usable)
    return config


def _count(fields: _Fields, name: str) -> None:
    if not is_whole(value := fields.get(name)) or value < 1:
        raise fields.wrong(name, "a whole number of at least 1")
    if name == "n" and value > MAX_STEPS:
        raise fields.wrong(name, f"at most {MAX_STEPS}")


def _priority(fields: _Fields, name: str) -> None:
    if not is_whole(fields.get(name)):
        raise fields.wrong(name, "a whole number")


def _block_ids(fields: _Fields, name: str) -> None:
    value = fields.get(name)
    if not isinstance(value, list) or not all(map(is_whole, value)):
        raise fields.wrong(name, "a list of block ids")


_CHECKS: dict[str, Callable[[_Fields, str], object]] = {
    **dict.fromkeys(("id", "version", "name"), _Fields.text),
    **dict.fromkeys(("n", "ticks", "chunk"), _count),
    **dict.fromkeys(("running", "fit", "skip_read"), _Fields.flag),
    "priority": _priority,
    "salt": lambda fields, name: fields.get(name) is None or fields.text(name),
    "blocks": _block_ids,
}
"""What the fields hold that go to the engine as they are."""


class _Reader:
    """Reads commands one after the other; tokens of one scenario share tokenizer and streams."""

    def __init__(self, lang: str, tokenizer: Tokenizer, place: _Place) -> None:
        self._lang = lang
        self._tokenizer = tokenizer
        self._streams = TokenStreams()
        self._place = place
        self._num_tokens = 0

    def numbered(self, number: int, data: object) -> Command:
        """One command; whatever is wrong with it carries its number."""
        try:
            return self._command(_Fields(data, self._place, f"command {number}"))
        except BrothError as error:
            error.values.update(file=self._place.file, command=number)
            raise

    def _command(self, fields: _Fields) -> Command:
        op = fields.get("op")
        if not isinstance(op, str) or op not in _FIELDS:
            message = f"{self._place}: {fields.path}: unknown op {op!r}; known are {', '.join(OPS)}."
            raise self._place.error("scenario.op", message, op=str(op), known=", ".join(OPS))
        args = {key: value for key, value in fields.value.items() if key != "op"}
        self._check_names(op, args, fields)
        for name in args:
            if check := _CHECKS.get(name):
                check(fields, name)
        if op in ("decode", "append"):
            return Command(op, args, output=self._tokens(fields, "text", "tokens", required=True))
        if op in ("submit", "start", "lookup"):
            return self._request(op, args, fields)
        return Command(op, args)

    def _check_names(self, op: str, args: Json, fields: _Fields) -> None:
        required, optional = _FIELDS[op]
        where = f"{self._place}: {fields.path} ({op})"
        for name in sorted(required - set(args)):
            raise self._place.error("scenario.missing", f"{where}: missing field {name!r}.", field=name)
        for name in sorted(set(args) - required - optional):
            known = ", ".join(sorted({"op"} | required | optional))
            message = f"{where}: unknown field {name!r}; known are {known}."
            raise self._place.error("scenario.field", message, field=name, known=known)

    def _request(self, op: str, args: Json, fields: _Fields) -> Command:
        prompt = self._tokens(fields, "text", "tokens", required=True)
        output = self._tokens(fields, "output", "output_tokens", required=False)
        request = Request(
            args.get("id", "look-up"),
            prompt.ids,
            output.ids,
            salt=args.get("salt"),
            lora=_lora(fields),
            mm=_items(fields),
            priority=args.get("priority", 0),
            skip_read=args.get("skip_read", False),
        )
        return Command(op, args, request, prompt, output)

    def _tokens(self, fields: _Fields, text_name: str, ids_name: str, *, required: bool) -> Tokens:
        if text_name in fields and ids_name in fields:
            raise fields.wrong(text_name, f"either {text_name} or {ids_name}, not both", "both given")
        if text_name in fields:
            tokens = self._from_text(fields, text_name)
        elif ids_name in fields:
            tokens = self._from_ids(fields, ids_name)
        elif required:
            raise fields.wrong(text_name, f"{text_name} or {ids_name}", "nothing")
        else:
            return Tokens()
        self._num_tokens += len(tokens.ids)
        if self._num_tokens > MAX_TOKENS:
            raise fields.wrong(ids_name, f"at most {MAX_TOKENS} tokens in one scenario", self._num_tokens)
        return tokens

    def _from_text(self, fields: _Fields, name: str) -> Tokens:
        value = fields.get(name)
        if isinstance(value, dict):
            value = value.get(self._lang)
        if not isinstance(value, str):
            expected = f"a text, or texts for en and zh (wanted here: {self._lang})"
            raise fields.wrong(name, expected, value)
        return Tokens(tuple(self._tokenizer.encode(value)), tuple(self._tokenizer.pieces(value)))

    def _from_ids(self, fields: _Fields, name: str) -> Tokens:
        value = fields.get(name)
        if isinstance(value, str):
            return Tokens(self._streams.parse(value), tuple(self._streams.pieces(value)))
        if isinstance(value, list) and all(map(is_whole, value)):
            return Tokens(tuple(value), tuple(f" {token}" for token in value))
        raise fields.wrong(name, "a list of token ids or a notation like S[0:16]", value)


def _lora(fields: _Fields) -> tuple[str, str] | None:
    match fields.get("lora"):
        case None:
            return None
        case [str() as name, str() as path]:
            return name, path
    raise fields.wrong("lora", "[name, path]")


def _items(fields: _Fields) -> tuple[MultiModalItem, ...]:
    items = fields.value.get("mm", [])
    if isinstance(items, list) and all(map(_is_item, items)):
        return tuple(MultiModalItem(item["id"], item["offset"], item["length"]) for item in items)
    raise fields.wrong("mm", "a list of {id, offset, length}: a text, a number from 0, one from 1")


def _is_item(item: object) -> bool:
    match item:
        case {"id": str(), "offset": offset, "length": length, **more} if not more:
            return is_whole(offset) and is_whole(length) and offset >= 0 and length >= 1
    return False
