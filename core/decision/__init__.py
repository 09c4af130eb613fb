"""How much room, how many GPUs: a load measured at several sizes, and what follows for a service level.

spec.py    what is asked
work.py    measure: one run; measuring: in pieces
order.py   plan: the runs there are; next_work: which helps most
sheet.py   gather: bands over seeds, knee, grid, finding, kinds of traffic, cost
"""

from core.decision.order import next_work, plan
from core.decision.sheet import (
    FLAT,
    HOURS_A_MONTH,
    Band,
    Cell,
    Fewest,
    Finding,
    KindRow,
    Knee,
    Point,
    Sheet,
    gather,
)
from core.decision.spec import RESERVE_SHARE, SEEDS, UNLIMITED, WARM_SHARE, SheetSpec, free_gib, sizes_for
from core.decision.work import Outcome, Work, measure, measuring

__all__ = [
    "FLAT",
    "HOURS_A_MONTH",
    "RESERVE_SHARE",
    "SEEDS",
    "UNLIMITED",
    "WARM_SHARE",
    "Band",
    "Cell",
    "Fewest",
    "Finding",
    "KindRow",
    "Knee",
    "Outcome",
    "Point",
    "Sheet",
    "SheetSpec",
    "Work",
    "free_gib",
    "gather",
    "measure",
    "measuring",
    "next_work",
    "plan",
    "sizes_for",
]
