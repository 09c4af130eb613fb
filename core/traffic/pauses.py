"""How long ago what a prompt misses was used last."""

from __future__ import annotations

from core.replay.prefix_tree import PrefixTree


class Pauses:
    """When each run was used last, on the log's own clock."""

    def __init__(self, tree: PrefixTree) -> None:
        self._tree = tree
        self._now = tree.arrival_ticks if tree.arrivals_s is not None else []
        self._used: dict[int, int] = {}

    def longest(self, number: int, blocks: int) -> int:
        """Ticks since the first run that was not reused, though known, was used last; 0 without times."""
        depth = 0
        for run in self._tree.paths[number] if self._now else ():
            depth += self._tree.length[run]
            if depth > blocks:
                return self._now[number] - self._used.get(run, self._now[number])
        return 0

    def use(self, number: int) -> None:
        """This prompt is served."""
        if self._now:
            self._used.update(dict.fromkeys(self._tree.paths[number], self._now[number]))
