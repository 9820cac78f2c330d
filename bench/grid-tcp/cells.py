"""What is timed: collectives, sizes, and the libraries that are compared."""

from dataclasses import dataclass

KIB, MIB = 1 << 10, 1 << 20
# Exchanges come last: connections that lost packets to a full queue are slow for dozens of calls.
COLLECTIVES = ("broadcast", "reduce", "allreduce", "barrier", "scatter", "gather", "allgather",
               "reduce-scatter", "scan", "exscan", "alltoall")
SIZES = (8, KIB, 64 * KIB, MIB, 4 * MIB)
# A size is that of the message or the vector, or of one block; larger ones would move gigabytes.
LARGEST = {"scatter": MIB, "gather": MIB, "allgather": 64 * KIB, "reduce-scatter": 64 * KIB,
           "alltoall": 64 * KIB, "scan": MIB, "exscan": MIB}
# As reports and plans call them.
FUNCTIONS = {"reduce-scatter": "reduce-scatter-block"}
# What they bring where depends on the order of ranks.
SCANS = ("scan", "exscan")
ROOTED = ("broadcast", "reduce", "scatter", "gather")


@dataclass(frozen=True)
class Cell:
    collective: str
    bytes: int

    @property
    def label(self):
        return f"{self.collective} {size_name(self.bytes)}".strip()


@dataclass(frozen=True)
class Library:
    name: str
    mpi: str
    options: tuple = ()
    ours: bool = False


LIBRARIES = {library.name: library for library in (
    Library("tuned", "openmpi"),
    Library("han", "openmpi", ("--mca", "coll_han_priority", "100")),
    Library("mpich", "mpich"),
    Library("espalier-openmpi", "openmpi", ours=True),
    Library("espalier-mpich", "mpich", ours=True))}


def cells(collectives, sizes):
    return [Cell(collective, size) for collective in collectives
            for size in ((0,) if collective == "barrier" else sizes)
            if size <= LARGEST.get(collective, size)]


def parse_size(text):
    for unit, factor in (("KiB", KIB), ("MiB", MIB), ("B", 1), ("", 1)):
        if text.endswith(unit):
            size = int(text.removesuffix(unit)) * factor
            if size <= 0 or size % 8:
                raise ValueError(f"{text}: not a multiple of 8 bytes")
            return size
    raise ValueError(text)


def size_name(size):
    for unit, name in ((MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} B" if size else ""
