"""The synthetic world: gates, routes and rules, canonical facts, evidence, dossiers and attacks."""
