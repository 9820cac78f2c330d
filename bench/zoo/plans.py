"""Plans on the measured network beside plans on the true one, both simulated on the true one."""

import concurrent.futures
import json
import math
import os
import statistics
import subprocess

import networks
from cells import ROOTED, SCANS
from places import environment

PLANNING_TIMEOUT_S = 60
# What a schedule says of the network that it was planned for.
STATED = ("makespan", "lower_bound", "any_lower_bound", "bound_scope", "optimal", "network")


def run(words):
    """(what was printed, None), or (None, why there is nothing)."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=PLANNING_TIMEOUT_S, env=environment())
    except subprocess.TimeoutExpired:
        return None, f"took more than {PLANNING_TIMEOUT_S} s"
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return done.stdout, None


class Planner:
    """Plans between ranks on a network, and what they take on the true one."""

    def __init__(self, cli, truth, network, hosts, folder, limit):
        """`truth`, `network`: files; `hosts`: names in the ranks' order, the first one being the root."""
        self.cli, self.root, self.folder, self.limit = str(cli), hosts[0], folder, limit
        self.truth, self.network = truth, network
        # What scans bring where depends on the ranks' order.
        self.ordered = self._in_order(network, hosts)

    def _in_order(self, network, hosts):
        listed = [name for cluster in json.loads(network.read_text())["clusters"]
                  for name in cluster["nodes"]]
        if listed == hosts:
            return network
        return networks.in_order(network, hosts, self.folder / f"ordered-{network.stem}.json")

    def simulated(self, cell):
        """{"planned_s", "true_s", "algorithm"}, or {"missing"}."""
        network = self.ordered if cell.collective in SCANS else self.network
        path = self.folder / f"plan-{network.stem}-{cell.collective}-{cell.bytes}.json"
        words = [self.cli, "plan", cell.collective, str(network), "--ranks", "--time-limit",
                 self.limit, "-o", str(path)]
        if cell.bytes:
            words += ["--bytes", str(cell.bytes)]
        if cell.collective in ROOTED:
            words += ["--root", self.root]
        _, missing = run(words)
        if missing:
            return {"missing": missing}
        plan = json.loads(path.read_text())
        planned = plan["makespan"]
        # An order alone, which takes what it takes there; the bound is that of the measured network.
        for stated in STATED:
            plan.pop(stated, None)
        for transfer in plan["transfers"]:
            transfer.pop("start", None)
            transfer.pop("end", None)
        path.write_text(json.dumps(plan))
        said, missing = run([self.cli, "check", str(path), "--network", str(self.truth), "--json"])
        path.unlink()
        if missing:
            return {"missing": missing}
        checked = json.loads(said)
        return {"planned_s": planned,
                "true_s": checked["makespan"] + checked.get("processor_time", 0),
                "algorithm": plan["algorithm"]}


def simulated(planner, cells):
    """{cell: what it takes}"""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(cells, pool.map(planner.simulated, cells)))


def beside(on_truth, on_measured):
    """Rows of cells, and what they say together."""
    rows = []
    for cell, best in on_truth.items():
        mine = on_measured[cell]
        row = {"collective": cell.collective, "bytes": cell.bytes, "on_truth": best,
               "on_measured": mine}
        if "true_s" in best and "true_s" in mine:
            row["ratio"] = mine["true_s"] / best["true_s"]
        rows.append(row)
    return {"cells": rows, "unplanned": sum("ratio" not in row for row in rows), **summary(rows)}


def summary(rows):
    known = [row for row in rows if "ratio" in row]
    if not known:
        return {"mean": None, "worst": None, "worst_cell": None}
    worst = max(known, key=lambda row: row["ratio"])
    return {"mean": math.exp(statistics.mean(math.log(row["ratio"]) for row in known)),
            "worst": worst["ratio"], "worst_cell": [worst["collective"], worst["bytes"]]}
