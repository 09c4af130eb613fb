"""Every error Broth raises on purpose, in one tree.

    BrothError
    ├── ConfigError        an engine setting that makes no sense
    ├── RequestError       a request, or a command about a request, that cannot be carried out
    ├── TokenizerError     text that cannot become tokens
    ├── ScenarioError      a scenario (or one of its commands) that cannot be read
    ├── EventLogError      an event log that cannot be read
    ├── RecordingError     a conformance recording that cannot be read
    ├── TraceError         a request trace that cannot be read
    ├── StoreError         a shared store that cannot be opened, or did not do what it was asked
    └── BackendError       a real prefill that cannot be done here, or a model that cannot be loaded

"No room right now" is never an error: in ``step()`` it is an event, in the lower verbs ``ok=False``.
"""

from __future__ import annotations

from typing import Self


class BrothError(Exception):
    """Something a person did, said so that they can mend it.

    ``code`` is a stable dotted name (``config.block_size``) under which a page finds the sentence in the
    reader's language; ``values`` are the numbers and names that sentence needs. ``str(error)`` is the
    English message: what happened, what was expected, what to do.
    """

    def __init__(self, code: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.values = values

    def alone(self) -> Self:
        """The error without the frames that it came through. One that is held as a value would hold them, and
        they it: what they had open stays until the garbage collector comes, at whatever depth that is."""
        self.__cause__ = self.__context__ = None
        return self.with_traceback(None)


class ConfigError(BrothError):
    """An engine setting that makes no sense."""


class RequestError(BrothError):
    """A request, or a command about a request, that cannot be carried out."""


class TokenizerError(BrothError):
    """Text that cannot become tokens."""


class ScenarioError(BrothError):
    """A scenario (or one of its commands) that cannot be read."""


class EventLogError(BrothError):
    """An event log that cannot be read."""


class RecordingError(BrothError):
    """A conformance recording that cannot be read."""


class TraceError(BrothError):
    """A request trace that cannot be read."""


class StoreError(BrothError):
    """A shared store that cannot be opened, or did not do what it was asked. For an engine it is a miss."""


class BackendError(BrothError):
    """A real prefill that cannot be done here, or a model that cannot be loaded."""
