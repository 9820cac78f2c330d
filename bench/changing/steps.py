#!/usr/bin/env python3
"""How soon a program's calls are as fast again as a plan for the network as it is, when that changes.

    bench/changing/steps.py [FILE] [--what "toulouse uplink"] [--states rate=80Mbit/s,rate=20Mbit/s] [--only broadcast] …

On the hosts of a testbed one job calls each collective again and again, while a queue or a path is stepped
from its first state to the second and back. Beside it, in each state, a job with ESPALIER_PLAN=always on the
network that was measured in it: the fresh plan. Prints what calls take relative to that, how many
calls and seconds it takes until they are within 1.15 of it, and the same for a plan that is never changed.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "bench" / "grid-tcp"))

import cells as what  # noqa: E402
import networks  # noqa: E402
from jobs import Job  # noqa: E402
from places import Testbed, environment  # noqa: E402
from turns import progress  # noqa: E402

# A call is as fast as a fresh plan's if it takes so much longer at most.
AS_FAST = 1.15
TIMEOUT_S = 600
COLLECTIVES = ("broadcast", "allgather", "scatter", "alltoall")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testbed", nargs="?", type=pathlib.Path, metavar="FILE",
                        default=ROOT / "testbed" / "examples" / "three-sites.json")
    parser.add_argument("--what", default="toulouse uplink", help="as espalier-testbed change names it")
    parser.add_argument("--states", type=lambda text: text.split(","),
                        default=["rate=80Mbit/s", "rate=20Mbit/s"], help="the first is the one that FILE says")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER", help="BUILD/changing")
    parser.add_argument("--only", type=lambda text: text.split(","), default=COLLECTIVES)
    parser.add_argument("--sizes", type=lambda text: [what.parse_size(s) for s in text.split(",")],
                        default=(64 * what.KIB, what.MIB))
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--congestion", default="cubic")
    parser.add_argument("--calls", type=int, default=40, help="in each state")
    parser.add_argument("--seconds", type=float, default=15, help="that the calls in one state may take")
    parser.add_argument("--measure-budget", default="10s")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.out = (options.out or options.build / "changing").resolve()
    return options


def step(place, what_changes, state):
    subprocess.run([place.binary, "change", "--name", place.name, *what_changes.split(), state], check=True,
                   env=environment())


def called(place, options, network, plan, phases, began, fresh_for=None):
    """{cell: [the seconds of each call, in each state]}, and how often they told that something had
    changed; `phases` are states, each stepped to before."""
    own = what.Library(f"{plan}-{fresh_for or 'all'}".replace("/", ""), options.mpi, ours=True)
    job = Job(place, options.build, options.out, own, None,
              {"ESPALIER_NETWORK": str(network), "ESPALIER_PLAN": plan, "ESPALIER_LOG": "debug"})
    found = {}
    for cell in what.cells(options.only, options.sizes):
        found[cell] = []
        for state in phases:
            step(place, options.what, state)
            said = job.call(cell, 0, 0, options.calls, options.seconds, TIMEOUT_S)
            assert said["right"], cell.label
            found[cell].append(said["seconds"])
            progress(f"{plan}, {state}: {cell.label}: {len(said['seconds'])} calls, "
                     f"median {1e3 * statistics.median(said['seconds']):.4g} ms", began)
    return found, sum(call.get("changes", 0) for call in job.end())


def until_fast(seconds, fresh):
    """Calls, and the seconds that they took, until three in a row have a median that is as fast."""
    for count in range(len(seconds) - 2):
        if statistics.median(seconds[count:count + 3]) <= AS_FAST * fresh:
            return count, sum(seconds[:count])
    return None


def settled(seconds):
    return statistics.median(seconds[len(seconds) // 2:])


def report(adapting, never, fresh, states):
    lines = ["| cell | step | fresh plan, ms | calls until within 1.15 | s | then | never changed |",
             "| --- " * 7 + "|"]
    for cell, phases in adapting.items():
        for number, state in enumerate(phases_of(states)):
            of_fresh = settled(fresh[state][cell][0])
            found = until_fast(phases[number], of_fresh)
            soon = f"{found[0]} | {found[1]:.2g}" if found else "not in " + \
                f"{len(phases[number])} | {sum(phases[number]):.2g}"
            lines.append(f"| {cell.label} | {state} | {1e3 * of_fresh:.4g} | {soon} | "
                         f"{settled(phases[number]) / of_fresh:.2f} | "
                         f"{settled(never[cell][number]) / of_fresh:.2f} |")
    return "\n".join(lines)


def phases_of(states):
    return [states[0], states[1], states[0]]


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    ranks = json.loads(options.testbed.read_text()).get("x-ranks-per-host", 1)
    fresh = {}
    measured = {}
    with Testbed(options.build, options.testbed, options.congestion, ranks_per_host=ranks) as place:
        for number, state in enumerate(options.states):
            step(place, options.what, state)
            folder = options.out / f"state-{number}"
            folder.mkdir(exist_ok=True)
            measured[state] = networks.measure(place, options.build, options.mpi, folder,
                                              options.measure_budget)
            fresh[state], _ = called(place, options, measured[state], "always", [state], began, state)
        first = measured[options.states[0]]
        never, _ = called(place, options, first, "always", phases_of(options.states), began)
        adapting, changes = called(place, options, first, "auto", phases_of(options.states), began)
    text = report(adapting, never, fresh, options.states)
    (options.out / "results.json").write_text(json.dumps(
        {"changes": changes,
         "adapting": {cell.label: times for cell, times in adapting.items()},
         "never": {cell.label: times for cell, times in never.items()},
         "fresh": {state: {cell.label: times[0] for cell, times in found.items()}
                   for state, found in fresh.items()}}, indent=1))
    (options.out / "table.md").write_text(text + "\n")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
