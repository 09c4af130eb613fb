"""How a chat model wants system prompt and question marked: in a template that logs are read with too."""

from __future__ import annotations

from dataclasses import dataclass

from core.traces.templates import TEMPLATES, Template


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """Prompts of one template: a system prompt, a question, and the place where the answer begins."""

    template: Template

    def prompt(self, system: str, user: str) -> str:
        """The whole prompt. Without a system prompt that turn is left out."""
        return self.head(system) + self._turn("user", user) + self.template.open("assistant")

    def head(self, system: str) -> str:
        """The part of the prompt that all questions under one system prompt share."""
        return self.template.start + (self._turn("system", system) if system else "")

    def _turn(self, role: str, text: str) -> str:
        return self.template.open(role) + text + self.template.closing


PLAIN = ChatFormat(Template("text", "", "\n\n"))
"""For models that were never taught to chat."""


def find_format(template: str) -> ChatFormat:
    """The format whose mark the model's own template uses, else the plain one."""
    known = (TEMPLATES["chatml"], TEMPLATES["llama3"])
    return next((ChatFormat(one) for one in known if one.opening.partition("{")[0] in template), PLAIN)
