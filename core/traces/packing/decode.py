"""JSON as logs hold it: NaN where nobody looks, and MongoDB's types written as objects.

Python and pandas write NaN and Infinity, which are no JSON. They are read as the numbers they are, so that a
field nobody reads refuses nothing; whoever does read such a field finds no count and no time in it. MongoDB's
Extended JSON (`{"$date": …}`, `{"$numberLong": "5"}`, `{"$oid": …}`) is read as the value it stands for.
"""

from __future__ import annotations

import ast
import json
from typing import Any

_LONGEST_REPR = 2**22


def _plain_value(found: dict[str, Any]) -> Any:
    """What an object of MongoDB's stands for; any other object as it is."""
    if len(found) != 1:
        return found
    ((name, value),) = found.items()
    match name:
        case "$oid" | "$uuid" | "$date" | "$symbol":
            return value if isinstance(value, str | int | float) else found
        case "$numberLong" | "$numberInt":
            try:
                return int(value)
            except (TypeError, ValueError):
                return found
        case "$numberDouble" | "$numberDecimal":
            try:
                return float(value)
            except (TypeError, ValueError):
                return found
    return found


_PLAIN = json.JSONDecoder()
_MONGO = json.JSONDecoder(object_hook=_plain_value)


def decoder_for(text: str) -> json.JSONDecoder:
    """The decoder that such a text needs; the slower one only where a name begins with a dollar sign."""
    return _MONGO if '"$' in text else _PLAIN


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none; the message is the reason, and a `JSONDecodeError` knows the line as well.
    """
    try:
        return decoder_for(text).decode(text)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError:
        raise ValueError("a number is too long") from None


def parse_repr(text: str) -> Any:
    """A list or dict as Python prints it, which is how pandas writes one into a table's cell.

    Raises:
        ValueError: it is none.
    """
    if len(text) > _LONGEST_REPR:
        raise ValueError("too long")
    try:
        return ast.literal_eval(text)
    except (SyntaxError, MemoryError, RecursionError, TypeError):
        raise ValueError("not a Python value") from None
