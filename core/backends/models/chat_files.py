"""Where a model keeps its chat template: in its GGUF file, or beside its weights in a directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.backends.models.chat_format import ChatFormat
from core.backends.models.chat_template import Named
from core.backends.models.gguf import GgufFile
from core.backends.models.model_file import MOST_HEAD, MOST_TOKENIZER, small_file
from core.backends.models.refusals import refusal

_TOKENS = ("bos", "eos", "unk", "pad")


def gguf_chat(file: GgufFile) -> ChatFormat:
    """The template in a GGUF file.

    Raises:
        BackendError: an entry about it cannot be.
    """
    entries = file.entries
    tokens = entries.texts("tokenizer.ggml.tokens") if "tokenizer.ggml.tokens" in entries.values else []
    named: dict[str, str] = {}
    for name in ("bos", "eos") if tokens else ():  # of the others files tell what is no token
        token_id = entries.index(f"tokenizer.ggml.{name}_token_id", len(tokens))
        if token_id is not None:
            named[f"{name}_token"] = tokens[token_id]
    scored = entries.text("tokenizer.ggml.model", "") == "llama"
    starts = entries.flag("tokenizer.ggml.add_bos_token", scored)
    template = entries.text("tokenizer.chat_template", "")
    start = named.get("bos_token", "") if starts else ""
    return ChatFormat(file.path.name, template, tuple(sorted(named.items())), start)


def hf_chat(folder: Path) -> ChatFormat:
    """The template of a directory: in a file of its own, or among the settings of its tokenizer.

    Raises:
        BackendError: a file is damaged.
    """
    settings = _json(folder, "tokenizer_config.json")
    tokens = _names(settings) or _names(_json(folder, "special_tokens_map.json"))
    return ChatFormat(folder.name, _template(folder, settings), tokens, _start(folder))


def _template(folder: Path, settings: dict[str, Any]) -> str:
    own = _text(folder, "chat_template.jinja")
    found = own or _json(folder, "chat_template.json").get("chat_template") or settings.get("chat_template")
    if isinstance(found, list):  # several, by name
        by_name = {one.get("name"): one.get("template") for one in found if isinstance(one, dict)}
        found = by_name.get("default")
    if found is None:
        return ""
    if not isinstance(found, str):
        raise refusal("damaged", folder.name, part="chat_template")
    return found


def _names(settings: dict[str, Any]) -> Named:
    """A token is written as its name, or as an object that holds it."""
    found: dict[str, str] = {}
    for name in _TOKENS:
        token = settings.get(f"{name}_token")
        token = token.get("content") if isinstance(token, dict) else token
        if isinstance(token, str):
            found[f"{name}_token"] = token
    return tuple(sorted(found.items()))


def _start(folder: Path) -> str:
    """The token that ``tokenizer.json`` puts in front of every text."""
    step = _json(folder, "tokenizer.json").get("post_processor")
    steps = step.get("processors", [step]) if isinstance(step, dict) else []
    for part in steps if isinstance(steps, list) else ():
        single = part.get("single") if isinstance(part, dict) else None
        first = single[0] if isinstance(single, list) and single else None
        special = first.get("SpecialToken") if isinstance(first, dict) else None
        if isinstance(special, dict) and isinstance(special.get("id"), str):
            return str(special["id"])
    return ""


def _json(folder: Path, name: str) -> dict[str, Any]:
    text = _text(folder, name)
    try:
        data = json.loads(text or "{}")
    except (ValueError, RecursionError) as problem:
        raise refusal("damaged", folder.name, part=name) from problem
    if not isinstance(data, dict):
        raise refusal("damaged", folder.name, part=name)
    return data


def _text(folder: Path, name: str) -> str:
    """A file of the directory, "" where it does not exist."""
    most = MOST_TOKENIZER if name == "tokenizer.json" else MOST_HEAD
    try:
        return (small_file(folder / name, folder.name, most) or b"").decode("utf-8")
    except ValueError as problem:
        raise refusal("damaged", folder.name, part=name) from problem
