"""How a chat model wants system prompt and question to be marked. Three formats are known, by their marks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """``begin`` opens the prompt; ``turn`` holds {role} and {text}; ``answer`` asks for the answer."""

    name: str
    mark: str
    begin: str
    turn: str
    answer: str

    def prompt(self, system: str, user: str) -> str:
        """The whole prompt. Without a system prompt that turn is left out."""
        return self.head(system) + self._turn("user", user) + self.answer

    def head(self, system: str) -> str:
        """The part of the prompt that all questions under one system prompt share."""
        return self.begin + (self._turn("system", system) if system else "")

    def _turn(self, role: str, text: str) -> str:
        return self.turn.replace("{role}", role).replace("{text}", text)


FORMATS = (
    ChatFormat(
        "ChatML", "<|im_start|>", "", "<|im_start|>{role}\n{text}<|im_end|>\n", "<|im_start|>assistant\n"
    ),
    ChatFormat(
        "Llama 3",
        "<|start_header_id|>",
        "<|begin_of_text|>",
        "<|start_header_id|>{role}<|end_header_id|>\n\n{text}<|eot_id|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
)
PLAIN = ChatFormat("plain", "", "", "{text}\n\n", "")
"""For models that were never taught to chat."""


def find_format(template: str) -> ChatFormat:
    """The format whose mark the model's own template uses, else the plain one."""
    return next((known for known in FORMATS if known.mark in template), PLAIN)
