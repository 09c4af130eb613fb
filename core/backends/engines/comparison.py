"""The same prompts through several engines: TTFT against the part that was cached, and several users at once.

* **Wall time** of all: of two of three engines the CPU time cannot be known from outside.
* **In turn**: every round asks every engine everything, in an order that the dice shuffle anew.
* **Cold is cold**: every prompt of every round is new. What is to be hit is sent once before, unmeasured,
  with another end, and the same prompts go to every engine.
* What was cached is what the engine says, or unknown. It is never taken for granted.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

from core.backends.decoders.loader import Model
from core.backends.engines.base import First, Prompt, PromptEngine
from core.backends.engines.opening import LOOK_S, Opens, opened
from core.backends.engines.ours import OurEngine
from core.backends.engines.prompts import Prompts
from core.backends.engines.tally import Asked, about_json, crowd_rows, left_out_text, same_first, sweep_rows
from core.backends.experiments.measure import DISTURBED
from core.backends.experiments.report import Json, Report, report
from core.backends.experiments.runs import settle
from core.backends.line import let_others
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress, stopped
from core.errors import BackendError

FRACTIONS = (0.0, 0.25, 0.5, 0.75, 0.9)
USERS = (1, 2, 4)
TOTAL, OWN, BLOCK = 640, 128, 16
T = TypeVar("T")


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
        self.asked = [Asked(ours)]
        self.left_out: list[Json] = []
        self.complete = True
        self._progress, self._cancelled = progress, cancelled

    def open(self, others: Sequence[Opens]) -> None:
        """Start the other engines."""
        for start in others:
            try:
                self.asked.append(Asked(opened(start, self._cancelled)))
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

    def _ask(self, one: Asked, prime: Prompt | None, prompts: Sequence[Prompt]) -> list[First] | None:
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
        rows = [row for one in self.asked for row in sweep_rows(one)]
        rows += [row for one in self.asked for row in crowd_rows(one)]
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
            "engines": [about_json(one.engine.about) for one in self.asked],
        }
        return report(
            "engines",
            self.ours.backend,
            settings,
            rows,
            summary={"left_out": left_out_text(self.left_out), **same_first(self.asked)},
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
        while wait(asked, timeout=LOOK_S).not_done:
            if cancelled():
                engine.interrupt()
                wait(asked)
                raise stopped()
        return [one.result() for one in asked]
