"""What can be wrong with a log: every error names file, line and field, and says what was expected."""

from __future__ import annotations

from core import fields
from core.errors import TraceError
from core.fields import shown
from core.texts import escaped
from core.traces.dates import Dates
from core.traces.numbers import Numbers


class Place(fields.Place[TraceError]):
    """Where in the upload, and how dates and numbers are written there."""

    __slots__ = ("dates", "numbers")
    raises = TraceError
    prefix = "trace"

    def __init__(self, file: str, line: int = 0, dates: Dates | None = None) -> None:
        super().__init__(file, line)
        self.dates = dates
        self.numbers: Numbers | None = None


def not_json(place: Place, reason: str) -> TraceError:
    """A line (or a file) that is not JSON."""
    message = f"{place} is not valid JSON ({reason}). Mend that line, or let broken lines be skipped."
    return place.error("trace.json", message, reason=reason)


def before_first(place: Place) -> TraceError:
    """A line of text before the first record: it refuses nothing, and is listed with what was left out."""
    message = f"{place} is no record; it stands before the first one."
    return place.error("trace.before_first", message)


def not_csv(place: Place, reason: str) -> TraceError:
    """A row of a table that cannot be cut into columns."""
    message = f"{place} is not a row of this table: {reason}."
    return place.error("trace.csv", message, reason=reason)


def not_text(place: Place, reason: str) -> TraceError:
    """Bytes that are not UTF-8."""
    message = f"{place} is not UTF-8 text ({reason}). Save the log as UTF-8, unpacked, and load it again."
    return place.error("trace.encoding", message, reason=reason)


def too_long(place: Place, limit: int) -> TraceError:
    """One line or value larger than the readers hold in memory."""
    message = f"{place} is longer than {limit} bytes; expected one request a line."
    return place.error("trace.too_long", message, limit=limit)


def empty(file: str, reason: str) -> TraceError:
    """Nothing in it that could be shown."""
    message = f"{file} holds no request: {reason}."
    return TraceError("trace.empty", message, file=file, reason=reason)


def unknown_format(file: str, known: str) -> TraceError:
    """No reader claims the content."""
    message = f"The format of {file} was not recognised. Choose one of: {known}."
    return TraceError("trace.unknown_format", message, file=file, known=known)


def unknown_fields(file: str, field_map: str) -> TraceError:
    """Records that no reader claims, with fields that could be what is asked for: a person has to say."""
    likely = escaped(field_map)
    message = (
        f"The format of {file} was not recognised. Say which field is what: these seem likely: {likely} "
        "(in the shell: --map with this text)."
    )
    return TraceError("trace.unknown_fields", message, file=file, map=likely)


def expression(place: Place, query: object, counters: str) -> TraceError:
    """A result of PromQL in which nobody can see any more what was counted; `counters`: what to ask for."""
    asked = shown(query) if isinstance(query, str) else "…"
    message = (
        f"{place} is what an expression of PromQL came to ({asked}): its numbers have no name, or hide"
        " restarts. Ask Prometheus over the time of the run for the counters themselves, without sum or rate:"
        f" {counters}. The rate is worked out here."
    )
    return place.error("trace.expression", message, query=asked, counters=counters)


def no_such_format(name: str, known: str) -> TraceError:
    """A format name that nobody knows."""
    message = f"There is no format {name!r}. Choose one of: {known}."
    return TraceError("trace.no_such_format", message, name=name, known=known)


def unreadable(file: str, reason: str) -> TraceError:
    """The file itself cannot be opened or read."""
    message = f"{file} cannot be read: {reason}."
    return TraceError("trace.unreadable", message, file=file, reason=reason)


def no_identity(file: str) -> TraceError:
    """A hit rate was asked of a log that cannot give one."""
    message = (
        f"{file} holds lengths only, not what the prompts consist of: no hit rate can be computed from it. "
        "Load a log with block ids, token ids or texts."
    )
    return TraceError("trace.no_identity", message, file=file)


def bad_option(name: str, value: object, expected: str) -> TraceError:
    """A reading option that makes no sense."""
    message = f"Reading option {name} is {shown(value)!r}; expected {expected}."
    return TraceError("trace.option", message, field=name, value=shown(value), expected=expected)


def open_numbers(file: str, line: int, field: str, example: str) -> TraceError:
    """A column of which nobody can say whether 1.000 is one or a thousand."""
    message = (
        f"{file}, line {line}: {field} is {example!r}, which may be thousands or decimals, "
        "and no other value of this column tells. Save the numbers without marks and load the log again."
    )
    return TraceError("trace.numbers", message, file=file, line=line, field=field, value=example)


def api_error(file: str, said: object) -> TraceError:
    """What was saved is an API's refusal, not what was asked of it."""
    reason = shown(said)
    message = f"{file} is the error of an API ({reason}), not a log. Ask the API again and save its answer."
    return TraceError("trace.api_error", message, file=file, reason=reason)
