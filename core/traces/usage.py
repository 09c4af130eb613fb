"""Usage as providers report it: how many prompt tokens, how many of them came from a cache.

`Usage.prompt_tokens` are all of them, whatever the log's own convention (core/traces/reported/ reads it). A
count that is missing or null is *unknown*, unless the format says that absence means 0; unknown rows are
left out of the rate and counted. But loggers also leave out what is 0: where some rows report hits and none
ever reports 0, a rate of the known rows would be one of survivors. Then there is no rate, only bounds. A
row with more cached than prompt tokens contradicts itself: it is left out and counted, so that no rate ever
exceeds 100 %.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

Convention = Literal["inclusive", "exclusive"]
"""Whether an exporter's input count includes what was read and written, or is the rest only."""
Reading = Literal["usual", "other"]
READINGS: tuple[Reading, Reading] = ("usual", "other")
Absent = Literal["unknown", "zero"]
Why = Literal["no_zero_reported", "some_unknown"]

MATTERS = 0.01
"""Unknown rows are worth bounds from this width on; below it they do not change what one would do."""


@dataclass(frozen=True, slots=True)
class Usage:
    """One request's reported tokens; None: not reported. `prompt_tokens` are all, cached and written too.

    `written_5m` and `written_1h` are parts of `written_tokens`. `absent`: "zero" where the format leaves a
    count of 0 out. `uncached`: prompt tokens that the row surely did not read, known even where the cached
    ones are not. `other` is the second reading of a row whose convention its own numbers do not tell;
    `reading` says which of the two this one is. `shape` names the kind of counts, `convention` how they
    were taken (`sure`: as documented), `proof` the convention that this row's numbers prove, `adds_up`
    whether its total is input and output, as where the input is everything; `decides` marks the first row
    that decided for others.
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None
    output_tokens: int | None = None
    written_5m: int | None = None
    written_1h: int | None = None
    absent: Absent = field(default="unknown", compare=False)
    uncached: int | None = field(default=None, compare=False)
    other: Usage | None = field(default=None, compare=False)
    reading: Reading = field(default="usual", compare=False)
    shape: str = field(default="", compare=False)
    convention: Convention = field(default="inclusive", compare=False)
    sure: bool = field(default=True, compare=False)
    proof: Convention | None = field(default=None, compare=False)
    adds_up: bool = field(default=False, compare=False)
    decides: bool = field(default=False, compare=False)

    @property
    def contradictory(self) -> bool:
        """More cached than there is: the row cannot be right."""
        if self.prompt_tokens is None or self.cached_tokens is None:
            return False
        return self.cached_tokens > self.prompt_tokens

    @property
    def known(self) -> bool:
        """Whether the row says how much was cached, in a way that can be true."""
        return self.prompt_tokens is not None and self.cached_tokens is not None and not self.contradictory

    @property
    def ratio(self) -> float | None:
        """Cached / prompt tokens of this request; None where unknown."""
        if not self.known or not self.prompt_tokens or self.cached_tokens is None:
            return None
        return self.cached_tokens / self.prompt_tokens

    def read_as(self, reading: Reading) -> Usage:
        """This row under one of its two readings; a row with only one stays as it is."""
        return self if self.other is None or self.reading == reading else self.other


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Reported usage over many requests. The two rates differ: show the definition beside the number.

    `zeros`, `hits`: known rows that report none or some cached tokens. `unknown_tokens`: prompt tokens of
    the unknown rows that say at least those. `num_ambiguous` rows have two readings, `readings` the rate
    under each and `reading_tokens` the prompt tokens; `deciding_line` is the line of the row that decided
    the convention of others, None where none had to.
    """

    num_known: int = 0
    num_unknown: int = 0
    num_contradictory: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    ratio_sum: float = 0.0
    num_ratios: int = 0
    zeros: int = 0
    hits: int = 0
    unknown_tokens: int = 0
    num_ambiguous: int = 0
    readings: dict[Reading, float | None] = field(default_factory=dict)
    reading_tokens: dict[Reading, int] = field(default_factory=dict)
    deciding_line: int | None = None

    @classmethod
    def of(cls, rows: Iterable[Usage | None], deciding_line: int | None = None) -> UsageTotals:
        """Add up; None (no usage at all) counts as unknown."""
        found = list(rows)
        known = [row for row in found if row is not None and row.known]
        unknown = [
            row for row in found if row is None or row.prompt_tokens is None or row.cached_tokens is None
        ]
        ratios = [row.ratio for row in known if row.ratio is not None]
        ambiguous = [row for row in found if row is not None and row.other is not None]
        both = {name: _under(found, name) for name in READINGS} if ambiguous else {}
        return cls(
            num_known=len(known),
            num_unknown=len(unknown),
            num_contradictory=len(found) - len(known) - len(unknown),
            prompt_tokens=sum(row.prompt_tokens or 0 for row in known),
            cached_tokens=sum(row.cached_tokens or 0 for row in known),
            ratio_sum=sum(ratios),
            num_ratios=len(ratios),
            zeros=sum(row.cached_tokens == 0 for row in known),
            hits=sum(bool(row.cached_tokens) for row in known),
            unknown_tokens=sum(_at_least(row) for row in unknown if row is not None),
            num_ambiguous=len(ambiguous),
            readings={name: one.ratio_of_sums for name, one in both.items()},
            reading_tokens={name: one.prompt_tokens for name, one in both.items()},
            deciding_line=deciding_line,
        )

    @property
    def ratio_of_sums(self) -> float | None:
        """Cached / prompt tokens of the known rows: what bills mean by hit rate; None if only bounded."""
        return None if self.why == "no_zero_reported" else self.known_rate

    @property
    def known_rate(self) -> float | None:
        """The rate of the rows that report one, survivors or not."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else None

    @property
    def mean_of_ratios(self) -> float | None:
        """The average of the requests' own ratios: a short request weighs as much as a long one."""
        return self.ratio_sum / self.num_ratios if self.num_ratios else None

    @property
    def why(self) -> Why | None:
        """Why there are bounds; None where there are none."""
        if not self.unknown_tokens or not self.prompt_tokens:
            return None
        if self.hits and not self.zeros:
            return "no_zero_reported"
        low, high = self._widest()
        return "some_unknown" if high - low >= MATTERS else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Between which the rate lies, where unknown rows leave it open.

        No zero reported: missing as 0, or left out. Some zeros: the missing ones may be anything, from
        nothing to all of their prompt.
        """
        if self.why is None:
            return None
        low, high = self._widest()
        return (low, self.known_rate or 0.0) if self.why == "no_zero_reported" else (low, high)

    def _widest(self) -> tuple[float, float]:
        total = self.prompt_tokens + self.unknown_tokens
        return self.cached_tokens / total, (self.cached_tokens + self.unknown_tokens) / total


def _at_least(row: Usage) -> int:
    """The prompt of a row that does not say what was cached."""
    return row.prompt_tokens if row.prompt_tokens is not None else row.uncached or 0


def _under(rows: list[Usage | None], reading: Reading) -> UsageTotals:
    return UsageTotals.of(None if row is None else _alone(row.read_as(reading)) for row in rows)


def _alone(row: Usage) -> Usage:
    """The row without its second reading."""
    return row if row.other is None else replace(row, other=None)
