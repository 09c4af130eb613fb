"""Prompts of one's own: what a person typed, as a scenario, as part of a link, as a file to keep."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import asdict, dataclass
from typing import Any

from core.errors import ScenarioError
from core.scenario.scenario import Json
from core.scenario.tokenizer import TeachingTokenizer
from core.texts import showable, text_bytes

OWN = "own"
OWN_BLOCK_SIZE, OWN_SLOTS = 4, 16
MAX_OWN_LINK = 2_000
"""Characters of own prompts that a link may carry; longer ones are saved as a file."""

MAX_OWN_CHARS = 20_000
"""Characters of own prompts one run on the stage may have."""

MAX_OWN_MESSAGES = 200
"""Messages of one run: the stage folds a frame a step, and a frame holds every request."""
MAX_SLOTS = 128
"""Slots a person may ask for: more than that the stage draws as a density map, and no block is seen."""

FILE_VERSION = 1


@dataclass(frozen=True, slots=True)
class OwnPrompts:
    """A system prompt and user messages that a person typed; each message is one request."""

    system: str = ""
    messages: tuple[str, ...] = ()
    answer: str = ""

    @property
    def num_chars(self) -> int:
        """All characters of the run: every request has the system prompt and the answer."""
        messages = self.messages or ("",)
        return sum(map(len, messages)) + len(messages) * (len(self.system) + len(self.answer))


# -- as a scenario ------------------------------------------------------------------------------------


def own_scenario(own: OwnPrompts, salt: str | None = None, block_size: int = OWN_BLOCK_SIZE) -> Json:
    """Own prompts as a scenario: one request after another, each = system prompt + message.

    The pool holds the longest of them with its answer, as far as a stage can draw it.

    Raises:
        ScenarioError: nothing was typed, or too much.
    """
    messages = own.messages or ("",)  # a system prompt alone is a request too
    prompts = [f"{own.system}{message}" for message in messages if (own.system + message).strip()]
    if not prompts:
        raise ScenarioError("own.empty", "There is no prompt yet; type a message, then run.")
    if own.num_chars > MAX_OWN_CHARS:
        message = f"Your prompts have {own.num_chars} characters; the stage takes {MAX_OWN_CHARS}."
        raise ScenarioError("own.too_long", message, size=own.num_chars, limit=MAX_OWN_CHARS)
    if len(prompts) > MAX_OWN_MESSAGES:
        message = f"These are {len(prompts)} messages; the stage takes {MAX_OWN_MESSAGES}."
        raise ScenarioError("own.too_many", message, size=len(prompts), limit=MAX_OWN_MESSAGES)
    commands: list[Json] = []
    for number, prompt in enumerate(prompts):
        command: Json = {"op": "submit", "id": f"R{number}", "text": prompt}
        if own.answer.strip():
            command["output"] = own.answer
        if salt:
            command["salt"] = salt
        commands += [command, {"op": "run"}]
    slots = _own_slots([prompt + own.answer for prompt in prompts], block_size)
    return {
        "schema": 1,
        "id": OWN,
        "block_size": block_size,
        "num_slots": slots,
        "config": {},
        "commands": commands,
    }


def _own_slots(texts: list[str], block_size: int) -> int:
    tokenizer = TeachingTokenizer()
    blocks = -(-max(len(tokenizer.encode(text)) for text in texts) // block_size)
    return min(max(OWN_SLOTS, blocks), MAX_SLOTS)


# -- in a link ----------------------------------------------------------------------------------------


def pack_own(own: OwnPrompts) -> str:
    """Own prompts as a short text of letters that a link can carry."""
    data = json.dumps([own.system, list(own.messages), own.answer], ensure_ascii=False)
    packed = zlib.compress(text_bytes(data), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpack_own(text: str) -> OwnPrompts | None:
    """Back from ``pack_own``; None if the text was damaged or holds too much."""
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(packed, 8 * MAX_OWN_CHARS)
        system, messages, answer = json.loads(data.decode("utf-8", "surrogatepass"))
    except (binascii.Error, zlib.error, ValueError, TypeError, RecursionError):
        return None
    texts = [system, answer, *messages] if isinstance(messages, list) else [None]
    if unpacker.unconsumed_tail or not all(isinstance(one, str) for one in texts):
        return None
    return OwnPrompts(showable(system), tuple(map(showable, messages)), showable(answer))


# -- as a file ----------------------------------------------------------------------------------------


def own_to_file(own: OwnPrompts) -> str:
    """The prompts as a JSON file, for what is too long for a link."""
    return json.dumps({"broth_prompts": FILE_VERSION, **asdict(own)}, ensure_ascii=True, indent=2) + "\n"


def own_from_file(name: str, data: bytes) -> OwnPrompts:
    """Back from ``own_to_file``; ``name`` is what the messages call it.

    Raises:
        ScenarioError: no JSON, another kind of file, or a field of the wrong kind.
    """
    try:
        found: Any = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise ScenarioError(
            "own.file_json", f"{name}, line {line}: this is no JSON.", file=name, line=line
        ) from None
    if not isinstance(found, dict) or found.get("broth_prompts") != FILE_VERSION:
        raise _wrong(name, "broth_prompts", str(FILE_VERSION))
    for field in ("system", "answer"):
        if not isinstance(found.get(field), str):
            raise _wrong(name, field, '"…"')
    messages = found.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, str) for one in messages):
        raise _wrong(name, "messages", '["…", "…"]')
    lines = (line for message in messages for line in message.splitlines())  # one line, one request
    return OwnPrompts(showable(found["system"]), tuple(map(showable, lines)), showable(found["answer"]))


def _wrong(name: str, field: str, wanted: str) -> ScenarioError:
    message = f"{name}: the field {field} should be {wanted}."
    return ScenarioError("own.file_field", message, file=name, field=field, wanted=wanted)
