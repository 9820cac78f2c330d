"""Collectives through mpi4py, whose buffers are plain bytes and arrays. Prints what is wrong."""
import array
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
n = 1000
wrong = []


def expect(what, holds):
    if not holds:
        wrong.append(what)


def ints(count, value=0):
    return array.array("i", [value] * count)


for root in range(ranks):
    data = bytearray(n)
    if rank == root:
        data[:] = bytes((7 * i + root) % 256 for i in range(n))
    comm.Bcast([data, MPI.BYTE], root=root)
    expect("bcast", data == bytes((7 * i + root) % 256 for i in range(n)))
mine = ints(n, rank)
for _ in range(3):
    every = ints(n * ranks, -1)
    comm.Allgather([mine, MPI.INT], [every, MPI.INT])
    expect("allgather", every == array.array("i", [i // n for i in range(n * ranks)]))
total = ints(n)
comm.Allreduce([mine, MPI.INT], [total, MPI.INT], op=MPI.SUM)
expect("allreduce", total == ints(n, ranks * (ranks - 1) // 2))
comm.Reduce(MPI.IN_PLACE if rank == 0 else [mine, MPI.INT], [mine, MPI.INT] if rank == 0 else None)
expect("reduce", rank != 0 or mine == total)
blocks = array.array("i", [rank * ranks + i for i in range(ranks)])
swapped = ints(ranks)
comm.Alltoall([blocks, MPI.INT], [swapped, MPI.INT])
expect("alltoall", list(swapped) == [i * ranks + rank for i in range(ranks)])
prefix = ints(1)
comm.Scan([ints(1, rank), MPI.INT], [prefix, MPI.INT])
expect("scan", prefix[0] == rank * (rank + 1) // 2)
part = comm.Split(rank % 2, rank)
expect("an object", part.bcast({"from": part.rank}, root=0) == {"from": 0})
part.Free()
comm.Barrier()

everyone = comm.gather(wrong, root=0)
if rank == 0:
    print(everyone if any(everyone) else "0 wrong")
sys.stdout.flush()
