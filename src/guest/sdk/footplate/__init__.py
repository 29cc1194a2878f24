"""What this script may ask of the workstation it runs in.

`from footplate import files` imports a module of functions; `capabilities()` lists them all,
`find(words)` finds some, `batch([...])` calls several at once.
"""

from . import _mounted
from ._channel import batch
from ._errors import (
    Blocked,
    BudgetSpent,
    Denied,
    Error,
    Failed,
    Interrupted,
    InvalidInput,
    NoApprover,
    UnknownTool,
)

__all__ = [
    "Blocked",
    "BudgetSpent",
    "Denied",
    "Error",
    "Failed",
    "Interrupted",
    "InvalidInput",
    "NoApprover",
    "UnknownTool",
    "batch",
    "capabilities",
    "find",
] + _mounted.MODULES


def capabilities():
    """Every function of this session: a list of name, signature, category and description."""
    return [dict(entry) for entry in _mounted.CAPABILITIES]


def find(words):
    """The functions that fit these words, best first."""
    wanted = [word.lower() for word in (words.split() if isinstance(words, str) else words)]

    def fit(entry):
        name, rest = entry["name"].lower(), entry["description"].lower()
        return sum(3 * (word in name) + (word in rest) for word in wanted)

    ranked = sorted(_mounted.CAPABILITIES, key=fit, reverse=True)
    return [dict(entry) for entry in ranked if fit(entry) > 0]


def __getattr__(name):
    if name in _mounted.MODULES:
        import importlib

        return importlib.import_module("footplate." + name)
    there = ", ".join(_mounted.MODULES) or "none"
    raise AttributeError("footplate has no module %r here; there is: %s" % (name, there))
