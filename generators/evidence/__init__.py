"""Evidence of a dossier: the catalog, the public graph, hidden modes, records and tables."""
