"""Real processes on one store: what goes wrong when its acts are not whole, counted.

    python -m benchmarks.store [--address A] [--requests N] [--workers N] [--seed S]
    python -m benchmarks.store --lru [--pace R]

One line for whole acts and one for each switch of ``core/cluster/store/base.py``, on the file and on every
server of this machine (``BROTH_STORE_SERVER`` adds one by its path): workers send requests to one small
store, a few of them are killed with SIGKILL wherever they are, and another takes their place. ``--lru``: a
server that evicts by itself beside a store that knows chains. What is counted: ``Outcome`` and ``Audit``."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from threading import Timer
from time import perf_counter, sleep

import numpy as np

from benchmarks.store_server import HOW_TO_GET, programs, serving
from core.cluster.store.address import open_parts
from core.cluster.store.audit import Audit, audit
from core.cluster.store.base import Acts, Layout, Parts
from core.cluster.store.recorded import payload
from core.cluster.store.server_lru import remains, serve
from core.cluster.store.store import Store
from core.cluster.store.visit import Outcome, visit
from core.engine.hash_chain import hash_chain
from core.errors import StoreError
from core.extras import how_to_add
from core.types import BlockHash

ROOT = Path(__file__).resolve().parents[1]
BLOCK_SIZE = 4
CHAIN_BLOCKS = 4
FAULTS = ("", *(one.name for one in fields(Acts)))
"""``""``: all acts whole."""


@dataclass(frozen=True, slots=True)
class Job:
    """What one worker does. Chances: ``die`` at each step; ``stall`` for so long after the act ``stall_at``;
    ``twice``: an unpin is said twice (its answer was lost). ``first``: its first request, of ``requests``.
    ``shots``: every other one is killed from outside after 1 to 3 s, wherever it is: within an act, too."""

    address: str
    layout: Layout
    fault: str
    owner: str
    seed: int
    requests: int
    first: int = 0
    families: int = 12
    die: float = 0.0
    stall: float = 0.0
    stall_s: float = 0.0
    stall_at: str = "choose"
    twice: float = 0.1
    deadline_s: float = 5.0
    shots: bool = False


@dataclass(slots=True)
class Tally:
    """What a crowd of workers did; ``failed``: requests whose store did not answer in time."""

    requests: int = 0
    killed: int = 0
    failed: int = 0
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    audit: Audit | None = None

    @property
    def stale(self) -> int:
        """Blocks that were not what the store had promised, while the pin was held."""
        return self.counts["stale"] + self.counts["torn"]


def chains(families: int) -> list[list[BlockHash]]:
    """Prompts as the engine hashes them: pairs share their first half."""
    found = []
    for family in range(families):
        half = CHAIN_BLOCKS * BLOCK_SIZE // 2
        tokens = [family // 2] * half + [family] * half
        found.append(hash_chain(tokens, BLOCK_SIZE))
    return found


# -- one worker, a process of its own -----------------------------------------------------------------------


def work(job: Job) -> None:
    """Send requests; a line of counts after each. May die on the way, as a process does: at once."""
    acts = replace(Acts(), **({job.fault: False} if job.fault else {}))
    store = Store(open_parts(job.address, job.layout, job.deadline_s), f"{job.owner}-{os.getpid()}", acts)
    dice = np.random.default_rng([job.seed, job.first])
    families = chains(job.families)
    for number in range(job.first, job.requests):
        keys = families[int(dice.integers(job.families))]
        steps = visit(store, keys, payload, bool(dice.random() < job.twice))
        counts: dict[str, int]
        try:
            counts = asdict(_to_the_end(steps, job, dice))
        except StoreError as error:
            counts = {"failed": 1, f"failed {error.code}": 1}
        print(json.dumps({"number": number, **counts}), flush=True)


def _to_the_end(steps: Iterator[object], job: Job, dice: np.random.Generator) -> Outcome:
    while True:
        try:
            step = next(steps)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return outcome
        if dice.random() < job.die:
            os.kill(os.getpid(), signal.SIGKILL)
        if getattr(step, "act", "") == job.stall_at and dice.random() < job.stall:
            sleep(job.stall_s)
        elif dice.random() < 0.3:
            sleep(0.001 * dice.random())


# -- the crowd ----------------------------------------------------------------------------------------------


def crowd(job: Job, workers: int) -> Tally:
    """``job.requests`` in all, shared among workers; each that is killed is followed by another."""
    tally = Tally()
    with closing_parts(job) as parts:
        parts.clear()
        began = perf_counter()
        share = job.requests // workers
        own = [replace(job, owner=f"W{one}", seed=job.seed + one, requests=share) for one in range(workers)]
        with ThreadPoolExecutor(workers) as pool:
            for one in pool.map(_one_after_the_other, own):
                tally.requests += one.requests
                tally.killed += one.killed
                tally.failed += one.counts["failed"]
                tally.counts.update(one.counts)
        tally.seconds = perf_counter() - began
        tally.audit = audit(parts.snapshot(), job.layout.lease_s)
    return tally


@contextmanager
def closing_parts(job: Job) -> Iterator[Parts]:
    """The store, for one who sets it up and looks at it afterwards."""
    parts = open_parts(job.address, job.layout, job.deadline_s)
    try:
        yield parts
    finally:
        parts.close()


def _one_after_the_other(job: Job) -> Tally:
    tally = Tally()
    while job.first < job.requests:
        last = job.first - 1
        values = json.dumps({**asdict(job), "layout": asdict(job.layout)})
        command = [sys.executable, "-m", "benchmarks.store", "--work", values]
        dice = np.random.default_rng([job.seed, job.first])
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
            assert process.stdout is not None
            shot = Timer(1 + 2 * dice.random(), process.kill)
            if job.shots and dice.random() < 0.5:
                shot.start()
            for line in process.stdout:
                counts = json.loads(line)
                last = counts.pop("number")
                tally.counts.update(counts)
            shot.cancel()
        if process.returncode not in (0, -signal.SIGKILL):
            raise RuntimeError(f"a worker ended with {process.returncode}")
        killed = process.returncode == -signal.SIGKILL
        tally.killed += killed
        done = min(last + 1 + killed, job.requests)  # the request in whose midst it died is done with
        tally.requests += done - job.first
        job = replace(job, first=done)
    return tally


def job_for(fault: str, address: str, requests: int, seed: int) -> Job:
    """A store of 20 slots for 36 different blocks of two ranks. Leases are long enough for a process that has
    to wait for its processor, but where writers are away for longer on purpose. For the double free readers
    are slow, and there is less room."""
    space = f"bench-{fault or 'whole'}"
    place = f"{address}-{space}" if address.startswith("sqlite") else address
    job = Job(place, Layout(space, 20, 2, 1.0), fault, "", seed, requests, die=0.0005, shots=True)
    if fault == "fenced":
        return replace(job, layout=replace(job.layout, lease_s=0.2), stall=0.05, stall_s=0.5)
    if fault == "unpin_once":
        layout = replace(job.layout, capacity=9)
        return replace(job, layout=layout, families=5, twice=0.5, stall=0.2, stall_s=0.03, stall_at="pin")
    return job


# -- tables -------------------------------------------------------------------------------------------------

HEAD = (
    *("acts", "requests", "killed", "failed", "blocks read", "stale", "torn", "expired", "lost updates"),
    *("late", "lost slots", "stale index", "stuck", "delivered wrong", "requests/s"),
)


def row(fault: str, tally: Tally) -> list[str]:
    """One line of the table."""
    counts, found = tally.counts, tally.audit or Audit(0, 0, 0, 0, 0, 0)
    numbers = (
        *(tally.requests, tally.killed, tally.failed, counts["read"], counts["stale"], counts["torn"]),
        *(counts["expired"], counts["replaced"], counts["late"], found.lost, found.stale, found.stuck),
        *(counts["wrong"], round(tally.requests / tally.seconds)),
    )
    return [f"not {fault}" if fault else "whole", *(f"{number:,}" for number in numbers)]


def table(
    name: str, address: str, requests: int, workers: int, seed: int, faults: Sequence[str] = FAULTS
) -> None:
    """Print the fault table of one store."""
    print(f"\n{name}: {workers} workers\n", flush=True)
    print("| " + " | ".join(HEAD) + " |")
    print("| --- |" + " ---: |" * (len(HEAD) - 1))
    for fault in faults:
        tally = crowd(job_for(fault, address, requests, seed), workers)
        print("| " + " | ".join(row(fault, tally)) + " |", flush=True)


def beside_lru(program: str, requests: int, seed: int, pace: float = 0, megabytes: int = 4) -> None:
    """A server's own eviction over chains of 8 blocks, then our store of about the same room.

    ``pace``: requests a second (0: as fast as they go). A server's LRU counts in seconds: all that was used
    within one is equally old to it."""
    import redis

    dice = np.random.default_rng(seed)
    value, families, blocks = bytes(8192), 400, 8
    order = [int(one) for one in np.minimum(dice.zipf(1.2, requests), families) - 1]
    names = [[bytes([place]) + family.to_bytes(15) for place in range(blocks)] for family in range(families)]
    parents = {key: (keys[place - 1] if place else None) for keys in names for place, key in enumerate(keys)}
    with serving(program, "--maxmemory", f"{megabytes}mb", "--maxmemory-policy", "allkeys-lru") as server:
        client = redis.Redis(port=server.port)
        hits = 0
        for family in order:
            hits += serve(client, names[family], value)
            sleep(1 / pace if pace else 0)
        left = remains(client, parents)
        print(f"\n{program}, allkeys-lru, {megabytes} MB; {requests:,} requests of {blocks} blocks\n")
        print(f"server's LRU: {hits:,} blocks hit; {left.blocks} blocks held, of them unreachable ", end="")
        print(f"{left.unreachable} ({left.unreachable_bytes / 1e6:.2f} of {left.bytes / 1e6:.2f} MB)")
    for aware in (False, True):
        parts = open_parts("", Layout("lru", left.blocks, 1, 1000.0, aware))
        store, hits = Store(parts, "lru"), 0
        for family in order:
            steps = visit(store, names[family], lambda key, rank: value)
            hits += _to_the_end(steps, Job("", parts.layout, "", "", 0, 0), _Never()).read
        found = audit(parts.snapshot(), 1e6)
        parts.close()
        kind = "suffix first" if aware else "plain LRU, head first"
        print(
            f"our store, {kind}: {hits:,} blocks hit; {found.used} held, unreachable {found.unreachable} ",
            end="",
        )
        print(f"({found.unreachable_bytes / 1e6:.2f} MB)")


class _Never:
    """Dice that never stop anybody."""

    def random(self) -> float:
        return 1.0


def servers() -> list[str]:
    """Those of this machine; why there are none."""
    if importlib.util.find_spec("redis") is None:
        print(f"\nNo server: its client is not installed ({how_to_add('redis')}).")
        return []
    if not (found := programs()):
        print(f"\nNo server here: {HOW_TO_GET}.")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--address", default=os.environ.get("BROTH_STORE"), help="this store alone")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--lru", action="store_true")
    parser.add_argument("--pace", type=float, default=0, help="requests a second, for --lru")
    asked = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that a server of ours ends with us
    if asked.work:
        values = json.loads(asked.work)
        work(Job(**{**values, "layout": Layout(**values["layout"])}))
    elif asked.lru:
        for program in servers():
            beside_lru(program, asked.requests, asked.seed, asked.pace)
    elif asked.address:
        table(asked.address, asked.address, asked.requests, asked.workers, asked.seed)
    else:
        with tempfile.TemporaryDirectory(prefix="broth-store-") as folder:
            table("SQLite", f"sqlite:///{folder}/store", asked.requests, asked.workers, asked.seed)
        for program in servers():
            with serving(program) as server:
                table(program, server.address, asked.requests, asked.workers, asked.seed)


if __name__ == "__main__":
    main()
