"""A measured network against the true one, link by link."""

import itertools
import statistics

LATENCY_WITHIN, LATENCY_WITHIN_S = 0.05, 60e-6
RATE_WITHIN = 0.2
MIB = 1 << 20


class Filling:
    """What pairs of hosts get that all send at once and share fairly, by a network."""

    def __init__(self, network, shared=None):
        """`shared`: capacities in place of the network's own, as [(name, pairs, capacity)]."""
        self.network = network
        self.shared = list(network.shared if shared is None else shared)
        if network.network.get("unstated", "shared") == "shared":
            self.shared += self._unstated()

    def _unstated(self):
        """Two clusters of which nothing is stated are presumed to share what one message gets."""
        stated = {(self.network.cluster[a], self.network.cluster[b])
                  for _, pairs, _ in self.network.shared for a, b in pairs}
        hosts = {}
        for host, index in self.network.cluster.items():
            hosts.setdefault(index, []).append(host)
        for i, j in itertools.combinations(hosts, 2):
            ways = [way for way in ((i, j), (j, i)) if way not in stated]
            pairs = [pair for a, b in ways for pair in itertools.product(hosts[a], hosts[b])]
            if pairs:
                yield "unstated", frozenset(pairs), max(self.alone(*pair) for pair in pairs)

    def alone(self, a, b):
        """Bytes a second of one pair; 0 where nobody knows."""
        gap = self.network.gap(a, b, MIB)
        return MIB / gap if gap else 0.0

    def total(self, pairs):
        """Bytes a second of all these together: rates grow evenly until something is full."""
        left = set(pairs)
        rates = dict.fromkeys(left, 0.0)
        limits = [({pair}, self.alone(*pair)) for pair in left]
        for host in self.network.hosts:
            for way, end in (("egress", 0), ("ingress", 1)):
                port = self.network.port(host, way)
                if port is not None:
                    limits.append(({pair for pair in left if pair[end] == host}, port))
        limits += [(pairs & left, capacity) for _, pairs, capacity in self.shared]
        limits = [[members, capacity] for members, capacity in limits if members]
        while left:
            growing = [(len(members & left), limit) for limit in limits
                       for members in (limit[0],) if members & left]
            step = min(limit[1] / count for count, limit in growing)
            for pair in left:
                rates[pair] += step
            full = set()
            for count, limit in growing:
                limit[1] -= step * count
                if limit[1] <= 1e-6 * step or limit[1] <= 1e-3:
                    full |= limit[0]
            left -= full
        return sum(rates.values())


def near(found, true, within=RATE_WITHIN):
    return abs(found / true - 1) <= within if true else found == true


def of_sites(truth):
    """{(site, site): pairs of hosts}, one to the other."""
    found = {}
    for a, b in itertools.permutations(truth.hosts, 2):
        if truth.site[a] != truth.site[b]:
            found.setdefault((truth.site[a], truth.site[b]), []).append((a, b))
    return found


def clusters(truth, found):
    """Whether they are the same, and those that are no union of true ones or no whole one."""
    def groups(network):
        return {frozenset(cluster["nodes"]) for cluster in network.network["clusters"]}

    true, measured = groups(truth), groups(found)
    split = [sorted(group) for group in true
             if sum(bool(group & other) for other in measured) > 1]
    merged = [sorted(other) for other in measured
              if sum(bool(group & other) for group in true) > 1]
    return {"right": true == measured, "true": len(true), "found": len(measured), "split": split,
            "merged": merged}


def latencies(truth, found):
    """Share of ordered pairs of hosts that are right; where they are off, by kinds of pairs."""
    right, pairs, off = 0, 0, {}
    for kind, members in truth.pairs.items():
        errors, unknown = [], 0
        for a, b in members:
            true, measured = truth.latency(a, b), found.latency(a, b)
            pairs += 1
            if measured is None:
                unknown += 1
                continue
            good = abs(measured - true) <= max(LATENCY_WITHIN * true, LATENCY_WITHIN_S)
            right += good
            if not good:
                errors.append(measured - true)
        if errors or unknown:
            off[kind] = {"pairs": len(members), "unknown": unknown, "wrong": len(errors),
                         "median_error_s": statistics.median(errors) if errors else None,
                         "true_s": truth.latency(*members[0])}
    return {"right": right / pairs, "off": off}


def capacities(truth, found):
    """Of each ordered pair of sites: what all hosts of one send to the other, and what one does."""
    true, measured = Filling(truth), Filling(found)
    rows = []
    for (a, b), pairs in of_sites(truth).items():
        alone = [measured.alone(*pair) / truth.rate(*pair) for pair in pairs]
        rows.append({"from": a, "to": b, "true_Bps": true.total(pairs),
                     "found_Bps": measured.total(pairs),
                     "one_stream_found_over_true": statistics.median(alone)})
    good = [near(row["found_Bps"], row["true_Bps"]) for row in rows]
    streams = [near(row["one_stream_found_over_true"], 1) for row in rows]
    return {"right": statistics.mean(good) if good else None,
            "streams_right": statistics.mean(streams) if streams else None, "pairs": rows}


def is_stated(network, pairs):
    """Whether a capacity is stated of most of these; that of a lone host is its port."""
    return 1 in (len({a for a, _ in pairs}), len({b for _, b in pairs})) or any(
        2 * len(pairs & other) >= len(pairs) for _, other, _ in network.shared)


def shared(truth, found):
    """A capacity that can be filled is found if something is stated of those that cross it, and all of
    them together get as much in both networks; one is invented if the pairs it is said to limit get
    clearly more in truth."""
    true, measured = Filling(truth), Filling(found)
    wanted = []
    for each in truth.shared:
        name, pairs, capacity = each
        # What goes the other way, or elsewhere, is left out, so that this one alone decides.
        without = Filling(truth, [other for other in truth.shared if other is not each])
        total = true.total(pairs)
        if not near(without.total(pairs), total):
            got = measured.total(pairs)
            wanted.append({"name": name, "true_Bps": total, "found_Bps": got,
                           "found": near(got, total) and is_stated(found, pairs)})
    invented = []
    for name, pairs, capacity in found.shared:
        total = true.total(pairs)
        if capacity < (1 - RATE_WITHIN) * total:
            invented.append({"name": name, "found_Bps": capacity, "true_Bps": total})
    return {"true": len(wanted), "found": sum(each["found"] for each in wanted),
            "stated": len(found.shared), "capacities": wanted, "invented": invented}


def judged(truth, found):
    said = found.network["measured"]
    return {"clusters": clusters(truth, found), "latencies": latencies(truth, found),
            "capacities": capacities(truth, found), "shared": shared(truth, found),
            "seconds": said["seconds"], "warnings": said.get("warnings", [])}
