"""What happened: the log, a moment in it, the fold to the next one, why a request missed, KV events.

Read side: everything here is computed from events and never asks the engine that told them. ``snapshot``
alone looks at a living engine: it takes the moment at which a log begins.
"""
