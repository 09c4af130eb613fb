"""One visitor's conversation with a model: every turn that was asked, and which of them it goes on from.

A turn holds all that was sent, so any turn is the end of a conversation of its own: a changed message begins
another path, and the old one can be taken up again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from core.backends.experiments.answer import Answer, Clock
from core.backends.experiments.chat import Chat
from core.backends.models.chat_template import Messages
from ui.frame.kept import Kept
from ui.prefill.models import Choice

KEPT_TURNS = 24
SYSTEM = (
    "You are the cook of a small noodle shop. You answer in one or two short sentences. You are friendly, "
    "you know all about broth, noodles and vegetables, and you never talk about anything but food. When a "
    "guest asks for a dish, you say what is in it. When a guest asks for the price, you say: five coins."
)
QUESTIONS = (
    "What is in the noodle soup?",
    "What does it cost?",
    "Can I have it without meat?",
    "And how do you make the broth?",
)
"""Proposed one after another; English, which the small model knows."""


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One question: ``messages`` is all that was sent, the question last. ``clock`` is None if it was stopped
    before both sides were timed. ``kv_bytes`` are those of the blocks of prompt and answer. ``beside``: the
    turn whose conversation it changes, by number. ``note``: as in ``ChatFormat.note``. ``marks``: names of
    special tokens that somebody wrote into a message."""

    number: int
    messages: Messages
    answer: Answer
    clock: Clock | None
    kv_bytes: int
    note: str = ""
    marks: tuple[str, ...] = ()
    beside: int | None = None

    @property
    def system(self) -> str:
        """Its system prompt."""
        return self.messages[0][1]

    @property
    def question(self) -> str:
        """What was asked."""
        return self.messages[-1][1]

    @property
    def spoken(self) -> Messages:
        """The conversation up to its answer, without the system prompt."""
        return (*self.messages[1:], ("assistant", self.answer.text))


@dataclass
class Conversation:
    """Of one visitor. ``at``: the number of the turn that the conversation goes on from."""

    chat: Chat | None = None
    choice: Choice | None = None
    turns: list[Turn] = field(default_factory=list)
    at: int | None = None
    system: str = SYSTEM
    question: str = QUESTIONS[0]
    proposed: str | None = None
    """What is to stand in the field of the next question."""

    @property
    def current(self) -> Turn | None:
        """The turn that the conversation goes on from."""
        return self.turn(self.at)

    def turn(self, number: int | None) -> Turn | None:
        """A turn by its number, if it is still kept."""
        return next((turn for turn in self.turns if turn.number == number), None)

    @property
    def spoken(self) -> Messages:
        """What was said so far, without the system prompt."""
        return self.current.spoken if self.current else ()

    def keep(self, turn: Turn, was_asked: str) -> None:
        """A turn has come to its end; the next question is proposed if nobody has typed one meanwhile."""
        self.turns = [*self.turns, turn][-KEPT_TURNS:]
        self.at = turn.number
        if was_asked == turn.question:
            asked = {text for role, text in turn.messages if role == "user"}
            self.proposed = next((text for text in QUESTIONS if text not in asked), "")

    def begin_anew(self) -> None:
        """Nothing was said; the cache stays."""
        self.at, self.proposed = None, QUESTIONS[0]

    def forget(self) -> None:
        """An empty cache, and no turns."""
        self.chat, self.choice, self.turns = None, None, []
        self.begin_anew()


conversation = Kept("prefill_chat", Conversation).get
"""This visitor's."""
