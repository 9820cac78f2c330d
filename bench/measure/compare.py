"""A measured network beside the description of the testbed that it was measured on, host by host."""

import itertools
import re
import statistics
from bisect import bisect_left

KIB, MIB = 1 << 10, 1 << 20
SIZES = {"1 B": 1, "1 KiB": KIB, "8 KiB": 8 * KIB, "64 KiB": 64 * KIB, "256 KiB": 256 * KIB,
         "1 MiB": MIB, "4 MiB": 4 * MIB}
# From here on a message's bytes are what it takes, and what is found is judged by.
LONG = 64 * KIB
GAP_WITHIN, CAPACITY_WITHIN = 0.2, 0.1


def cost(table, size):
    """Of a message, by a number or a table of a network file; None where nobody knows."""
    if table is None or isinstance(table, (int, float)):
        return table
    points = sorted((int(bytes_), seconds) for bytes_, seconds in table.items())
    sizes = [point[0] for point in points]
    if len(points) == 1 or size <= sizes[0]:
        return points[0][1]
    high = min(bisect_left(sizes, size), len(points) - 1)
    (low_size, low), (high_size, top) = points[high - 1], points[high]
    return low + (top - low) * (size - low_size) / (high_size - low_size)


class Network:
    """A network of model `grid`, host by host."""

    def __init__(self, network):
        self.network = network
        self.cluster = {node: index for index, cluster in enumerate(network["clusters"])
                        for node in cluster["nodes"]}
        self.hosts = list(self.cluster)
        self.shared = []
        nodes = {cluster["name"]: cluster["nodes"] for cluster in network["clusters"]}
        for each in network.get("shared", []):
            pairs = frozenset(itertools.chain.from_iterable(
                itertools.product(nodes[a], nodes[b]) for a, b in each["pairs"]))
            self.shared.append((each["name"], pairs, each["capacity_Bps"]))

    def _of(self, a, b, inside, key):
        """What is found at that place; latencies that vary by size stand in a place of their own."""
        i, j = self.cluster[a], self.cluster[b]
        if i == j:
            local = self.network["clusters"][i].get("local", {})
            return local.get(f"{inside}_by_size_s", local.get(f"{inside}_s"))
        by_size = self.network.get(f"{key}_by_size_s")
        if by_size and by_size[i][j] is not None:
            return by_size[i][j]
        return self.network[f"{key}_s"][i][j]

    def latency(self, a, b, size=1):
        return cost(self._of(a, b, "latency", "latency"), size)

    def gap(self, a, b, size):
        return cost(self._of(a, b, "gap", "gap"), size)

    def port(self, host, way):
        return self.network["clusters"][self.cluster[host]].get(f"{way}_Bps")


class Truth(Network):
    """The network as described: the sites of hosts, and what a pair of them has for itself."""

    def __init__(self, network):
        super().__init__(network)
        clusters = network["clusters"]
        self.site = {host: clusters[index].get("x-site", clusters[index]["name"])
                     for host, index in self.cluster.items()}
        self.pairs = {}
        for pair in itertools.permutations(self.hosts, 2):
            self.pairs.setdefault(self._kind(*pair), []).append(pair)

    def _kind(self, a, b):
        if self.cluster[a] == self.cluster[b]:
            return "inside clusters"
        if self.site[a] == self.site[b]:
            return "between clusters of a site"
        return f"{self.site[a]} to {self.site[b]}"

    def rate(self, a, b):
        """Of gaps that grow with bytes alone, as a description's do."""
        return MIB / self.gap(a, b, MIB)


def ratios(truth, network, kind, size, what):
    """Found over true, of all pairs of hosts of a class; None for those that nobody knows."""
    found = []
    for a, b in truth.pairs[kind]:
        value = getattr(network, what)(a, b, size)
        true = truth.latency(a, b) if what == "latency" else size / truth.rate(a, b)
        found.append(None if value is None else value / true)
    return found


def spread(values):
    """Median, and the extremes where they differ."""
    known = [value for value in values if value is not None]
    if not known:
        return "unknown"
    middle = f"{statistics.median(known):.2f}"
    low, high = f"{min(known):.2f}", f"{max(known):.2f}"
    lost = "" if len(known) == len(values) else f", {len(values) - len(known)} unknown"
    return (middle if low == high else f"{middle} ({low} to {high})") + lost


def capacities(truth, network):
    """Of each true capacity: what was found over what it is, 0 if nothing was. And what was found
    that is not there."""
    left = list(network.shared)
    found = {}
    for name, pairs, capacity in truth.shared:
        same = [each for each in left if each[1] == pairs]
        found[name] = same[0][2] / capacity if same else 0
        left = [each for each in left if each not in same]
    return found, [name for name, _, _ in left]


def report(title, truth, network):
    said = network.network["measured"]
    lines = [f"## {title}", "",
             f"{said['mpi']}, {said['seconds']:.1f} s of {said['budget_s']:g} s, "
             f"{len(network.network['clusters'])} clusters", "",
             "Latency and gap, found over true: of all pairs of hosts the median, the least and the"
             " greatest; at 1 B the gap in µs, which the description does not tell.", "",
             "| | " + " | ".join(SIZES) + " |", "| --- " * (len(SIZES) + 1) + "|"]
    for kind in sorted(truth.pairs):
        for what in ("latency", "gap"):
            cells = []
            for size in SIZES.values():
                values = ratios(truth, network, kind, size, what)
                if what == "gap" and size == 1:
                    values = [None if a is None else a / truth.rate(*pair) * 1e6
                              for a, pair in zip(values, truth.pairs[kind])]
                cells.append(spread(values))
            lines.append(f"| {kind}: {what} | " + " | ".join(cells) + " |")
    found, others = capacities(truth, network)
    ports = [network.port(host, way) for host in truth.hosts for way in ("egress", "ingress")]
    true = [truth.port(host, way) for host in truth.hosts for way in ("egress", "ingress")]
    lines += ["", "| shared | found over true |", "| --- | --- |"]
    lines += [f"| {name} | {f'{ratio:.2f}' if ratio else 'not found'} |"
              for name, ratio in found.items()]
    lines += [f"| {name} | not there |" for name in others]
    lines += ["| ports of hosts | " + spread(
        [None if port is None else port / rate for port, rate in zip(ports, true)]) + " |", ""]
    lines += [f"- {re.sub(r'[|]', '/', warning)}" for warning in said.get("warnings", [])]
    return "\n".join(lines) + "\n"


def verdict(truth, networks):
    """One line each: is what was found near enough?"""
    lines = [f"| network | gaps of {LONG // KIB} KiB and more within {GAP_WITHIN:.0%} | worst | "
             f"capacities within {CAPACITY_WITHIN:.0%} | worst | gap at 1 B, µs |",
             "| --- " * 6 + "|"]
    for path, network in networks:
        values = [value for kind in truth.pairs for size in SIZES.values() if size >= LONG
                  for value in ratios(truth, network, kind, size, "gap")]
        good = [v for v in values if v is not None and abs(v - 1) <= GAP_WITHIN]
        worst = max((v for v in values if v is not None), key=lambda v: abs(v - 1), default=0)
        found, others = capacities(truth, network)
        near = [c for c in found.values() if abs(c - 1) <= CAPACITY_WITHIN]
        least = max(found.values(), key=lambda c: abs(c - 1), default=1)
        extra = f", {len(others)} not there" if others else ""
        overheads = [network.gap(a, b, 1) for kind in truth.pairs for a, b in truth.pairs[kind]]
        small = spread([None if each is None else each * 1e6 for each in overheads])
        lines.append(f"| {path.parent.name}/{path.stem} | {len(good) / len(values):.0%} | "
                     f"{worst:.2f} | {len(near)} of {len(found)}{extra} | {least:.2f} | {small} |")
    return "\n".join(lines)
