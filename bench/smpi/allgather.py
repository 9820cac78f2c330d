#!/usr/bin/env python3
"""All-gathers on the 88-machine grid of SMPI: our ring against the best of the vendors' selectors that
completes, and how close predictions are.

    bench/smpi/allgather.py [--build build/release] [--factors default,neutral] [--orders ranks,shuffled]
                            [--sizes 1024,16384,65536] [--algorithm ring]

Two networks are planned for. `file`: examples/table4/network.json, which has the shared links and knows
nothing of SMPI's factors; the bound is its. `measured`: what espalier measure finds, pair by pair, which
knows the factors and no shared link, so that its ring may cross one twice.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib

from lab import FACTORS, SELECTORS, TABLE4, Lab, milliseconds, print_table, size_name
from reach import shuffled_hostfile

SIZES = (1024, 16384, 65536)


def seconds_of(output):
    """{bytes: seconds}; wrong bytes are an error."""
    lines = [line.split() for line in output.splitlines()]
    if any(verdict != "right" for _, _, verdict in lines):
        raise SystemExit("an all-gather brought wrong bytes")
    return {int(size): float(seconds) for size, seconds, _ in lines}


def native(lab, selector, sizes):
    """One run for each size: a selector may fail at one of them."""
    times = {}
    for size in sizes:
        out = lab.run("allgather_times_native_smpi", size,
                      options=(f"--cfg=smpi/coll-selector:{selector}",), timeout=900)
        if out is not None:
            times.update(seconds_of(out))
    return times


def planned(lab, network, algorithm, sizes, report):
    """{bytes: (executed, what the report says)}"""
    environment = {"ESPALIER_NETWORK": str(network), "ESPALIER_REPORT": str(report),
                   "ESPALIER_ALGORITHM": f"allgather:{algorithm}", "ESPALIER_PLAN": "always"}
    out = lab.run("allgather_times_smpi", ",".join(map(str, sizes)), environment=environment,
                  timeout=900)
    if out is None:
        raise SystemExit(f"gathering by {algorithm} failed")
    calls = {c["bytes"]: c for c in json.loads(report.read_text())["calls"]
             if c["collective"] == "allgather" and c["algorithm"] != "native"}
    return {size: (seconds, calls[size]) for size, seconds in seconds_of(out).items()}


def compare(lab, name, networks, sizes, algorithm, folder):
    """Runs everything on one order of ranks under one setting of the factors, and prints it."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        natives = {s: pool.submit(native, lab, s, sizes) for s in SELECTORS}
        runs = {label: pool.submit(planned, lab, network, algorithm, sizes,
                                   folder / f"run-{label}.json")
                for label, network in networks.items()}
        natives = {s: t.result() for s, t in natives.items()}
        runs = {label: run.result() for label, run in runs.items()}
    print(f"\n{name}; times in ms")
    rows = []
    for size in sizes:
        peers = {s: t[size] for s, t in natives.items() if size in t}
        best = min(peers, key=peers.get)
        bound = runs["file"][size][1]["lower_bound_s"]
        for label in networks:
            seconds, call = runs[label][size]
            predicted = call.get("predicted_s", float("nan"))
            rows.append([size_name(size), label, call["algorithm"],
                         *(milliseconds(peers[s]) if s in peers else "-" for s in SELECTORS), best,
                         milliseconds(seconds), f"{peers[best] / seconds:.3f}",
                         milliseconds(bound), milliseconds(predicted),
                         f"{predicted / seconds:.3f}"])
    print_table(["block", "network", "ours", *SELECTORS, "best", "executed", "times faster", "bound",
                 "predicted", "predicted/executed"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--factors", default=",".join(FACTORS))
    parser.add_argument("--orders", default="ranks,shuffled")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--algorithm", default="ring", help="as ESPALIER_ALGORITHM has it")
    parser.add_argument("--shuffle", type=int, default=1, metavar="SEED")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    for factors in options.factors.split(","):
        folder = pathlib.Path(options.build) / "allgather" / factors
        folder.mkdir(parents=True, exist_ok=True)
        ordered = Lab(options.build, TABLE4 / "platform.xml", TABLE4 / "hostfile", factors)
        ordered.measure(folder / "measured.json")
        networks = {"file": TABLE4 / "network.json", "measured": folder / "measured.json"}
        for order in options.orders.split(","):
            lab = ordered if order == "ranks" else Lab(
                options.build, TABLE4 / "platform.xml", shuffled_hostfile(options.shuffle, folder),
                factors)
            compare(lab, f"{factors} factors, {len(lab.hosts)} ranks "
                    f"{'in order' if order == 'ranks' else 'shuffled'}", networks, sizes,
                    options.algorithm, folder)


if __name__ == "__main__":
    main()
