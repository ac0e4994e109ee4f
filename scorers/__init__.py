"""Recorded gate runs in, scores out: components, attribution, the DGF score, statistics."""
