"""The library under a running MPI program, as the program sees and steers it::

    from mpi4py import MPI
    import espalier.mpi

    espalier.mpi.ask(MPI.COMM_WORLD, "broadcast", bytes="1MiB").algorithm
    espalier.mpi.steer(MPI.COMM_WORLD, plan="never")

It is there where ``libespalier-openmpi.so`` or ``libespalier-mpich.so`` is preloaded (``espalier run``), between
MPI_Init and MPI_Finalize; elsewhere all raise InputError. Only :func:`steer` is collective: what a rank is told is what it
knows, and rank 0 of a communicator, which plans, knows most.
"""

from __future__ import annotations

from typing import Protocol

from . import _espalier
from ._espalier import Call, Network, Run

__all__ = ["Call", "Run", "ask", "network", "run", "steer"]


class _Handle(Protocol):
    """A communicator, operator or datatype of mpi4py, or whatever has Fortran's number of one."""

    def py2f(self) -> int: ...


def run(comm: _Handle | None = None) -> Run:
    """What this process knows of the run so far.

    Without ``comm``, what its report would say: calls are counted where one is written (``ESPALIER_REPORT``, on rank 0), or
    metrics are. With it, the calls of that communicator of which this rank knows by what they are done.
    """
    return _espalier._run_so_far() if comm is None else _espalier._run_of(comm.py2f())


def ask(
    comm: _Handle,
    collective: str,
    *,
    bytes: int | str = 0,
    root: int = 0,
    op: _Handle | None = None,
    datatype: _Handle | None = None,
) -> Call:
    """By what the next call of ``collective`` on ``comm`` is done, why, and how long it takes.

    ``bytes``: of one rank's operand or block. ``op`` and ``datatype``: of a reduction; MPI.SUM of MPI.DOUBLE where they are not
    said. Where no such call was made yet, rank 0 of ``comm`` plans for one (which can take as long as the first call would) and
    keeps nothing; other ranks raise InputError. Of blocks that differ (``alltoallv``), and between neighbours, only what was
    called is known.
    """
    if op is None or datatype is None:
        from mpi4py import MPI

        op, datatype = op or MPI.SUM, datatype or MPI.DOUBLE
    return _espalier._ask(comm.py2f(), collective, bytes, root, op.py2f(), datatype.py2f())


def network() -> Network:
    """The network that collectives are planned on, as it was measured."""
    return _espalier._network_in_use()


def steer(comm: _Handle, *, plan: str | None = None, algorithm: str | None = None, robust: str | None = None) -> None:
    """Give a communicator settings of its own, in place of those that it had by an earlier call.

    They are those of ``ESPALIER_PLAN`` (``auto``, ``always``, ``never``: MPI's own), ``ESPALIER_ALGORITHM`` (``broadcast:ecef``,
    …) and ``ESPALIER_ROBUST``; what is not named is as these say. All begins anew. Collective: all ranks call it, with the same
    settings, at the same place in the order of their collective calls on ``comm``; where one of them asks for something else, or
    for what makes no sense, all raise InputError, and nothing has changed.
    """
    words = {"plan": plan, "algorithm": algorithm, "robust": robust}
    _espalier._steer(comm.py2f(), [(name, str(value)) for name, value in words.items() if value is not None])
