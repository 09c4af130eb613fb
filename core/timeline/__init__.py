"""What happened: the log of one run, a moment in it, the fold to the next moment, why a request missed.

Read side: everything here is computed from events and never asks the engine that told them.
"""
