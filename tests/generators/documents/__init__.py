"""Tests of the Word documents."""
