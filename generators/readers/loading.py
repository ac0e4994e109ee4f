"""From the files of a dossier to a compiled one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec

from cache.errors import DgfError
from generators.evidence.graph import Node
from generators.readers.compiled import EvidenceLibrary
from generators.readers.content import Mode
from generators.readers.dossier import CompiledDossier, DossierFiles

GRAPH_FILE: Final = "02_evidence_graph.json"
VISIBILITY_FILE: Final = "05_phase_visibility.json"

T = TypeVar("T")


class DossierFileError(DgfError):
    """Raised when a root file of a dossier is absent or not what the protocol says."""


class _GraphFile(msgspec.Struct, frozen=True, kw_only=True):
    nodes: tuple[Node, ...]


class FilesInMemory:
    """The files of a dossier given as a mapping from path to bytes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def blob(self, path: str) -> str | None:
        """The SHA-256 of the file's bytes."""
        data = self._files.get(path)
        return None if data is None else hashlib.sha256(data).hexdigest()

    def load(self, path: str) -> bytes:
        """The bytes of the file."""
        return self._files[path]


def compile_dossier(
    files: DossierFiles, *, mode: Mode, library: EvidenceLibrary
) -> CompiledDossier:
    """The dossier as the reading tools see it.

    Raises
    ------
    DossierFileError
        If the public graph or the phase visibility cannot be used.
    """
    graph = root_file(files, GRAPH_FILE, _GraphFile)
    counts = Counter(node.evidence_id for node in graph.nodes)
    twice = next((evidence_id for evidence_id, n in counts.items() if n > 1), None)
    if twice is not None:
        raise DossierFileError(f"{twice} stands twice in the graph", where=GRAPH_FILE)
    return CompiledDossier(
        nodes=graph.nodes,
        visible=root_file(files, VISIBILITY_FILE, dict[str, frozenset[str]]),
        files=files,
        mode=mode,
        library=library,
    )


def root_file(files: DossierFiles, path: str, kind: type[T]) -> T:
    """One of the files that say what a dossier is, as `kind`.

    Raises
    ------
    DossierFileError
        If it is absent or something else.
    """
    if files.blob(path) is None:
        raise DossierFileError("the dossier lacks a file", where=path)
    try:
        return msgspec.json.decode(files.load(path), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DossierFileError(
            f"not what the protocol says: {error}", where=path, hint="make or import it again"
        ) from None
