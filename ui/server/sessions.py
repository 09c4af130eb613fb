"""Sessions end by a timer: what a visitor left behind goes soon, whether anybody else comes or not.

Streamlit keeps the session of a closed tab for a while, so that a bad line loses nothing, but looks for
expired ones only when the next tab closes. On a quiet server the log of a visitor who left an hour ago would
still be there.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from streamlit import config
from streamlit.runtime import Runtime

from ui.server.pressure import PRESSURE

LONGEST_LOOK_S = 10.0
_LOG = logging.getLogger(__name__)


class Doorkeeper:
    """Closes sessions whose tab has been gone for ``grace_s`` seconds. Runs in the server's own loop."""

    def __init__(self, runtime: Runtime, grace_s: float) -> None:
        self._runtime = runtime
        self._grace_s = grace_s
        self._gone_since: dict[str, float] = {}

    def gone(self) -> set[str]:
        """Sessions without a tab. Empty, with a warning, where Streamlit keeps them under other names."""
        try:
            manager = self._runtime._session_mgr
            present = {one.session.id for one in manager.list_active_sessions()}
            return {one.session.id for one in manager.list_sessions()} - present
        except AttributeError:
            _LOG.warning("This Streamlit keeps its sessions under other names: they end when it ends them.")
            return set()

    def look(self, now: float) -> int:
        """Close what has been gone too long; how many that were."""
        gone = self.gone()
        self._gone_since = {name: self._gone_since.get(name, now) for name in gone}
        late = [name for name, since in self._gone_since.items() if now - since >= self._grace_s]
        for name in late:
            self._runtime.close_session(name)
        return len(late)


def minutes_kept() -> int:
    """Minutes after which nothing is left of a visitor who has gone."""
    return max(1, round(float(config.get_option("server.disconnectedSessionTTL")) / 60))


@asynccontextmanager
async def doorkeeping() -> AsyncGenerator[None]:
    """While the server lives. A session ends ``server.disconnectedSessionTTL`` seconds after its tab, or up
    to two looks sooner, for from then on Streamlit itself does not list it any more."""
    limit = float(config.get_option("server.disconnectedSessionTTL"))
    every = min(LONGEST_LOOK_S, limit / 6)
    task = asyncio.create_task(_keep(Doorkeeper(Runtime.instance(), limit - 2 * every), every))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _keep(door: Doorkeeper, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        if door.look(time.monotonic()) and PRESSURE.is_idle:
            gc.collect()  # a session is a circle of objects, which else lies there until the next full pass
