"""What chapter 3 counts: what whole blocks leave of the tokens that prompts share."""

from __future__ import annotations

from collections.abc import Sequence

from ui.course.asked import Asked, Words
from ui.course.mine import my_hits, tokens_of
from ui.course.token_rows import Fate
from ui.stage.own import OwnPrompts
from ui.words.i18n import Lang

SHOWN_SIZES = (1, 2, 4, 8, 16)
"""Block sizes that picture and stage offer: none of those that are bet on."""

BET_SIZES = (3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19)


def fates_of(words: Sequence[str], hit: int) -> list[Fate]:
    """The first ``hit`` tokens of a prompt are reused, the others computed."""
    return ["hit" if place < hit else "new" for place in range(len(words))]


def shared_tokens(prompts: Sequence[Sequence[str]], which: int) -> int:
    """Tokens at the beginning of a prompt that an earlier one begins with too: the most."""
    return max(_common(prompts[which], earlier) for earlier in prompts[:which])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _sizes(prompts: Sequence[Sequence[str]], which: int) -> list[int]:
    """Sizes to bet on: if there are any, those at which sharing ends inside a block, and of which no picture
    shows how much is reused."""
    # the last token is always computed
    most = [min(shared_tokens(prompts, one), len(prompts[one]) - 1) for one in range(1, len(prompts))]

    def reused(size: int, most: int) -> int:
        return most // size * size

    mine = most[which - 1]
    fit = [size for size in BET_SIZES if size <= mine] or list(BET_SIZES[:1])
    inside = [size for size in fit if mine % size] or fit
    shown = {reused(size, one) for size in SHOWN_SIZES for one in most}
    return [size for size in inside if reused(size, mine) not in shown] or inside


def bet_on_hits(lang: Lang, prompt: OwnPrompts, seed: int) -> Asked:
    """How many tokens of the second or third request hit, at a size that is on no picture."""
    prompts, which = tokens_of(prompt), 1 + seed % 2
    tokens, shared = len(prompts[which]), shared_tokens(prompts, which)
    sizes = _sizes(prompts, which)
    size = sizes[seed // 2 % len(sizes)]
    hit = my_hits(lang, prompt, block_size=size)[which]
    whole = shared // size * size
    args = {"rid": f"R{which}", "tokens": tokens, "shared": shared, "size": size}
    counts = {**args, "blocks": hit // size, "hit": hit, "left": tokens - hit, "lost": shared - hit}

    def told(answer: float) -> Words:
        belief = (
            "token" if answer == shared else "all" if answer > shared else "none" if answer == 0 else "off"
        )
        kind = "last" if shared == tokens and hit < whole else "right" if answer == hit else belief
        return f"course.ch03.bet.{kind}", counts

    return Asked(
        ask="course.ch03.bet.ask",
        args=args,
        high=tokens,
        unit="course.bet.unit.tokens",
        truth=hit,
        tolerance=(0, 1),
        told=told,
    )
