"""Chat templates: what stands between the messages when a chat becomes one token sequence.

A template only frames messages. It never looks ahead, so the sequence of the first k messages is a prefix of
the sequence of the first k + 1: shared history stays a shared prefix, as it is with the templates of models.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, slots=True)
class Template:
    """`opening` and `closing` frame one message ({role} is its role, with a name if it has one).

    `tools`: the tools' schemas stand in a message of their own in front of everything ("first"), or inside
    the system message behind its text ("system"; without a system message they make one).
    """

    name: str
    opening: str
    closing: str
    start: str = ""
    tools: Literal["first", "system"] = "first"

    def open(self, role: str) -> str:
        """What stands in front of a message of this role."""
        return self.opening.replace("{role}", role)


_ALL = (
    Template("plain", "{role}:\n", "\n"),
    Template("chatml", "<|im_start|>{role}\n", "<|im_end|>\n", tools="system"),
    Template(
        "llama3",
        "<|start_header_id|>{role}<|end_header_id|>\n\n",
        "<|eot_id|>",
        start="<|begin_of_text|>",
        tools="system",
    ),
)
TEMPLATES = MappingProxyType({template.name: template for template in _ALL})
"""The templates to choose from; the first is the default."""
