#!/usr/bin/env python3
"""What a nonblocking call and its wait take, by the libraries' own algorithms and by a plan, and how much of it computing hides.

    bench/nonblocking/nonblocking.py [TESTBED] [--build build/release] [--sizes 64KiB,1MiB] [--rounds 3] [--out FOLDER]

On the hosts of a testbed (25 on three sites, under cubic) three jobs take turns: Open MPI and MPICH without the library, and one whose calls are all
by plan, on the network as it is measured there first. Prints a table: medians over all calls of the slowest rank's time, in ms, beside the blocking
call by the same plan; and how much of a planned call is over when its rank has computed for as long as the call takes alone.
"""

import argparse
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "grid-tcp"))

import cells  # noqa: E402
import networks  # noqa: E402
from jobs import Job  # noqa: E402
from places import Testbed  # noqa: E402

LONGEST_S = 60
CALLS = 12
MEASURING = "10s"
OURS = "espalier-openmpi"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testbed", nargs="?", type=pathlib.Path, default=ROOT / "testbed" / "examples" / "three-sites.json")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--sizes", default="64KiB,1MiB")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    build = options.build.resolve()
    out = (options.out or build / "nonblocking").resolve()
    out.mkdir(parents=True, exist_ok=True)
    sizes = [cells.parse_size(size) for size in options.sizes.split(",")]
    times, hidden = {}, {}
    with Testbed(build, options.testbed, "cubic") as place:
        network = networks.measure(place, build, "openmpi", out, MEASURING)
        settings = {"ESPALIER_NETWORK": str(network), "ESPALIER_PLAN": "always"}
        tuned, mpich, ours = (Job(place, build, out, cells.LIBRARIES[name], None, settings if name == OURS else {})
                              for name in ("tuned", "mpich", OURS))
        for _ in range(options.rounds):
            for collective in ("broadcast", "allreduce"):
                for size in sizes:
                    found = times.setdefault((collective, size), {})
                    for job, called in ((tuned, f"i{collective}"), (mpich, f"i{collective}"), (ours, collective), (ours, f"i{collective}")):
                        found.setdefault((job, called), []).extend(timed(job, called, size))
                    alone = statistics.median(found[ours, f"i{collective}"])
                    hidden.setdefault((collective, size), []).extend(
                        2 - each / alone for each in timed(ours, f"i{collective}", size, alone))
        for job in (tuned, mpich, ours):
            job.end()
    print("| | Open MPI's own, nonblocking | MPICH's | planned, blocking | planned, nonblocking | hidden |\n| --- | --- | --- | --- | --- | --- |")
    for (collective, size), found in times.items():
        row = (f"{1e3 * statistics.median(each):.1f}" for each in found.values())
        print(f"| {collective} {cells.size_name(size)} | {' | '.join(row)} | {statistics.median(hidden[collective, size]):.0%} |")
    return 0


def timed(job, called, size, computing=0):
    said = job.call(cells.Cell(called, size), 0, 1, CALLS, 4, LONGEST_S, computing)
    assert said["right"]
    return said["seconds"]


if __name__ == "__main__":
    sys.exit(main())
