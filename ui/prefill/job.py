"""Long work in a thread of its own: the page looks at it, answers at once, and can stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Literal, TypeVar

from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.backends.decoders.loader import Model, ModelLoader
from core.backends.line import SHORT_S, Place, Turn
from core.backends.progress import stopped
from core.errors import BrothError
from ui.prefill.models import Choice, load

T = TypeVar("T")
Phase = Literal["waiting", "loading", "running"]


class Job(Generic[T]):
    """Work for one visitor. ``work`` gets the job: it tells its progress, and asks whether to stop."""

    def __init__(
        self,
        name: str,
        choice: Choice,
        work: Callable[[Job[T]], T],
        wanted: Callable[[], bool],
        expected_s: float = SHORT_S,
    ) -> None:
        self.name = name
        self.choice = choice
        self.phase: Phase = "waiting"
        self.fraction = 0.0
        self.text = ""
        self.place: Place | None = None
        """In the line before the clock, while it waits there."""
        self.expected_s = expected_s
        self.result: T | None = None
        self.error: BrothError | None = None
        self._work = work
        self._wanted = wanted
        self._turn: Turn | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"prefill {name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Ask it to stop at the next opportunity: after the forward pass that is under way."""
        self._stop.set()

    def join(self, timeout_s: float) -> None:
        """Wait for the end, for tests."""
        self._thread.join(timeout_s)

    @property
    def running(self) -> bool:
        """Not ended yet. Once it has, there is a result, an error, or (a bug) neither."""
        return self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """It was asked to stop."""
        return self._stop.is_set()

    def cancelled(self) -> bool:
        """Shall it stop? Also when the visitor is gone: nobody would look at the result."""
        return self._stop.is_set() or not self._wanted()

    def progress(self, fraction: float) -> None:
        """Told by the work."""
        self.fraction = fraction
        if self._turn is not None:
            self._turn.fraction = fraction

    def load(self, loader: ModelLoader) -> Model:
        """The model of the choice, with progress.

        Raises:
            BackendError: it cannot be had, or the job was stopped.
        """
        self.phase = "loading"

        def tell(fraction: float) -> None:
            self.fraction = fraction
            if self.cancelled():
                raise stopped()

        return load(self.choice, tell, loader)

    @contextmanager
    def clock_of(self, loader: ModelLoader) -> Iterator[None]:
        """Hold the server's only clock, when it is this job's turn."""
        self.fraction = 0.0
        with loader.line.turn(self.expected_s, self._told, self.cancelled, self._gone) as self._turn:
            yield

    def _told(self, place: Place | None) -> None:
        self.place = place
        self.phase = "waiting" if place else "running"

    def _gone(self) -> bool:
        return not self._wanted()

    def _run(self) -> None:
        try:
            self.result = self._work(self)
        except BrothError as error:
            self.error = error


def visitor_is_here() -> Callable[[], bool]:
    """Tells, on any thread, whether the visitor of this script run still has the page open."""
    context = get_script_run_ctx()
    if context is None or not Runtime.exists():
        return lambda: True
    server, session_id = get_instance(), context.session_id
    return lambda: bool(server.is_active_session(session_id))
