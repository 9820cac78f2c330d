#!/usr/bin/env python3
"""What the preloaded library does to a job: messages, bytes, connections, memory, processors, time, files.

    bench/footprint/footprint.py [--build build/release] [--ranks 10,100,1000] [--calls 30] [--only simulated|real]

Under SMPI, on the ten sites of bench/measure/ten_sites.py, all hosts measure their network in the time that a
start has there. Then a program that is linked with the library broadcasts 64 KiB from rank 0 so many times,
and again with ESPALIER=off. Real processes, one on each of the ten hosts of
testbed/examples/two-regions.json, do the same without the library, measuring, going on with that, from the
cache, and with the file of an administrator. Prints two tables.
"""

import argparse
import pathlib
import sys

import real
import simulated

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")],
                        default=[10, 100, 1000], help="under SMPI, tens (10,100,1000)")
    parser.add_argument("--calls", type=int, default=30)
    parser.add_argument("--repeat", type=int, default=5, help="real starts of a kind, of which the median counts (5)")
    parser.add_argument("--only", choices=("simulated", "real"))
    options = parser.parse_args()
    options.build = options.build.resolve()
    if options.only != "real":
        print(simulated.table(options))
    if options.only != "simulated":
        print(real.table(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
