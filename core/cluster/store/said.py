"""What a store says when it could not do what it was asked. For an engine each of these is a miss."""

from __future__ import annotations

from core.errors import StoreError

A_MISS = "What was asked counts as a miss."


def slow(seconds: float) -> StoreError:
    """It did not answer within the deadline."""
    message = f"The store did not answer within {seconds:g} s. {A_MISS}"
    return StoreError("store.slow", message, seconds=seconds)


def gone() -> StoreError:
    """Nobody answers at that address, or the file cannot be opened."""
    return StoreError("store.gone", f"The store cannot be reached. {A_MISS}")


def refused(cause: str) -> StoreError:
    """It answered, and would not: full, read only, damaged."""
    return StoreError("store.refused", f"The store refused: {cause}. {A_MISS}", cause=cause)


def bad_setting(name: str, value: object) -> StoreError:
    """A layout that makes no store."""
    message = f"A store needs at least 1 slot, 1 to 30 ranks and a lease longer than 0; {name} is {value}."
    return StoreError("store.setting", message, name=name, value=value)


def layout_differs() -> StoreError:
    """Somebody else set this store up, otherwise."""
    return StoreError(
        "store.layout",
        "The store was set up for another capacity or number of ranks. Take another space, or clear it.",
    )


def evicts(policy: str) -> StoreError:
    """A server that is to be a store must not evict by itself."""
    return StoreError(
        "store.evicts",
        f"The server throws keys away by itself ({policy}), so index and memory would part. Set its "
        "maxmemory-policy to noeviction: Broth evicts, and knows chains.",
        policy=policy,
    )


def bad_address() -> StoreError:
    """It may hold a password, so it is not repeated."""
    return StoreError(
        "store.address",
        "BROTH_STORE holds no address of a store. Write it as sqlite:///path, or redis://host:port.",
    )
