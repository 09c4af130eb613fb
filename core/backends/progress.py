"""Long work tells how far it is, and stops when asked to."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import BackendError

Progress = Callable[[float], None]
"""Told the finished fraction, 0 … 1, never backwards."""

Cancelled = Callable[[], bool]
"""Asked between two pieces of work: shall this stop?"""


def no_progress(_fraction: float) -> None:
    """Nobody listens."""


def never_cancelled() -> bool:
    """Nobody asks to stop."""
    return False


def stopped() -> BackendError:
    """The error of long work that was stopped before it had anything to show."""
    return BackendError("backend.cancelled", "Stopped before anything was measured. Start it again.")
