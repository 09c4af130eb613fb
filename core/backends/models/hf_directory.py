"""A Hugging Face directory: config.json and safetensors of a model of ``families.HF_FAMILIES``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.backends.base import Floats
from core.backends.models.border import refuse_other_tensors
from core.backends.models.families import HF_NAMES
from core.backends.models.hf_config import HfConfig
from core.backends.models.hf_nested import is_nested, text_config, text_name
from core.backends.models.json_file import Json, read_json
from core.backends.models.model_file import is_there
from core.backends.models.refusals import refusal
from core.backends.models.safetensors import SafetensorsFile
from core.backends.spec import DecoderSpec

INDEX = "model.safetensors.index.json"
WHOLE = "model.safetensors"
ADAPTER = "adapter_config.json"


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """Where a tensor lies: in which file, under which name."""

    file: SafetensorsFile
    name: str


class HfDirectory:
    """An opened directory.

    Files may be links, as in the cache of the ``huggingface_hub`` package; names that an index gives may not
    lead out of the folder.

    Raises:
        BackendError: a file is missing or cannot be read, or the model has a part that our decoder has not.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        config = self._json("config.json")
        if is_there(folder / ADAPTER):  # other readers put it upon the model
            raise refusal("part", folder.name, found=ADAPTER)
        self._nested = is_nested(config)
        self.config = text_config(folder.name, config)
        checked = HfConfig(folder.name, self.config)
        self._stored = self._open_files()
        self.spec = self._checked(checked)

    def optional_json(self, name: str) -> Json:
        """A file of the directory, or nothing where it does not exist."""
        return self._json(name) if is_there(self.folder / name) else {}

    def tensor(self, name: str, layer: int | None = None) -> Floats:
        """One tensor in float32 (``core.backends.weights.WeightSource``)."""
        stored = self._stored[HF_NAMES.stored(name, layer)]
        return stored.file.tensor(stored.name)

    # -- inside -----------------------------------------------------------------------------------------

    def _json(self, name: str) -> Json:
        return read_json(self.folder / name, self.folder.name)

    def _open_files(self) -> dict[str, Stored]:
        """Name of a tensor, as in a model that only reads text -> where it lies, each in one place only."""
        index = None if is_there(self.folder / WHOLE) else self._index()
        file_of: dict[str, SafetensorsFile] = {}
        for path in self._paths(index):
            file = SafetensorsFile(path)
            for name in file.names():
                if name in file_of:
                    raise refusal("twice", self.folder.name, part=name)
                file_of[name] = file
        self._refuse_other_index(index, file_of)
        stored: dict[str, Stored] = {}
        for name, file in file_of.items():
            plain = text_name(name) if self._nested else name
            if plain in stored:
                raise refusal("twice", self.folder.name, part=plain)
            if plain is not None:
                stored[plain] = Stored(file, name)
        return stored

    def _paths(self, index: dict[str, str] | None) -> list[Path]:
        """The files that the transformers library takes: one for all, those of the index, or whatever there
        is."""
        if index is not None:
            paths = [self.folder / name for name in sorted(set(index.values()))]
        elif is_there(self.folder / WHOLE):
            paths = [self.folder / WHOLE]
        else:
            paths = sorted(self.folder.glob("*.safetensors"))
        if not paths:
            raise refusal("missing", self.folder.name, part="*.safetensors")
        for path in paths:
            if not is_there(path):
                raise refusal("missing", self.folder.name, part=path.name)
        return paths

    def _index(self) -> dict[str, str] | None:
        """Name of a tensor -> name of its file; None without an index."""
        if not is_there(self.folder / INDEX):
            return None
        found = self._json(INDEX).get("weight_map")
        if not isinstance(found, dict) or not all(map(_is_file_name, found.values())):
            raise refusal("damaged", self.folder.name, part=INDEX)
        return found

    def _refuse_other_index(self, index: dict[str, str] | None, file_of: dict[str, SafetensorsFile]) -> None:
        """What the index says and what the files hold is the same."""
        for name in index or {}:
            if name not in file_of:
                raise refusal("missing", self.folder.name, part=name)
        for name, file in file_of.items() if index is not None else ():
            if index is not None and index.get(name) != file.path.name:
                raise refusal("damaged", self.folder.name, part=f"{INDEX}: {name}")

    def _checked(self, config: HfConfig) -> DecoderSpec:
        """The shape, once every tensor agrees with it."""
        head = HF_NAMES.stored("head")
        shapes = {name: one.file.shapes()[one.name] for name, one in self._stored.items()}
        spec = config.spec(tied_head=self._nested and head not in shapes)
        if spec.tied_head and head in shapes:
            self._refuse_other_head(head)
            del shapes[head]
        refuse_other_tensors(self.folder.name, spec, shapes, HF_NAMES, list(_frequencies(shapes)))
        for name in shapes:
            if not name.endswith(_FREQUENCIES):
                self._stored[name].file.refuse_other_form(self._stored[name].name)
        return config.stretched(spec)

    def _refuse_other_head(self, head: str) -> None:
        """A head that is said to be the embedding, and stored besides, is the embedding."""
        embedding = HF_NAMES.stored("embedding")
        if embedding not in self._stored:
            raise refusal("missing", self.folder.name, part=embedding)
        one, other = (self._stored[name].file.pieces(self._stored[name].name) for name in (head, embedding))
        if not all(itertools.starmap(np.array_equal, itertools.zip_longest(one, other))):
            raise refusal("part", self.folder.name, found=f"{head} ≠ {embedding}")


_FREQUENCIES = ".self_attn.rotary_emb.inv_freq"
"""Written by old versions of the library, which compute it anew."""


def _frequencies(names: dict[str, tuple[int, ...]]) -> Iterator[str]:
    return (name for name in names if name.startswith(HF_NAMES.prefix) and name.endswith(_FREQUENCIES))


def _is_file_name(name: object) -> bool:
    """A plain name: no folder, no way up, no drive."""
    return isinstance(name, str) and name.endswith(".safetensors") and not set(name) & set("/\\:\0")
