"""Measurements: each module prints ratios taken in one run, against a peer or a physical limit."""
