"""The `dgf` command: what a person types, and what a person reads."""
