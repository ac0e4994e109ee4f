"""Everything an agent reads that is not a dossier, as versioned data under a protocol name.

A protocol (`2026.12`) is a folder of TOML files here, one per family of texts: policy wording,
prompts, tool descriptions, attack wordings. Recorded runs name the protocol they were made with, so
a shipped text never changes: a new wording is a new folder, and every folder stays readable.
`digests.toml` holds the digest of each family as shipped, which is how a silent edit is found.

To add a family: put `NAME.toml` into the folder of the protocol, describe it as a frozen
`msgspec.Struct` where it is used, read it with `texts(NAME, ThatStruct)`, and seal it with
`python -m generators.protocol seal PROTOCOL`.
"""

from generators.protocol.digests import Fault, digest, faults
from generators.protocol.library import (
    DEFAULT_PROTOCOL,
    ProtocolError,
    families,
    fill,
    protocols,
    texts,
)

__all__ = [
    "DEFAULT_PROTOCOL",
    "Fault",
    "ProtocolError",
    "digest",
    "families",
    "faults",
    "fill",
    "protocols",
    "texts",
]
