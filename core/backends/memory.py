"""How much memory is free, without any package, and a polite refusal where it is too little."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from core.errors import BackendError

MARGIN = 256 * 10**6
"""What must stay free for everything else."""

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def available_bytes() -> int | None:
    """Memory a program can still take without hurting others; None where the system does not say.

    In a container the smaller of the machine's rest and the container's counts.
    """
    if sys.platform == "win32":
        return _windows()
    known = [rest for rest in (_linux(), _container()) if rest is not None]
    return min(known, default=None)


def refuse_if_short(need: int, what: str, rest: int | None = None) -> None:
    """Check before loading; ``rest`` is what is free on a GPU (else the machine's own memory counts).

    Raises:
        BackendError: ``backend.memory``: less than ``need`` (bytes) and a margin are free.
    """
    rest = available_bytes() if rest is None else rest
    if rest is not None and rest < need + MARGIN:
        raise BackendError(
            "backend.memory",
            f"{what} needs {in_mb(need)} MB of memory and only {in_mb(rest)} MB are free; "
            f"{in_mb(MARGIN)} MB must stay free for the rest. Close something, or take a smaller model.",
            what=what,
            need=in_mb(need),
            free=in_mb(rest),
            margin=in_mb(MARGIN),
        )


def page_faults() -> int | None:
    """How often the operating system has handed the calling thread memory so far; None where that is not
    told."""
    if sys.platform != "linux":
        return None
    import resource  # there is none on Windows

    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt


def in_mb(count: int) -> int:
    """Bytes as whole megabytes (10**6), rounded up."""
    return -(-count // 10**6)


def _linux() -> int | None:
    try:
        lines = _MEMINFO.read_text("ascii").splitlines()
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if kilobytes is None else int(kilobytes) * 1024


def _container() -> int | None:
    try:
        limit = (_CGROUP / "memory.max").read_text("ascii").strip()
        used = int((_CGROUP / "memory.current").read_text("ascii"))
        inactive = _statistic((_CGROUP / "memory.stat").read_text("ascii"), "inactive_file")
    except (OSError, ValueError):
        return None
    return None if limit == "max" else int(limit) - used + inactive


def _statistic(text: str, name: str) -> int:
    """File pages nobody has read lately count as used, but are given up at once."""
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} ")), 0)


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX."""

    _fields_ = (
        ("length", ctypes.c_ulong),
        ("load", ctypes.c_ulong),
        ("total", ctypes.c_ulonglong),
        ("available", ctypes.c_ulonglong),
        ("rest", ctypes.c_ulonglong * 5),
    )


def _windows() -> int | None:
    if sys.platform != "win32":
        return None
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    done = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return status.available if done else None
