"""Readers: what an agent sees of each file of a dossier, whatever the file holds.

`read_bytes` is pure and total; `compiled` keeps what it gives once per distinct blob; `evidence`
answers `list_evidence` and `read_evidence` over a compiled dossier.
"""
