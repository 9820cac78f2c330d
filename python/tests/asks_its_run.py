"""A program under the preloaded library, by mpirun: what it hears of its own calls, and how it steers them."""

import numpy as np
from mpi4py import MPI

import espalier
import espalier.mpi

SIZE = 1 << 20
world = MPI.COMM_WORLD
comm = world.Split(0, -world.rank)  # led by the last rank


def broadcast(on):
    values = np.arange(SIZE // 8, dtype=float) if on.rank == 0 else np.zeros(SIZE // 8)
    on.Bcast(values, root=0)
    assert values[-1] == SIZE // 8 - 1


def add(on, kind):
    values, sums = np.full(SIZE // 8, on.rank, kind), np.empty(SIZE // 8, kind)
    on.Allreduce(values, sums)
    assert (sums == on.size * (on.size - 1) // 2).all()


def refusal(call, *arguments, **words):
    try:
        call(*arguments, **words)
    except espalier.InputError as error:
        return str(error)
    raise AssertionError("nothing was refused")


def what_is_foreseen_is_done(collective, perform, **asked):
    # A plan is known to rank 0 alone, that none is made to all. Nothing is sent between asking and
    # the call: any call may change what the next one is worth.
    try:
        before = espalier.mpi.ask(comm, collective, bytes="1MiB", **asked)
        assert (before.calls, before.collective, before.ranks) == (0, collective, comm.size)
        assert before.algorithm == "native" or before.predicted > 0
        assert bool(before.reason) == (before.algorithm == "native")
        foreseen = before.algorithm
    except espalier.InputError as error:
        assert comm.rank != 0 and "rank 0 of the communicator alone" in str(error)
        foreseen = None
    perform()
    after = espalier.mpi.ask(comm, collective, bytes=SIZE, **asked)
    assert comm.bcast(after.algorithm) == after.algorithm and foreseen in (after.algorithm, None)
    assert comm.rank == 0 or foreseen in ("native", None)
    if after.reason == "plans cost more so far than they brought":
        assert after.calls == 0  # planning is slow on a busy machine: the call was handed on, not counted
        return
    assert after.calls == 1
    alike = [call for call in espalier.mpi.run(comm).calls if (call.collective, call.bytes) == (collective, SIZE)]
    assert repr(alike[-1]) == repr(after) and f"{collective} of 1 MiB among {comm.size}" in repr(after)


def the_run_is_told():
    run = espalier.mpi.run()
    assert (run.mpi, run.ranks, run.left_to_mpi) == ("openmpi", world.size, "")
    assert len(run.hosts) == world.size and run.network_from == ("" if world.rank else "file")
    assert run.to_dict()["network"] == run.network and run.network.startswith("sha256:")
    assert espalier.mpi.network().model == "grid" and run.hosts[0] in espalier.mpi.network().nodes


def a_communicator_is_steered():
    espalier.mpi.steer(comm, plan="never")
    broadcast(comm)
    assert espalier.mpi.run(comm).left_to_mpi == "the program asked for MPI's own"
    assert espalier.mpi.ask(comm, "broadcast", bytes=SIZE).algorithm == "native"
    espalier.mpi.steer(comm, plan="always", algorithm="broadcast:flat")
    broadcast(comm)
    add(comm, float)
    assert espalier.mpi.ask(comm, "broadcast", bytes=SIZE).algorithm == "flat"
    assert "different settings" in refusal(espalier.mpi.steer, comm, plan="never" if comm.rank == 0 else "auto")
    assert "none of auto, always, never" in refusal(espalier.mpi.steer, comm, plan="sometimes")
    assert espalier.mpi.ask(comm, "broadcast", bytes=SIZE).algorithm == "flat"
    espalier.mpi.steer(comm)
    assert espalier.mpi.run(comm).calls == () and espalier.mpi.run(comm).left_to_mpi == ""


the_run_is_told()
what_is_foreseen_is_done("broadcast", lambda: broadcast(comm))
what_is_foreseen_is_done("allreduce", lambda: add(comm, float))
what_is_foreseen_is_done("allreduce", lambda: add(comm, int), op=MPI.SUM, datatype=MPI.LONG)
assert not espalier.mpi.ask(comm, "allreduce", bytes=SIZE).exact
assert espalier.mpi.ask(comm, "allreduce", bytes=SIZE, op=MPI.SUM, datatype=MPI.LONG).exact
a_communicator_is_steered()
what_is_foreseen_is_done("broadcast", lambda: broadcast(comm))
assert espalier.mpi.ask(MPI.COMM_SELF, "broadcast", bytes=8).reason == "only one rank"
assert "'bcast' is none" in refusal(espalier.mpi.ask, comm, "bcast", bytes=8)
print("heard all")
