"""The rules of the synthetic enterprise: gates, routes, rules, consolidation, premises."""
