"""Walks over what names what: the one traversal behind export, gc and verify.

Ids name content, so nothing can name itself and every walk ends. Walks are iterative (a transcript
is a chain of thousands of messages) and remember ids, not contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from cache.ids import ObjectId


def postorder(
    roots: Iterable[ObjectId],
    children: Callable[[ObjectId], Iterable[ObjectId]],
    seen: set[ObjectId] | None = None,
) -> Iterator[ObjectId]:
    """Everything the roots reach, each once, and each after all that it names.

    The order is a function of the roots' order and of the content. Ids in `seen` are passed over;
    those met on the way are added to it.
    """
    seen = set() if seen is None else seen
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(children(root)))]
        while path:
            oid, rest = path[-1]
            for child in rest:
                if child not in seen:
                    seen.add(child)
                    path.append((child, iter(children(child))))
                    break
            else:
                path.pop()
                yield oid
