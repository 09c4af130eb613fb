"""What a reader can say about a log beside its requests: one code and one sentence each."""

from __future__ import annotations

from types import MappingProxyType

NOTES = MappingProxyType(
    {
        "lengths_only": "Requests with a length but no content, left out of every hit rate: {count}.",
        "partly_timed": "Requests without a time, so that the file's order is kept: {count}.",
        "untimed": "Requests without any time that was recognised, in the file's order: {count}.",
        "time_taken": "Several fields could be the time; {taken} was taken, not {others}.",
        "sorted": "Requests that stood later in the file than their time and were sorted: {count}.",
        "times_ignored": "Times that were ignored, because this format goes by the file's order: {count}.",
        "times_unread": "Times that were not read, because you asked for the file's order: {count}.",
        "date_only": "Times that are a day without an hour, so that a day's requests keep the file's order: "
        "{count}.",
        "month_first": "Dates like {example}, read as month/day/year because none of them says which number "
        "is the month: {count}.",
        "thousands": "Columns in which a mark stands between thousands ({example}): {count} ({columns}).",
        "members": "Files of the archive, read one after the other as one log: {count} ({names}).",
        "members_left": "Files of the archive that hold no requests, passed over: {count} ({names}).",
        "empty_files": "Files with nothing in them: {count} ({names}).",
        "inside": "The records were found inside others, at {where}.",
        "encoding": "The text is not UTF-8; it was read as {encoding}.",
        "titles": "Rows above the table's header, passed over: {count}.",
        "columns_again": "Columns whose name stands before already, read with a number behind it: {count}.",
        "sheet": "The rows of the sheet {sheet} were read.",
        "cut_short": "Lists that have no end, as if the file had been cut off there: {count}.",
        "formats": "Formats that were read as one log: {count} ({formats}).",
        "renamed": "Requests with an id that was taken, which got a number behind it: {count}.",
        "models": "Models that share nothing with each other: {count}.",
        "model_missing": "Requests without a model, which count as one more model: {count}.",
        "rechained": "Block ids behind different blocks, where each chain counts by itself: {count}.",
        "local_ids": "Sessions that number their blocks by themselves and share nothing: {count}.",
        "inferred": "Block size {block_size} ({convention}) was read off the lengths.",
        "deltas": "Rows that hold only what is new in a turn, completed by the turns before: {count}.",
        "delay": "Arrivals added up from delays, without the time of the answers: {count}.",
        "repeated": "Rows that repeat a request which is already counted: {count}.",
        "delivered_again": "Rows delivered again (same id, same content), counted once: {count}.",
        "equal_rows": "Rows without an id that equal an earlier one, time included, all counted: {count}.",
        "tokens_dropped": "{hashes} hashes for {blocks} blocks of tokens, told without tokens: {count}.",
        "other_rows": "Rows of another kind, passed over: {count}.",
        "failed": "Failed requests, left out: {count}.",
        "no_generation": "Calls that generate no text (embeddings, reranking, moderation, counted tokens, "
        "health checks and the like), left out: {count}.",
        "total_row": "Rows that are the sum of other rows, left out: {count}.",
        "sums": "Rows that stand for several requests (column {column}), each counted as one: {count}.",
        "streamed": "Streamed answers in {parts} parts, of which the last one counts: {count}.",
        "stream_unreported": "Streamed answers that never tell their usage, left out: {count}.",
        "response_cache": "Requests answered by the proxy's own response cache, left out: {count}.",
        "media": "Images or files that count as a short placeholder: {count}.",
        "redacted": "Requests without text, of which only usage is left: {count}.",
        "hidden_text": "Requests whose text was hidden or cut when it was logged, so that no hit rate is "
        "computed from it: {count}.",
        "short_text": "Requests whose text is far shorter than the prompt tokens that they report, so that a "
        "part of the prompt is missing here: {count}.",
        "hidden_prompt": "Requests without system prompt and tools; only reported usage counts: {count}.",
        "contradictory": "Rows with more cached than prompt tokens, left out of the rate: {count}.",
        "absent_is_zero": "Rows of a format that leaves a count of 0 out, so that none means 0: {count}.",
        "usage_inclusive": "Line {line} shows that the input count includes the cached tokens.",
        "usage_exclusive": "Line {line} shows that the input count leaves the cached tokens out.",
        "buckets": "Rows that are a report's sums over several requests, each counted as one: {count}.",
        "expanded": "Conversations that became one request per turn of the user: {count}.",
        "announced": "Requests announced without a prompt (newer vLLM: only at level DEBUG): {count}.",
        "map_missed": "The first records hold nothing at these paths of the map: {paths}.",
        "proposed": "No known format: the fields were read as {map}.",
        "stored": "Requests with content that the provider keeps, which counts as a placeholder: {count}.",
        "continued": "Requests that continue one outside this log, left out of every hit rate: {count}.",
        "elsewhere": "Requests whose text lies in another place, such as {place}, and is not read: {count}.",
        "other_lines": "Lines that say nothing about a cache, passed over: {count}.",
        "other_meters": "Scrapes and a server's lines tell of the same tokens: the lines were left out.",
        "scrapes_by_name": "The files were ordered by what their names say, because no sample has a time.",
        "run_rate": "In the load that was run these requests had a hit rate of {rate} %: answers were kept, "
        "and requests ran side by side.",
        "run_cap": "In that run at most {value} blocks were cached.",
        "run_sightings": "In that run a block was stored from its sighting number {value} on.",
        "run_ttl": "In that run a block was forgotten {value} seconds after its last use.",
        "run_changed": "Changes of settings during that run; the last ones are told: {count}.",
        "no_requests": "An engine's own record holds no requests: nothing in it can be replayed.",
    }
)
"""Every note's code and English sentence; {count} and the values are filled in. The words that a screen
shows stand in assets/i18n/ under trace.note.<code>."""
