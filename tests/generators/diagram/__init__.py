"""Tests of the architecture diagram."""
