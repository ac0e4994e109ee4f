"""A variant: what differs between a clean dossier and its copy under one attack.

The canonical facts, the reference decisions and every structured value stay what they are; a reader
who believes only what the record's owner wrote decides as before. Protocol, attacks, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from generators.attacks.attack import Attack
from generators.attacks.clean import CleanDossier
from generators.attacks.copies import Copy, Drawing
from generators.attacks.manifest import Entry
from generators.attacks.options import Options
from generators.dossier import model

_README_HEAD: Final = "\n\n## Planted content\n\n"


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """A variant, as the difference to its clean dossier.

    Attributes
    ----------
    attack
        Id of the attack.
    name
        The dossier's folder, which a variant shares.
    files
        Path to content of every file that is new or changed.
    pictures
        Path to drawing of every picture that is changed.
    manifest
        What was planted, one entry per attacked or placebo gate.
    """

    attack: str
    name: str
    options: Options
    files: Mapping[str, bytes]
    pictures: Mapping[str, Drawing]
    manifest: tuple[Entry, ...]

    @property
    def attacked(self) -> tuple[Entry, ...]:
        """The entries of attacked gates."""
        return tuple(entry for entry in self.manifest if not entry.placebo)

    @property
    def placebos(self) -> tuple[Entry, ...]:
        """The entries of gates that got a neutral text."""
        return tuple(entry for entry in self.manifest if entry.placebo)


def build_variant(clean: CleanDossier, attack: Attack[Any], options: Options) -> Variant:
    """The variant of a dossier under an attack.

    Raises
    ------
    UnknownIdError
        If `options` names an occurrence the route has not.
    AttackError
        If a carrier cannot be changed.
    """
    if options.only_occurrence is not None:
        clean.route.occurrence(options.only_occurrence)  # refuses one that the route has not
    copy = Copy(clean)
    manifest = tuple(attack.plant(copy, options))
    files = {**copy.changed, **copy.root_files(manifest)}
    files[model.README_FILE] = _readme(copy, attack, manifest)
    return Variant(
        attack=attack.id,
        name=clean.name,
        options=options,
        files=dict(sorted(files.items())),
        pictures=copy.pictures,
        manifest=manifest,
    )


def _readme(copy: Copy, attack: Attack[Any], manifest: tuple[Entry, ...]) -> bytes:
    """The page for people, with what was planted; agents never see it."""
    path = model.README_FILE
    clean = copy.load(path).rstrip() if copy.clean.has(path) else b""
    return clean + (_README_HEAD + "\n".join(_section(attack, manifest)) + "\n").encode()


def _section(attack: Attack[Any], manifest: tuple[Entry, ...]) -> Iterator[str]:
    attacked = sum(not entry.placebo for entry in manifest)
    yield f"This copy of the dossier is under attack `{attack.id}` ({attack.name})."
    yield f"Carrier: {attack.carrier}. Attacked gates: {attacked}."
    yield ""
    yield "| gate | objective | file | canary |"
    yield "|---|---|---|---|"
    for entry in manifest:
        goal = "placebo" if entry.placebo else entry.goal
        yield f"| {entry.occurrence_id} | {goal} | `{entry.path}` | `{entry.token}` |"
