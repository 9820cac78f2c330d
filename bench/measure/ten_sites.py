#!/usr/bin/env python3
"""Measures ten simulated sites under SMPI, and compares what is found with the truth.

    bench/measure/ten_sites.py [--build build/release] [--hosts 100] [--budget 15s] [--check]

Ten sites of so many hosts, 5 to 60 ms apart, whose ways out and in are all of different capacities, 10
to 80 MB/s. Prints one line: clusters, latencies and paces between sites, capacities, simulated and
wall seconds, and the most memory that the measuring code of rank 0, and of any other rank, had at a
time. With --check it exits with 1 where clusters or latencies are wrong.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SITES = 10
CARD = 125e6  # bytes/s, of every host
OUT = [10, 12.5, 15, 20, 25, 30, 40, 50, 60, 80]  # MB/s
IN = [OUT[(3 * site + 1) % SITES] for site in range(SITES)]
NEAR, FAR = 5e-3, 60e-3
GATE = 1e-6  # the latency of a way out or in
NEUTRAL = ["--cfg=smpi/lat-factor:0:1;1:1", "--cfg=smpi/bw-factor:0:1;1:1"]


def card_latency(site):
    return (15 + 5 * (site % 4)) * 1e-6


def distances():
    """Seconds between sites, which lie in a plane."""
    rng = random.Random(4)
    places = [(rng.random(), rng.random()) for _ in range(SITES)]
    between = {(a, b): math.dist(places[a], places[b]) for a in range(SITES) for b in range(a)}
    least, most = min(between.values()), max(between.values())
    return {pair: NEAR + (FAR - NEAR) * (d - least) / (most - least) for pair, d in between.items()}


def write_platform(folder, hosts):
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1">', '<zone id="world" routing="Full">']
    for s in range(SITES):
        lines.append(f'<cluster id="s{s}" prefix="s{s}-" suffix="" radical="0-{hosts - 1}" speed="1Gf" '
                     f'router_id="s{s}-router" bw="{CARD}Bps" lat="{card_latency(s)}s"/>')
    for s in range(SITES):
        for way, capacity in (("out", OUT[s]), ("in", IN[s])):
            lines.append(f'<link id="s{s}-{way}" bandwidth="{capacity}MBps" latency="{GATE}s"/>')
    for (a, b), latency in distances().items():
        lines.append(f'<link id="{a}-{b}" bandwidth="10GBps" latency="{latency}s" sharing_policy="FATPIPE"/>')
    for a in range(SITES):
        for b in range(SITES):
            if a == b:
                continue
            path = (f"s{a}-out", f"{max(a, b)}-{min(a, b)}", f"s{b}-in")
            links = "".join(f'<link_ctn id="{link}"/>' for link in path)
            lines.append(f'<zoneRoute src="s{a}" dst="s{b}" gw_src="s{a}-router" gw_dst="s{b}-router" '
                         f'symmetrical="NO">{links}</zoneRoute>')
    (folder / "platform.xml").write_text("\n".join([*lines, "</zone>", "</platform>"]))
    names = [f"s{s}-{h}" for s in range(SITES) for h in range(hosts)]
    (folder / "hosts").write_text("\n".join(names) + "\n")
    return len(names)


def within(found, true, part):
    return found is not None and abs(found / true - 1) <= part


def pace(gap):
    """Bytes/s of the longest message of a gap, which is a number or depends on size."""
    if gap is None:
        return None
    if not isinstance(gap, dict):
        return 1 / gap
    size = max(gap, key=int)
    return int(size) / gap[size]


def capacities_found(network, site_of):
    """What is shared by all pairs out of a site, or into it, in bytes/s."""
    found = {}
    for shared in network.get("shared", []):
        pairs = {(site_of[a], site_of[b]) for a, b in shared["pairs"]}
        for s in range(SITES):
            others = [o for o in range(SITES) if o != s]
            if pairs == {(s, o) for o in others}:
                found[s, "out"] = shared["capacity_Bps"]
            elif pairs == {(o, s) for o in others}:
                found[s, "in"] = shared["capacity_Bps"]
    return found


def compare(network, hosts):
    clusters = network["clusters"]
    members = [{node.split("-")[0] for node in cluster["nodes"]} for cluster in clusters]
    right = len(clusters) == SITES and all(
        len(sites) == 1 and len(cluster["nodes"]) == hosts for sites, cluster in zip(members, clusters))
    if not right:
        return {"clusters": len(clusters), "right": False}
    home = [int(min(sites)[1:]) for sites in members]
    site_of = {cluster["name"]: home[c] for c, cluster in enumerate(clusters)}
    between = distances()
    worst, paces = 0, 0
    for i, a in enumerate(home):
        for j, b in enumerate(home):
            if i == j:
                continue
            true = 2 * GATE + card_latency(a) + card_latency(b) + between[max(a, b), min(a, b)]
            worst = max(worst, abs(network["latency_s"][i][j] / true - 1))
            paces += within(pace(network["gap_s"][i][j]), min(OUT[a], IN[b], CARD) * 1e6, 0.2)
    found = capacities_found(network, site_of)
    good = sum(within(found.get((s, way)), capacity[s] * 1e6, 0.2)
               for way, capacity in (("out", OUT), ("in", IN)) for s in range(SITES))
    return {"clusters": len(clusters), "right": True, "latencies": worst, "paces": paces, "capacities": good,
            "seconds": network["measured"]["seconds"]}


def simulated(folder, ranks, program, variables=None):
    """Runs a program on the platform of that folder, each rank a host. Returns the phases of
    count_ranks.cpp."""
    counting = folder / "count_ranks.so"
    if not counting.exists():
        subprocess.run(["c++", "-std=c++20", "-O2", "-shared", "-fPIC", Path(__file__).parent / "count_ranks.cpp",
                        "-o", counting], check=True)
    subprocess.run(["smpirun", "-np", str(ranks), "-platform", folder / "platform.xml",
                    "-hostfile", folder / "hosts", "--log=root.thresh:warning",
                    "--cfg=smpi/simulate-computation:no", *NEUTRAL, *program], check=True,
                   env={**os.environ, "LD_PRELOAD": str(counting), "COUNT_RANKS": str(folder / "ranks"),
                        **(variables or {})})
    return [json.loads(line) for line in (folder / "ranks").read_text().splitlines()]


def measured(folder, ranks, build, budget):
    """What `espalier measure` finds there, and what it takes of each rank."""
    counted, = simulated(folder, ranks, [Path(build) / "espalier-measure-smpi", "--budget", budget,
                                         "-o", folder / "net.json"])
    return json.loads((folder / "net.json").read_text()), counted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--hosts", type=int, default=100, help="of each site")
    parser.add_argument("--budget", default="15s")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        ranks = write_platform(folder, options.hosts)
        began = time.monotonic()
        network, counted = measured(folder, ranks, options.build, options.budget)
        wall = time.monotonic() - began
        memory = [bytes_ / 1e6 for bytes_ in counted["memory"]]
        result = compare(network, options.hosts)
    if not result["right"]:
        print(f"{ranks} hosts: {result['clusters']} clusters, and not the ten sites")
        return 1 if options.check else 0
    print(f"{ranks} hosts: the ten sites; latencies within {result['latencies']:.2%}; {result['paces']} of 90 paces "
          f"and {result['capacities']} of 20 capacities within 20%; {result['seconds']:.1f} s simulated, {wall:.0f} s here; "
          f"at most {memory[0]:.1f} MB on rank 0, {max(memory[1:]):.1f} MB on another")
    return 1 if options.check and result["latencies"] > 0.05 else 0


if __name__ == "__main__":
    sys.exit(main())
