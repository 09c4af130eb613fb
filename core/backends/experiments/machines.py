"""Kept results by class of machine: what computed them, and which class is nearest to this one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.backends.experiments.report import Report

_CORES = re.compile(r"^(?P<name>.*?)(?:, (?P<cores>\d+) cores?)?$", re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class Machine:
    """A processor and how many cores of it there are; a GPU has none that we count."""

    name: str
    cores: int

    @property
    def on_gpu(self) -> bool:
        """Only CPUs are told with their cores."""
        return self.cores == 0

    @property
    def folder(self) -> str:
        """What the folder of its results is called."""
        words = f"{self.name} {self.cores} cores" if self.cores else self.name
        return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def machine_of(device: str) -> Machine:
    """The class of what a report says computed it: "AMD EPYC, 2 cores"."""
    found = _CORES.match(device)
    assert found is not None  # it matches anything
    return Machine(found["name"], int(found["cores"] or 0))


def nearest(reports: Sequence[Report], device: str) -> list[Report]:
    """The reports of the class nearest to ``device``: the same processor, then as many cores, then any
    CPU."""
    here = machine_of(device)

    def far(machine: Machine) -> tuple[bool, bool, int, Machine]:
        other_kind = machine.on_gpu != here.on_gpu
        return other_kind, machine.name != here.name, abs(machine.cores - here.cores), machine

    classes = sorted({machine_of(report.device) for report in reports}, key=far)
    return [report for report in reports if classes and machine_of(report.device) == classes[0]]


def classes(reports: Iterable[Report]) -> list[Machine]:
    """All classes that results were kept of."""
    return sorted({machine_of(report.device) for report in reports})
