#!/usr/bin/env python3
"""Compares a measured network with what SMPI charges on a platform of clusters.

charged_costs.py NET.json PLATFORM.xml default|neutral NUMBER_OF_CLUSTERS

A message is charged the latencies on its way times a factor, and its bytes over the least bandwidth
on its way times another; both factors depend on the size, which has a header of 16 bytes. Exits with
1 and prints what is off: latencies by more than 5%, gaps by more than 10%, or other clusters.
"""

import json
import re
import sys
import xml.etree.ElementTree as xml

HEADER = 16
# SMPI's own defaults: from this size on, factors of latency and bandwidth.
FACTORS = [(65472, 11.6436, 0.940694), (15424, 3.48845, 0.697866), (9376, 2.59299, 0.58729),
           (5776, 2.18796, 1.08739), (3484, 1.88101, 0.77493), (1426, 1.61075, 0.608902),
           (732, 1.9503, 0.341987), (257, 1.95341, 0.338112), (0, 2.01467, 0.812084)]
SIZES = [1, 8, 64, 200, 512, 700, 1024, 2048, 3000, 4096, 6000, 8192, 12000, 16384, 24000, 32768,
         48000, 65536, 131072, 262144, 1 << 20, 1 << 22, 1 << 24]
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "MBps": 1e6, "kBps": 1e3, "Bps": 1}


def quantity(text):
    number, unit = re.fullmatch(r"([\d.]+)(\w+)", text).groups()
    return float(number) * UNITS[unit]


class Platform:
    def __init__(self, path):
        root = xml.parse(path).getroot()
        self.clusters = {c.get("id"): c for c in root.iter("cluster")}
        links = {link.get("id"): link for link in root.iter("link")}
        self.routes = {}
        for route in root.iter("zoneRoute"):
            used = [links[part.get("id")] for part in route]
            for ends in ((route.get("src"), route.get("dst")), (route.get("dst"), route.get("src"))):
                self.routes[ends] = used

    def cluster_of(self, host):
        return next(name for name, c in self.clusters.items() if host.startswith(c.get("prefix")))

    def way(self, a, b):
        """Latency and bandwidth between a host of cluster a and another of cluster b."""
        ends = [self.clusters[a], self.clusters[b]]
        between = [] if a == b else self.routes[a, b]
        latency = sum(quantity(end.get("lat")) for end in ends)
        latency += sum(quantity(link.get("latency")) for link in between)
        bandwidth = min([quantity(end.get("bw")) for end in ends] +
                        [quantity(link.get("bandwidth")) for link in between])
        return latency, bandwidth


def nodes(cluster):
    """Those of a cluster that only counts them are named after it."""
    return cluster.get("nodes") or [f"{cluster['name']}-{i}" for i in range(cluster["size"])]


def cost(table, size):
    """A number, or a table by size: constant before it, linear within, its last slope after it."""
    if not isinstance(table, dict):
        return table
    entries = sorted((int(at), time) for at, time in table.items())
    if size <= entries[0][0] or len(entries) == 1:
        return entries[0][1]
    above = next((i for i, (at, _) in enumerate(entries) if at >= size), len(entries) - 1)
    (low, before), (high, after) = entries[above - 1], entries[above]
    return before + (after - before) * (size - low) / (high - low)


def compare(label, latency, gap, way, neutral):
    wrong = []
    for size in SIZES:
        charged = size + HEADER
        _, slower, faster = next(row for row in FACTORS if charged >= row[0])
        if neutral:
            slower = faster = 1
        true_latency, true_gap = way[0] * slower, charged / (way[1] * faster)
        for what, found, true, allowed in (("latency", cost(latency, size), true_latency, 0.05),
                                           ("gap", cost(gap, size), true_gap, 0.10)):
            if abs(found / true - 1) > allowed:
                wrong.append(f"{label}, {size} bytes: {what} {found:.4g} s, charged {true:.4g} s")
    return wrong


def main():
    network_path, platform_path, factors, expected = sys.argv[1:]
    with open(network_path, encoding="utf-8") as file:
        network = json.load(file)
    platform = Platform(platform_path)
    neutral = factors == "neutral"
    clusters = network["clusters"]
    wrong = []
    homes = []
    for cluster in clusters:
        found = {platform.cluster_of(host) for host in nodes(cluster)}
        homes.append(sorted(found)[0])
        if len(found) != 1:
            wrong.append(f"cluster {cluster['name']} mixes {sorted(found)}")
    if len(clusters) != int(expected) or len(set(homes)) != len(homes):
        wrong.append(f"{len(clusters)} clusters of {homes}, not {expected}")
    compared = 0
    by_size = network.get("latency_by_size_s")
    for i, a in enumerate(homes):
        for j, b in enumerate(homes):
            if i == j:
                if "local" not in clusters[i]:
                    continue
                local = clusters[i]["local"]
                latency, gap = local.get("latency_by_size_s", local["latency_s"]), local["gap_s"]
            else:
                latency, gap = network["latency_s"][i][j], network["gap_s"][i][j]
                if by_size and by_size[i][j] is not None:
                    latency = by_size[i][j]
            if latency is None or gap is None:
                wrong.append(f"{a} to {b} is unknown")
                continue
            wrong += compare(f"{a} to {b}", latency, gap, platform.way(a, b), neutral)
            compared += len(SIZES)
    measured = network["measured"]
    if measured.get("seconds", 0) > measured.get("budget_s", 0):
        wrong.append(f"took {measured['seconds']} s of {measured['budget_s']} s")
    print("\n".join(wrong[:20]) or f"{compared} latencies and gaps as charged")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
