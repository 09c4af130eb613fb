"""Find a Valkey or Redis server for the tests of the shared store, or say why there is none.

`python -m tests.kv_server`, which run.py calls, also installs one where that is possible: for root on Debian
or Ubuntu, with apt-get, Valkey where there is a package of it. Tests start their own, on a free port.
"""

from __future__ import annotations

import sys

from benchmarks.store_server import HOW_TO_GET, PROGRAMS, programs
from tests.browser import apt_install, apt_obstacle


def set_up() -> str:
    """Make sure of a server if that is possible; one line that says how it stands."""
    why = "" if programs() else apt_obstacle()
    for package in PROGRAMS:
        if not why and not programs():
            problem = apt_install([package], "no Valkey or Redis server found")
            why = problem if problem and package == PROGRAMS[-1] else ""
    if found := programs():
        return f"tests of the shared store use {' and '.join(found)}"
    return f"SKIPPED tests of the shared store on a server: {why}. To have one: {HOW_TO_GET}"


if __name__ == "__main__":
    print(f"==> {set_up()}", flush=True)
    sys.exit(0)
