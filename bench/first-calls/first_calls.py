#!/usr/bin/env python3
"""What the first calls of a program take: Espalier, beside always MPI's own and always the plan.

    bench/first-calls/first_calls.py [FILE] [--only broadcast,reduce] [--sizes 8,64KiB] [--apart] …

On the hosts of a testbed each collective and size is called some hundred times by three jobs: the library
by itself, ESPALIER_PLAN=always, and ESPALIER_PLAN=auto. Prints how many times as long all calls up to the
1st, 3rd, 10th, 30th and 100th take by auto as by whichever of the two others is faster, and as by MPI's own.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "bench" / "grid-tcp"))

import cells as what  # noqa: E402
import networks  # noqa: E402
from jobs import Job  # noqa: E402
from places import Testbed  # noqa: E402
from turns import progress  # noqa: E402

COUNTS = (1, 3, 10, 30, 100)
# From here on nobody may be much slower than natively.
SETTLED = 3
# Where a plan wins by so much, it is to be found soon.
WINS = 1.3
TIMEOUT_S = 600
PLANS = {"native": None, "always": "always", "auto": "auto"}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testbed", nargs="?", type=pathlib.Path, metavar="FILE",
                        default=ROOT / "testbed" / "examples" / "three-sites.json")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER", help="BUILD/first-calls")
    parser.add_argument("--only", type=lambda text: text.split(","), default=what.COLLECTIVES)
    parser.add_argument("--sizes", type=lambda text: [what.parse_size(s) for s in text.split(",")],
                        default=(8, 64 * what.KIB, what.MIB))
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--congestion", default="cubic")
    parser.add_argument("--seconds", type=float, default=5,
                        help="that calls of one cell may take; those left out take the median (5)")
    parser.add_argument("--apart", action="store_true",
                        help="each collective and size in jobs of its own, which have no connections yet")
    parser.add_argument("--measure-budget", default="10s")
    parser.add_argument("--network", type=pathlib.Path, help="use this one instead of measuring")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.out = (options.out or options.build / "first-calls").resolve()
    return options


def total(times, count):
    """Of so many calls; those that were not made take as long as the later half of those that were."""
    made = times[:count]
    return sum(made) + (count - len(made)) * statistics.median(times[len(times) // 2:])


def first_over_later(times):
    """By how much the first call takes longer than a later one; both plan, deal out and connect as they need."""
    return times[0] - statistics.median(times[len(times) // 2:])


def mean(values):
    return math.exp(statistics.mean(map(math.log, values))) if values else math.nan


def called(place, options, network, cells, began):
    """{cell: {plan: the seconds of each call}}"""
    found = {cell: {} for cell in cells}
    for plan, setting in PLANS.items():
        own = what.Library(plan, options.mpi, ours=setting is not None)
        settings = {} if setting is None else {"ESPALIER_NETWORK": str(network),
                                               "ESPALIER_PLAN": setting}
        for together in [[cell] for cell in cells] if options.apart else [cells]:
            job = Job(place, options.build, options.out, own, None, settings)
            for cell in together:
                said = job.call(cell, 0, 0, COUNTS[-1], options.seconds, TIMEOUT_S)
                assert said["right"], cell.label
                found[cell][plan] = said["seconds"]
                progress(f"{plan}: {cell.label}: {len(said['seconds'])} calls, "
                         f"median {1e3 * statistics.median(said['seconds']):.4g} ms", began)
            job.end()
    return found


def report(found):
    lines = ["| cell | MPI's own, ms | plan, ms | over the faster: " +
             " | ".join(str(n) for n in COUNTS) + " | over MPI's own from 3 on, at most |"
             " first, ms more | natively |",
             "| --- " * (6 + len(COUNTS)) + "|"]
    where_it_wins = {n: [] for n in COUNTS}
    worst = []
    for cell, times in found.items():
        own, plan = (statistics.median(times[p][len(times[p]) // 2:]) for p in ("native", "always"))
        over_best = [total(times["auto"], n) / min(total(times[p], n) for p in ("native", "always"))
                     for n in COUNTS]
        over_native = max(total(times["auto"], n) / total(times["native"], n)
                          for n in range(SETTLED, COUNTS[-1] + 1))
        worst.append((over_native, cell.label))
        if own >= WINS * plan:
            for n, ratio in zip(COUNTS, over_best):
                where_it_wins[n].append(ratio)
        lines.append(f"| {cell.label} | {1e3 * own:.4g} | {1e3 * plan:.4g} | " +
                     " | ".join(f"{ratio:.2f}" for ratio in over_best) + f" | {over_native:.2f} | " +
                     f"{1e3 * first_over_later(times['auto']):.3g} | "
                     f"{1e3 * first_over_later(times['native']):.3g} |")
    count = len(where_it_wins[COUNTS[0]])
    lines.append(f"\nWhere the plan wins by {WINS} ({count} of {len(found)} cells), geometric means: " +
                 ", ".join(f"{mean(where_it_wins[n]):.2f} of {n}" for n in COUNTS))
    lines.append(f"Over MPI's own from {SETTLED} calls on: " +
                 ", ".join(f"{ratio:.2f} ({label})" for ratio, label in sorted(worst, reverse=True)[:5]))
    return "\n".join(lines)


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    ranks = json.loads(options.testbed.read_text()).get("x-ranks-per-host", 1)
    with Testbed(options.build, options.testbed, options.congestion, ranks_per_host=ranks) as place:
        network = options.network or networks.measure(place, options.build, options.mpi, options.out,
                                                      options.measure_budget)
        found = called(place, options, network, what.cells(options.only, options.sizes), began)
    (options.out / "results.json").write_text(json.dumps(
        {cell.label: times for cell, times in found.items()}, indent=1))
    text = report(found)
    (options.out / "table.md").write_text(text + "\n")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
