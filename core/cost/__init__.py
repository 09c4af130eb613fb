"""What a run costs: seconds, bytes and money, modelled from published specifications.

figures.py     a number with its unit, its basis and its formula
specs.py       what the model must know of a language model and a GPU
catalogue.py   the ones known by name, with sources
model.py       CostModel: prefill, decode, steps, memory
money.py       prices
published.py   published times, and how far off the model is
"""

from core.cost.catalogue import GPUS, MODELS
from core.cost.figures import FORMULAS, Basis, Figure
from core.cost.model import Comparison, CostModel, Fit, Part, StepWork, TimeModel
from core.cost.money import Prices
from core.cost.published import PUBLISHED, PublishedPoint, typical_error
from core.cost.specs import Experts, GpuSpec, Latent, ModelSpec

__all__ = [
    "FORMULAS",
    "GPUS",
    "MODELS",
    "PUBLISHED",
    "Basis",
    "Comparison",
    "CostModel",
    "Experts",
    "Figure",
    "Fit",
    "GpuSpec",
    "Latent",
    "ModelSpec",
    "Part",
    "Prices",
    "PublishedPoint",
    "StepWork",
    "TimeModel",
    "typical_error",
]
