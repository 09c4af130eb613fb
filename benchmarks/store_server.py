"""A Valkey or Redis server of one's own, for tests and benchmarks: on a free local port, nothing on disk."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep

PROGRAMS = ("valkey-server", "redis-server")
HOW_TO_GET = "apt-get install valkey-server (Debian 13), or redis-server"


@dataclass(slots=True)
class Server:
    """``process`` is started by ``start`` and nobody else's."""

    program: str
    port: int
    options: tuple[str, ...]
    folder: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """As ``BROTH_STORE`` takes it."""
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, empty; returns once it listens."""
        command = [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        command += ["--appendonly", "no", "--dir", self.folder, *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None or monotonic() > until:
                    raise RuntimeError(f"{self.program} did not start") from None
                sleep(0.02)

    def kill(self) -> None:
        """As a crash would: at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def programs() -> list[str]:
    """The servers that this machine has; ``BROTH_STORE_SERVER`` adds one by its path."""
    named = os.environ.get("BROTH_STORE_SERVER")
    found = [shutil.which(name) for name in (*([named] if named else []), *PROGRAMS)]
    real = {os.path.realpath(path): path for path in found if path}
    return list(real.values())


@contextmanager
def serving(program: str, *options: str) -> Iterator[Server]:
    """A server that runs as long as this is open."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="broth-server-") as folder:
        server = Server(program, port, options, folder)
        try:
            server.start()
            yield server
        finally:
            server.kill()
