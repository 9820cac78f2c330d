#!/usr/bin/env python3
"""What stock libraries gain by the host order and the rules that Espalier writes for them.

    bench/tuning/tuning.py [TESTBED ...] [--build build/release] [--mpi openmpi,mpich] [--shuffle 1] [--rounds 3] [--out FOLDER]

On the hosts of each testbed, shuffled, under cubic, none of our libraries is loaded: `espalier measure` measures the network, `espalier order`
orders the hosts, and `espalier export` writes rules, for the shuffled and for the ordered hosts. Jobs of the library as it is and with each of
these take turns. Prints a table of medians over all calls of the slowest rank's time, in ms: all calls of the order; those of the rules that
there is a rule for, as all others are the library's own.
"""

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "grid-tcp"))

import cells  # noqa: E402
import networks  # noqa: E402
from jobs import Job, JobFailed  # noqa: E402
from places import Testbed, environment  # noqa: E402

ORDERED = ("broadcast", "reduce", "allreduce", "allgather")
SIZES = {"broadcast": (1 << 10, 1 << 16, 1 << 20), "reduce": (1 << 10, 1 << 16, 1 << 20), "allreduce": (1 << 10, 1 << 16, 1 << 20),
         "allgather": (1 << 10, 1 << 16), "alltoall": (1 << 10, 1 << 16)}
RULES_FOR = {"openmpi": "openmpi-tuned", "mpich": "mpich-json"}
WARM_UPS, CALLS, BUDGET_S, LONGEST_S = 2, 6, 3, 120


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testbeds", nargs="*", type=pathlib.Path, default=[ROOT / "testbed" / "examples" / "three-sites.json"])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--shuffle", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    found = []
    for testbed in options.testbeds:
        out = (options.out or build / "tuning").resolve() / testbed.stem
        out.mkdir(parents=True, exist_ok=True)
        with Testbed(build, testbed, "cubic") as place:
            for mpi in options.mpi.split(","):
                found += tried(place, build, out, mpi, testbed.stem, options)
        (out / "results.json").write_text(json.dumps(found, indent=1))
    print(table(found))
    return 0


def tried(place, build, out, mpi, name, options):
    """Rows of what a library's calls take on one testbed."""
    network = networks.measure(place, build, mpi, out, "10s")
    shuffled = list(place.names)
    random.Random(options.shuffle).shuffle(shuffled)
    ordered = order(build, network, mpi, shuffled, out)
    hosts = {"shuffled": shuffled, "ordered": ordered}
    rules = {each: rules_for(build, network, mpi, hosts[each], out / f"rules-{mpi}-{each}") for each in hosts}
    jobs = {}
    try:
        for each, names in hosts.items():
            jobs[each, False] = job(place, build, out, mpi, names, ())
            jobs[each, True] = job(place, build, out, mpi, names, rules[each]["options"])
        return [row for collective, sizes in SIZES.items() for size in sizes
                for row in rows(jobs, rules, cells.Cell(collective, size), {"network": name, "mpi": mpi}, options.rounds)]
    finally:
        for each in jobs.values():
            each.end()


def espalier(build, *words):
    done = subprocess.run([str(build / "espalier"), *map(str, words), "--json"], stdout=subprocess.PIPE, env=environment(), check=True)
    return json.loads(done.stdout)


def order(build, network, mpi, hosts, out):
    given, path = out / f"given-{mpi}", out / f"ordered-{mpi}"
    given.write_text("".join(f"{host}\n" for host in hosts))
    espalier(build, "order", network, "--for", mpi, "--hosts", given, "--collectives", ",".join(ORDERED), "-o", path)
    # MPICH's have the number of ranks after a colon.
    return [line.split()[0].split(":")[0] for line in path.read_text().splitlines() if line and not line.startswith("#")]


def rules_for(build, network, mpi, hosts, path):
    """{(collective, bytes): what `export` foresees} of those that have a rule, and the launcher's options."""
    given = path.with_suffix(".hosts")
    given.write_text("".join(f"{host}\n" for host in hosts))
    sizes = sorted({size for each in SIZES.values() for size in each})
    said = espalier(build, "export", network, "--for", RULES_FOR[mpi], "--hosts", given, "--collectives", ",".join(SIZES),
                    "--bytes", ",".join(map(str, sizes)), "-o", path)
    words = ("-genv", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", str(path)) if mpi == "mpich" else (
        "--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_dynamic_rules_filename", str(path))
    return {"options": words, "calls": {(call["collective"], call["bytes"]): call for call in said["calls"] if "tuned_s" in call}}


def job(place, build, out, mpi, hosts, words):
    library = cells.Library(mpi, mpi, ("--hosts", ",".join(hosts), *words))
    return Job(place, build, out, library, None, {})


def rows(jobs, rules, cell, about, rounds):
    """One for each pair to be compared: what it takes as it was, and with what Espalier wrote."""
    ruled = [each for each in rules if (cell.collective, cell.bytes) in rules[each]["calls"]]
    times = {(each, by_rule): [] for each, by_rule in jobs if each in ruled or (not by_rule and cell.collective in ORDERED)}
    for turn in range(rounds):
        order_now = list(times)[turn % len(times):] + list(times)[:turn % len(times)] if times else []
        for key in order_now:
            try:
                times[key] += jobs[key].call(cell, 0, WARM_UPS if turn == 0 else 1, CALLS, BUDGET_S, LONGEST_S)["seconds"]
            except JobFailed as error:
                sys.exit(f"tuning: {cell.label}: {error}")
    medians = {key: statistics.median(each) for key, each in times.items()}
    print(about, cell.label, {f"{key[0]}{' by rule' if key[1] else ''}": f"{1e3 * each:.4g}" for key, each in medians.items()}, file=sys.stderr, flush=True)

    def row(what, before, after, foreseen=None):
        return about | {"call": cell.label, "what": what, "before_s": medians[before], "after_s": medians[after], "foreseen": foreseen}

    found = []
    if cell.collective in ORDERED:
        found.append(row("order", ("shuffled", False), ("ordered", False)))
    for each in ruled:
        call = rules[each]["calls"][cell.collective, cell.bytes]
        found.append(row(f"rule, {each}", (each, False), (each, True), call["usual_s"] / call["tuned_s"]))
    return found


def table(found):
    lines = ["| network | library | call | by | without | with | times faster | foreseen |", "| --- |" + " --- |" * 7]
    for each in found:
        foreseen = f"{each['foreseen']:.2f}" if each["foreseen"] else ""
        lines.append(f"| {each['network']} | {each['mpi']} | {each['call']} | {each['what']} | {1e3 * each['before_s']:.4g} | {1e3 * each['after_s']:.4g} "
                     f"| {each['before_s'] / each['after_s']:.2f} | {foreseen} |")
    lines.append("")
    for kind in ("order", "rule"):
        gains = [each["before_s"] / each["after_s"] for each in found if each["what"].startswith(kind)]
        if gains:
            mean = math.exp(statistics.fmean(map(math.log, gains)))
            lines.append(f"{kind}: {len(gains)} calls, {mean:.2f} times faster in the geometric mean, the least {min(gains):.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
