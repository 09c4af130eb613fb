"""The store on a Valkey or Redis server, by Redis' own client: workers on any number of machines.

An act is one script (``acts.lua``), a single round trip in which the server does nothing else. The server is
the clock. Shards lie in memory under their slot, so reading one is a plain GET; nothing here relies on the
server's own eviction, which would take keys without telling the index (``store.evicts``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from core.cluster.store.base import (
    FOREVER,
    Acts,
    Claimed,
    Clock,
    Finished,
    Layout,
    Place,
    Slot,
    Snapshot,
    State,
)
from core.cluster.store.said import evicts, gone, layout_differs, refused, slow
from core.errors import StoreError
from core.extras import how_to_add
from core.types import BlockHash

SCRIPT = Path(__file__).with_name("acts.lua")


class ServerParts:
    """``address``: ``redis://host:port[/db]``, with a password where there is one; it is in no text of ours.
    ``deadline_s``: for connecting, and for every answer.

    Raises:
        StoreError: ``store.package`` without the client; ``store.evicts`` if the server throws keys away by
            itself; ``store.layout``; ``store.gone``, ``store.slow``, ``store.refused``.
    """

    def __init__(
        self, address: str, layout: Layout, deadline_s: float = 1.0, clock: Clock | None = None
    ) -> None:
        self.layout = layout
        self._clock = clock
        self._deadline_s = deadline_s
        self._prefix = f"{{broth:{layout.space}}}"
        self._client = _client(address, deadline_s)
        self._script = self._client.register_script(SCRIPT.read_text("utf-8"))
        try:
            with self._told():
                self._agree()
        except StoreError:
            self.close()
            raise

    def find(self, key: BlockHash) -> State:
        return cast(State, self._text("find", key))

    def claim(
        self, key: BlockHash, parent: BlockHash | None, token: str, acts: Acts
    ) -> tuple[Claimed, int | None]:
        switches = (int(acts.put_once), int(acts.unlink_first))
        state, slot = self._call("claim", key, parent or b"", token, *switches, acts=acts)
        return cast(Claimed, state.decode()), int(slot) if slot else None

    def write(self, slot: int, rank: int, token: str, frame: bytes, acts: Acts) -> bool:
        return bool(self._call("write", slot, rank, token, int(acts.fenced), frame))

    def finish(self, slot: int, rank: int, token: str, acts: Acts) -> Finished:
        return cast(Finished, self._text("finish", slot, rank, token, int(acts.shards_together)))

    def give_up(self, slot: int, token: str) -> bool:
        return bool(self._call("give_up", slot, token))

    def look(self, keys: Sequence[BlockHash]) -> list[int]:
        return [int(slot) for slot in self._call("look", *keys)]

    def pin(self, slots: Sequence[int], token: str, acts: Acts) -> None:
        self._call("pin", token, *slots, acts=acts)

    def look_and_pin(self, keys: Sequence[BlockHash], token: str, acts: Acts) -> list[int]:
        return [int(slot) for slot in self._call("look_and_pin", token, *keys, acts=acts)]

    def read(self, places: Sequence[Place]) -> list[bytes | None]:
        if not places:
            return []
        names = [f"{self._prefix}:memory:{slot}:{rank}" for slot, rank in places]
        with self._told():
            return cast("list[bytes | None]", self._client.mget(names))

    def unpin(self, slots: Sequence[int], token: str, acts: Acts) -> bool:
        return bool(self._call("unpin", token, int(acts.unpin_once), *slots))

    def snapshot(self) -> Snapshot:
        now, links, rows, memory, fresh = self._call("snapshot")
        slots = {}
        for slot, (key, parent, ready, until), pins in rows:
            ends = {name.decode(): float(end) for name, end in _pairs(pins)}
            slots[int(slot)] = Slot(key, parent or None, ready == b"1", float(until or 0), ends)
        places = [(slot + 1, rank) for slot in range(int(fresh)) for rank in range(self.layout.ranks)]
        lying = {place: frame for place, frame in zip(places, memory, strict=True) if frame is not None}
        index = {key: int(slot) for key, slot in _pairs(links)}
        return Snapshot(float(now), slots, index, lying)

    def clear(self) -> None:
        with self._told():
            for key in self._client.scan_iter(match=self._prefix.replace("[", "\\[") + ":*", count=1000):
                self._client.delete(key)
            self._agree()

    def close(self) -> None:
        self._client.close()

    def _agree(self) -> None:
        """One who comes with another layout would hand out slots twice."""
        policy = self._client.info("memory")
        if policy.get("maxmemory") and policy.get("maxmemory_policy") != "noeviction":
            raise evicts(str(policy.get("maxmemory_policy")))
        own = f"{self.layout.capacity} {self.layout.ranks}".encode()
        name = f"{self._prefix}:layout"
        self._client.set(name, own, nx=True)
        if self._client.get(name) not in (own, None):
            raise layout_differs()

    def _call(self, act: str, *what: bytes | str | int, acts: Acts | None = None) -> Any:
        now = repr(self._clock()) if self._clock else ""
        lease = self.layout.lease_s if acts is None or acts.leases else FOREVER
        chained = int(self.layout.chain_aware)
        head = (act, now, lease, self.layout.capacity, chained, self.layout.ranks)
        with self._told():
            return self._script(keys=[self._prefix], args=[*head, *what])

    def _text(self, act: str, *what: bytes | str | int) -> str:
        return cast(bytes, self._call(act, *what)).decode()

    @contextmanager
    def _told(self) -> Iterator[None]:
        from redis import exceptions

        try:
            yield
        except (exceptions.TimeoutError, exceptions.BusyLoadingError):
            raise slow(self._deadline_s) from None
        except exceptions.ConnectionError:
            raise gone() from None
        except exceptions.RedisError as error:
            raise refused(str(error)) from None


def _client(address: str, deadline_s: float) -> Any:
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ModuleNotFoundError:
        command = how_to_add("redis")
        message = f"A store on a server needs the package redis: {command}"
        raise StoreError("store.package", message, command=command) from None
    return redis.Redis.from_url(
        address,
        socket_timeout=deadline_s,
        socket_connect_timeout=deadline_s,
        retry=Retry(NoBackoff(), 0),  # what was asked late is a miss; asking again would wait again
    )


def _pairs(flat: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(flat[::2], flat[1::2], strict=True)
