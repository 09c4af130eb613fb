"""Sentences that were wrong once: what they say is counted here, and a text that says the contrary fails."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.scenario.use_cases import outcomes
from ui.course.ch02 import computed_tokens
from ui.course.ch07_uses.bets import SIZES
from ui.course.ch07_uses.counts import MINE_BLOCK
from ui.course.lessons import parts
from ui.course.mine import my_hits, our_prompt
from ui.machine.machine import Machine
from ui.words.i18n import LANGS, Lang


def power_of(values: list[int]) -> int:
    """With which power of their place numbers grow, places being doubled: 1 or 2."""
    return round(sum(after / before for before, after in pairwise(values)) / (len(values) - 1)) // 2


def sentence(chapter: str, name: str, lang: Lang, words: str) -> str:
    """The one sentence of a part that has these words."""
    text = " ".join(parts(chapter, lang)[name].replace("*", "").split())
    [found] = [one for one in text.replace("。", ". ").replace(": ", ". ").split(". ") if words in one]
    return found


GROWTH: dict[Lang, tuple[str, dict[int, str]]] = {
    "en": ("tokens computed", {1: "in proportion to the answer, no longer with its square"}),
    "zh": ("要计算的 token 数", {1: "只和回答的长度成正比，不再和长度的平方成正比"}),
}
LOOKS: dict[Lang, str] = {"en": "add up to a square", "zh": "这些回看加起来还是平方"}


@pytest.mark.parametrize("lang", LANGS)
def test_what_grows_with_the_answer_and_what_with_its_square(lang: Lang) -> None:
    answers = [200, 400, 800, 1600]
    computed = [computed_tokens(1, answer, True) for answer in answers]
    again = [computed_tokens(1, answer, False) for answer in answers]
    looks = [sum(range(1, answer + 1)) for answer in answers]
    assert (power_of(computed), power_of(again), power_of(looks)) == (1, 2, 2)
    [name] = [one for one, text in parts("ch02", lang).items() if LOOKS[lang] in " ".join(text.split())]
    words, said = GROWTH[lang]
    assert said[power_of(computed)] in sentence("ch02", name, lang, words)


CHAT: dict[Lang, dict[str, str]] = {
    "en": {
        "computed": "about as many as in any turn after the first",
        "share": "The longer the conversation, the larger the share",
        "time": "The time to the first token does not shrink with it",
        "answer": "K and V of an answer",
    },
    "zh": {
        "computed": "和第二轮差不多",
        "share": "聊得越久，复用的比例越高",
        "time": "首 token 延迟却没有跟着缩短",
        "answer": "的 K 和 V 也像提示词的一样留着",
    },
}


@pytest.mark.parametrize("lang", LANGS)
def test_what_a_longer_conversation_brings(lang: Lang) -> None:
    found, cost = outcomes("chat", "turns", 10, 500, 50), Machine().cost()
    computed = [one.total - one.hit for one in found[1:]]
    assert max(computed) - min(computed) < 16, "but for where blocks end"
    shares = [one.hit / one.total for one in found]
    assert shares == sorted(shares)
    times = [cost.compare(one.total, one.hit).hit_s for one in found[1:]]
    assert times[-1] > 0.95 * times[0]
    assert found[1].hit > found[0].total, "the answer's blocks hit as well"
    text = " ".join(parts("ch07", lang)["chat"].split())
    for said in CHAT[lang].values():
        assert said in text


@pytest.mark.parametrize("lang", LANGS)
def test_a_bet_has_sizes_that_no_picture_shows(lang: Lang) -> None:
    assert MINE_BLOCK not in SIZES
    assert sum(my_hits(lang, our_prompt(lang), block_size=MINE_BLOCK)) > 0
