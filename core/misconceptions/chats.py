"""The belief about conversations: the next turn begins with the last one, so it hits whole."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.misconceptions.story import Belief, Knob, Shown, reused, story
from core.scenario.scenario import Scenario

_WINDOW = "system[0:16] {} question{}[0:1]"
_LINES = [f"line{k}[0:8]" for k in range(1, 6)]
_CHAT = "system[0:32] user1[0:6] mark[0:3]"
_THOUGHT, _SAID = "thought[0:40] close[0:1]", "answer[0:8]"
# (block size, first prompt, its answer, the next prompt as it should be, and as the client really sends it)
CLIENTS: Mapping[str, tuple[int, str, str, str, str]] = MappingProxyType(
    {
        "thinking": (
            4,
            _CHAT,
            f"{_THOUGHT} {_SAID}",
            f"{_CHAT} {_THOUGHT} {_SAID} end[0:2] user2[0:6] mark[0:3]",
            f"system[0:32] user1[0:6] mark[0:2] {_SAID} end[0:2] user2[0:6] mark[0:3]",
        ),
        "text": (
            4,
            "system[0:16]",
            "10,11,198,198,12,13,14,15,16",
            "system[0:16] 10,11,198,198,12,13,14,15,16 user2[0:8]",
            "system[0:16] 10,11,271,12,13,14,15,16 user2[0:8]",
        ),
        "tools": (
            16,
            "search[0:64] mail[0:64] user1[0:9]",
            "",
            "search[0:64] mail[0:64] user2[0:9]",
            "mail[0:64] search[0:64] user2[0:9]",
        ),
        "trim": (
            4,
            _WINDOW.format(" ".join(_LINES[:4]), 1),
            "",
            _WINDOW.format(" ".join(_LINES), 2),
            _WINDOW.format(" ".join(_LINES[1:]), 2),
        ),
    }
)


def _two_turns(client: str, *, whole: bool) -> Scenario:
    size, first, answer, kept, sent = CLIENTS[client]
    begin = {"op": "submit", "id": "R0", "tokens": first} | ({"output_tokens": answer} if answer else {})
    go = {"op": "run"}
    then = {"op": "submit", "id": "R1", "tokens": kept if whole else sent}
    return story("turns", size, 64, [begin, go, then, go])


def turns(client: str) -> Shown:
    """Believed: the next turn begins with the last one. True: only if the client sends just that."""
    kept, sent = _two_turns(client, whole=True), _two_turns(client, whole=False)
    return Shown(
        reused(kept),
        reused(sent),
        "reused",
        (("kept", reused(kept)), ("sent", reused(sent))),
        here="sent",
        numbers={"kept": reused(kept), "sent": reused(sent)},
        scenario=sent,
    )


TURNS = Belief("turns", (Knob("client", tuple(CLIENTS), "thinking"),), turns)
