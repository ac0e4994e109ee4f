"""Keeping credentials out of the store.

Secrets are masked before hashing: what is stored, hashed and compressed never held them. The mask
has the length of the secret, so that the bytes around it (a length in MessagePack, an offset in
a zip) stay true. Where a mask would change a name (a ref, an index key) or the form of a record
(the order of its keys) the write is refused.
A secret is found as it is spelled: forbid other spellings of it (base64, quoted) as well.
"""

from __future__ import annotations

from typing import Final

from cache.errors import SecretError, UsageError

MIN_SECRET_BYTES: Final = 8
"""Shorter secrets would mask ordinary text."""


class Secrets:
    """The values that must not reach the disk.

    State: a list that only grows; shared by a store and its batches, read on every write.
    """

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: list[bytes] = []

    def __repr__(self) -> str:
        return f"<Secrets: {len(self._values)} forbidden>"

    def __len__(self) -> int:
        return len(self._values)

    def forbid(self, secret: str) -> None:
        """Mask `secret` in everything written from now on."""
        value = secret.encode(errors="surrogateescape")  # as it came from the environment
        if len(value) < MIN_SECRET_BYTES:
            raise UsageError(
                f"a secret of {len(value)} bytes is too short to be masked safely",
                hint=f"secrets have at least {MIN_SECRET_BYTES} bytes",
            )
        if value not in self._values:
            # Longest first: a secret that contains another is masked as a whole.
            self._values = sorted((*self._values, value), key=len, reverse=True)

    def mask(self, data: bytes) -> bytes:
        """`data` with every secret replaced by asterisks of the same length."""
        for value in self._values:
            if value in data:
                data = data.replace(value, b"*" * len(value))
        return data

    def refuse(self, data: bytes, what: str) -> None:
        """Raise when `data` holds a secret."""
        if any(value in data for value in self._values):
            raise SecretError(
                f"{what} holds a forbidden secret", hint="leave credentials out of names and keys"
            )
