"""One run in numbers, read off its event log (with block events) after the fact.

waterfall.py   where all prompt tokens went; sums to 100 %
evictions.py   which acts of forgetting cost most
held.py        blocks held at the worst moment, shared and unshared
report.py      Report: all of it, with what reuse saved
"""

from core.report.evictions import Act
from core.report.held import Peak
from core.report.report import Report, RequestRow, Savings, compare, make_report
from core.report.waterfall import SHARES, Share, Waterfall

__all__ = [
    "SHARES",
    "Act",
    "Peak",
    "Report",
    "RequestRow",
    "Savings",
    "Share",
    "Waterfall",
    "compare",
    "make_report",
]
