"""Why a file's outer layers cannot be taken off: each error names the file, the layer and a way out."""

from __future__ import annotations

from core.errors import TraceError


def foreign(file: str, kind: str) -> TraceError:
    """A kind of file that holds no log as text or as a table we know."""
    message = (
        f"{file} is a file of the kind {kind}, which is not read here. "
        "Export the log as JSON lines, CSV or Parquet and load that."
    )
    return TraceError("trace.foreign", message, file=file, kind=kind)


def damaged(file: str, kind: str) -> TraceError:
    """Unpacking broke off: the rest is not what the layer's rules promise."""
    message = (
        f"{file}: unpacking {kind} broke off; the file is damaged or was cut short. Copy it again, or let "
        "broken lines be skipped to read what comes before."
    )
    return TraceError("trace.damaged", message, file=file, kind=kind)


def too_much(file: str, limit: int) -> TraceError:
    """Far more comes out than any log that is read here; packed zeros are the usual reason."""
    message = f"{file} unpacks to more than {limit >> 20} MiB. Unpack it yourself and load a part of it."
    return TraceError("trace.too_much", message, file=file, limit=limit >> 20)


def locked(file: str) -> TraceError:
    """An archive under a password."""
    message = f"{file} needs a password. Unpack it yourself and load what comes out."
    return TraceError("trace.locked", message, file=file)


def no_package(file: str, kind: str, command: str) -> TraceError:
    """An optional package would read it."""
    message = f"{file} is a file of the kind {kind}; reading it needs one more package: {command}"
    return TraceError("trace.no_package", message, file=file, kind=kind, command=command)


def too_many(file: str, count: int, limit: int) -> TraceError:
    """An archive of more files than are opened one by one."""
    message = (
        f"{file} holds {count} files; at most {limit} are read as one log. Pack fewer of them, or join them."
    )
    return TraceError("trace.too_many", message, file=file, count=count, limit=limit)


def too_deep(file: str, limit: int) -> TraceError:
    """Packed again and again."""
    message = f"{file} is packed more than {limit} times over. Unpack it yourself and load what comes out."
    return TraceError("trace.too_deep", message, file=file, limit=limit)
