"""How much room, how many GPUs: a load measured at several sizes, and what follows for a service level.

spec.py    what is asked
work.py    plan: the runs there are, in a useful order; measure: one run; measuring: in pieces
sheet.py   gather: bands over seeds, knee, grid, fewest GPUs, kinds of traffic, cost
"""

from core.decision.sheet import HOURS_A_MONTH, Band, Cell, Fewest, KindRow, Knee, Point, Sheet, gather
from core.decision.spec import RESERVE_SHARE, SEEDS, UNLIMITED, WARM_SHARE, SheetSpec, sizes_for
from core.decision.work import Outcome, Work, measure, measuring, plan

__all__ = [
    "HOURS_A_MONTH",
    "RESERVE_SHARE",
    "SEEDS",
    "UNLIMITED",
    "WARM_SHARE",
    "Band",
    "Cell",
    "Fewest",
    "KindRow",
    "Knee",
    "Outcome",
    "Point",
    "Sheet",
    "SheetSpec",
    "Work",
    "gather",
    "measure",
    "measuring",
    "plan",
    "sizes_for",
]
