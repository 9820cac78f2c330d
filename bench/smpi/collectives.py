#!/usr/bin/env python3
"""Every collective on the 88-machine grid of SMPI: ours against the best of the vendors' selectors that
completes.

    bench/smpi/collectives.py [--build build/release] [--factors default,neutral] [--orders ranks,shuffled]
                              [--collectives broadcast,barrier,…] [--sizes 8,1024,65536,1048576]
                              [--network measured|FILE.json] [--plan auto,always]

Times are those of a call after the library has made up its mind (`auto`), or of a call that is always
planned (`always`). What MPI does itself under `auto` is the selector that is the best one there. A size is
that of the message or the vector, or of one block: those of all-to-alls, all-gathers and reduce-scatters
are tried up to 64 KiB. Vendors' times are kept in the build folder and read again the next time.
"""

import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib

from block_times import seconds_of
from lab import SELECTORS, TABLE4, Lab, milliseconds, print_table, size_name
from reach import shuffled_hostfile

COLLECTIVES = ("broadcast", "reduce", "allreduce", "barrier", "scatter", "gather", "allgather",
               "reduce-scatter", "alltoall", "scan", "exscan")
# As reports call what the program calls.
FUNCTIONS = {"reduce-scatter": "reduce-scatter-block"}
FROM_ALL_TO_ALL = ("allgather", "reduce-scatter", "alltoall")
SIZES = (8, 1024, 65536, 1048576)
LARGEST_BLOCK = 65536
# What is fastest is mostly known then.
WARM_UPS = 17


def cells(collectives, sizes):
    for collective in collectives:
        for size in (0,) if collective == "barrier" else sizes:
            if collective not in FROM_ALL_TO_ALL or size <= LARGEST_BLOCK:
                yield collective, size


class Peers:
    """The vendors' times, each asked for once."""

    def __init__(self, folder, program):
        self.path = folder / "peers.json"
        self.program = hashlib.sha256(program.read_bytes()).hexdigest()
        kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.times = kept["times"] if kept.get("program") == self.program else {}

    def best(self, lab, order, factors, collective, size):
        """(seconds, selector)"""
        found = {}
        for selector in SELECTORS:
            key = f"{factors} {order} {collective} {size} {selector}"
            if key not in self.times:
                out = lab.run("collective_times_native_smpi", collective, size,
                              options=(f"--cfg=smpi/coll-selector:{selector}",), timeout=600)
                self.times[key] = seconds_of(out)[size] if out is not None else None
            if self.times[key] is not None:
                found[selector] = self.times[key]
        best = min(found, key=found.get)
        return found[best], best

    def keep(self):
        self.path.write_text(json.dumps({"program": self.program, "times": self.times}, indent=1))


def ours(lab, network, plan, selector, collective, size, report):
    """(seconds, what the report says of most of such calls, of planned ones if there are any)"""
    environment = {"ESPALIER_NETWORK": str(network), "ESPALIER_REPORT": str(report),
                   "ESPALIER_PLAN": plan}
    warm_ups = WARM_UPS if plan == "auto" else 1
    out = lab.run("collective_times_smpi", collective, size, 0, warm_ups, environment=environment,
                  options=(f"--cfg=smpi/coll-selector:{selector}",), timeout=1800)
    if out is None:
        raise SystemExit(f"{collective} of {size} bytes failed")
    calls = [c for c in json.loads(report.read_text())["calls"]
             if c["collective"] == FUNCTIONS.get(collective, collective) and c["communicator_size"] == len(lab.hosts)
             and c["bytes"] == size]
    planned = [c for c in calls if c["algorithm"] != "native"]
    return seconds_of(out)[size], max(planned or calls or [{}], key=lambda c: c.get("calls", 0))


def row(lab, order, factors, network, plans, peers, folder, collective, size):
    best, selector = peers.best(lab, order, factors, collective, size)
    cell = {"collective": collective, "size": size_name(size) if size else "",
            "best": milliseconds(best), "selector": selector}
    times = {}
    for plan in plans:
        report = folder / f"run-{factors}-{order}-{collective}-{size}-{plan}.json"
        seconds, call = ours(lab, network, plan, selector, collective, size, report)
        times[plan] = best / seconds
        cell |= {plan: milliseconds(seconds), f"times faster ({plan})": f"{best / seconds:.3f}",
                 "algorithm": call.get("algorithm", "-"),
                 "predicted/executed":
                     f"{call['predicted_s'] / seconds:.3f}" if "predicted_s" in call else "-"}
    return cell, times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--factors", default="default,neutral")
    parser.add_argument("--orders", default="ranks,shuffled")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--network", default="measured", help="a file, or what is measured there")
    parser.add_argument("--plan", default="auto", help="as ESPALIER_PLAN has it; several with commas")
    parser.add_argument("--shuffle", type=int, default=1, metavar="SEED")
    options = parser.parse_args()
    folder = pathlib.Path(options.build) / "collectives"
    folder.mkdir(parents=True, exist_ok=True)
    plans = options.plan.split(",")
    ratios = {plan: [] for plan in plans}
    wanted = list(cells(options.collectives.split(","), [int(s) for s in options.sizes.split(",")]))
    for factors in options.factors.split(","):
        ordered = Lab(options.build, TABLE4 / "platform.xml", TABLE4 / "hostfile", factors)
        peers = Peers(folder, ordered.program("collective_times_native_smpi"))
        network = folder / f"measured-{factors}.json"
        if options.network != "measured":
            network = options.network
        elif not network.exists():
            ordered.measure(network)
        for order in options.orders.split(","):
            lab = ordered if order == "ranks" else Lab(
                options.build, TABLE4 / "platform.xml", shuffled_hostfile(options.shuffle, folder),
                factors)
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                rows = list(pool.map(lambda c: row(lab, order, factors, network, plans, peers,
                                                   folder, *c), wanted))
            peers.keep()
            print(f"\n{factors} factors, {len(lab.hosts)} ranks "
                  f"{'in order' if order == 'ranks' else 'shuffled'}; times in ms")
            print_table(list(rows[0][0]), [list(cell.values()) for cell, _ in rows])
            for _, times in rows:
                for plan, ratio in times.items():
                    ratios[plan].append(ratio)
    print()
    for plan, all_of in ratios.items():
        mean = math.exp(sum(map(math.log, all_of)) / len(all_of))
        print(f"{plan}: {len(all_of)} cells, {mean:.2f} times faster in geometric mean, at least "
              f"{min(all_of):.3f}, {sum(r < 1 / 1.05 for r in all_of)} slower than 1.05 times the best")


if __name__ == "__main__":
    main()
