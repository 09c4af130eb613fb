"""Which model on which GPUs the modelled times are for, and what things cost: inputs, kept in the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.cost import GPUS, MODELS, CostModel, Prices
from core.errors import BrothError

MOST_GPUS = 64
MOST_PRICE = 10_000.0
_NAME = "on"


@dataclass(frozen=True, slots=True)
class Machine:
    """A model and GPUs by name, with prices."""

    model: str = "Llama-2-7B"
    gpu: str = "A100"
    num_gpus: int = 1
    prices: Prices = field(default_factory=Prices)

    def cost(self) -> CostModel:
        """The time model of this machine."""
        return CostModel(MODELS[self.model], GPUS[self.gpu], self.num_gpus)


def to_query(machine: Machine) -> dict[str, str]:
    """The machine as a query parameter; nothing for the usual one."""
    if machine == Machine():
        return {}
    prices = machine.prices
    numbers = (prices.per_gpu_hour, prices.per_million_tokens, prices.per_million_cached)
    parts = (machine.model, machine.gpu, str(machine.num_gpus), *(f"{number:g}" for number in numbers))
    return {_NAME: "~".join(parts)}


def from_query(query: Mapping[str, str]) -> tuple[Machine, list[str]]:
    """The machine a link names, and the parameter's name if it could not be read. Never raises."""
    if _NAME not in query:
        return Machine(), []
    try:
        model, gpu, num_gpus, *numbers = query[_NAME].split("~")
        hour, million, cached = (_price(text) for text in numbers)
        known = model in MODELS and gpu in GPUS and num_gpus.isascii() and num_gpus.isdigit()
        if known and 1 <= int(num_gpus[:4]) <= MOST_GPUS:
            return Machine(model, gpu, int(num_gpus[:4]), Prices(hour, million, cached)), []
    except (ValueError, BrothError):
        pass
    return Machine(), [_NAME]


def _price(text: str) -> float:
    """A price from 0 to ``MOST_PRICE``. Raises ValueError for anything else."""
    price = float(text[:12])
    if not 0 <= price <= MOST_PRICE:
        raise ValueError(f"{text[:12]} is no price")
    return price
