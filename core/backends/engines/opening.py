"""Start an engine beside the one who waits for it, so that Stop is heard at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.backends.engines.base import PromptEngine
from core.backends.progress import Cancelled, stopped

LOOK_S = 0.1
"""Seconds between two looks whether to go on."""

Opens = Callable[[], PromptEngine]
"""Starts an engine; it may fail, and then the others are measured without it."""


class _Opening:
    """One start under way. Whoever no longer waits leaves it: it is closed as soon as it is there."""

    def __init__(self, start: Opens) -> None:
        self.thread = threading.Thread(target=self._run, args=(start,), daemon=True)
        self.engine: PromptEngine | None = None
        self.error: Exception | None = None
        self._lock = threading.Lock()
        self._left = False

    def _run(self, start: Opens) -> None:
        try:
            engine = start()
        except Exception as error:  # noqa: BLE001 - whatever it is, the waiting thread raises it
            self.error = error
            return
        with self._lock:
            self.engine = engine
            if self._left:
                engine.close()

    def leave(self) -> None:
        """Nobody waits any more."""
        with self._lock:
            self._left = True
            if self.engine is not None:
                self.engine.close()


def opened(start: Opens, cancelled: Cancelled) -> PromptEngine:
    """The engine, once it is there.

    Raises:
        BackendError: it cannot be had, or somebody stopped waiting.
    """
    opening = _Opening(start)
    opening.thread.start()
    while opening.thread.is_alive():
        opening.thread.join(LOOK_S)
        if cancelled():
            opening.leave()
            raise stopped()
    if opening.error is not None:
        raise opening.error
    assert opening.engine is not None
    return opening.engine
