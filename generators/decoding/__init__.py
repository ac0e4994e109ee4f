"""Decoding: canonical values back out of evidence, citations of them, certification of gates."""
