"""Prompts nobody has sent before: random words, as text and as the ids that a tokenizer gives them."""

from __future__ import annotations

import random

from core.backends.engines.base import Prompt
from core.backends.models.tokenizer import ModelTokenizer

_TEXT = (
    "about after again all also always and another any around away back because before between big book "
    "both boy bring but call came can car change children city clear cold come could country cut day did "
    "different does door down each earth eat end enough even every example eye face family far farm fast "
    "father feet few find fire first fish five follow food for form found four from game gave get girl "
    "give glass go good got great ground group grow had half hand hard has have head hear help here high "
    "hold home horse hot house how idea in island it just keep kind king know land large last late learn "
    "leave left less letter life light like line list little live long look low made make man many map "
    "mark may mean men might milk mind money moon more most mother mountain move much music must name "
    "near never new next night north not note now number of off often old on one open or order other our "
    "out over own page paper part people person picture place plan plant play point quick rain read ready "
    "rest right river road rock room run said same saw say school sea second see seem set she ship short "
    "should show side simple since size small snow so some song soon sound south star start state stay "
    "still stop story street such sun table take talk tell ten than that the their them then there they "
    "thing think this those three through time to together too took top town tree true try turn two under "
    "until up upon us use very voice wait walk want war warm was watch water way we week well went were "
    "west what wheel when where which while white who why will wind winter with without woman wood word "
    "work world would write year yes yet you young your"
)
WORDS = tuple(_TEXT.split())
"""Common words: nearly every tokenizer has each as one token with the space before it."""

_FEWEST = 64
"""Words that must be single tokens; with fewer, texts would soon repeat."""


class Prompts:
    """Draws prompts. Give another ``seed`` every time: a server remembers what it was asked yesterday, and a
    prompt that was sent before is no cold one."""

    def __init__(self, seed: int, vocab_size: int, tokenizer: ModelTokenizer | None = None) -> None:
        self._dice = random.Random(seed)
        self._vocab_size = vocab_size
        self._ids = _single_tokens(tokenizer) if tokenizer else {}
        self.same_text = bool(self._ids)
        """Whether a prompt's ids are those of its text. Else the ids are drawn by themselves."""

    def fresh(self, count: int) -> Prompt:
        """``count`` tokens; as text, ``count`` words."""
        if self.same_text:
            words = self._dice.choices(list(self._ids), k=count)
            return Prompt(tuple(self._ids[word] for word in words), "".join(words))
        words = [f" {word}" for word in self._dice.choices(WORDS, k=count)]
        return Prompt(tuple(self._dice.randrange(self._vocab_size) for _ in range(count)), "".join(words))


def _single_tokens(tokenizer: ModelTokenizer) -> dict[str, int]:
    """Words of one token each, if a text of them is cut into just these tokens."""
    found: dict[str, int] = {}
    for word in WORDS:
        ids = tokenizer.encode(f" {word}")
        if len(ids) == 1:
            found[f" {word}"] = ids[0]
    fits = len(found) >= _FEWEST and tokenizer.encode("".join(found)) == list(found.values())
    return found if fits else {}
