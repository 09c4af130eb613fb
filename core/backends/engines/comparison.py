"""The same prompts through several engines: TTFT against the part that was cached, and several users at once.

* **Wall time** of all: of two of three engines the CPU time cannot be known from outside.
* **In turn**: every round asks every engine everything, in an order that the dice shuffle anew.
* **Cold is cold**: every prompt of every round is new. What is to be hit is sent once before, unmeasured,
  with another end, and the same prompts go to every engine.
* What was cached is what the engine says, or unknown. It is never taken for granted.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TypeVar

from core.backends.decoders.loader import Model
from core.backends.engines.base import About, First, Prompt, PromptEngine
from core.backends.engines.ours import OurEngine
from core.backends.engines.prompts import Prompts
from core.backends.experiments.measure import DISTURBED
from core.backends.experiments.report import Json, Report, report
from core.backends.experiments.runs import settle
from core.backends.line import let_others
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress, stopped
from core.errors import BackendError

FRACTIONS = (0.0, 0.25, 0.5, 0.75, 0.9)
USERS = (1, 2, 4)
TOTAL, OWN, BLOCK = 640, 128, 16
_LOOK_S = 0.1
T = TypeVar("T")
Opens = Callable[[], PromptEngine]
"""Starts an engine; it may fail, and then the others are measured without it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is asked. ``total``: tokens of a prompt. ``warm_ups``: rounds that are thrown away."""

    total: int = TOTAL
    fractions: Sequence[float] = FRACTIONS
    users: Sequence[int] = USERS
    rounds: int = 5
    warm_ups: int = 1

    def shared(self, fraction: float) -> int:
        """Whole blocks of about this part of a prompt."""
        return round(self.total * fraction / BLOCK) * BLOCK

    @property
    def own(self) -> int:
        """Tokens of each user's own, where several come at once; the rest they share."""
        return min(OWN, self.total // 5 // BLOCK * BLOCK)

    def fitting(self, longest: int) -> Plan:
        """The same, no longer than a model takes."""
        total = min(self.total, (longest - 2 * BLOCK) // BLOCK * BLOCK)
        return Plan(total, self.fractions, self.users, self.rounds, self.warm_ups)

    def sent_tokens(self) -> int:
        """Tokens that each engine is sent in all."""
        hits = [self.shared(fraction) for fraction in self.fractions]
        sweep = sum(self.total + (shared + BLOCK if shared else 0) for shared in hits)
        crowds = sum(2 * users * self.total + self.total for users in self.users)
        return (self.warm_ups + self.rounds) * sweep + self.rounds * crowds


@dataclass(slots=True)
class _Asked:
    """What one engine answered: by hit fraction, and by (users, shared or not), one entry a round."""

    engine: PromptEngine
    sweep: dict[float, list[First]] = field(default_factory=dict)
    crowds: dict[tuple[int, bool], list[list[First]]] = field(default_factory=dict)


def compare_engines(
    model: Model,
    others: Sequence[Opens],
    *,
    seed: int,
    plan: Plan | None = None,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """Ours and the ``others``. One that fails is left out from then on, and the report says why. ``seed``:
    another one every time (see ``prompts.py``).

    Raises:
        BackendError: ours cannot compute, or somebody stopped before one round was whole.
    """
    plan = (plan or Plan()).fitting(model.spec.max_positions)
    ours = OurEngine(model, (max(plan.users) + 3) * (plan.total + BLOCK))
    settle(model.backend())
    race = _Race(plan, seed, model, ours, progress, cancelled)
    try:
        race.open(others)
        race.run()
    finally:
        race.close()
    return race.report()


class _Race:
    """One comparison under way."""

    def __init__(
        self, plan: Plan, seed: int, model: Model, ours: OurEngine, progress: Progress, cancelled: Cancelled
    ) -> None:
        self.plan, self.ours = plan, ours
        self.prompts = Prompts(seed, model.spec.vocab_size, model.tokenizer)
        self.dice = random.Random(seed)
        self.asked = [_Asked(ours)]
        self.left_out: list[Json] = []
        self.complete = True
        self._progress, self._cancelled = progress, cancelled

    def open(self, others: Sequence[Opens]) -> None:
        """Start the other engines."""
        for start in others:
            try:
                self.asked.append(_Asked(start()))
            except BackendError as error:
                self._leave_out("", error)

    def close(self) -> None:
        """End them all."""
        for one in self.asked:
            one.engine.close()

    def run(self) -> None:
        """All rounds. Stopping keeps the ones that are whole."""
        rounds, done = self.plan.rounds + self.plan.warm_ups, 0
        try:
            for number in range(rounds):
                self._round(warm_up=number < self.plan.warm_ups, before=done / rounds, part=1 / rounds)
                done += 1
                self._progress(done / rounds)
                let_others()
        except BackendError as error:
            if error.code != "backend.cancelled" or done <= self.plan.warm_ups:
                raise
            self.complete = False

    def _round(self, warm_up: bool, before: float, part: float) -> None:
        """Everything once. A round that is thrown away has no crowds: single prompts warm up enough."""
        plan, fractions = self.plan, self.plan.fractions
        sweep: dict[tuple[int, float], First] = {}
        crowds: dict[tuple[int, int, bool], list[First]] = {}
        prompts = {fraction: self._pair(plan.shared(fraction)) for fraction in fractions}
        groups = [] if warm_up else [(users, warm) for users in plan.users for warm in (True, False)]
        together = {group: self._crowd(*group) for group in groups}
        alone = self._shuffled([(one, fraction) for fraction in fractions for one in self.asked])
        several = self._shuffled([(one, group) for group in groups for one in self.asked])
        for count, (one, fraction) in enumerate(alone):
            prime, prompt = prompts[fraction]
            found = self._ask(one, prime, [prompt])
            if found is not None:
                sweep[id(one), fraction] = found[0]
            self._progress(before + part * count / (len(alone) + len(several)))
        for count, (one, group) in enumerate(several, len(alone)):
            found = self._ask(one, *together[group])
            if found is not None:
                crowds[id(one), *group] = found
            self._progress(before + part * count / (len(alone) + len(several)))
        if not warm_up:
            self._keep(sweep, crowds)

    def _shuffled(self, works: list[T]) -> list[T]:
        return self.dice.sample(works, len(works))

    def _keep(
        self, sweep: dict[tuple[int, float], First], crowds: dict[tuple[int, int, bool], list[First]]
    ) -> None:
        """A whole round; of an engine that failed in it nothing is kept."""
        for one in self.asked:
            for fraction in self.plan.fractions:
                one.sweep.setdefault(fraction, []).append(sweep[id(one), fraction])
            for users in self.plan.users:
                for warm in (True, False):
                    one.crowds.setdefault((users, warm), []).append(crowds[id(one), users, warm])

    def _pair(self, shared: int) -> tuple[Prompt | None, Prompt]:
        """A prompt, and the one before it that shares its beginning."""
        rest = self.prompts.fresh(self.plan.total - shared)
        if not shared:
            return None, rest
        prefix = self.prompts.fresh(shared)
        return prefix + self.prompts.fresh(BLOCK), prefix + rest

    def _crowd(self, users: int, warm: bool) -> tuple[Prompt | None, list[Prompt]]:
        """So many prompts with one prefix that was sent before; or with nothing in common."""
        own, total = self.plan.own, self.plan.total
        if not warm:
            return None, [self.prompts.fresh(total) for _ in range(users)]
        prefix = self.prompts.fresh(total - own)
        prompts = [prefix + self.prompts.fresh(own) for _ in range(users)]
        return prefix + self.prompts.fresh(BLOCK), prompts

    def _ask(self, one: _Asked, prime: Prompt | None, prompts: Sequence[Prompt]) -> list[First] | None:
        """All prompts at once, after the one that fills the cache; None: the engine is out."""
        if one not in self.asked:
            return None
        try:
            if prime is not None:
                at_once(one.engine, [prime], self._cancelled)
            return at_once(one.engine, prompts, self._cancelled)
        except BackendError as error:
            if error.code == "backend.cancelled" or one.engine is self.ours:
                raise
            one.engine.close()
            self.asked = [other for other in self.asked if other is not one]
            self._leave_out(one.engine.about.name, error)
            return None

    def _leave_out(self, name: str, error: BackendError) -> None:
        if error.code == "backend.cancelled":
            raise error
        values = {key: value for key, value in error.values.items() if isinstance(value, str | int | float)}
        self.left_out.append({"engine": name, "code": error.code, "values": values})

    def report(self) -> Report:
        """What came out. ``rows``: one for each engine and hit fraction, then one for each crowd."""
        plan, ours = self.plan, self.asked[0]
        rows = [row for one in self.asked for row in _sweep_rows(one)]
        rows += [row for one in self.asked for row in _crowd_rows(one)]
        own = [first for found in ours.sweep.values() for first in found if first.cpu_s]
        ratios = [first.wall_s / first.cpu_s for first in own if first.cpu_s]
        settings = {
            "total": plan.total,
            "own": plan.own,
            "fractions": list(plan.fractions),
            "users": list(plan.users),
            "rounds": len(ours.sweep[plan.fractions[0]]),
            "warm_ups": plan.warm_ups,
            "same_text": self.prompts.same_text,
            "engines": [_about(one.engine.about) for one in self.asked],
        }
        return report(
            "engines",
            self.ours.backend,
            settings,
            rows,
            summary={"left_out": left_out_text(self.left_out), **_same_first(self.asked)},
            disturbed=bool(ratios) and statistics.median(ratios) > DISTURBED,
            complete=self.complete,
        )


def at_once(engine: PromptEngine, prompts: Sequence[Prompt], cancelled: Cancelled) -> list[First]:
    """Every prompt asked by a user of its own, all at the same moment.

    Raises:
        BackendError: one of them failed, or somebody asked to stop.
    """
    with ThreadPoolExecutor(len(prompts)) as pool:
        asked: list[Future[First]] = [pool.submit(engine.ask, prompt) for prompt in prompts]
        while wait(asked, timeout=_LOOK_S).not_done:
            if cancelled():
                engine.interrupt()
                wait(asked)
                raise stopped()
        return [one.result() for one in asked]


def _sweep_rows(one: _Asked) -> list[Json]:
    colds = one.sweep[min(one.sweep)]
    rows = []
    for fraction, found in one.sweep.items():
        ratios = [cold.wall_s / first.wall_s for cold, first in zip(colds, found, strict=True)]
        rows.append(
            {
                "part": "sweep",
                "engine": one.engine.about.name,
                "fraction": fraction,
                **_told(found),
                **_spread("wall", [first.wall_s * 1e3 for first in found], "_ms"),
                **_spread("ratio", ratios),
                "num": len(found),
            }
        )
    return rows


def _crowd_rows(one: _Asked) -> list[Json]:
    rows = []
    for (users, warm), rounds in one.crowds.items():
        in_order = [sorted(first.wall_s * 1e3 for first in found) for found in rounds]
        rows.append(
            {
                "part": "users",
                "engine": one.engine.about.name,
                "users": users,
                "warm": warm,
                **_told([first for found in rounds for first in found]),
                **_spread("first", [found[0] for found in in_order], "_ms"),
                **_spread("mean", [statistics.mean(found) for found in in_order], "_ms"),
                **_spread("last", [found[-1] for found in in_order], "_ms"),
                "num": len(rounds),
            }
        )
    return rows


def _told(found: Sequence[First]) -> Json:
    """What the engine says of its cache: the mean over the answers, None as soon as one does not tell."""
    shares = [first.cached_share for first in found]
    known = [share for share in shares if share is not None]
    tokens = [first.prompt_tokens for first in found if first.prompt_tokens is not None]
    return {
        "cached_share": statistics.mean(known) if len(known) == len(shares) else None,
        "prompt_tokens": statistics.median(tokens) if len(tokens) == len(found) else None,
    }


def _spread(name: str, values: Sequence[float], unit: str = "") -> Json:
    """Median, smallest and largest."""
    return {
        f"{name}{unit}": statistics.median(values),
        f"{name}_low{unit}": min(values),
        f"{name}_high{unit}": max(values),
    }


def _same_first(asked: Sequence[_Asked]) -> Json:
    """How often an engine that takes our ids begins its answer as ours does."""
    ours, *others = asked
    found: Json = {"same_first": 0, "compared": 0}
    for one in others:
        if one.engine.about.takes != "tokens":
            continue
        pairs = [
            (mine.text, theirs.text)
            for fraction, answers in ours.sweep.items()
            for mine, theirs in zip(answers, one.sweep[fraction], strict=True)
        ]
        found = {"same_first": sum(mine == theirs for mine, theirs in pairs), "compared": len(pairs)}
    return found


def left_out_text(left_out: Sequence[Json]) -> str:
    """Who was left out and why, as one text: in a report every field is of one kind, whoever was there."""
    return json.dumps(left_out, ensure_ascii=False) if left_out else ""


def left_out_of(report: Report) -> list[tuple[str, BackendError]]:
    """Engines that are not in a report, each with its reason. What cannot be read is left away."""
    try:
        said = json.loads(report.summary["left_out"] or "[]")
        return [
            (str(one["engine"]), BackendError(str(one["code"]), str(one["code"]), **_values(one["values"])))
            for one in said
        ]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return []


def _values(values: Json) -> dict[str, str | int | float]:
    """Numbers and short texts, and no name that an error has otherwise."""
    known = {name: value for name, value in values.items() if isinstance(value, str | int | float)}
    return {name: value for name, value in known.items() if name not in ("self", "code", "message")}


def _about(about: About) -> Json:
    return {name: getattr(about, name) for name in about.__slots__}
