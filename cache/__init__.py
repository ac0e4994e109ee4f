"""The content-addressed store: objects, trees, refs, indexes and logs in one LMDB environment."""
