"""Pictures: rasters that a dossier names by how they are made, not by their bytes.

The bytes of a raster depend on the versions of the libraries that draw it, so a dossier that held
them would differ between machines. Its tree holds a `Derivation` instead. The picture is drawn when
somebody wants it, kept beside the dossier, and never drawn again.
"""

from __future__ import annotations

from typing import ClassVar, Final

from cache import BLOB, Batch, ObjectId, Record, Store
from cache.codec import encode
from cache.ids import hash_object
from generators.dossier.errors import PictureError
from generators.dossier.model import Dossier, Raster

RENDERINGS: Final = "renderings"
"""Index: derivation, identity of the renderer → the picture."""


class Derivation(Record, frozen=True, kw_only=True):
    """How a picture is made: from what, in which way, how large (pixels)."""

    kind: ClassVar[str] = "derivation/1"

    source: ObjectId
    """The SVG."""
    renderer: str
    width: int
    height: int

    @property
    def id(self) -> ObjectId:
        """The address of this record."""
        return hash_object(self.kind, encode(self))


def derivation(raster: Raster, svg: bytes) -> Derivation:
    """How the picture of `svg` is made, as a record."""
    return Derivation(
        source=hash_object(BLOB, svg),
        renderer=raster.renderer,
        width=raster.width,
        height=raster.height,
    )


def draw_pictures(dossier: Dossier) -> dict[str, bytes]:
    """Path to bytes of every picture of a dossier. Slow: keep it away from an event loop."""
    return {
        path: draw(dossier.files[raster.source], width=raster.width, height=raster.height)
        for path, raster in dossier.rasters.items()
    }


def draw(svg: bytes, *, width: int, height: int) -> bytes:
    """The picture of one SVG that this project made."""
    from generators.diagram import render_png

    return render_png(svg, width, height)


def put_picture(batch: Batch, made: ObjectId, picture: bytes) -> None:
    """Keep the picture of the derivation `made`, as drawn by the libraries installed here."""
    from generators.diagram import renderer_identity

    batch.index(RENDERINGS, (made, renderer_identity()), batch.put(BLOB, picture))


def find_picture(store: Store, made: ObjectId) -> bytes | None:
    """The picture kept for a derivation: by the libraries installed here if there are several."""
    kept = store.index_scan(RENDERINGS, (made,))
    if not kept:
        return None
    chosen = kept[0]
    if len(kept) > 1:
        from generators.diagram import renderer_identity

        here = renderer_identity()
        chosen = next((entry for entry in kept if entry.key[-1] == here), chosen)
    return store.get(chosen.target, named_by=f"picture of {made.hex()}")


def require_picture(store: Store, made: ObjectId, path: str) -> bytes:
    """As `find_picture`; a picture nobody has drawn is an error."""
    picture = find_picture(store, made)
    if picture is None:
        raise PictureError(
            "a picture has not been drawn yet",
            where=path,
            hint="draw it with `generation.draw_missing` before it is read",
        )
    return picture
