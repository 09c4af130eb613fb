"""Lines of a server's log added up: readings of counters that began at 0 with the log, engine by engine."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.traces.engine_facts import EngineCounters, Labels, Meters, Moment, Reading
from core.traces.meters.server_lines import LlamaSlots, Said, may_say, said_in
from core.traces.meters.stamps import stamp_in
from core.traces.rows import Row

MOST_READINGS = 20_000
"""Of one engine. Beyond it every second one is dropped, and only every second one kept from there on."""
MOST_ENGINES = 1_000
_Key = tuple[str, Labels, tuple[int, int]]


@dataclass(slots=True)
class _Engine:
    """One engine's lines."""

    said: Said
    queries: float = 0.0
    hits: float = 0.0
    seen: int = 0
    every: int = 1
    readings: list[tuple[int, Moment, Reading]] = field(default_factory=list)
    last: tuple[int, Moment, Reading] | None = None

    def add(self, number: int, moment: Moment, said: Said) -> None:
        counted = said.queries is not None
        self.queries += said.queries or 0
        self.hits += said.hits or 0
        reading = Reading(
            0,
            queries=self.queries if counted else None,
            hits=self.hits if counted else None,
            said=said.said,
            said_external=said.said_external,
            usage=said.usage,
        )
        self.last = (number, moment, reading)
        if self.seen % self.every == 0:
            self.readings.append(self.last)
        self.seen += 1
        if len(self.readings) > MOST_READINGS:
            self.readings, self.every = self.readings[::2], self.every * 2

    def all(self) -> list[tuple[int, Moment, Reading]]:
        """Those that were kept, and the last one."""
        if self.last is None or self.readings[-1] is self.last:
            return self.readings
        return [*self.readings, self.last]


class ServerLines:
    """The lines of one log that say something about a cache."""

    def __init__(self) -> None:
        self._engines: dict[_Key, _Engine] = {}
        self._llama = LlamaSlots()
        self._number = 0

    def add(self, row: Row, line: str) -> bool:
        """Whether the line was one of them."""
        if not may_say(line):
            return False
        said = said_in(line) or self._llama.said_in(line)
        if said is None:
            return "|" in line or "=" in line  # llama.cpp's lines that say something together
        key = (said.family, said.engine, said.rank)
        if key not in self._engines and len(self._engines) >= MOST_ENGINES:
            raise row.place.wrong("the line", f"at most {MOST_ENGINES} engines", line)
        self._number += 1
        moment = Moment(row.place.file, row.place.line, stamp_in(line))
        self._engines.setdefault(key, _Engine(said)).add(self._number, moment, said)
        return True

    def meters(self) -> Meters | None:
        """Readings per engine; of ranks that write the same batches the first."""
        first: dict[tuple[str, Labels], _Key] = {}
        for key in sorted(self._engines):
            first.setdefault(key[:2], key)
        engines = [self._engines[key] for key in first.values()]
        if not engines:
            return None
        moments = sorted((number, moment) for engine in engines for number, moment, _ in engine.all())
        place = {number: index for index, (number, _) in enumerate(moments)}
        found = tuple(
            EngineCounters(
                family=engine.said.family,
                labels=engine.said.engine,
                readings=tuple(
                    Reading(place[number], reading.queries, reading.hits, said=reading.said,
                            said_external=reading.said_external, usage=reading.usage)
                    for number, _, reading in engine.all()
                ),
                role=engine.said.role,
                window=engine.said.window,
                from_zero=True,
            )
            for engine in engines
        )  # fmt: skip
        return Meters("lines", tuple(moment for _, moment in moments), found)
