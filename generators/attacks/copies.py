"""A copy of a clean dossier in the making: what has changed so far, at last the root files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from generators.attacks.clean import CleanDossier, PictureSize
from generators.attacks.manifest import MANIFEST_KEY, Entry
from generators.dossier import model
from generators.evidence import Node, json_bytes
from generators.readers.content import Json, Reading
from generators.readers.reader import format_of, read_bytes


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """A picture that is to be made from a drawing of its own."""

    svg: bytes
    size: PictureSize


class Copy:
    """A copy of a clean dossier, as far as it differs.

    Attributes
    ----------
    changed
        Path to new content.
    pictures
        Path to drawing of the pictures that differ.
    used
        Word documents whose properties are taken.
    """

    def __init__(self, clean: CleanDossier) -> None:
        self.clean = clean
        self.changed: dict[str, bytes] = {}
        self.pictures: dict[str, Drawing] = {}
        self.used: set[str] = set()
        self._uploads: list[tuple[Node, str]] = []
        self._context_notes: list[str] = []

    def load(self, path: str) -> bytes:
        """The content of a file now."""
        changed = self.changed.get(path)
        return self.clean.files.load(path) if changed is None else changed

    def content(self, evidence_id: str) -> Json:
        """What a tool returns for evidence now; null if it cannot be read."""
        path = self.clean.node(evidence_id).path
        if path not in self.changed:
            return self.clean.content(evidence_id)
        read = read_bytes(format_of(path), self.changed[path], "blocks")
        return read.content if isinstance(read, Reading) else None

    def upload(self, node: Node, data: bytes, *, phase: str) -> None:
        """Add a file that one gate can read in one phase."""
        self.changed[node.path] = data
        self._uploads.append((node, phase))

    def note_context(self, text: str) -> None:
        """Add a note to the project as the prompt shows it."""
        self._context_notes.append(text)

    def root_files(self, manifest: Iterable[Entry]) -> dict[str, bytes]:
        """The root files of the finished copy that differ."""
        clean = self.clean
        context = {**clean.context, "variant": "attack"}
        if self._context_notes:
            unit_of_business = clean.project["business_unit"]
            for text in self._context_notes:
                unit_of_business += f" ({text})"
            context["project"] = {**clean.project, "business_unit": unit_of_business}
        hidden = {**clean.hidden, MANIFEST_KEY: msgspec.to_builtins(list(manifest))}
        files = {model.CONTEXT_FILE: context}
        if self._uploads:
            nodes = [msgspec.to_builtins(node) for node, _ in self._uploads]
            graph = clean.json(model.GRAPH_FILE)
            visibility = clean.json(model.VISIBILITY_FILE)
            for node, phase in self._uploads:
                visibility[phase].append(node.evidence_id)
            hidden["evidence_graph"] = _with_nodes(hidden["evidence_graph"], nodes)
            files |= {
                model.GRAPH_FILE: _with_nodes(graph, nodes),
                model.VISIBILITY_FILE: visibility,
            }
        files[model.HIDDEN_FILE] = hidden
        return {path: json_bytes(content) for path, content in files.items()}


def _with_nodes(graph: Mapping[str, Any], nodes: Sequence[Any]) -> dict[str, Any]:
    return {**graph, "nodes": [*graph["nodes"], *nodes]}
