"""Which field of a record is what: a `FieldMap` names, for each role, the paths at which it may stand.

A path is written as people write it: ``request.messages``, ``choices[0].message``, ``.`` for the record
itself. A text that holds JSON is entered as if it were the object, and so is a list of ``{key, value}`` pairs
(OpenTelemetry's attributes). Names may hold dots (``gen_ai.request.model``, a column ``Request tokens``): at
every object the longest name that is there wins, so nothing has to be quoted.

As a text a map is ``prompt=request.messages|messages,time=ts``: the same in a link, in the shell's ``--map``
and in the remedy of an error. A comma, a bar or a backslash inside a name has a backslash in front.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from core.fields import parse_json
from core.traces import problems
from core.traces.rows import Row

Role = Literal[
    "prompt",
    "tokens",
    "blocks",
    "length",
    "time",
    "id",
    "session",
    "tenant",
    "tag",
    "template",
    "model",
    "usage",
    "cached",
    "output",
]
ROLES: tuple[Role, ...] = get_args(Role)
"""What a field may be. `prompt`: a text, messages, or a call's whole body; `tokens`: token ids; `blocks`:
ids of blocks (with `length`, the prompt's tokens); `usage`: an object with counts, or the prompt's count,
then `cached` beside it; `output`: the answer, or how many tokens it has."""
LONGEST_PATH = 400
MOST_ALTERNATIVES = 24
_EXPECTED = "role=path,role=path with the roles " + ", ".join(ROLES)
_CUT = re.compile(r"\.|(?=\[)")
_INDEX = re.compile(r"\[(\d{1,6})\]\.?")


@dataclass(frozen=True, slots=True)
class FieldMap:
    """For each role the paths at which it may stand, the first one that holds something wins.

    Raises:
        TraceError: a path that is empty, or longer than any field's name.
    """

    prompt: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    length: tuple[str, ...] = ()
    time: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    tenant: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    template: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    usage: tuple[str, ...] = ()
    cached: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    heads: frozenset[str] = field(init=False, repr=False, compare=False, default=frozenset())
    """Names with which a path begins that goes on: what stands there is entered."""

    def __post_init__(self) -> None:
        starts = (name for role in ROLES for path in self.paths(role) for name, _ in _cuts(path))
        object.__setattr__(self, "heads", frozenset(starts))
        for role in ROLES:
            paths = self.paths(role)
            if len(paths) > MOST_ALTERNATIVES:
                raise problems.bad_option("map", role, f"at most {MOST_ALTERNATIVES} paths a role")
            if not all(0 < len(path) <= LONGEST_PATH for path in paths):
                raise problems.bad_option("map", role, f"a path of 1 to {LONGEST_PATH} characters")

    def paths(self, role: Role) -> tuple[str, ...]:
        """The alternatives of a role; () if it has none."""
        found: tuple[str, ...] = getattr(self, role)
        return found

    def within(self, names: Container[str]) -> FieldMap:
        """The same map without the paths that lead nowhere in a record with these names."""
        found = {
            role: tuple(
                path for path in self.paths(role) if path == "." or path in names or _leads(path, names)
            )
            for role in ROLES
        }
        return FieldMap(**found)

    @property
    def says_what_is_asked(self) -> bool:
        """Whether a request can be made of a record: it has a prompt, or at least a length."""
        return bool(self.prompt or self.tokens or self.blocks or self.length or self.usage)

    def __str__(self) -> str:
        """The map as `parse_map` reads it; roles without a path are left out."""
        parts = [(role, self.paths(role)) for role in ROLES if self.paths(role)]
        return ",".join(f"{role}={'|'.join(map(_escaped, paths))}" for role, paths in parts)


def parse_map(text: str) -> FieldMap:
    """The map that a text writes down.

    Raises:
        TraceError: an unknown role, a role without a path or given twice, no role at all.
    """
    found: dict[str, tuple[str, ...]] = {}
    for part in _split(text, ","):
        role, mark, paths = part.partition("=")
        role = role.strip()
        if not mark or role not in ROLES or role in found:
            raise problems.bad_option("map", part or text, _EXPECTED)
        found[role] = tuple(_plain(path) for path in _split(paths, "|"))
    return FieldMap(**found)


_BLANKS = " \t\r\n"


def _escaped(path: str) -> str:
    """With a backslash in front of what would end the path, and of blanks at its ends."""
    inner = len(path) - len(path.lstrip(_BLANKS)), len(path.rstrip(_BLANKS))
    return "".join(
        "\\" + char if char in "\\,|" or not inner[0] <= place < inner[1] else char
        for place, char in enumerate(path)
    )


def _split(text: str, at: str) -> list[str]:
    """Cut at every `at` that has no backslash in front; backslashes stay."""
    parts = [""]
    for piece in re.findall(r"\\.|.|\\$", text, re.DOTALL):
        if piece == at:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _plain(path: str) -> str:
    """Without the blanks around it and without its backslashes."""
    pieces = re.findall(r"\\.|[^\\]|\\$", path.lstrip(_BLANKS), re.DOTALL)
    while pieces and pieces[-1] in tuple(_BLANKS):
        pieces.pop()
    return "".join(piece[-1] for piece in pieces)


# -- what stands at a path ------------------------------------------------------------------------------


def value_at(value: object, path: str) -> Any:
    """What stands at `path` under `value`; None if nothing does."""
    if path == ".":
        return value
    if type(value) is dict and path in value:
        return value[path]
    steps = _steps(value, path)
    if steps is None:
        return None
    holder, key = steps[-1]
    return holder[key]


def row_at(row: Row, path: str) -> tuple[Row, str] | None:
    """The object in which the path ends and the field's name there, so that errors and places name it in
    full; None where nothing, or null, stands there. An element of a list comes in an object of its own."""
    steps = _steps(row.value, path)
    if steps is None or steps[-1][0][steps[-1][1]] is None:
        return None
    outer = row.path
    for _, key in steps[:-1]:
        outer = f"{outer}[{key}]" if isinstance(key, int) else f"{outer}.{key}" if outer else key
    holder, key = steps[-1]
    if isinstance(key, str):
        return Row(holder, row.place, outer), key
    name = f"{path.rpartition('.')[2]}"
    return Row({name: holder[key]}, row.place, outer.rpartition(".")[0]), name


def _steps(value: object, path: str) -> list[tuple[Any, Any]] | None:
    """(holder, key) along a path; None if it leads nowhere. The longest name that is there wins."""
    if type(value) is not dict:
        value = entered(value)
    if isinstance(value, dict):
        if path in value:
            return [(value, path)]
        for name, inner in _cuts(path):
            if name in value and (rest := _steps(value[name], inner)) is not None:
                return [(value, name), *rest]
    if isinstance(value, list) and (index := _INDEX.match(path)) is not None:
        place = int(index[1])
        if place < len(value):
            if index.end() == len(path):
                return [(value, place)]
            if (rest := _steps(value[place], path[index.end() :])) is not None:
                return [(value, place), *rest]
    return None


def _leads(path: str, names: Container[str]) -> bool:
    return any(name in names for name, _ in _cuts(path))


@lru_cache(maxsize=1024)
def _cuts(path: str) -> tuple[tuple[str, str], ...]:
    """All ways to cut a path in two, the longest name first."""
    return tuple((path[: cut.start()], path[cut.end() :]) for cut in reversed([*_CUT.finditer(path)]))


def entered(value: object) -> Any:
    """A value with its JSON text read, and pairs of key and value as an object; anything else as it is."""
    if isinstance(value, str):
        text = value.lstrip()
        if text[:1] in ("{", "["):
            try:
                return entered(parse_json(value))
            except ValueError:
                return value
    if isinstance(value, list) and value and all(_is_pair(item) for item in value):
        return {item["key"]: attribute(item["value"]) for item in value}
    return value


def _is_pair(item: object) -> bool:
    return isinstance(item, dict) and set(item) == {"key", "value"} and isinstance(item["key"], str)


def attribute(value: object) -> Any:
    """A value of OpenTelemetry's JSON (``{"intValue": "7"}``) as plain JSON; anything else as it is."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "intValue":
        return int(inner) if isinstance(inner, str) and re.fullmatch(r"-?[0-9]{1,19}", inner) else inner
    if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        return inner
    if kind == "arrayValue" and isinstance(inner, dict):
        return [attribute(item) for item in inner.get("values") or ()]
    if kind == "kvlistValue" and isinstance(inner, dict):
        return entered(inner.get("values") or [])
    return value
