"""The interview's last question, on the visitor's own prompt: many users, one beginning. What hits?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from core.scenario.tokenizer import TeachingTokenizer
from ui.course.asked import Asked, Words
from ui.interview.runs import hits
from ui.stage.own import OwnPrompts

USERS = (20, 50, 100, 200)
SIZES = (4, 8, 16, 32)
_APART = 100_000
"""Token ids of one user's own words begin so far from another's."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Many users send one beginning and a question of their own, one after another; there is room for all."""

    users: int
    size: int
    shared: int
    own: int

    @property
    def total(self) -> int:
        """Tokens of one prompt."""
        return self.shared + self.own

    def hits(self) -> list[int]:
        """Tokens that each of them hits, counted by the engine."""
        prompts = [
            [*range(self.shared), *range(user * _APART + _APART, user * _APART + _APART + self.own)]
            for user in range(self.users)
        ]
        room = self.users * -(-self.total // self.size) + 1
        return hits(prompts, block_size=self.size, num_blocks=room)


def crowd(prompt: OwnPrompts, seed: int) -> Crowd:
    """What a seed makes of a prompt: how many users, which block size, whose question gives the length."""
    seed, of_users = divmod(seed, len(USERS))
    seed, of_sizes = divmod(seed, len(SIZES))
    cut = TeachingTokenizer().pieces
    shared = len(cut(prompt.system))
    whole = len(cut(prompt.system + prompt.messages[seed % len(prompt.messages)]))
    return Crowd(USERS[of_users], SIZES[of_sizes], shared, max(whole - shared, 0))


def hit_rate_bet(prompt: OwnPrompts, seed: int) -> Asked:
    """The question: the hit rate of all tokens, in whole percent."""
    asked = crowd(prompt, seed)
    found = asked.hits()
    truth = round(100 * sum(found) / (asked.users * asked.total))
    return Asked(
        ask="course.ch12.bet.ask",
        args={"users": asked.users, "size": asked.size, "shared": asked.shared, "own": asked.own},
        low=0,
        high=100,
        unit="course.bet.unit.percent",
        truth=truth,
        tolerance=(3, 10),
        told=partial(_told, asked, tuple(found), truth),
    )


def _told(asked: Crowd, found: tuple[int, ...], truth: int, answer: float) -> Words:
    """Why, and which belief the answer comes from."""
    later, total = found[-1], asked.total
    args = {
        "later": later,
        "total": total,
        "shared": asked.shared,
        "size": asked.size,
        "users": asked.users,
        "sum": f"{sum(found):,}",
        "all": f"{asked.users * total:,}",
    }
    whole_prefix = round(100 * asked.shared / total)
    if truth == 0:
        return "course.ch12.bet.told.short", args
    if answer >= 99:
        return "course.ch12.bet.told.all", args
    if abs(answer - whole_prefix) <= 1 and abs(answer - truth) > 3:
        return "course.ch12.bet.told.prefix", args
    return "course.ch12.bet.told.count", args
