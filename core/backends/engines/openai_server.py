"""An engine behind OpenAI's protocol: vLLM, SGLang, llama.cpp's server, Ollama, a provider."""

from __future__ import annotations

from typing import Any

from core.backends.engines.address import Address
from core.backends.engines.base import About, First, Prompt, Takes
from core.backends.engines.wire import Json, Wire, cut_off, rubbish
from core.errors import BackendError

_TOKENS = 4
"""Asked for more than one, since a first token without letters is told by none of them."""
_LIMITS = ({"max_tokens": _TOKENS}, {"max_completion_tokens": _TOKENS})
_USAGE: Json = {"stream_options": {"include_usage": True}}
_OTHERWISE = (400, 404, 405, 422, 501)
"""Refusals after which another way of asking may do."""
_NAME = 60
_MOST_TOKENS = 10**7
"""No prompt has more; whoever counts more is not believed."""


class OpenAiEngine:
    """``takes``: ``tokens`` only where the server is known to have the same vocabulary and to take ids."""

    def __init__(
        self,
        address: Address,
        *,
        model: str = "",
        takes: Takes = "text",
        patience_s: float = 60.0,
        more: Json | None = None,
    ) -> None:
        """Find the server, what it serves, and how it wants to be asked.

        Raises:
            BackendError: it is not there, or takes none of the ways of asking.
        """
        self._wire = Wire(address, patience_s)
        self._takes = takes
        self._more = more or {}
        owner, found = ("", "") if model else self._first_model()
        self._model = model or found
        self._owner = f"{owner[:_NAME]} (server)" if owner else "server"
        self._path, self._form = self._way_to_ask()

    @property
    def about(self) -> About:
        """As it calls itself."""
        model = self._model.replace("\\", "/").rsplit("/", 1)[-1]
        return About(self._owner, model[:_NAME], "", self._takes, "as it likes", None)

    def ask(self, prompt: Prompt) -> First:
        """Ask for a few tokens, read all, keep the moment of the first."""
        return self._ask(prompt, self._path, self._form)

    def interrupt(self) -> None:
        """Cut what is under way."""
        self._wire.interrupt()

    def close(self) -> None:
        """As ``interrupt``."""
        self._wire.interrupt()

    def _first_model(self) -> tuple[str, str]:
        """Who serves, and the name of the first model."""
        said = self._wire.get("/models")
        try:
            first = said["data"][0]
            name, owner = first["id"], first.get("owned_by", "")
        except (KeyError, IndexError, TypeError, AttributeError):
            name, owner = None, ""
        if not isinstance(name, str):
            raise BackendError(
                "backend.server_models",
                "The server does not say which models it has. Name one in BROTH_SERVER_MODEL.",
            )
        return owner if isinstance(owner, str) else "", name

    def _way_to_ask(self) -> tuple[str, Json]:
        """The first of several ways that the server takes: a plain prompt before a chat, for a chat puts the
        model's template around the text; with the usage before without."""
        ways = [
            (path, limit | usage)
            for path in ("/completions", "/chat/completions")
            for limit in _LIMITS
            for usage in (_USAGE, {})
        ]
        refused: BackendError | None = None
        for path, form in ways:
            try:
                self._ask(Prompt((0, 1, 2), "Hello"), path, form)
            except BackendError as error:
                if error.code != "backend.server_status" or error.values["status"] not in _OTHERWISE:
                    raise
                refused = refused or error
            else:
                return path, form
        assert refused is not None
        raise refused

    def _ask(self, prompt: Prompt, path: str, form: Json) -> First:
        sent: Any = list(prompt.token_ids) if self._takes == "tokens" else prompt.text
        chat = path.startswith("/chat")
        question = {"messages": [{"role": "user", "content": sent}]} if chat else {"prompt": sent}
        first: float | None = None
        ended: float | None = None
        text, usage = "", None
        for seconds, event in self._wire.stream(
            path, {"model": self._model, "stream": True, **form, **question, **self._more}
        ):
            said, over = _content(event)
            if said and first is None:
                first, text = seconds, said
            if over and ended is None:
                ended = seconds
            usage = event.get("usage") or usage
        if ended is None:
            raise cut_off()
        tokens, cached = _counts(usage)
        return First(ended if first is None else first, tokens, cached, text)


def _content(event: Json) -> tuple[str, bool]:
    """The new letters in an event, thoughts included, and whether the answer is over."""
    try:
        choices = event.get("choices") or []
        if not choices:
            return "", False
        choice = choices[0]
        delta = choice.get("delta") or {}
        said = (delta.get(name) for name in ("content", "reasoning_content", "reasoning"))
        found = [one for one in (choice.get("text"), *said) if isinstance(one, str) and one]
        return found[0] if found else "", choice.get("finish_reason") is not None
    except (AttributeError, KeyError, TypeError, IndexError) as problem:
        raise rubbish() from problem


def _counts(usage: object) -> tuple[int | None, int | None]:
    """Prompt tokens and cached ones, where both can be true: none negative, not more cached than sent."""
    if not isinstance(usage, dict):
        return None, None
    tokens = _count(usage.get("prompt_tokens"))
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    if cached is None:
        cached = _count(usage.get("prompt_cache_hit_tokens"))  # DeepSeek's name for it
    if cached is not None and (tokens is None or cached > tokens):
        cached = None
    return tokens, cached


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None
