#!/usr/bin/env python3
"""Total exchanges on the 88-machine grid of SMPI: ours against the best of the vendors' selectors that
completes, how near they come to the bound with shared links, and how close predictions are.

    bench/smpi/exchange.py [--build build/release] [--factors default,neutral] [--orders ranks,shuffled]
                           [--sizes 1024,8192,65536] [--algorithm auto]

Three networks are planned for. `file`: examples/table4/network.json, which has the shared links and
knows nothing of SMPI's factors; the bound is its. `measured`: what espalier measure finds, pair by pair,
which knows the factors and no shared link. `measured, shared`: the same with the file's links, each
carrying in all what one pair of hosts got through it alone with messages of that size.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib

from lab import FACTORS, SELECTORS, TABLE4, Lab, milliseconds, print_table, size_name
from reach import shuffled_hostfile

EXCHANGE_SIZES = (1024, 8192, 65536)


def gap_at(gap, size):
    """Seconds of a gap as network files have them: a number, or a table by size."""
    if not isinstance(gap, dict):
        return gap
    points = sorted((int(s), t) for s, t in gap.items())
    if size <= points[0][0] or len(points) == 1:
        return points[0][1]
    for (s, t), (s2, t2) in zip(points, points[1:]):
        if size <= s2 or s2 == points[-1][0]:
            return t + (t2 - t) * (size - s) / (s2 - s)
    return points[-1][1]


def with_shared_links(measured, truth, size):
    """The measured network, and the shared links of the true one, as fast as pairs are alone."""
    homes = [{node.split("-")[0] for node in c["nodes"]} for c in measured["clusters"]]
    names = [c["name"] for c in measured["clusters"]]
    shared = []
    for link in truth["shared"]:
        pairs, rate = [], 0
        for i, sender in enumerate(homes):
            for j, receiver in enumerate(homes):
                if i == j or not any([a, b] in link["pairs"] for a in sender for b in receiver):
                    continue
                pairs.append([names[i], names[j]])
                rate = max(rate, size / gap_at(measured["gap_s"][i][j], size))
        if pairs:
            shared.append({"name": link["name"], "capacity_Bps": rate, "pairs": pairs})
    return {**measured, "shared": shared}


def seconds_of(output):
    """{bytes: seconds}; wrong bytes are an error."""
    lines = [line.split() for line in output.splitlines()]
    if any(verdict != "right" for _, _, verdict in lines):
        raise SystemExit("an exchange brought wrong bytes")
    return {int(size): float(seconds) for size, seconds, _ in lines}


def native(lab, selector, sizes):
    """One run for each size: a selector may fail at one of them."""
    times = {}
    for size in sizes:
        out = lab.run("exchange_times_native_smpi", size,
                      options=(f"--cfg=smpi/coll-selector:{selector}",), timeout=900)
        if out is not None:
            times.update(seconds_of(out))
    return times


def planned(lab, network, algorithm, sizes, report):
    """{bytes: (executed, what the report says)}"""
    environment = {"ESPALIER_NETWORK": str(network), "ESPALIER_REPORT": str(report),
                   "ESPALIER_ALGORITHM": f"alltoall:{algorithm}", "ESPALIER_PLAN": "always"}
    out = lab.run("exchange_times_smpi", ",".join(map(str, sizes)), environment=environment,
                  timeout=900)
    if out is None:
        raise SystemExit(f"exchanging by {algorithm} failed")
    calls = {c["bytes"]: c for c in json.loads(report.read_text())["calls"]
             if c["collective"] == "alltoall" and c["algorithm"] != "native"}
    return {size: (seconds, calls[size]) for size, seconds in seconds_of(out).items()}


def compare(lab, name, networks, sizes, algorithm, folder):
    """Runs everything on one order of ranks under one setting of the factors, and prints it."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        natives = {s: pool.submit(native, lab, s, sizes) for s in SELECTORS}
        runs = {}
        for label, files in networks.items():
            for size, network in files.items():
                report = folder / f"run-{label.replace(', ', '-')}-{size}.json"
                runs[label, size] = pool.submit(planned, lab, network, algorithm, [size], report)
        natives = {s: t.result() for s, t in natives.items()}
        runs = {key: run.result()[key[1]] for key, run in runs.items()}
    print(f"\n{name}; times in ms")
    rows = []
    for size in sizes:
        peers = {s: t[size] for s, t in natives.items() if size in t}
        best = min(peers, key=peers.get)
        bound = runs["file", size][1]["lower_bound_s"]
        for label in networks:
            seconds, call = runs[label, size]
            predicted = call.get("predicted_s", float("nan"))
            rows.append([size_name(size), label, f"{call['algorithm']}, {call['ports']} at once",
                         milliseconds(peers[best]), best, milliseconds(seconds),
                         f"{peers[best] / seconds:.3f}", milliseconds(bound),
                         f"{seconds / bound:.3f}", milliseconds(predicted),
                         f"{predicted / seconds:.3f}"])
    print_table(["block", "network", "ours", "best vendor", "which", "executed", "times faster",
                 "bound", "over it", "predicted", "predicted/executed"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--factors", default=",".join(FACTORS))
    parser.add_argument("--orders", default="ranks,shuffled")
    parser.add_argument("--sizes", default=",".join(map(str, EXCHANGE_SIZES)))
    parser.add_argument("--algorithm", default="auto", help="as ESPALIER_ALGORITHM has it")
    parser.add_argument("--shuffle", type=int, default=1, metavar="SEED")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    truth = json.loads((TABLE4 / "network.json").read_text())
    for factors in options.factors.split(","):
        folder = pathlib.Path(options.build) / "exchange" / factors
        folder.mkdir(parents=True, exist_ok=True)
        ordered = Lab(options.build, TABLE4 / "platform.xml", TABLE4 / "hostfile", factors)
        measured = ordered.measure(folder / "measured.json")
        networks = {"file": {s: TABLE4 / "network.json" for s in sizes},
                    "measured": {s: folder / "measured.json" for s in sizes},
                    "measured, shared": {}}
        for size in sizes:
            path = folder / f"shared-{size}.json"
            path.write_text(json.dumps(with_shared_links(measured, truth, size)))
            networks["measured, shared"][size] = path
        for order in options.orders.split(","):
            lab = ordered if order == "ranks" else Lab(
                options.build, TABLE4 / "platform.xml", shuffled_hostfile(options.shuffle, folder),
                factors)
            compare(lab, f"{factors} factors, {len(lab.hosts)} ranks "
                    f"{'in order' if order == 'ranks' else 'shuffled'}", networks, sizes,
                    options.algorithm, folder)


if __name__ == "__main__":
    main()
