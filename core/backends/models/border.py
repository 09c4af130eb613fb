"""The border that every model file crosses before a number of it is computed with: settings that our decoder
does not know are refused by name, and every tensor is one that belongs there, in its shape."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.backends.models.families import Naming
from core.backends.models.refusals import refusal, told_shortly
from core.backends.spec import DecoderSpec
from core.backends.weights import tensor_shapes
from core.errors import BackendError

Shape = tuple[int, ...]
_STUMBLES = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, OSError)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a model may say of itself. ``used``: read into the spec and checked there. ``only``: parts that
    our decoder lacks, with the values that leave them out. ``harmless``: changes no number of a prefill."""

    used: Collection[str]
    only: Mapping[str, Collection[object]]
    harmless: Collection[str] = ()

    def refuse_others(self, file: str, found: Mapping[str, Any]) -> None:
        """Refuse a setting that is not known, or is known to change the answers.

        Raises:
            BackendError: ``backend.model_setting`` or ``backend.model_part``.
        """
        for name, value in found.items():
            if name in self.only:
                if not _is_one_of(value, self.only[name]):
                    raise refusal("part", file, found=f"{name} = {told_shortly(value)}")
            elif name not in self.used and name not in self.harmless:
                raise refusal("setting", file, found=name)


def _is_one_of(value: object, allowed: Collection[object]) -> bool:
    """Compared by type too: 1 is not True, and a list is none of them."""
    return any(type(value) is type(one) and value == one for one in allowed)


def refuse_other_tensors(
    file: str,
    spec: DecoderSpec,
    stored: Mapping[str, Shape],
    naming: Naming,
    harmless: Collection[str] = (),
) -> None:
    """Every tensor of this decoder is there, in its shape, and none beside them: a file that promises layers
    it does not hold is refused at the first that is missing, before anything is made for it.

    Raises:
        BackendError: ``backend.model_missing``, ``…_layers``, ``…_shape`` or ``…_part``.
    """
    held, shapes, seen = naming.layers_in(stored), tensor_shapes(spec), set(harmless)
    for name, part, layer in naming.expected(spec):
        if name not in stored:
            if layer == held:
                raise refusal("layers", file, found=spec.num_layers, held=held)
            raise refusal("missing", file, part=name)
        if stored[name] != shapes[part]:
            raise refusal("shape", file, part=name, found=_times(stored[name]), wanted=_times(shapes[part]))
        seen.add(name)
    if held > spec.num_layers:
        raise refusal("layers", file, found=spec.num_layers, held=held)
    extra = next((name for name in stored if name not in seen), None)
    if extra is not None:
        raise refusal("part", file, found=extra)


def _times(shape: Shape) -> str:
    return " × ".join(map(str, shape)) or "1"


@contextmanager
def refused_if_damaged(file: str, part: str) -> Iterator[None]:
    """Around readers of parts that have many shapes, as tokenizers have: what they stumble over is damage.

    Raises:
        BackendError: ``backend.model_damaged``.
    """
    try:
        yield
    except BackendError:
        raise
    except _STUMBLES as problem:
        raise refusal("damaged", file, part=part) from problem
