#!/usr/bin/env python3
"""Whether `auto` is what is fastest when executed, and takes as long as predicted: on the 88-machine grid
of SMPI, whose clock is exact, for the network that espalier measure finds there.

    tests/smpi/auto_is_best.py [--build build/release] [--collectives broadcast,…] [--sizes 8,65536,1048576]
                               [--markdown] [--write]

Each cell has two promises. What `auto` executes is within 2% of the least that any algorithm executed by
its name (named.json), and within 10% of its own prediction. Promises that are not kept today stand in
shortfalls.json, each with its ratio; one that is kept again, or broken worse than it says, is a failure,
as is one that does not stand there. The best named algorithm is executed anew, too, since it may have
got better than the file says. `--write` puts what is found into the list of shortfalls.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "smpi"))

from block_times import NotPlanned  # noqa: E402
from lab import TABLE4, Lab, milliseconds, size_name  # noqa: E402
from named import COLLECTIVES, SIZES, Kept, execute, names_of  # noqa: E402

SHORTFALLS = ROOT / "tests" / "smpi" / "shortfalls.json"
OF_THE_BEST = 1.02
OF_THE_PREDICTION = 1.10
# The same program on the same network takes the same time, to within the rounding of its clock and
# of a search that was short of time.
THE_SAME = 1.01


@dataclasses.dataclass(frozen=True)
class Cell:
    collective: str
    size: int
    algorithm: str  # that auto chose
    predicted: float  # seconds, as are all times here
    executed: float
    best: str  # of the named ones
    kept: float  # its time in the file
    now: float | None  # its time today; None where it is refused

    @property
    def name(self):
        return f"{self.collective} {size_name(self.size)}"

    def ratios(self):
        """{promise: (how far off, at most)}"""
        off = max(self.predicted / self.executed, self.executed / self.predicted)
        least = min(self.kept, self.now or self.kept)
        return {"best": (self.executed / least, OF_THE_BEST), "prediction": (off, OF_THE_PREDICTION)}


def find_cell(lab, kept, collective, size, folder):
    best, seconds = kept.best(collective, size)
    executed, call = execute(lab, collective, size, "auto", folder)
    try:
        now = execute(lab, collective, size, best, folder)[0]
    except NotPlanned:
        now = None
    return Cell(collective, size, call["algorithm"], call["predicted_s"], executed, best, seconds, now)


def failures_of(cell, known):
    """Of one cell, in lines; `known`: {promise: ratio} of the shortfalls."""
    for promise, (ratio, most) in cell.ratios().items():
        listed = known.get(promise)
        if ratio > most and listed is None:
            yield f"{ratio:.3f} times the {promise}, and at most {most} is allowed"
        elif ratio <= most and listed is not None:
            yield f"a promise that is kept stands in the list of shortfalls: {promise}"
        elif listed is not None and ratio > listed * THE_SAME:
            yield f"{ratio:.3f} times the {promise}, and was {listed} times"


def note_of(cell):
    """That the best named algorithm does not do today what the file says; empty if it does. Searches
    that a clock ends find more on an idle machine, so this is no failure."""
    if cell.now is not None and 1 / THE_SAME <= cell.now / cell.kept <= THE_SAME:
        return ""
    now = "refused" if cell.now is None else f"{milliseconds(cell.now)} ms"
    return (f"note: {cell.name}: {cell.best} is {now}, and {milliseconds(cell.kept)} ms in named.json: "
            f"bench/smpi/named.py --collectives {cell.collective} --sizes {cell.size}\n")


def shortfalls_of(cells, before):
    """The list with what these cells have today."""
    after = dict(before)
    for cell in cells:
        broken = {promise: round(ratio, 3) for promise, (ratio, most) in cell.ratios().items()
                  if ratio > most}
        after.pop(cell.name, None)
        if broken:
            after[cell.name] = broken
    return dict(sorted(after.items()))


def print_markdown(cells):
    print("| collective | size | auto | predicted | executed | best by its name | it takes |"
          " over the best | executed / predicted |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for cell in cells:
        print(f"| {cell.collective} | {size_name(cell.size)} | {cell.algorithm} | "
              f"{milliseconds(cell.predicted)} | {milliseconds(cell.executed)} | {cell.best} | "
              f"{milliseconds(cell.kept)} | {cell.executed / cell.kept:.2f} | "
              f"{cell.executed / cell.predicted:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--markdown", action="store_true", help="print the cells as a table")
    parser.add_argument("--write", action="store_true", help="put what is found into the list")
    options = parser.parse_args()
    collectives = options.collectives.split(",")
    folder = pathlib.Path(options.build) / "named"
    folder.mkdir(parents=True, exist_ok=True)
    lab = Lab(options.build, TABLE4 / "platform.xml", TABLE4 / "hostfile")
    kept = Kept()
    wanted = [(c, int(size)) for c in collectives for size in options.sizes.split(",")]
    for c, size in wanted:
        unknown = [name for name in names_of(options.build, c) if not kept.knows(c, size, name)]
        if unknown:
            print(f"note: {c} {size_name(size)}: nobody executed {', '.join(unknown)} yet: "
                  f"bench/smpi/named.py --missing --collectives {c} --sizes {size}")
    failures = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cells = list(pool.map(lambda cell: find_cell(lab, kept, *cell, folder), wanted))
    known = json.loads(SHORTFALLS.read_text()) if SHORTFALLS.exists() else {}
    if options.write:
        known = shortfalls_of(cells, known)
        SHORTFALLS.write_text(json.dumps(known, indent=1) + "\n")
    if options.markdown:
        print_markdown(cells)
    print("".join(map(note_of, cells)), end="")
    for cell in cells:
        failures += [f"{cell.name} by {cell.algorithm}: {failure}"
                     for failure in failures_of(cell, known.get(cell.name, {}))]
    print("\n".join(failures) or f"{len(cells)} cells, {len(known)} of all with known shortfalls")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
