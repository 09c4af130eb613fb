"""The optional package ``tokenizers``: it reads every ``tokenizer.json``, as the models' makers do."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from core.backends.models.refusals import refusal
from core.texts import showable

_PACKAGE = "tokenizers"


def has_package() -> bool:
    """Whether it is installed; looks, and imports nothing."""
    return importlib.util.find_spec(_PACKAGE) is not None


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    try:
        yield
    except BaseException as problem:  # a panic of the package is no Exception
        if isinstance(problem, KeyboardInterrupt | SystemExit | GeneratorExit):
            raise
        raise refusal("damaged", name, part="tokenizer.json") from problem


class PackagedTokenizer:
    """A ``tokenizer.ModelTokenizer``. Making it and all it does raises ``BackendError`` where the package
    cannot: some of what can be wrong in a file shows only when a text needs it."""

    def __init__(self, text: str, name: str) -> None:
        from tokenizers import Tokenizer

        self._name = name
        with _refusing(name):
            self._inner = Tokenizer.from_str(text)
            self._added = self._inner.get_added_tokens_decoder()
        self._inner.no_truncation()  # settings for training: a prompt is taken whole, as it is
        self._inner.no_padding()

    def encode(self, text: str) -> list[int]:
        """The token ids of ``text``; the names of special tokens in it become those tokens."""
        with _refusing(self._name):
            ids: list[int] = self._inner.encode(showable(text), add_special_tokens=False).ids
        return ids

    def pieces(self, text: str) -> list[str]:
        """The text of each token, in the tokenizer's normal form."""
        return self.texts(self.encode(text))

    def texts(self, token_ids: Sequence[int]) -> list[str]:
        """The text of each token; joined they are ``decode`` of all of them."""
        texts = list(self._new_texts(token_ids))
        rest = self.decode(token_ids)[sum(map(len, texts)) :]
        if texts:
            texts[-1] += rest
        return texts

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a sequence of tokens."""
        with _refusing(self._name):
            text: str = self._inner.decode(list(token_ids), skip_special_tokens=False)
        return text

    def marks(self, text: str) -> list[str]:
        """The names of special tokens in the text, each once, as they come."""
        names = {token_id: str(one.content) for token_id, one in self._added.items()}
        return list(dict.fromkeys(names[token_id] for token_id in self.encode(text) if token_id in names))

    def _new_texts(self, token_ids: Sequence[int]) -> Iterator[str]:
        """What each token adds. A token's text can depend on its neighbours, so a few are read together; half
        a character waits for its other half."""
        start = end = 0
        known = ""
        for place in range(1, len(token_ids) + 1):
            text = self.decode(token_ids[start:place])
            if text.endswith("\ufffd") and place - end < 4:
                yield ""
                continue
            yield text[len(known) :]
            start, end = end, place
            known = self.decode(token_ids[start:end])
