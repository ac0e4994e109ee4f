"""The gate: interrupted anywhere, a thread keeps nobody waiting for ever."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from types import FrameType

import pytest

from cache import Store
from cache.gate import Gate


class Interrupter:
    """Raises `KeyboardInterrupt` at one line of the modules that pass the gate.

    State: how many of those lines are still to come.
    """

    def __init__(self, lines: int) -> None:
        self.left = lines

    def __call__(self, frame: FrameType, event: str, argument: object) -> Interrupter | None:
        """What `sys.settrace` calls."""
        if not frame.f_code.co_filename.endswith(("cache/gate.py", "cache/environment.py")):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


@pytest.mark.timeout(60)
def test_an_interrupted_read_does_not_keep_the_store_open(tmp_path: Path) -> None:
    """Control-C at any line of a read: the store closes, and may be opened for writing again."""
    before = sys.gettrace()
    for lines in itertools.count(1):
        store = Store.open(tmp_path, "create" if lines == 1 else "write")
        oid = store.put("blob", b"x")
        interrupter = Interrupter(lines)
        try:
            sys.settrace(interrupter)
            store.get(oid)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        store.close()
        if interrupter.left > 0:
            break
    assert lines > 10


def test_who_is_alone_waits_for_others_and_not_for_itself() -> None:
    """A token that an interrupt has left behind is no reason for its own thread to wait."""
    gate = Gate()
    gate.enter()
    with gate.alone():
        pass
