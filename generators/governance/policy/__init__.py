"""Policy text: what the reviewer at a gate is told to apply, generated from the rule table.

Two forms say the same. The code form gives the conditions as a Python function and a glossary of
the fields in it; the prose form gives one requirement per finding, without field names or code.
Both are put together from the rules and from the texts of a protocol (`generators.protocol`), so
neither can drift from the rules.

`policy` makes the text, `requirement` the sentence of one rule, `rule_code` its code; `coverage`
tells what keeps a table from being put into words.
"""

from generators.governance.policy.assemble import Form, PolicyText, Section, policy
from generators.governance.policy.check import PolicyFault, coverage
from generators.governance.policy.code import glossary, rule_code
from generators.governance.policy.lexicon import PolicyTextError
from generators.governance.policy.prose import requirement

__all__ = [
    "Form",
    "PolicyFault",
    "PolicyText",
    "PolicyTextError",
    "Section",
    "coverage",
    "glossary",
    "policy",
    "requirement",
    "rule_code",
]
