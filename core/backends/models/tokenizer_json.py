"""The ``tokenizer.json`` of a Hugging Face directory.

Where the optional package ``tokenizers`` is installed, it reads every such file. Without it, byte-pair
tokenizers of the two usual kinds are read here: over bytes (GPT-2, Llama 3, Qwen) and over characters with
bytes for the rest (Llama 2, Mistral). Everything else is refused with the part that would have to be guessed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_args

from core.backends.models.byte_pair import BytePairTokenizer, byte_letters
from core.backends.models.byte_text import NormalForm
from core.backends.models.model_file import MOST_TOKENIZER, small_file
from core.backends.models.packaged_tokenizer import PackagedTokenizer, has_package
from core.backends.models.pretokens import GPT2, compiled
from core.backends.models.refusals import LONGEST, refusal
from core.backends.models.score_pair import SPACE, Front, ScorePairTokenizer, by_rank
from core.backends.models.special_tokens import SpecialTokens
from core.backends.models.tokenizer import ModelTokenizer, pair_of
from core.errors import BackendError
from core.extras import how_to_add

FILE = "tokenizer.json"
Json = Mapping[str, Any]


class _OtherError(Exception):
    """What would have to be guessed."""


def hf_tokenizer(folder: Path) -> ModelTokenizer:
    """The tokenizer of a directory.

    Raises:
        BackendError: there is none (``backend.no_tokenizer``), it is damaged (``backend.model_damaged``), or
            the package that reads it is missing (``backend.tokenizer_package``).
    """
    raw = small_file(folder / FILE, folder.name, MOST_TOKENIZER)
    if raw is None:
        raise BackendError(
            "backend.no_tokenizer",
            f"{folder.name} has no tokenizer that is read here. Choose another model for texts.",
            name=folder.name,
        )
    try:
        text = raw.decode("utf-8")
    except ValueError as problem:
        raise refusal("damaged", folder.name, part=FILE) from problem
    return PackagedTokenizer(text, folder.name) if has_package() else own_tokenizer(text, folder.name)


def own_tokenizer(text: str, name: str) -> ModelTokenizer:
    """The tokenizer described by ``text``, read without any package.

    Raises:
        BackendError: as ``hf_tokenizer``.
    """
    try:
        data = _object(json.loads(text))
        model = _object(data.get("model"))
        _refuse_other_models(model)
        if _has_bytes(data.get("pre_tokenizer")):
            return _over_bytes(data, model)
        return _over_characters(data, model)
    except _OtherError as other:
        raise _needs_package(name, str(other)) from other
    except (ValueError, TypeError, KeyError, RecursionError) as problem:
        raise refusal("damaged", name, part=FILE) from problem


def _needs_package(name: str, what: str) -> BackendError:
    what, command = what[:LONGEST], how_to_add("tokenizers")
    return BackendError(
        "backend.tokenizer_package",
        f"The tokenizer of {name} needs what only the package tokenizers does exactly: {what}. Add it: "
        f"{command}",
        name=name,
        what=what,
        command=command,
    )


def _refuse_other_models(model: Json) -> None:
    if model.get("type", "BPE") != "BPE":
        raise _OtherError(f"model {model['type']}")
    for part in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(part):
            raise _OtherError(f"model with {part}")


def _over_bytes(data: Json, model: Json) -> BytePairTokenizer:
    id_of, special = _vocabulary(data, model)
    lacking = [letter for letter in byte_letters() if letter not in id_of]
    if lacking and (model.get("fuse_unk") or model.get("byte_fallback")):
        raise _OtherError("bytes that are no tokens")
    unknown = model.get("unk_token")
    return BytePairTokenizer(
        id_of,
        map(pair_of, _list(model["merges"])),
        _expressions(_object(data["pre_tokenizer"])),
        special,
        unknown=None if unknown is None else id_of[unknown],
        whole_first=bool(model.get("ignore_merges")),
        form=_normal_form(data.get("normalizer")),
    )


def _over_characters(data: Json, model: Json) -> ScorePairTokenizer:
    id_of, special = _vocabulary(data, model)
    if not model.get("byte_fallback") or any(f"<0x{byte:02X}>" not in id_of for byte in range(256)):
        raise _OtherError("characters that are no tokens")
    if model.get("ignore_merges"):
        raise _OtherError("ignore_merges")
    front = _front(data.get("normalizer"), data.get("pre_tokenizer"))
    return ScorePairTokenizer(
        id_of, by_rank(id_of, map(pair_of, _list(model["merges"]))), special, front=front
    )


def _vocabulary(data: Json, model: Json) -> tuple[dict[str, int], SpecialTokens]:
    """Name -> id, and the added tokens among them."""
    id_of: dict[str, int] = dict(_object(model["vocab"]))
    added: dict[str, int] = {}
    later: list[str] = []
    for token in map(_object, _list(data.get("added_tokens") or [])):
        name = token["content"]
        if token.get("single_word") or token.get("lstrip") or token.get("rstrip"):
            raise _OtherError(f"added token {name} that takes its neighbours along")
        if token.get("normalized", not token.get("special", False)):
            if _steps(data.get("normalizer"), "normalizers") and not _is_normal(name, data["normalizer"]):
                raise _OtherError(f"added token {name} that is normalised")
            later.append(name)
        added[name] = token["id"]
    id_of.update(added)
    if not all(isinstance(name, str) and type(i) is int and 0 <= i < 2**31 for name, i in id_of.items()):
        raise ValueError("no vocabulary")
    return id_of, SpecialTokens(added, later)


# -- before merging -----------------------------------------------------------------------------------------


def _steps(step: object, inner: str) -> list[Json]:
    """The steps of a normaliser or pre-tokenizer: a sequence, one, or none."""
    if step is None:
        return []
    found = _object(step)
    if found.get("type") != "Sequence":
        return [found]
    return [each for part in _list(found[inner]) for each in _steps(part, inner)]


def _form(step: object) -> str:
    """The name of a normaliser that composes letters and does nothing else, else ""."""
    kinds = [part.get("type") for part in _steps(step, "normalizers")]
    return str(kinds[0]) if len(kinds) == 1 and kinds[0] in get_args(NormalForm)[1:] else ""


def _is_normal(name: str, step: object) -> bool:
    form = cast(NormalForm, _form(step))
    return form != "" and unicodedata.is_normalized(form, name)


def _normal_form(step: object) -> NormalForm:
    form = _form(step)
    if not form and _steps(step, "normalizers"):
        raise _OtherError(
            "normalizer " + ", ".join(str(one.get("type")) for one in _steps(step, "normalizers"))
        )
    return cast(NormalForm, form)


def _has_bytes(step: object) -> bool:
    return any(part.get("type") == "ByteLevel" for part in _steps(step, "pretokenizers"))


def _expressions(step: Json) -> tuple[str, ...]:
    """The expressions of a pre-tokenizer that does nothing but cut, and at last turns text into bytes."""
    steps = _steps(step, "pretokenizers")
    found: list[str] = []
    for part in steps:
        match part.get("type"):
            case "ByteLevel" if part is steps[-1] and not part.get("add_prefix_space", True):
                found += GPT2 if part.get("use_regex", True) else ()
            case "Digits" if part.get("individual_digits"):
                found.append(r"\p{N}")
            case "Digits":
                found.append(r"\p{N}+")
            case "Split" if part.get("behavior") == "Isolated" and not part.get("invert"):
                found.append(_expression(_object(part.get("pattern"))))
            case other:
                raise _OtherError(f"pre_tokenizer {other} as set there")
    return tuple(found)


def _expression(pattern: Json) -> str:
    if "Regex" not in pattern:
        return re.escape(str(pattern["String"]))
    try:
        compiled(pattern["Regex"])
    except re.error as problem:
        raise _OtherError(f"expression {pattern['Regex']}") from problem
    return str(pattern["Regex"])


def _front(normalizer: object, pre: object) -> Front:
    """Where a space is put in front. Llama 2 and Mistral say it in a normaliser, newer files in Metaspace."""
    norms, pres = _steps(normalizer, "normalizers"), _steps(pre, "pretokenizers")
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
    if norms and not pres:
        if norms == [{"type": "Prepend", "prepend": SPACE}, replace]:
            return "each"
        if norms == [replace]:
            return "never"
    if not norms and len(pres) == 1 and pres[0].get("type") == "Metaspace":
        (meta,) = pres
        scheme = meta.get("prepend_scheme", "always" if meta.get("add_prefix_space", True) else "never")
        fronts: dict[str, Front] = {"always": "each_unless", "first": "first_unless", "never": "never"}
        if meta.get("replacement") == SPACE and meta.get("split") is False and scheme in fronts:
            return fronts[scheme]
    kinds = ", ".join(str(part.get("type")) for part in (*norms, *pres))
    raise _OtherError(f"text prepared by {kinds or 'nothing'} as set there")


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value
