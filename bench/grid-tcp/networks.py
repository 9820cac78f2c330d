"""The network as it was measured, and as it was described; bounds on both."""

import concurrent.futures
import itertools
import json
import math
import os
import re
import signal
import subprocess
import sys
import time

from cells import ROOTED, SCANS
from places import environment

# What TCP carries of the bytes on a wire: 1448 of a frame of 1500 bytes, its framing and the gap.
PAYLOAD = 1448 / 1538
LONGEST_MEASURING_S = 60
# On a busy machine, MPICH's connections sometimes don't come about.
MOST_MEASURINGS = 2
FINALIZE_S = 3
# What a message takes of the processors that all hosts share, about, as measuring finds it.
MESSAGE_S = 8e-6
# What Linux's TCP does.
TRANSPORT = {"burst_bytes": 16384, "queue_s": 0.1, "shares": "round-trip", "restart_s": 0.2}
# The name of the description whose nodes stand in the shuffled ranks' order.
SHUFFLED = "described-shuffled"
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "kbit/s": 125.0, "Mbit/s": 125e3, "Gbit/s": 125e6}


def measure(place, build, mpi, folder, budget):
    """The path of the network that `espalier measure` finds there, or found there before."""
    path = folder / f"measured-{place.congestion}-{mpi}.json"
    log = folder / f"log-measure-{place.congestion}-{mpi}.txt"
    for _ in range(MOST_MEASURINGS):
        if path.exists():
            return path
        measure_once(place, build, mpi, path, log, budget)
    if not path.exists():
        sys.exit(f"grid-tcp: measuring failed; see {log}")
    return path


def measure_once(place, build, mpi, path, log, budget):
    program = [str(build / f"espalier-measure-{mpi}"), "-o", str(path), "--budget", budget]
    words = [f"{name}={value}" for name, value in place.settings().items()]
    with open(log, "a") as out:
        job = subprocess.Popen([*place.launcher(mpi), "env", *words, *program], stdout=out,
                               stderr=out, stdin=subprocess.DEVNULL, env=environment(),
                               start_new_session=True)
    deadline = time.monotonic() + LONGEST_MEASURING_S
    while job.poll() is None and not path.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    try:
        job.wait(FINALIZE_S)
    except subprocess.TimeoutExpired:
        # MPICH does not always come back from MPI_Finalize.
        os.killpg(job.pid, signal.SIGTERM)
        job.wait()


def quantity(text):
    """Of '47.56us' or '400Mbit/s', in seconds or bytes a second."""
    number, unit = re.fullmatch(r"([0-9.eE+-]+?)\s*([A-Za-z/]+)", text).groups()
    return float(number) * UNITS[unit]


def hosts_of(cluster):
    """[(name, rate)] of a cluster of a testbed's description, as the testbed names them."""
    hosts = cluster["hosts"]
    listed = hosts if isinstance(hosts, list) else [f"{cluster['name']}-{k}" for k in range(hosts)]
    named = [host if isinstance(host, dict) else {"name": host} for host in listed]
    return [(host["name"], host.get("rate", cluster["rate"])) for host in named]


def host_names(file):
    """The hosts of a testbed's description, or of a network, in their order."""
    text = json.loads(file.read_text())
    if text["format"] != "espalier-testbed":
        return [name for cluster in text["clusters"] for name in cluster["nodes"]]
    return [name for cluster in text["clusters"] for name, _ in hosts_of(cluster)]


def like_hosts(description):
    """The clusters of a description, those whose hosts have several rates divided by these."""
    found = []
    for cluster in description["clusters"]:
        by_rate = {}
        for name, rate in hosts_of(cluster):
            by_rate.setdefault(rate, []).append(name)
        for rate, names in by_rate.items():
            own = "" if rate == cluster["rate"] else f" at {rate}"
            found.append({"name": cluster["name"] + own, "described": cluster["name"],
                          "site": cluster.get("site"), "nodes": names,
                          "rate": quantity(rate) * PAYLOAD, "latency": cluster.get("latency")})
    return found


def links_of(description, file):
    """{(cluster, cluster): (seconds, bytes a second or infinite, name of the queue)}; a site's name
    stands for its clusters that aren't listed themselves, one direction for both. Two clusters of
    which nothing is said are refused, as the testbed refuses them."""
    names = {cluster["name"] for cluster in description["clusters"]}
    general, own = {}, {}
    for a, b, latency, *rate in description["latency"]:
        known = own if {a, b} <= names else general
        capacity = quantity(rate[0]) * PAYLOAD if rate else math.inf
        known[a, b] = quantity(latency), capacity, f"{a} to {b}"
    for known in (own, general):
        for (a, b), link in list(known.items()):
            known.setdefault((b, a), (*link[:2], f"{b} to {a}"))
    site = {cluster["name"]: cluster.get("site") for cluster in description["clusters"]}
    found = {}
    for a, b in itertools.permutations(site, 2):
        found[a, b] = own.get((a, b)) or general.get((site[a], site[b]))
        if found[a, b] is None:
            print(f"espalier: {file}: latency: nothing is said from '{a}' to '{b}'", file=sys.stderr)
            sys.exit(2)
    return found


def costs_of_messages(congestion="cubic"):
    """What no testbed's description says of the network, and measuring finds."""
    transport = dict(TRANSPORT)
    if congestion == "bbr":
        del transport["restart_s"]  # its window does not restart
    return {"message_s": MESSAGE_S, "transport": transport}


def described(file, path, costs=None):
    """`path`, with a network as the testbed's description has it, in what TCP can carry, and with
    these costs besides. A cluster's site is its `x-site`."""
    text = json.loads(file.read_text())
    costs = costs or {}
    if text["format"] != "espalier-testbed":
        path.write_text(json.dumps(text | costs, indent=1))
        return path
    clusters = like_hosts(text)
    order = [cluster["name"] for cluster in clusters]
    of = {cluster["name"]: cluster for cluster in clusters}
    links = links_of(text, file)

    def link(a, b):
        one, other = of[a]["described"], of[b]["described"]
        if one == other:
            return quantity(of[a]["latency"]), math.inf, None
        return links[one, other]

    def gap(rate):
        return {"1": 1 / rate, "1048576": 1048576 / rate}

    def written(cluster):
        one = {"name": cluster["name"], "nodes": cluster["nodes"], "egress_Bps": cluster["rate"],
               "ingress_Bps": cluster["rate"], "x-site": cluster["site"] or cluster["described"]}
        if len(cluster["nodes"]) > 1:
            one["local"] = {"latency_s": quantity(cluster["latency"]), "gap_s": gap(cluster["rate"])}
        return one

    shared = []
    for each in text.get("sites", []):
        inside = [name for name in order if of[name]["site"] == each["name"]]
        outside = [name for name in order if of[name]["site"] != each["name"]]
        for way, pairs in (("uplink", [[i, o] for i in inside for o in outside]),
                           ("downlink", [[o, i] for i in inside for o in outside])):
            if way in each and pairs:
                shared.append({"name": f"{each['name']}-{way}", "pairs": pairs,
                               "capacity_Bps": quantity(each[way]) * PAYLOAD})
    lines = {}
    for a, b in itertools.permutations(order, 2):
        _, rate, name = link(a, b)
        if rate < math.inf:
            lines.setdefault(name, {"name": name, "pairs": [], "capacity_Bps": rate})
            lines[name]["pairs"].append([a, b])
    shared += lines.values()
    capacity = {(a, b): min([of[a]["rate"], of[b]["rate"],
                             *(s["capacity_Bps"] for s in shared if [a, b] in s["pairs"])])
                for a, b in itertools.permutations(order, 2)}
    network = {"format": "espalier-network", "version": 1, "model": "grid",
               "clusters": [written(c) for c in clusters],
               "latency_s": [[0 if a == b else link(a, b)[0] for b in order] for a in order],
               "gap_s": [[0 if a == b else gap(capacity[a, b]) for b in order] for a in order],
               "shared": shared, "unstated": "separate"} | costs
    path.write_text(json.dumps(network, indent=1))
    return path


def in_order(network, names, path):
    """`path`, with the same network of clusters as nodes in this order: each is a cluster of its own."""
    text = json.loads(network.read_text())
    clusters = text["clusters"]
    cluster_of = {name: i for i, cluster in enumerate(clusters) for name in cluster["nodes"]}
    at = [cluster_of[name] for name in names]

    def link(i, j, key):
        if i == j:
            return 0
        if at[i] == at[j]:
            return clusters[at[i]]["local"].get(key)
        return text[key][at[i]][at[j]] if key in text else None

    def by_size(i, j):
        return None if i == j else link(i, j, "latency_by_size_s")

    every = range(len(names))
    old = [clusters[c]["name"] for c in at]
    shared = [each | {"pairs": [[names[i], names[j]] for i in every for j in every
                                if i != j and [old[i], old[j]] in each["pairs"]]}
              for each in text.get("shared", [])]
    caps = [{key: value for key, value in clusters[c].items() if key.endswith("_Bps")} for c in at]
    spread = text.pop("spread", None)
    if spread:
        text["spread"] = [[spread[at[i]][at[j]] for j in every] for i in every]
    path.write_text(json.dumps(text | {
        "clusters": [cap | {"name": name, "nodes": [name]} for name, cap in zip(names, caps)],
        "latency_s": [[link(i, j, "latency_s") for j in every] for i in every],
        "latency_by_size_s": [[by_size(i, j) for j in every] for i in every],
        "gap_s": [[link(i, j, "gap_s") for j in every] for i in every],
        "shared": shared}, indent=1))
    return path


def bound(build, network, cell, root):
    """(seconds, scope), or why there is none."""
    words = [str(build / "espalier"), "plan", cell.collective, str(network), "--json",
             "--time-limit", "1s"]
    if cell.collective != "barrier":
        words += ["--bytes", str(cell.bytes)]
    if cell.collective in ROOTED and root:
        words += ["--root", root]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=60, env=environment())
    except subprocess.TimeoutExpired:
        return {"missing": "planning took more than 60 s"}
    if done.returncode != 0:
        return {"missing": done.stderr.strip()}
    # A schedule may be long; these stand before its transfers.
    said = {key: re.search(rf'"{key}": ?([^,\n]+)', done.stdout)
            for key in ("lower_bound", "bound_scope", "makespan")}
    return {"seconds": float(said["lower_bound"][1]) if said["lower_bound"] else None,
            "scope": said["bound_scope"][1].strip('"') if said["bound_scope"] else None,
            "planned_s": float(said["makespan"][1]) if said["makespan"] else None}


def bounds(build, networks, cells, root):
    """{name of network: {cell: bound}}; of networks in another order, scans alone depend on that."""
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, network in networks.items():
            bounded = [c for c in cells if name != SHUFFLED or c.collective in SCANS]
            found[name] = dict(zip(bounded, pool.map(
                lambda c, n=network: bound(build, n, c, root), bounded)))
    return found
