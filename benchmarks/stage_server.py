"""A server of one's own for ``benchmarks.stage``: started as a person starts it, its memory, its end."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; ``start_s``: from its start to its first answer."""

    url: str
    process_id: int
    start_s: float

    def memory_mib(self) -> float | None:
        """Resident memory now; None where the system does not tell."""
        status = Path("/proc", str(self.process_id), "status")
        if not status.exists():
            return None
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024


@contextmanager
def running() -> Iterator[Server]:
    """The server as run.py starts it, on a free port of this machine only."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {"headless": "true", "port": str(port)}
    flags = [part for name, value in options.items() for part in (f"--server.{name}", value)]
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", *flags],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_healthy(url, process)
            yield Server(url, process.pid, time.monotonic() - start)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise SystemExit(f"the server did not answer within {START_TIMEOUT_S} s")
