"""Plans collective communication for networks that are not uniform.

A :class:`Network` says what messages cost. :func:`plan` makes a :class:`Plan` of a collective
operation on it, whose ``timeline`` is a NumPy structured array; :func:`check` validates and
simulates it anew; :func:`compare` plans by every algorithm; :func:`ring` lays an iterative
computation over a ring of hosts. Values are immutable, and show themselves as pictures in a
notebook. Times are in seconds, sizes in bytes, unless a network has a unit of its own.
"""

from ._espalier import (
    Check,
    Comparison,
    Error,
    InputError,
    InvalidError,
    Network,
    Partition,
    Plan,
    Result,
    Ring,
    __version__,
    algorithms,
    check,
    compare,
    convert,
    generate,
    plan,
    ring,
)

__all__ = [
    "Check",
    "Comparison",
    "Error",
    "InputError",
    "InvalidError",
    "Network",
    "Partition",
    "Plan",
    "Result",
    "Ring",
    "__version__",
    "algorithms",
    "check",
    "compare",
    "convert",
    "generate",
    "plan",
    "ring",
]
