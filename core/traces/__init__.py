"""Request logs of other tools, one reader per format; `read_trace` in core/traces/door/read.py is the door.

What comes out is always a `Trace` (core/traces/model.py): requests with token ids or block numbers where the
log knows what a prompt consists of, lengths where it does not, and the usage that the log itself reports.
The rules of every format stand in docs/formats.md.
"""
