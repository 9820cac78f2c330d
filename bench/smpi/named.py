#!/usr/bin/env python3
"""Every algorithm of the table that applies, executed by its name on the 88-machine grid of SMPI, for
the network that espalier measure finds there.

    bench/smpi/named.py [--build build/release] [--collectives broadcast,…] [--sizes 8,65536,1048576]
                        [--algorithms NAME,…]

What it finds goes into tests/smpi/named.json, beside what stands there of other cells and algorithms:
tests/smpi/auto_is_best.py holds `auto` against it. All of it takes about half an hour of processor time.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess

from block_times import Collective, NotPlanned
from lab import ROOT, TABLE4, Lab

COLLECTIVES = ("broadcast", "reduce", "allreduce", "scatter", "allgather", "alltoall")
SIZES = (8, 65536, 1048576)
MEASURED = TABLE4 / "measured.json"
NAMED = ROOT / "tests" / "smpi" / "named.json"
TREES = ("broadcast", "reduce", "allreduce")
# What plans between the ranks of a job on a grid.
FAMILIES = ("grid", "composed", "exchange", "allgather")


def names_of(build, collective):
    """What ESPALIER_ALGORITHM can name for a job on a grid; a name stands in one family only."""
    out = subprocess.run([str(pathlib.Path(build) / "espalier"), "algorithms", "--json"],
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    return [a["name"] for a in json.loads(out)["algorithms"]
            if collective in a["collectives"] and "grid" in a["models"] and a["family"] in FAMILIES]


def ways_to_name(build, collective, ranks):
    """Trees with the segments that suit them (by themselves they are not cut), blocks with as many
    messages at once as suits them and with one, all-to-alls with one and with all at once."""
    for name in names_of(build, collective):
        if collective in TREES:
            yield f"{name}@auto"
        else:
            yield name
            yield f"{name}@{ranks - 1 if collective == 'alltoall' else 1}-port"


class Kept:
    """{collective: {bytes: {"times_s": {algorithm: seconds}, "refused": {algorithm: why}}}}"""

    def __init__(self, path=NAMED):
        self.path = path
        self.cells = json.loads(path.read_text()) if path.exists() else {}

    def cell(self, collective, size):
        return self.cells.setdefault(collective, {}).setdefault(
            str(size), {"times_s": {}, "refused": {}})

    def put(self, collective, size, algorithm, seconds, refusal):
        cell = self.cell(collective, size)
        cell["times_s"].pop(algorithm, None)
        cell["refused"].pop(algorithm, None)
        if seconds is None:
            cell["refused"][algorithm] = refusal
        else:
            cell["times_s"][algorithm] = round(seconds, 9)
        cell["times_s"] = dict(sorted(cell["times_s"].items(), key=lambda item: item[1]))

    def best(self, collective, size):
        """(algorithm, seconds)"""
        return next(iter(self.cells[collective][str(size)]["times_s"].items()))

    def knows(self, collective, size, algorithm):
        cell = self.cell(collective, size)
        return any(name.split("@")[0] == algorithm or name == algorithm
                   for found in cell.values() for name in found)

    def write(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.cells, indent=1) + "\n")


def execute(lab, collective, size, algorithm, folder):
    """(seconds, what the report says); NotPlanned where the library left it to MPI."""
    report = folder / f"{collective}-{size}-{algorithm}.json"
    return Collective(collective).planned(lab, MEASURED, algorithm, size, report)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--algorithms", help="names as ESPALIER_ALGORITHM has them; default: all")
    parser.add_argument("--missing", action="store_true", help="only what nobody executed yet")
    options = parser.parse_args()
    folder = pathlib.Path(options.build) / "named"
    folder.mkdir(parents=True, exist_ok=True)
    lab = Lab(options.build, TABLE4 / "platform.xml", TABLE4 / "hostfile")
    kept = Kept()
    wanted = [(collective, int(size), algorithm)
              for collective in options.collectives.split(",")
              for size in options.sizes.split(",")
              for algorithm in (options.algorithms.split(",") if options.algorithms else
                                ways_to_name(options.build, collective, len(lab.hosts)))
              if not options.missing or not kept.knows(collective, int(size), algorithm)]

    def run(cell):
        try:
            return *cell, execute(lab, *cell, folder)[0], ""
        except NotPlanned as refusal:
            return *cell, None, str(refusal)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(run, wanted):
            print(*found, flush=True)
            kept.put(*found)
            kept.write()


if __name__ == "__main__":
    main()
