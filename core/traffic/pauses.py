"""How long ago what a prompt misses was used last."""

from __future__ import annotations

from core.replay.prefix_tree import PrefixTree


class Pauses:
    """When each run was used last."""

    def __init__(self, tree: PrefixTree) -> None:
        self._tree = tree
        self._used_s: dict[int, float] = {}

    def longest(self, number: int, blocks: int) -> float:
        """Seconds since the first run that was not reused, though known, was used last."""
        arrivals, depth = self._tree.arrivals_s, 0
        if arrivals is None:
            return 0.0
        for run in self._tree.paths[number]:
            depth += self._tree.length[run]
            if depth > blocks:
                return arrivals[number] - self._used_s.get(run, arrivals[number])
        return 0.0

    def use(self, number: int) -> None:
        if self._tree.arrivals_s is not None:
            self._used_s.update(dict.fromkeys(self._tree.paths[number], self._tree.arrivals_s[number]))
