"""Which model on which GPUs the modelled times are for, and what things cost: inputs, kept in the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.cost import GPUS, MODELS, CostModel, GpuSpec, ModelSpec, Prices
from core.errors import BrothError
from ui.frame.link import LinkPart, whole
from ui.machine.own import MY_GPU, MY_MODEL, OwnNumbers, from_text, to_text

MOST_GPUS = 64
MOST_PRICE = 10_000.0
CURRENCIES = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥"}
"""What prices may be in: the code in a link, the sign before an amount."""
_NAME, _OWN = "on", "my"


@dataclass(frozen=True, slots=True)
class Machine:
    """A model and GPUs by name, or by one's ``own`` numbers; with prices."""

    model: str = "Llama-2-7B"
    gpu: str = "A100"
    num_gpus: int = 1
    prices: Prices = field(default_factory=Prices)
    own: OwnNumbers = field(default_factory=OwnNumbers)

    @property
    def model_spec(self) -> ModelSpec:
        """The model's numbers."""
        return self.own.model() if self.model == MY_MODEL else MODELS[self.model]

    @property
    def gpu_spec(self) -> GpuSpec:
        """The GPU's numbers."""
        return self.own.gpu() if self.gpu == MY_GPU else GPUS[self.gpu]

    @property
    def is_listed(self) -> bool:
        """Nothing in it is somebody's own numbers, but for prices."""
        return self.model != MY_MODEL and self.gpu != MY_GPU

    def cost(self) -> CostModel:
        """The time model of this machine."""
        return CostModel(self.model_spec, self.gpu_spec, self.num_gpus)


def to_query(machine: Machine) -> dict[str, str]:
    """The machine as query parameters; nothing for the usual one."""
    if machine == Machine():
        return {}
    prices = machine.prices
    numbers = (prices.per_gpu_hour, prices.per_million_tokens, prices.per_million_cached)
    parts = (machine.model, machine.gpu, str(machine.num_gpus), *(f"{number:g}" for number in numbers))
    if prices.currency != Prices().currency:
        parts += tuple(code for code, sign in CURRENCIES.items() if sign == prices.currency)
    query = {_NAME: "~".join(parts)}
    if machine.own != OwnNumbers():
        query[_OWN] = to_text(machine.own)
    return query


def from_query(query: Mapping[str, str]) -> tuple[Machine, list[str]]:
    """The machine a link names, and the parameters' names that could not be read."""
    own, lost = OwnNumbers(), []
    if _OWN in query:
        try:
            own = from_text(query[_OWN])
        except (ValueError, BrothError):
            lost.append(_OWN)
    if _NAME not in query:
        return Machine(own=own), lost
    try:
        model, gpu, num_gpus, *rest = query[_NAME].split("~")
        hour, million, cached = (_price(text) for text in rest[:3])
        code = rest[3] if len(rest) == 4 else "USD"
        known = model in (*MODELS, MY_MODEL) and gpu in (*GPUS, MY_GPU)
        number = whole(num_gpus, 1, MOST_GPUS)
        if known and number and code in CURRENCIES and len(rest) <= 4:
            prices = Prices(hour, million, cached, CURRENCIES[code])
            return Machine(model, gpu, number, prices, own), lost
    except (ValueError, BrothError):
        pass
    return Machine(own=own), [*lost, _NAME]


def _price(text: str) -> float:
    """A price from 0 to ``MOST_PRICE``. Raises ValueError for anything else."""
    price = float(text[:12])
    if not 0 <= price <= MOST_PRICE:
        raise ValueError(f"{text[:12]} is no price")
    return price


MACHINE = LinkPart("machine", Machine, {_NAME: "machine.title", _OWN: "machine.own"}, from_query, to_query)
