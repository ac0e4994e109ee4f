"""The content-addressed store: objects, trees, refs, indexes and logs in one LMDB environment."""

from cache.batch import ANY, Batch, Receipt
from cache.codec import Record
from cache.ids import BLOB, ObjectId, hash_object
from cache.keys import Key, Part
from cache.store import Store
from cache.trees import Tree
from cache.view import IndexEntry, StoredObject, View
from cache.writer import AsyncStore, WriterStatistics

__all__ = [
    "ANY",
    "BLOB",
    "AsyncStore",
    "Batch",
    "IndexEntry",
    "Key",
    "ObjectId",
    "Part",
    "Receipt",
    "Record",
    "Store",
    "StoredObject",
    "Tree",
    "View",
    "WriterStatistics",
    "hash_object",
]
