"""A log's first records as the page shows them: each field, and what a person may say that it is. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import BrothError
from core.traces.door.detect import head_of
from core.traces.field_map import ROLES, FieldMap, Role
from core.traces.mapping.propose import Proposal, propose
from core.traces.mapping.tree import MOST_LEAVES, Leaf, tree_of
from core.traces.packing.sources import TraceFile
from core.traces.packing.text import first_char
from core.traces.rows import Row
from ui.words.numbers import never_full

Json = dict[str, Any]
_FURTHER = re.compile(r"\[[1-9]")
_SIGNS = {"object": "{ … }", "list": "[ … ]"}


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a log before it is read."""

    leaves: tuple[Leaf, ...]
    proposal: Proposal
    num_rows: int


def head_of_log(file: TraceFile) -> Head | None:
    """The tree of the first records with proposals; None where there are no records with fields."""
    rows = _records(file)
    return Head(tuple(tree_of(rows)), propose(rows), len(rows)) if rows else None


def _records(file: TraceFile) -> list[Row]:
    """None of a file that cannot be read, nor of lines that only look like a table of one column."""
    try:
        rows = head_of(file)
        is_column = bool(rows) and len(rows[0].value) < 2 and first_char(file) not in ("{", "[")
    except BrothError:
        return []
    return [] if is_column else rows


def tree_rows(head: Head, chosen: FieldMap) -> list[Json]:
    """One row a field: its name under its object, a short value, the share of records that have it, the role
    it has (``role``), whether only we say so (``proposed``), and the roles that it would fit (``fits``)."""
    roles = roles_of(chosen)
    proposed = roles_of(head.proposal.field_map)
    fits: dict[str, list[Role]] = {}
    for role, paths in head.proposal.candidates.items():
        for path in paths:
            fits.setdefault(path, []).append(role)
    return [
        {
            "path": leaf.path,
            "name": _own_name(leaf, head.leaves[:place]),
            "depth": leaf.depth,
            "sample": _SIGNS.get(leaf.kind, leaf.sample),
            "is_text": leaf.kind == "text",
            "share": never_full(leaf.present_in, 0),
            "role": roles.get(leaf.path, ""),
            "proposed": leaf.path in roles and proposed.get(leaf.path) == roles[leaf.path],
            "fits": fits.get(leaf.path, []),
        }
        for place, leaf in enumerate(head.leaves)
    ]


def _own_name(leaf: Leaf, before: tuple[Leaf, ...]) -> str:
    """The path without that of the object in which it stands."""
    outer = next((one.path for one in reversed(before) if one.depth == leaf.depth - 1), "")
    return leaf.path.removeprefix(outer).removeprefix(".") if leaf.depth else leaf.path


def roles_of(chosen: FieldMap) -> dict[str, Role]:
    """Path -> what it is."""
    return {path: role for role in reversed(ROLES) for path in chosen.paths(role)}


def with_role(head: Head, chosen: FieldMap, path: str, role: Role | None) -> FieldMap:
    """The map after a person said what a field is (None: nothing). Another field of that role gives way,
    unless some records have the one and some the other."""
    left = {one: tuple(other for other in chosen.paths(one) if other != path) for one in ROLES}
    if role is not None:
        share = {leaf.path: leaf.present_in for leaf in head.leaves}
        others = left[role]
        apart = share.get(path, 1.0) + sum(share.get(other, 1.0) for other in others) <= 1.0
        left[role] = (*others, path) if apart else (path,)
    return FieldMap(**left)


def with_picks(head: Head, chosen: FieldMap, picks: object, heard: int) -> tuple[FieldMap, int]:
    """The map after choices in the tree, each ``[number, path, role]``, and the number of the last one.

    The browser tells a choice again until we say that we heard it: those up to ``heard`` are in the map."""
    known = {leaf.path for leaf in head.leaves}
    for pick in picks if isinstance(picks, list) else ():
        match pick:
            case [int(number), str(path), str(word)] if number > heard:
                heard = number
                role = next((one for one in ROLES if one == word), None)
                chosen = with_role(head, chosen, path, role) if path in known else chosen
    return chosen, heard


def absent_paths(head: Head, chosen: FieldMap) -> list[str]:
    """Paths of the map that no record of the head has; further elements of lists are not looked for."""
    known = {leaf.path for leaf in head.leaves} | {"."}
    asked = (path for role in ROLES for path in chosen.paths(role))
    found = (path for path in asked if path not in known and not _FURTHER.search(path))
    return list(found) if len(head.leaves) < MOST_LEAVES else []


def fields_words(chosen: FieldMap, roles: Mapping[Role, str]) -> str:
    """A map for a person: each role in their language and where it stands."""
    return " · ".join(
        f"{roles[role]} ← {' | '.join(chosen.paths(role))}" for role in ROLES if chosen.paths(role)
    )


def shell_text(names: Sequence[str], chosen: FieldMap) -> str:
    """The same in the shell; without a name the log is piped in."""
    files = [shlex.quote(name) for name in names] or ["-"]
    return f"python -m ui.report {' '.join(files)} --map {shlex.quote(str(chosen))}"
