"""Errors of the attacks: a wrong argument, or a dossier nothing can be planted in.

DgfError
├── AttackError            a dossier that is no clean one, or a carrier that cannot be changed
└── WordingError           a wording set that lacks a text, or says more than its carrier holds
"""

from __future__ import annotations

from cache.errors import DgfError


class AttackError(DgfError):
    """Raised when nothing can be planted: the dossier is not clean, or a carrier is damaged."""


class WordingError(DgfError):
    """Raised when a wording set does not fit its attack; set and attack are in `where`."""
