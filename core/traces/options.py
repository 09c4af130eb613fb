"""How a log is to be read: the few things that a person may decide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from core.scenario.tokenizer import TeachingTokenizer, Tokenizer
from core.traces import problems
from core.traces.field_map import FieldMap
from core.traces.model import Convention
from core.traces.templates import TEMPLATES

UsageReading = Literal["usual", "other"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Every default is: find out from the log, say what was found, refuse what is broken.

    `skip_broken`: leave broken lines out and count them, instead of ending at the first. `block_size` and
    `convention`: what one id of a block log covers (None: the format's own, or what all rows agree on).
    `deltas`: whether the rows of a session hold only what is new in each turn (None: find out).
    `split_by_model`: whether requests to different models share nothing, as it is in an engine.
    `ignore_times`: go by the file's order, whatever stands in a time's place. `usage_reading`: of usage that
    can mean two things, what is usual for the format, or the other. `field_map`: which field is what, for a
    log of no known format (or against what its format says).

    Raises:
        TraceError: a value that makes no sense.
    """

    skip_broken: bool = False
    block_size: int | None = None
    convention: Convention | None = None
    deltas: bool | None = None
    template: str = "plain"
    tokenizer: Tokenizer = field(default_factory=TeachingTokenizer)
    tokenizer_name: str = "teaching"
    split_by_model: bool = True
    ignore_times: bool = False
    usage_reading: UsageReading = "usual"
    field_map: FieldMap | None = None

    def __post_init__(self) -> None:
        size = self.block_size
        if size is not None and (type(size) is not int or not 1 <= size <= 2**20):
            raise problems.bad_option("block_size", size, "a whole number from 1 to 1048576")
        if self.convention not in (None, "ceil", "floor"):
            raise problems.bad_option("convention", self.convention, "ceil or floor")
        if self.template not in TEMPLATES:
            raise problems.bad_option("template", self.template, "one of " + ", ".join(TEMPLATES))
        if self.usage_reading not in get_args(UsageReading):
            raise problems.bad_option("usage_reading", self.usage_reading, "usual or other")
