"""The store in one file, by the standard library: no server, any number of processes of one machine.

An act is a transaction (``BEGIN IMMEDIATE``): one writer at a time, and a process that is killed in the
middle leaves nothing of it. The file is the clock.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

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
from core.cluster.store.said import gone, layout_differs, refused, slow
from core.errors import StoreError
from core.types import BlockHash

SCHEMA = """
CREATE TABLE IF NOT EXISTS slots (
    slot INTEGER PRIMARY KEY, key BLOB, parent BLOB, token TEXT, until REAL, done INTEGER, ready INTEGER,
    used INTEGER, doomed BLOB);
CREATE INDEX IF NOT EXISTS by_key ON slots (key);
CREATE INDEX IF NOT EXISTS by_parent ON slots (parent);
CREATE INDEX IF NOT EXISTS by_use ON slots (ready, used);
CREATE TABLE IF NOT EXISTS links (key BLOB PRIMARY KEY, slot INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS free (slot INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS pins (
    slot INTEGER, token TEXT, until REAL, PRIMARY KEY (slot, token)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS memory (slot INTEGER, rank INTEGER, frame BLOB, PRIMARY KEY (slot, rank));
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
"""
NOW = "SELECT (julianday('now') - 2440587.5) * 86400.0"
VICTIM = """
SELECT slot FROM slots AS one WHERE ready = 1 AND key IS NOT :parent
    AND NOT EXISTS (SELECT 1 FROM pins WHERE pins.slot = one.slot AND pins.until >= :now)
    AND (NOT :chained OR NOT EXISTS (SELECT 1 FROM slots AS child WHERE child.parent = one.key))
ORDER BY used LIMIT 1
"""


class SqliteParts:
    """``path`` None: a file of its own that goes with the object. ``deadline_s``: how long an act may wait
    for others. ``clock``: seconds, for runs that are to be the same each time; else the file's own.

    Raises:
        StoreError: ``store.gone``, ``store.slow``, ``store.refused``; ``store.layout`` if the file was made
            for another capacity, number of ranks or space.
    """

    def __init__(
        self, path: Path | None, layout: Layout, deadline_s: float = 1.0, clock: Clock | None = None
    ) -> None:
        self.layout = layout
        self._turn = Lock()
        self._clock = clock
        self._deadline_s = deadline_s
        self._own = None if path else TemporaryDirectory(prefix="broth-store-", ignore_cleanup_errors=True)
        place = path or Path(self._own.name if self._own else "") / "store.sqlite"
        try:
            with self._told():
                self._sql = sqlite3.connect(
                    place, timeout=deadline_s, isolation_level=None, check_same_thread=False
                )
                self._sql.execute("PRAGMA journal_mode = WAL")
                self._sql.execute("PRAGMA synchronous = NORMAL")
            with self._act() as sql:
                self._make(sql)
        except StoreError:
            self.close()
            raise

    def find(self, key: BlockHash) -> State:
        with self._act() as sql:
            return self._state(sql, key, self._now(sql))

    def claim(
        self, key: BlockHash, parent: BlockHash | None, token: str, acts: Acts
    ) -> tuple[Claimed, int | None]:
        with self._act() as sql:
            now = self._now(sql)
            if acts.put_once and (state := self._state(sql, key, now)) != "absent":
                return ("present" if state == "present" else "pending"), None
            if parent is not None and self._linked(sql, parent) is None:
                return "orphan", None
            slot, doomed = self._room(sql, parent, now, acts)
            if slot is None:
                return "full", None
            until = now + self._lease(acts)
            row = (slot, key, parent, token, until, 0, 0, 0, doomed)
            sql.execute("INSERT INTO slots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            return "claimed", slot

    def write(self, slot: int, rank: int, token: str, frame: bytes, acts: Acts) -> bool:
        with self._act() as sql:
            if acts.fenced and self._claim_of(sql, slot, token) is None:
                return False
            sql.execute("INSERT OR REPLACE INTO memory VALUES (?, ?, ?)", (slot, rank, frame))
            return True

    def finish(self, slot: int, rank: int, token: str, acts: Acts) -> Finished:
        with self._act() as sql:
            if (row := self._claim_of(sql, slot, token)) is None:
                return "lost"
            key, done, doomed = row
            done |= 1 << rank
            sql.execute("UPDATE slots SET done = ? WHERE slot = ?", (done, slot))
            whole = done == (1 << self.layout.ranks) - 1
            if acts.shards_together and not whole:
                return "waiting"
            before = self._linked(sql, key)
            sql.execute("INSERT OR REPLACE INTO links VALUES (?, ?)", (key, slot))
            if whole:
                self._make_ready(sql, slot, key, doomed)
            return "visible" if before in (None, slot) else "replaced"

    def give_up(self, slot: int, token: str) -> bool:
        with self._act() as sql:
            if self._claim_of(sql, slot, token) is None:
                return False
            self._release(sql, slot)
            sql.execute("INSERT INTO free VALUES (?)", (slot,))
            return True

    def look(self, keys: Sequence[BlockHash]) -> list[int]:
        with self._act() as sql:
            return self._prefix(sql, keys)

    def pin(self, slots: Sequence[int], token: str, acts: Acts) -> None:
        with self._act() as sql:
            self._pin(sql, slots, token, acts)

    def look_and_pin(self, keys: Sequence[BlockHash], token: str, acts: Acts) -> list[int]:
        with self._act() as sql:
            slots = self._prefix(sql, keys)
            self._pin(sql, slots, token, acts)
            return slots

    def read(self, places: Sequence[Place]) -> list[bytes | None]:
        query = "SELECT frame FROM memory WHERE slot = ? AND rank = ?"
        with self._told():
            rows = [self._sql.execute(query, place).fetchone() for place in places]
        return [None if row is None else bytes(row[0]) for row in rows]

    def unpin(self, slots: Sequence[int], token: str, acts: Acts) -> bool:
        with self._act() as sql:
            held = True
            for slot in slots:
                own = (slot, token)
                if sql.execute("DELETE FROM pins WHERE slot = ? AND token = ?", own).rowcount:
                    continue
                held = False
                if not acts.unpin_once:
                    anyone = "SELECT min(token) FROM pins WHERE slot = ?"
                    sql.execute(f"DELETE FROM pins WHERE slot = ? AND token = ({anyone})", (slot, slot))
            if held:
                self._touch(sql, slots)
            return held

    def snapshot(self) -> Snapshot:
        with self._act() as sql:
            pins: dict[int, dict[str, float]] = {}
            for slot, token, until in sql.execute("SELECT slot, token, until FROM pins"):
                pins.setdefault(slot, {})[token] = until
            rows = sql.execute("SELECT slot, key, parent, ready, until FROM slots ORDER BY slot").fetchall()
            slots = {
                slot: Slot(key, parent, bool(ready), until or 0.0, pins.get(slot, {}))
                for slot, key, parent, ready, until in rows
            }
            links = dict(sql.execute("SELECT key, slot FROM links").fetchall())
            memory = {
                (slot, rank): frame
                for slot, rank, frame in sql.execute("SELECT slot, rank, frame FROM memory")
            }
            return Snapshot(self._now(sql), slots, links, memory)

    def clear(self) -> None:
        with self._act() as sql:
            for table in ("slots", "links", "free", "pins", "memory", "about"):
                sql.execute(f"DELETE FROM {table}")
            self._make(sql)

    def close(self) -> None:
        with suppress(sqlite3.Error, AttributeError):  # it may not have been opened
            self._sql.close()
        if self._own:
            self._own.cleanup()

    # -- inside an act --------------------------------------------------------------------------------------

    @contextmanager
    def _act(self) -> Iterator[sqlite3.Connection]:
        with self._told():
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                yield self._sql
                self._sql.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._sql.execute("ROLLBACK")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Threads take turns at the connection; what goes wrong is said in our words."""
        if not self._turn.acquire(timeout=self._deadline_s):
            raise slow(self._deadline_s)
        try:
            yield
        except sqlite3.Error as error:
            raise _said(error, self._deadline_s) from error
        finally:
            self._turn.release()

    def _make(self, sql: sqlite3.Connection) -> None:
        for statement in SCHEMA.split(";")[:-1]:
            sql.execute(statement)
        layout = self.layout
        own = {"space": layout.space, "capacity": layout.capacity, "ranks": layout.ranks}
        found = dict(sql.execute("SELECT name, value FROM about").fetchall())
        if not found:
            sql.executemany("INSERT INTO about VALUES (?, ?)", [*own.items(), ("tick", 0)])
            sql.executemany("INSERT INTO free VALUES (?)", [(slot + 1,) for slot in range(layout.capacity)])
        elif {name: found.get(name) for name in own} != own:
            raise layout_differs()

    def _now(self, sql: sqlite3.Connection) -> float:
        return self._clock() if self._clock else float(sql.execute(NOW).fetchone()[0])

    def _lease(self, acts: Acts) -> float:
        return self.layout.lease_s if acts.leases else FOREVER

    def _linked(self, sql: sqlite3.Connection, key: BlockHash) -> int | None:
        row = sql.execute("SELECT slot FROM links WHERE key = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def _claim_of(
        self, sql: sqlite3.Connection, slot: int, token: str
    ) -> tuple[BlockHash, int, BlockHash | None] | None:
        query = "SELECT key, done, doomed FROM slots WHERE slot = ? AND token = ?"
        row: tuple[BlockHash, int, BlockHash | None] | None = sql.execute(query, (slot, token)).fetchone()
        return row

    def _state(self, sql: sqlite3.Connection, key: BlockHash, now: float) -> State:
        """Of a claim whose lease is over nothing is left after this."""
        if self._linked(sql, key) is not None:
            return "present"
        claims = sql.execute("SELECT slot, until FROM slots WHERE key = ? AND ready = 0", (key,)).fetchall()
        for slot, until in claims:
            if until >= now:
                return "pending"
            self._release(sql, slot)
            sql.execute("INSERT INTO free VALUES (?)", (slot,))
        return "absent"

    def _room(
        self, sql: sqlite3.Connection, parent: BlockHash | None, now: float, acts: Acts
    ) -> tuple[int | None, BlockHash | None]:
        """A slot to write into: free, of a writer who is gone, or the one that is evicted."""
        (slot,) = sql.execute("SELECT min(slot) FROM free").fetchone()
        if slot is not None:
            sql.execute("DELETE FROM free WHERE slot = ?", (slot,))
            return slot, None
        ended = "SELECT slot FROM slots WHERE ready = 0 AND until < ? ORDER BY until, slot LIMIT 1"
        row = sql.execute(ended, (now,)).fetchone()
        if row is None:
            values = {"now": now, "chained": self.layout.chain_aware, "parent": parent}
            row = sql.execute(VICTIM, values).fetchone()
        if row is None:
            return None, None
        return row[0], self._release(sql, row[0], unlink=acts.unlink_first)

    def _release(self, sql: sqlite3.Connection, slot: int, unlink: bool = True) -> BlockHash | None:
        """Out of the index, then out of the table. Without ``unlink`` the key stays, and is returned."""
        (key,) = sql.execute("SELECT key FROM slots WHERE slot = ?", (slot,)).fetchone()
        if unlink:
            sql.execute("DELETE FROM links WHERE key = ? AND slot = ?", (key, slot))
        sql.execute("DELETE FROM pins WHERE slot = ?", (slot,))
        sql.execute("DELETE FROM slots WHERE slot = ?", (slot,))
        return None if unlink else key

    def _make_ready(
        self, sql: sqlite3.Connection, slot: int, key: BlockHash, doomed: BlockHash | None
    ) -> None:
        query = "UPDATE slots SET ready = 1, token = NULL, until = NULL, doomed = NULL WHERE slot = ?"
        sql.execute(query, (slot,))
        if doomed is not None and doomed != key:
            sql.execute("DELETE FROM links WHERE key = ? AND slot = ?", (doomed, slot))
        self._touch(sql, [slot])

    def _prefix(self, sql: sqlite3.Connection, keys: Sequence[BlockHash]) -> list[int]:
        slots: list[int] = []
        for key in keys:
            if (slot := self._linked(sql, key)) is None:
                break
            slots.append(slot)
        return slots

    def _pin(self, sql: sqlite3.Connection, slots: Sequence[int], token: str, acts: Acts) -> None:
        until = self._now(sql) + self._lease(acts)
        sql.executemany(
            "INSERT OR REPLACE INTO pins VALUES (?, ?, ?)", [(slot, token, until) for slot in slots]
        )
        self._touch(sql, slots)

    def _touch(self, sql: sqlite3.Connection, slots: Sequence[int]) -> None:
        for slot in reversed(slots) if self.layout.chain_aware else slots:
            sql.execute("UPDATE about SET value = value + 1 WHERE name = 'tick'")
            tick = "(SELECT value FROM about WHERE name = 'tick')"
            sql.execute(f"UPDATE slots SET used = {tick} WHERE slot = ?", (slot,))


def _said(error: sqlite3.Error, deadline_s: float) -> StoreError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return slow(deadline_s)
    return gone() if "unable to open" in text or "closed" in text else refused(text)
