"""One small log of 12 requests in the shapes in which exports arrive, each with what is known of it.

The truth is the log itself: three sessions of four turns over one system prompt. A shape changes how its
records are packed, wrapped, prefixed or timed, never what they say.
"""

from __future__ import annotations

import base64
import bz2
import csv
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pyarrow
from pyarrow import ipc, parquet

Json = dict[str, Any]
START = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
SYSTEM = (
    "You answer questions about parcels. Be brief, be polite, ask for an order number if none is given. " * 3
)


@dataclass(frozen=True)
class Shape:
    """`code`: the error that refuses it; `timed`: whether arrivals are known; `notes`: said at least."""

    data: bytes
    name: str = "log"
    code: str | None = None
    timed: bool = True
    notes: tuple[str, ...] = ()
    format: str = "openai_chat"


def base() -> list[Json]:
    """The log: turn by turn, sessions interleaved, a minute between turns."""
    rows = []
    for turn in range(4):
        for session in range(3):
            messages = [{"role": "system", "content": SYSTEM}]
            for before in range(turn):
                messages.append(
                    {"role": "user", "content": f"Where is parcel {session}{before}, «café», {{x}}?"}
                )
                messages.append(
                    {"role": "assistant", "content": f"Parcel {session}{before} is on its way; 汤."}
                )
            messages.append({"role": "user", "content": f"Where is parcel {session}{turn}, «café», {{x}}?"})
            at = (START + timedelta(seconds=60 * turn + 7 * session)).timestamp()
            rows.append(
                {
                    "request_id": f"q{session}-{turn}",
                    "session_id": f"s{session}",
                    "timestamp": at,
                    "model": "m",
                }
                | {"messages": messages}
            )
    return rows


BASE = base()
TIMES = [datetime.fromtimestamp(row["timestamp"], UTC) for row in BASE]


def lines(rows: Sequence[object], end: str = "\n") -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + end for row in rows).encode()


def timed(write: Callable[[datetime], object]) -> bytes:
    """The log with its times written another way."""
    return lines([row | {"timestamp": write(at)} for row, at in zip(BASE, TIMES, strict=True)])


def untimed(rows: Sequence[Json] = BASE) -> list[Json]:
    return [{name: value for name, value in row.items() if name != "timestamp"} for row in rows]


def table(rows: Sequence[Mapping[str, object]], **how: Any) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\r\n", **how)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def gateway() -> list[dict[str, object]]:
    return [
        {
            "timestamp": at.isoformat(),
            "model_name": "m",
            "status_code": 200,
            "request_json": json.dumps({"messages": row["messages"]}, ensure_ascii=False, indent=1),
        }
        for row, at in zip(BASE, TIMES, strict=True)
    ]


def flat(dump: Callable[[object], str] = json.dumps) -> list[dict[str, object]]:
    return [row | {"messages": dump(row["messages"])} for row in BASE]


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: Mapping[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zstd(data: bytes, codec: str = "zstd") -> bytes:
    out = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(out, codec) as stream:
        stream.write(data)
    return bytes(out.getvalue())


def as_parquet(rows: Sequence[Mapping[str, object]], **how: Any) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(list(rows)), out, **how)
    return out.getvalue()


def as_arrow(rows: Sequence[Mapping[str, object]]) -> bytes:
    out, made = io.BytesIO(), pyarrow.Table.from_pylist(list(rows))
    with ipc.new_file(out, made.schema) as writer:
        writer.write_table(made)
    return out.getvalue()


def prefixed(
    prefix: Callable[[datetime, int], str], noise: Sequence[str] = (), rows: Sequence[Json] = BASE
) -> bytes:
    found = [*noise]
    for number, (row, at) in enumerate(zip(rows, TIMES, strict=True)):
        found.append(prefix(at, number) + json.dumps(row, ensure_ascii=False))
        found += noise[number % max(len(noise), 1) :][:1]
    return "\n".join(found).encode() + b"\n"


def iso(at: datetime, digits: int = 3) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f")[: 20 + digits] + "Z"


def enveloped(wrap: Callable[[str, datetime], object], rows: Sequence[Json] | None = None) -> bytes:
    """Each record as text in a shipper's field; the time only in the envelope."""
    inner = untimed() if rows is None else rows
    return lines(
        [wrap(json.dumps(row, ensure_ascii=False), at) for row, at in zip(inner, TIMES, strict=True)]
    )


def cut_up(write: Callable[[str, datetime, bool], object], size: int) -> bytes:
    """Records longer than a container's runtime keeps together."""
    parts = []
    for row, at in zip(untimed(), TIMES, strict=True):
        text = json.dumps({"request_id": row["request_id"], "padding": "x" * 9000} | row)
        pieces = [text[place : place + size] for place in range(0, len(text), size)]
        parts += [write(piece, at, piece is pieces[-1]) for piece in pieces]
    return b"".join((part if isinstance(part, str) else json.dumps(part)).encode() + b"\n" for part in parts)


NOISE = (
    "Starting server on port 8000 …",
    "WARNING: no [GPU] found, {} used",
    "",
    'GET /health 200 {"status": "ok"}',
    "Traceback (most recent call last):",
)


def _layers() -> Iterator[tuple[str, Shape]]:
    plain = lines(BASE)
    yield "plain", Shape(plain)
    yield "gzip", Shape(gzip.compress(plain))
    yield "gzip, two members", Shape(gzip.compress(plain[:5000]) + gzip.compress(plain[5000:]))
    yield "bzip2", Shape(bz2.compress(plain))
    yield "xz", Shape(lzma.compress(plain))
    yield "zstd", Shape(zstd(plain))
    yield "zstd, two frames", Shape(zstd(plain[:5000]) + zstd(plain[5000:]))
    yield "lz4", Shape(zstd(plain, "lz4"))
    yield "gzip in gzip", Shape(gzip.compress(gzip.compress(plain)))
    yield "gzip, cut short", Shape(gzip.compress(plain)[:-40], code="trace.damaged")
    yield "gzip, damaged", Shape(gzip.compress(plain, 0)[:3000] + b"\xff" * 4000, code="trace.damaged")
    yield "zip", Shape(zipped({"log.jsonl": plain}))
    yield "zip, stored", Shape(zipped({"a/b/log.jsonl": plain}, zipfile.ZIP_STORED))
    parts = {f"logs/day{n}.jsonl": lines(BASE[n * 4 : n * 4 + 4]) for n in range(3)}
    yield "zip of three days", Shape(zipped(parts), notes=("members",))
    extra = {"__MACOSX/._log.jsonl": b"\0\1", ".DS_Store": b"x", "README.md": b"# Export\n"}
    yield "zip with other files", Shape(zipped(parts | extra), notes=("members", "members_left"))
    yield "zip of gzip", Shape(zipped({"log.jsonl.gz": gzip.compress(plain)}))
    yield "zip of a table", Shape(zipped({"log.csv": table(gateway())}), format="gateway_csv")
    yield "zip of nothing", Shape(zipped({}), code="trace.empty")
    yield "zip of pictures", Shape(zipped({"a.png": b"\x89PNG\r\n\x1a\n"}), code="trace.foreign")
    yield "zip, cut short", Shape(zipped({"log.jsonl": plain})[:-30], code="trace.damaged")
    yield "tar", Shape(tarred(parts), notes=("members",))
    yield "tar.gz", Shape(tarred(parts, "w:gz"), notes=("members",))
    yield "tar.bz2 of one", Shape(tarred({"log.jsonl": plain}, "w:bz2"))


def _encodings() -> Iterator[tuple[str, Shape]]:
    text = lines(BASE).decode()
    yield "UTF-8 with mark", Shape(b"\xef\xbb\xbf" + text.encode())
    yield "UTF-16", Shape(text.encode("utf-16"))
    yield "UTF-16 big end first", Shape(b"\xfe\xff" + text.encode("utf-16-be"))
    yield "UTF-16 without mark", Shape(text.encode("utf-16-le"))
    yield "UTF-32", Shape(text.encode("utf-32"))
    yield "UTF-16 in gzip", Shape(gzip.compress(text.encode("utf-16")))
    yield "CR alone", Shape(lines(BASE, "\r"))
    yield "CR and LF", Shape(lines(BASE, "\r\n"))
    yield "Windows-1252", Shape(text.replace("汤", "\\u6c64").encode("cp1252"), notes=("encoding",))
    yield (
        "UTF-16 of a table",
        Shape(table(gateway(), delimiter="\t").decode().encode("utf-16"), format="gateway_csv"),
    )


def _arrays() -> Iterator[tuple[str, Shape]]:
    each = [json.dumps(row, ensure_ascii=False) for row in BASE]
    array = json.dumps(BASE)
    yield "array", Shape(array.encode())
    yield "printed array", Shape(json.dumps(BASE, indent=2).encode())
    yield "array with a comma too many", Shape((array[:-1] + ",]").encode())
    yield "array without end", Shape(array[:-1].encode(), notes=("cut_short",))
    yield "lines with commas", Shape(",\n".join(each).encode() + b",\n")
    yield "lines of an array", Shape(("[\n" + ",\n".join(each) + "\n]").encode())
    yield "the end of an array", Shape((",\n".join(each) + "\n]\n").encode())
    yield "printed objects in a row", Shape("\n".join(json.dumps(row, indent=4) for row in BASE).encode())
    yield "objects in a row", Shape("".join(each).encode())
    yield "JSON text sequence", Shape("".join(f"\x1e{one}\n" for one in each).encode())
    yield "pages as arrays", Shape(lines([BASE[:5], BASE[5:]]))
    yield "JSON in JSON", Shape(lines([json.dumps(row) for row in BASE]))
    for name in ("data", "logs", "records", "items", "results", "rows", "value", "Records", "anything"):
        yield (
            f"in {name}",
            Shape(json.dumps({"object": "list", name: BASE, "has_more": False}).encode(), notes=("inside",)),
        )
    yield "printed in data", Shape(json.dumps({"data": BASE}, indent=1).encode(), notes=("inside",))
    yield (
        "in data.items",
        Shape(json.dumps({"ok": True, "data": {"n": 12, "items": BASE}}).encode(), notes=("inside",)),
    )
    yield "pages of data", Shape(lines([{"data": BASE[:7], "next": "a"}, {"data": BASE[7:], "next": None}]))
    yield "array of pages", Shape(json.dumps([{"data": BASE[:7]}, {"data": BASE[7:]}]).encode())
    hits = [{"_index": "l", "_id": str(n), "_source": row} for n, row in enumerate(BASE)]
    found = {"took": 3, "hits": {"total": {"value": 12}, "hits": hits}}
    yield "Elasticsearch", Shape(json.dumps(found).encode(), notes=("inside",))
    yield "Elasticsearch, a hit a line", Shape(lines(hits), notes=("inside",))
    result = {
        "data": {
            "result": [
                {"stream": {"app": "x"}, "values": [[f"{int(at.timestamp())}000000000", json.dumps(row)]]}
                for row, at in zip(untimed(), TIMES, strict=True)
            ]
        }
    }
    yield "Loki", Shape(json.dumps({"status": "success"} | result).encode(), notes=("inside",))


def _envelopes() -> Iterator[tuple[str, Shape]]:
    def shipped(name: str, time: str, write: Callable[[datetime], object] = iso, **more: object) -> Shape:
        return Shape(enveloped(lambda text, at: {time: write(at), **more, name: text}), notes=("inside",))

    yield (
        "Docker",
        Shape(enveloped(lambda text, at: {"log": text + "\n", "stream": "stdout", "time": iso(at, 6)})),
    )
    yield (
        "protobuf's times",
        shipped("message", "timestamp", lambda at: {"seconds": str(int(at.timestamp())), "nanos": 0}),
    )
    records = [
        {"timeUnixNano": f"{int(at.timestamp())}000000000", "body": {"stringValue": json.dumps(row)}}
        for row, at in zip(untimed(), TIMES, strict=True)
    ]
    yield "OpenTelemetry's logs, one a line", Shape(lines(records), notes=("inside",))
    exported = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    yield "OpenTelemetry's logs, exported", Shape(json.dumps(exported).encode(), notes=("inside",))
    noisy = [{"log": line + "\n", "stream": "stderr", "time": iso(TIMES[0])} for line in NOISE]
    yield (
        "Docker with noise",
        Shape(
            lines(noisy) + enveloped(lambda text, at: {"log": text + "\n", "time": iso(at)}),
            notes=("other_rows",),
        ),
    )
    yield "CloudWatch", shipped("@message", "@timestamp", lambda at: at.strftime("%Y-%m-%d %H:%M:%S.000"))
    yield (
        "CloudWatch message",
        shipped("message", "timestamp", lambda at: int(at.timestamp() * 1000), ingestionTime=1),
    )
    events = [
        {"id": str(n), "timestamp": int(at.timestamp() * 1000), "message": json.dumps(row)}
        for n, (row, at) in enumerate(zip(untimed(), TIMES, strict=True))
    ]
    yield "CloudWatch subscription", Shape(json.dumps({"logGroup": "g", "logEvents": events}).encode())
    yield (
        "CloudWatch get-log-events",
        Shape(json.dumps({"events": events, "nextToken": "f/1"}, indent=1).encode()),
    )
    yield (
        "Google Cloud jsonPayload",
        Shape(
            lines(
                [
                    {"insertId": "a", "timestamp": iso(at, 6), "jsonPayload": row}
                    for row, at in zip(untimed(), TIMES, strict=True)
                ]
            )
        ),
    )
    yield "Google Cloud textPayload", shipped("textPayload", "timestamp", severity="INFO")
    yield (
        "Google Cloud message",
        Shape(
            lines(
                [
                    {"timestamp": iso(at), "jsonPayload": {"message": json.dumps(row)}}
                    for row, at in zip(untimed(), TIMES, strict=True)
                ]
            )
        ),
    )
    yield (
        "journald",
        shipped("MESSAGE", "__REALTIME_TIMESTAMP", lambda at: str(int(at.timestamp() * 1e6)), PRIORITY="6"),
    )
    yield "logcli", shipped("line", "timestamp", labels={"app": "x"})
    yield (
        "Splunk",
        Shape(
            lines(
                [
                    {"preview": False, "result": {"_time": iso(at), "_raw": json.dumps(row)}}
                    for row, at in zip(untimed(), TIMES, strict=True)
                ]
            )
        ),
    )
    yield "Fluent Bit", shipped("log", "date", lambda at: at.timestamp(), kubernetes={"pod_name": "p"})
    yield (
        "prefix in an envelope",
        Shape(enveloped(lambda text, at: {"log": f"{at:%Y-%m-%d %H:%M:%S} INFO gateway: {text}\n"})),
    )
    yield (
        "envelope in an envelope",
        Shape(enveloped(lambda text, at: {"message": json.dumps({"log": text, "time": iso(at)})})),
    )
    yield (
        "Docker, cut at 16 KiB",
        Shape(
            cut_up(
                lambda text, at, last: {"log": text + "\n" * last, "stream": "stdout", "time": iso(at)}, 8192
            )
        ),
    )
    yield (
        "containerd, cut",
        Shape(cut_up(lambda text, at, last: f"{iso(at)} stdout {'F' if last else 'P'} {text}", 3000)),
    )


def _prefixes() -> Iterator[tuple[str, Shape]]:
    bare = untimed()
    yield (
        "time and level",
        Shape(prefixed(lambda at, _: f"{at:%Y-%m-%d %H:%M:%S},000 INFO app - request ", rows=bare)),
    )
    yield "noise first", Shape(prefixed(lambda at, _: f"{iso(at)} INFO ", NOISE, bare), notes=("other_rows",))
    yield (
        "brackets first",
        Shape(prefixed(lambda at, _: f"[{at:%Y-%m-%d %H:%M:%S}] [INFO] [gw {{pid=7}}] body=", rows=bare)),
    )
    yield "compose", Shape(prefixed(lambda _, n: f"gateway-{n % 2}  | "))
    yield "kubectl --prefix", Shape(prefixed(lambda _, n: f"[pod/gw-{n}/app] "))
    yield "kubectl --timestamps", Shape(prefixed(lambda at, _: f"{iso(at, 6)} ", rows=bare))
    yield "containerd", Shape(prefixed(lambda at, _: f"{iso(at, 6)} stdout F ", rows=bare))
    yield "syslog", Shape(prefixed(lambda at, _: f"<134>1 {iso(at)} host app 12 - - ", rows=bare))
    yield "old syslog", Shape(prefixed(lambda at, _: f"{at:%b %d %H:%M:%S} host app[12]: "))
    yield "klog", Shape(prefixed(lambda at, _: f"I{at:%m%d %H:%M:%S}.000000 12 gw.go:88] "))
    yield "event stream", Shape(prefixed(lambda *_: "data: "))
    yield "colours", Shape(prefixed(lambda at, _: f"\x1b[32m{iso(at)}\x1b[0m INFO ", rows=bare))
    quoted = "".join(
        f"time={iso(at)} level=info msg={json.dumps(json.dumps(row))}\n"
        for row, at in zip(bare, TIMES, strict=True)
    )
    yield "logfmt", Shape(quoted.encode())
    printed = "".join(f"{iso(at)} DEBUG request: {row!r}\n" for row, at in zip(bare, TIMES, strict=True))
    yield "Python's print", Shape(printed.encode())
    yield "greetings, then JSON lines", Shape(b"Gateway 1.2 starting\nlistening on :80\n" + lines(BASE))
    yield (
        "a line of prose only",
        Shape(b"hello, world, how are you\nfine, thanks\n", code="trace.unknown_format"),
    )


def _tables() -> Iterator[tuple[str, Shape]]:
    rows = gateway()
    for name, mark in (("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("bar", "|")):
        yield f"table by {name}", Shape(table(rows, delimiter=mark), format="gateway_csv")
        yield f"messages by {name}", Shape(table(flat(), delimiter=mark))
    yield "sep= line", Shape(b"sep=;\r\n" + table(rows, delimiter=";"), format="gateway_csv")
    yield (
        "mark and blanks in the header",
        Shape(
            b"\xef\xbb\xbf" + table(rows).replace(b"timestamp,model_name,", b" timestamp , model_name ,", 1),
            format="gateway_csv",
        ),
    )
    yield "all cells quoted", Shape(table(rows, quoting=csv.QUOTE_ALL), format="gateway_csv")
    yield (
        "table with CR alone",
        Shape(
            table(
                [row | {"request_json": json.dumps(json.loads(str(row["request_json"])))} for row in rows]
            ).replace(b"\r\n", b"\r"),
            format="gateway_csv",
        ),
    )
    yield "pandas writes lists", Shape(table(flat(repr)))
    yield "Parquet", Shape(as_parquet(BASE))
    yield "Parquet, packed", Shape(as_parquet(BASE, compression="zstd", row_group_size=5))
    yield "Parquet of texts", Shape(as_parquet(flat()))
    yield "Parquet of a gateway", Shape(as_parquet(rows), format="gateway_csv")
    yield (
        "Parquet with dates",
        Shape(as_parquet([row | {"timestamp": at} for row, at in zip(BASE, TIMES, strict=True)])),
    )
    yield "Parquet in zip", Shape(zipped({"part-0.parquet": as_parquet(BASE)}))
    yield "Parquet in gzip", Shape(gzip.compress(as_parquet(BASE)))
    yield "Parquet, cut short", Shape(as_parquet(BASE)[:-20], code="trace.damaged")
    yield "Arrow", Shape(as_arrow(BASE))


def _times() -> Iterator[tuple[str, Shape]]:
    yield "BigQuery", Shape(timed(lambda at: f"{at:%Y-%m-%d %H:%M:%S} UTC"))
    yield "BigQuery with fractions", Shape(timed(lambda at: f"{at:%Y-%m-%d %H:%M:%S.%f} UTC"))
    yield "pandas, milliseconds", Shape(timed(lambda at: int(at.timestamp() * 1000)))
    yield "pandas, nanoseconds", Shape(timed(lambda at: f"{at:%Y-%m-%d %H:%M:%S}.000000000"))
    yield "RFC 2822", Shape(timed(format_datetime))
    yield "RFC 2822, GMT", Shape(timed(lambda at: format_datetime(at, usegmt=True)))
    yield "mongo date", Shape(timed(lambda at: {"$date": iso(at)}))
    yield "mongo number", Shape(timed(lambda at: {"$date": {"$numberLong": str(int(at.timestamp() * 1000))}}))
    yield "US, 12 hours", Shape(timed(lambda at: f"{at:%m/%d/%Y %I:%M:%S %p}"))
    yield "day first", Shape(timed(lambda at: f"{at:%d/%m/%Y %H:%M:%S}"))
    yield "dots", Shape(timed(lambda at: f"{at:%d.%m.%Y %H:%M:%S}"))
    yield "offset without colon", Shape(timed(lambda at: f"{at:%Y-%m-%dT%H:%M:%S}.000000+0000"))
    yield "Go", Shape(timed(lambda at: f"{at:%Y-%m-%d %H:%M:%S} +0000 UTC"))
    yield "seconds as text", Shape(timed(lambda at: f"{at.timestamp():.6f}"))
    yield "access log", Shape(timed(lambda at: f"{at:%d/%b/%Y:%H:%M:%S} +0000"))
    yield "Kibana", Shape(timed(lambda at: f"{at:%b %d, %Y @ %H:%M:%S}.000"))
    yield "days only", Shape(timed(lambda at: f"{at:%Y-%m-%d}"), timed=False, notes=("date_only",))
    yield "not a time", Shape(timed(lambda _: "around noon"), code="trace.value")


def _numbers() -> Iterator[tuple[str, Shape]]:
    yield (
        "NaN elsewhere",
        Shape(lines([row | {"temperature": float("nan"), "cost": float("inf")} for row in BASE])),
    )
    yield "NaN in a time", Shape(timed(lambda _: float("nan")), code="trace.value")
    yield (
        "mongo ids",
        Shape(lines([{"_id": {"$oid": "65a"}, "n": {"$numberLong": "5"}} | row for row in BASE])),
    )
    yield "SQLite", Shape(b"SQLite format 3\x00" + b"\0" * 99, code="trace.foreign")
    yield "PDF", Shape(b"%PDF-1.7\n", code="trace.foreign")
    yield "7z", Shape(b"7z\xbc\xaf\x27\x1c", code="trace.foreign")
    yield "pickle", Shape(b"\x80\x04\x95\x00", code="trace.foreign")
    yield "a web page", Shape(b"<!DOCTYPE html><html><body>Sign in</body></html>", code="trace.foreign")
    capture = [
        {
            "captureData": {
                "endpointInput": {
                    "data": base64.b64encode(json.dumps(row).encode()).decode(),
                    "encoding": "BASE64",
                }
            },
            "eventMetadata": {"inferenceTime": iso(at)},
        }
        for row, at in zip(untimed(), TIMES, strict=True)
    ]
    yield "SageMaker in gzip", Shape(gzip.compress(lines(capture)), format="sagemaker")


GROUPS: Mapping[str, Mapping[str, Shape]] = {
    kind: dict(group())
    for kind, group in (
        ("compression, archives", _layers),
        ("encodings, line ends", _encodings),
        ("arrays, wrappers, pages", _arrays),
        ("log shippers", _envelopes),
        ("text before the JSON", _prefixes),
        ("tables", _tables),
        ("times", _times),
        ("numbers, other files", _numbers),
    )
}
SHAPES: Mapping[str, Shape] = {name: shape for group in GROUPS.values() for name, shape in group.items()}


def paper() -> str:
    """The table of docs/formats.md: what is read as the same log, and what is refused with which error."""
    rows = ["| | read as the same log | refused |", "| --- | --- | --- |"]
    for kind, group in GROUPS.items():
        read = [name for name, shape in group.items() if shape.code is None]
        refused = [f"{name} (`{shape.code}`)" for name, shape in group.items() if shape.code is not None]
        rows.append(f"| {kind} | {'; '.join(read)} | {'; '.join(refused)} |")
    return "\n".join(rows) + "\n"
