"""A gate that many may pass at once, or one alone: readers of a map, and who resizes it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cache.errors import StoreError

_POLL: Final = 0.0005


class Gate:
    """Keeps who must be alone waiting until nobody is inside, and newcomers until it is done.

    State: `_closed`, and the tokens of all who are inside and of those who stay for long. Passing
    takes no lock: a newcomer first shows its token and then looks at the gate, and who wants to be
    alone first closes the gate and then looks for tokens, so that one of the two sees the other.
    (With a lock here, readers in a few threads handed it on among themselves and a writer starved
    for minutes.) A thread that stays may pass again at any time, for it is being waited for. A
    thread never waits for itself: an interrupt may come between passing and leaving.
    """

    __slots__ = ("_alone", "_closed", "_inside", "_open", "_staying")

    def __init__(self) -> None:
        self._closed = False
        self._open = threading.Event()  # what newcomers wait for while it is closed
        self._alone = threading.Lock()
        self._inside: dict[object, int] = {}  # by token: the thread
        self._staying: dict[object, int] = {}

    def enter(self) -> object:
        """Pass, and get a token to leave with."""
        token, thread = object(), threading.get_ident()
        self._inside[token] = thread
        while self._closed and not self._stays():
            del self._inside[token]
            self._open.wait()
            self._inside[token] = thread
        return token

    def stay(self, token: object) -> None:
        """Let this thread keep `token` for long; `leave` does nothing until `end_stay`."""
        self._staying[token] = threading.get_ident()

    def end_stay(self, token: object) -> None:
        """Leave after a long stay."""
        del self._staying[token]
        del self._inside[token]

    def leave(self, token: object) -> None:
        """Leave, unless the token stays."""
        if token not in self._staying:
            del self._inside[token]

    @contextmanager
    def alone(self, *, but_for_staying: bool = False) -> Iterator[None]:
        """Hold the gate closed with nobody inside, or nobody but those who stay."""
        if self._stays() and not but_for_staying:
            raise StoreError(
                "the map must change while this thread holds a view",
                hint="close the view before writing or closing the store",
            )
        with self._alone:
            self._closed = True
            self._open.clear()
            try:
                while self._others(but_for_staying=but_for_staying):
                    time.sleep(_POLL)
                yield
            finally:
                self._closed = False
                self._open.set()

    def _others(self, *, but_for_staying: bool) -> bool:
        me = threading.get_ident()
        return any(
            thread != me and not (but_for_staying and token in self._staying)
            for token, thread in list(self._inside.items())
        )

    def _stays(self) -> bool:
        return threading.get_ident() in list(self._staying.values())
