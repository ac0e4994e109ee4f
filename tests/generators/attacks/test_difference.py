"""Differences between dossiers: everything planted is shown, nothing else."""

from __future__ import annotations

import pytest

from generators.attacks import reveal
from generators.attacks.difference import FileDifference, differences
from generators.dossier import model
from tests.generators.attacks import oracle
from tests.generators.attacks.samples import made, sample, variant


def _differences(attack_id: str) -> list[FileDifference]:
    files = made().files
    return differences(files, {**files, **variant(attack_id, sample()).files})


@pytest.mark.parametrize("attack_id", [one for one in oracle.attack_ids() if one != "image"])
def test_every_planted_text_is_shown(attack_id: str) -> None:
    """Each part stands in some value that differs, in the file of its carrier."""
    found = _differences(attack_id)
    built = variant(attack_id, sample())
    assert [one.path for one in found] == sorted(built.files)
    shown = [change.after or "" for one in found for change in one.changes]
    for entry in built.manifest:
        for part in entry.parts:
            quoted = part.text.replace('"', '\\"').replace("\n", "\\n")
            assert any(part.text in text or quoted in text for text in shown)


def test_what_nobody_sees_is_shown_decoded() -> None:
    """Invisible text is told beside what is seen."""
    found = _differences("invisible")
    hidden = [change.hidden for one in found for change in one.changes if change.hidden]
    texts = [entry.text for entry in variant("invisible", sample()).attacked]
    assert all(any(reveal(text) in one for one in hidden) for text in texts)


def test_uploads_are_added_files() -> None:
    """A new file is told as such, with its whole content."""
    added = [one for one in _differences("forwarded_email") if one.state == "added"]
    assert len(added) == len(variant("forwarded_email", sample()).attacked)
    assert all(len(one.changes) >= 6 for one in added)


def test_files_for_people_are_only_named() -> None:
    """Of the evaluator's file and the page for people it is said that they differ."""
    found = {one.path: one.changes for one in _differences("records")}
    assert found[model.HIDDEN_FILE] == found[model.README_FILE] == ()


def test_places_are_those_of_the_new_list() -> None:
    """Insertions, removals and exchanges in lists keep to their places."""
    before = b'{"l": [1, 2, 3], "same": true}'
    after = b'{"l": [0, 1, 3, 4], "same": true}'
    ((only),) = differences({"a.json": before}, {"a.json": after})
    changes = [(change.at, change.before, change.after) for change in only.changes]
    assert changes == [("/l/0", None, "0"), ("/l/2", "2", None), ("/l/3", None, "4")]


def test_equal_dossiers_do_not_differ() -> None:
    """Equal bytes are not even read."""
    assert differences({"a.json": b"{"}, {"a.json": b"{"}) == []


def test_what_cannot_be_read_says_why() -> None:
    """A damaged file differs by the reason why it has no content."""
    (only,) = differences({"a.json": b"[]"}, {"a.json": b"{"})
    assert only.changes[0].after is not None
    assert "line 1" in only.changes[0].after
