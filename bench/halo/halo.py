#!/usr/bin/env python3
"""What halos between the neighbours of a grid take: by MPI libraries' own calls, and by plans.

    bench/halo/halo.py [TESTBED] [--build build/release] [--sizes 4KiB] [--shuffles 1,2,3] [--reordered] [--rounds 3] [--out FOLDER]

On the hosts of a testbed (25 on three sites, under cubic), whose ranks are shuffled and make the squarest grid that they can, jobs of each library
and of ours take turns at MPI_Neighbor_alltoall, ours as a program would have it, on the network as it is described. --reordered: on grids whose
ranks MPI may number as it likes. Prints a table: medians over all calls of the slowest rank's time, in ms.
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
CALLS, WARM_UPS = 12, 24
PEERS, OURS = ("tuned", "mpich"), ("espalier-openmpi", "espalier-mpich")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testbed", nargs="?", type=pathlib.Path, default=ROOT / "testbed" / "examples" / "three-sites.json")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--sizes", default="4KiB")
    parser.add_argument("--shuffles", default="1,2,3")
    parser.add_argument("--reordered", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plan", default="auto")
    options = parser.parse_args()
    build = options.build.resolve()
    out = (options.out or build / "halo").resolve()
    out.mkdir(parents=True, exist_ok=True)
    sizes = [cells.parse_size(size) for size in options.sizes.split(",")]
    network = networks.described(options.testbed, out / "described.json", networks.costs_of_messages())
    call = "reordered-halo" if options.reordered else "halo"
    print("| shuffle | bytes | " + " | ".join(PEERS + OURS) + " | times faster | by |\n| --- | --- |" + " --- |" * (len(PEERS + OURS) + 2))
    with Testbed(build, options.testbed, "cubic") as place:
        for shuffle in [int(number) for number in options.shuffles.split(",")]:
            times = timed(place, build, out, network, shuffle, call, sizes, options)
            for size in sizes:
                print(row(shuffle, size, times), flush=True)
    return 0


def timed(place, build, out, network, shuffle, call, sizes, options):
    """{(library, bytes): [seconds]}, and what ours were done by."""
    settings = {"ESPALIER_NETWORK": str(network), "ESPALIER_PLAN": options.plan}
    times = {}
    jobs = {name: Job(place, build, out, cells.LIBRARIES[name], shuffle, settings if name in OURS else {}) for name in PEERS + OURS}
    for _ in range(options.rounds):
        for size in sizes:
            for name, job in jobs.items():
                said = job.call(cells.Cell(call, size), 0, WARM_UPS, CALLS, 10, LONGEST_S)
                assert said["right"]
                times.setdefault((name, size), []).extend(said["seconds"])
    reports = {name: job.end() for name, job in jobs.items()}
    times["by"] = {name: sorted({each["algorithm"] for each in reports[name] if each["collective"] == "neighbor-alltoall"}) for name in OURS}
    return times


def row(shuffle, size, times):
    medians = {name: statistics.median(times[name, size]) for name in PEERS + OURS}
    faster = min(medians[name] for name in PEERS) / min(medians[name] for name in OURS)
    by = "; ".join(", ".join(names) for names in times["by"].values())
    found = " | ".join(f"{1e3 * medians[name]:.2f}" for name in PEERS + OURS)
    return f"| {shuffle} | {cells.size_name(size)} | {found} | {faster:.2f} | {by} |"


if __name__ == "__main__":
    sys.exit(main())
