"""How a model wants a conversation written down: by its own template, or plainly where it has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.backends.models.chat_template import Messages, Named, render
from core.errors import BackendError

_MARK = "broth.mark"
"""A message that no template writes by itself."""


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """``template`` is the model's own, "" if it has none; ``tokens`` are the names it may ask for. ``start``
    is the token that begins every text for this model, which a template writes itself."""

    model: str = ""
    template: str = ""
    tokens: Named = ()
    start: str = ""

    def prompt(self, system: str, user: str) -> str:
        """The whole prompt, up to where the answer begins. Without a system prompt that turn is left out, and
        a template may put its own default there.

        Raises:
            BackendError: the template refuses these texts (``backend.chat_template``).
        """
        return self.dialogue((("system", system), ("user", user)))

    def dialogue(self, messages: Messages) -> str:
        """As ``prompt``, for a conversation: a system prompt first (it may be empty), then user and assistant
        in turn, a user's message last. Where the template knows no system prompt it goes in front of the
        first question.

        Raises:
            BackendError: the template refuses these texts (``backend.chat_template``).
        """
        system = "".join(text for role, text in messages if role == "system")
        turns = tuple(message for message in messages if message[0] != "system")
        if not system:
            return self.conversation(turns)
        if self.has_system():
            return self.conversation((("system", system), *turns))
        role, question = turns[0]
        return self.conversation(((role, f"{system}\n\n{question}"), *turns[1:]))

    def conversation(self, messages: Messages, *, open_answer: bool = True) -> str:
        """The prompt for (role, text) in order.

        Raises:
            BackendError: the template refuses them.
        """
        if not self.template:
            return self.start + "".join(f"{text}\n\n" for _, text in messages)
        return render(self.model, self.template, self.tokens, messages, open_answer=open_answer)

    def has_system(self) -> bool:
        """Whether the template knows system prompts; else one goes in front of the first question. Some
        refuse them, some leave them out without a word: both are seen by trying.

        Raises:
            BackendError: the template refuses a lone question as well.
        """
        if not self.template:
            return True
        try:
            return _MARK in self.conversation((("system", _MARK), ("user", "?")))
        except BackendError:
            self.conversation((("user", "?"),))
            return False

    def note(self, system: str) -> Literal["", "no_template", "no_system", "no_question"]:
        """What a reader has to be told about prompts with this system prompt; "" if all went by the template.

        Raises:
            BackendError: the template refuses a lone question.
        """
        if not self.template:
            return "no_template"
        if _MARK not in self.conversation((("user", _MARK),)):
            return "no_question"
        return "no_system" if system and not self.has_system() else ""

    def head(self, system: str) -> str:
        """The part of the prompt that all questions under one system prompt share.

        Raises:
            BackendError: the template refuses these texts.
        """
        one, other = (self.prompt(system, mark) for mark in ("A", "B"))
        apart = (place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
        return one[: next(apart, min(len(one), len(other)))]


PLAIN = ChatFormat()
"""For models that were never taught to chat."""
