"""A radix tree over prompts, whose nodes remember which workers they were sent to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.cluster.router import Units


class Node:
    """An edge and what hangs below it. ``owners``: worker -> when it was last stamped (0: never);
    ``first``: who put it there."""

    __slots__ = ("children", "edge", "first", "owners", "parent")

    def __init__(self, edge: Units, parent: Node | None, first: int) -> None:
        self.edge = edge
        self.parent = parent
        self.first = first
        self.owners: dict[int, int] = {}
        self.children: dict[int, Node] = {}


class RadixTree:
    """``size[w]``: units of all nodes that worker w owns."""

    def __init__(self) -> None:
        self.root = Node(np.empty(0, np.uint32), None, -1)
        self.size: dict[int, int] = {}

    def match(self, units: Units) -> tuple[int, Node]:
        """How many units of the beginning are in the tree, and the deepest node reached, be it in the
        middle of its edge. O(units)."""
        node, at = self.root, 0
        while at < len(units):
            child = node.children.get(int(units[at]))
            if child is None:
                break
            common = shared(child.edge, units[at:])
            at += common
            node = child
            if common < len(child.edge):
                break
        return at, node

    def insert(self, units: Units, worker: int) -> list[Node]:
        """Put a prompt there for a worker, which then owns every node of its path; the path, root left
        out."""
        node, at, path = self.root, 0, []
        while at < len(units):
            child = node.children.get(int(units[at]))
            if child is None:
                child = Node(units[at:].copy(), node, worker)
                node.children[int(units[at])] = child
            common = shared(child.edge, units[at:])
            if common < len(child.edge):
                child = self._split(child, common)
            if worker not in child.owners:
                child.owners[worker] = 0
                self.size[worker] = self.size.get(worker, 0) + len(child.edge)
            path.append(child)
            node = child
            at += common
        return path

    def _split(self, lower: Node, at: int) -> Node:
        """Cut an edge; the new upper part belongs to whom the lower does."""
        assert lower.parent is not None
        upper = Node(lower.edge[:at], lower.parent, lower.first)
        upper.owners = dict(lower.owners)
        lower.parent.children[int(upper.edge[0])] = upper
        lower.edge = lower.edge[at:]
        lower.parent = upper
        upper.children[int(lower.edge[0])] = lower
        return upper

    def disown(self, node: Node, worker: int) -> None:
        """A worker no longer has this node; one that nobody has goes, with what hangs below it."""
        del node.owners[worker]
        self.size[worker] -= len(node.edge)
        if not node.owners and not node.children and node.parent is not None:
            del node.parent.children[int(node.edge[0])]

    def nodes(self) -> Iterator[Node]:
        """All nodes but the root, parents before children."""
        ahead = list(self.root.children.values())
        while ahead:
            node = ahead.pop()
            yield node
            ahead += node.children.values()

    def forget(self, worker: int) -> None:
        """A worker is gone."""
        for node in reversed(list(self.nodes())):
            if worker in node.owners:
                self.disown(node, worker)
        self.size.pop(worker, None)

    def reach(self, units: Units) -> dict[int, int]:
        """For each worker how much of the beginning lies on nodes that it owns without a gap."""
        found: dict[int, int] = {}
        node, at = self.root, 0
        alive: set[int] | None = None
        while at < len(units) and (child := node.children.get(int(units[at]))) is not None:
            common = shared(child.edge, units[at:])
            at += common
            alive = set(child.owners) if alive is None else alive & set(child.owners)
            found.update(dict.fromkeys(alive, at))
            node = child
            if common < len(child.edge) or not alive:
                break
        return found


def shared(one: Units, other: Units) -> int:
    """Length of the common beginning."""
    length = min(len(one), len(other))
    differs = one[:length] != other[:length]
    place = int(differs.argmax()) if length else 0
    return place if length and differs[place] else length
