"""What a file is, by its first bytes: text and in which encoding, an archive, a table, or nothing for us."""

from __future__ import annotations

import codecs
import re
from types import MappingProxyType
from typing import Literal

from core.traces.packing import refusals

Kind = Literal["text", "zip", "tar", "parquet", "arrow"]

_TABLES: MappingProxyType[bytes, Kind] = MappingProxyType(
    {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"PAR1": "parquet", b"ARROW1": "arrow"}
)
_FOREIGN = MappingProxyType(
    {
        b"7z\xbc\xaf\x27\x1c": "7z",
        b"Rar!": "RAR",
        b"%PDF": "PDF",
        b"SQLite format 3\x00": "SQLite",
        b"Obj\x01": "Avro",
        b"ORC": "ORC",
        b"\xd0\xcf\x11\xe0": "Excel 97 (.xls)",
        b"\x89HDF": "HDF5",
        b"\x80\x02": "pickle",
        b"\x80\x03": "pickle",
        b"\x80\x04": "pickle",
        b"\x80\x05": "pickle",
        b"\x89PNG": "PNG",
        b"\xff\xd8\xff": "JPEG",
        b"\xff\x06\x00\x00sNaPpY": "Snappy",
        b"GGUF": "GGUF",
    }
)
_LOOK = 200
_HIGH = re.compile(rb"[\x80-\xff]+")
_LONGEST_CHAR = 4
_GBK_LEAST, _GBK_MOST = 0xA1, 0xF7
_USUAL = frozenset(
    "äöüÄÖÜßéèêëÉÈÊàâáãåæÀÁÅÆíìîïÍÎóòôõøÓÔÕØúùûÚÙñÑçÇýœŒ€£§°²³½·«»–—‘’‚“”„…¡¿©®™\u00a0\u00ad\u00b4\u00d7".encode(
        "cp1252"
    )
)
"""Letters and marks of Western European texts in Windows-1252."""
_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def kind_of(name: str, head: bytes) -> Kind:
    """What a file that begins like this is; nothing of it is packed any more.

    Raises:
        TraceError: a kind that is not read here.
    """
    for magic, kind in _TABLES.items():
        if head.startswith(magic):
            return kind
    if head[257:262] == b"ustar":
        return "tar"
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise refusals.foreign(name, what)
    return "text"


def encoding_of(name: str, head: bytes) -> str | None:
    """The encoding of a text that is not UTF-8: by its mark, by zeros in every other byte, or by its letters.

    Raises:
        TraceError: nearly all is zeros.
    """
    found = next((name for mark, name in _ENCODINGS if head.startswith(mark)), None)
    first, second = head[:_LOOK:2].count(0), head[1:_LOOK:2].count(0)
    if found is None and 2 * (first + second) > _LOOK:
        raise refusals.foreign(name, "binary")
    if found is None and 5 * max(first, second) > _LOOK:
        return "utf-16-be" if first > second else "utf-16-le"
    return found or _of_letters(head)


def _of_letters(head: bytes) -> str | None:
    """The encoding of a spreadsheet or of an old program; None for UTF-8, also where some of it is damaged.

    GBK has its letters in pairs of high bytes. A single high byte that is a usual letter or mark in
    Windows-1252 is read so; were it Windows-1250, letters would look wrong but equal texts stay equal.
    """
    runs = _HIGH.findall(head[:-_LONGEST_CHAR] if len(head) > _LONGEST_CHAR else head)
    if not runs or any(_is_utf8(run) for run in runs):
        return None
    num_bytes = sum(map(len, runs))
    in_pairs = all(
        len(run) % 2 == 0 and min(run) >= _GBK_LEAST and max(run[::2]) <= _GBK_MOST for run in runs
    )
    if in_pairs and num_bytes >= max(8, 3 * len(runs)):  # words of two letters and more
        return "gb18030"
    return "cp1252" if all(byte in _USUAL for run in runs for byte in run) else None


def _is_utf8(run: bytes) -> bool:
    """Whether a run of high bytes is whole UTF-8; a letter of Windows-1252 stands alone and is not."""
    try:
        run.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
