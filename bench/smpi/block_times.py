"""Times collectives that bring blocks from every rank to every other one on the 88-machine grid of
SMPI, by the vendors' selectors and by ours, and compares them; shared by the benches of these."""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import typing

from lab import SELECTORS, TABLE4, Lab, print_table
from reach import shuffled_hostfile


class NotPlanned(Exception):
    """MPI's own algorithm ran, for the reason that it says."""


def seconds_of(output):
    """{bytes: seconds}; wrong bytes are an error."""
    lines = [line.split() for line in output.splitlines()]
    if any(verdict == "WRONG" for _, _, verdict in lines):
        raise SystemExit("a collective brought wrong bytes")
    return {int(size): float(seconds) for size, seconds, _ in lines}


@dataclasses.dataclass(frozen=True)
class Collective:
    name: str  # as reports and ESPALIER_ALGORITHM have it

    def native(self, lab, selector, sizes):
        """{bytes: seconds}, one run for each size: a selector may fail at one of them."""
        times = {}
        for size in sizes:
            out = lab.run("collective_times_native_smpi", self.name, size,
                          options=(f"--cfg=smpi/coll-selector:{selector}",), timeout=900)
            if out is not None:
                times.update(seconds_of(out))
        return times

    def planned(self, lab, network, algorithm, size, report):
        """(executed, what the report says); NotPlanned where the library left it to MPI."""
        environment = {"ESPALIER_NETWORK": str(network), "ESPALIER_REPORT": str(report),
                       "ESPALIER_ALGORITHM": f"{self.name}:{algorithm}", "ESPALIER_PLAN": "always"}
        out = lab.run("collective_times_smpi", self.name, size, environment=environment, timeout=900)
        if out is None:
            raise SystemExit(f"{self.name} by {algorithm} failed")
        call = next(c for c in json.loads(report.read_text())["calls"]
                    if c["collective"] == self.name and c["bytes"] == size
                    and c["communicator_size"] == len(lab.hosts))
        if call["algorithm"] == "native":
            raise NotPlanned(call["reason"])
        return seconds_of(out)[size], call


class Result(typing.NamedTuple):
    """Of one size on one network; times in seconds."""
    size: int
    network: str
    peers: dict  # {selector: time}, of those that complete
    best: str  # of the selectors
    executed: float
    bound: float  # with the network that is called `file`
    call: dict  # what the report says

    @property
    def predicted(self):
        return self.call.get("predicted_s", float("nan"))


def results(collective, lab, networks, sizes, algorithm, folder):
    """Runs everything on one order of ranks under one setting of the factors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        natives = {s: pool.submit(collective.native, lab, s, sizes) for s in SELECTORS}
        runs = {}
        for label, files in networks.items():
            for size in sizes:
                report = folder / f"run-{label.replace(', ', '-')}-{size}.json"
                runs[label, size] = pool.submit(collective.planned, lab, files[size], algorithm,
                                                size, report)
        natives = {s: t.result() for s, t in natives.items()}
        runs = {key: run.result() for key, run in runs.items()}
    for size in sizes:
        peers = {s: t[size] for s, t in natives.items() if size in t}
        bound = runs["file", size][1]["lower_bound_s"]
        for label in networks:
            yield Result(size, label, peers, min(peers, key=peers.get), runs[label, size][0], bound,
                         runs[label, size][1])


def study(description, collective, sizes, algorithm, networks_of, columns):
    """The main program: reads its options, of which `sizes` and `algorithm` are defaults, and
    prints a table for each setting of the factors and order of ranks.

    networks_of(measured, sizes, folder): {label: {size: network file}}, one being `file`, given
    where the measured network is. columns(Result): {head: cell}.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--factors", default="default,neutral")
    parser.add_argument("--orders", default="ranks,shuffled")
    parser.add_argument("--sizes", default=",".join(map(str, sizes)))
    parser.add_argument("--algorithm", default=algorithm, help="as ESPALIER_ALGORITHM has it")
    parser.add_argument("--shuffle", type=int, default=1, metavar="SEED")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    for factors in options.factors.split(","):
        folder = pathlib.Path(options.build) / collective.name / factors
        folder.mkdir(parents=True, exist_ok=True)
        ordered = Lab(options.build, TABLE4 / "platform.xml", TABLE4 / "hostfile", factors)
        ordered.measure(folder / "measured.json")
        networks = networks_of(folder / "measured.json", sizes, folder)
        for order in options.orders.split(","):
            lab = ordered if order == "ranks" else Lab(
                options.build, TABLE4 / "platform.xml", shuffled_hostfile(options.shuffle, folder),
                factors)
            rows = [columns(result) for result in results(collective, lab, networks, sizes,
                                                          options.algorithm, folder)]
            print(f"\n{factors} factors, {len(lab.hosts)} ranks "
                  f"{'in order' if order == 'ranks' else 'shuffled'}; times in ms")
            print_table(list(rows[0]), [row.values() for row in rows])
