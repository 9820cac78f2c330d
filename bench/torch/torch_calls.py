#!/usr/bin/env python3
"""What programs of PyTorch take on a testbed by Gloo and by Espalier's backend.

    bench/torch/torch_calls.py [TESTBED] [--build build/release] [--ranks 16] [--rounds 10] [--trained 200] [--mpi openmpi] [--in-order]
        [--only PATTERN] [--out FOLDER]

The ranks are laid on hosts round robin over sites. Both backends are in the same processes and take turns at every call (`program.py`). Then
a net is trained twice by ours alone, in two jobs, the second of which finds what the first one kept. Prints a table: medians over all calls of
the slowest rank's time, in ms, and our bound on the network that the job measured. Exits with 3 where bits differ between ranks or jobs.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "bench" / "grid-tcp"))

import cells  # noqa: E402
import networks  # noqa: E402
from places import Testbed, environment  # noqa: E402

CELLS = (("all-reduce", 64 * cells.KIB), ("all-reduce", 4 * cells.MIB), ("all-reduce", 25 * cells.MIB), ("broadcast", 4 * cells.MIB))
COLLECTIVES = {"all-reduce": "allreduce", "broadcast": "broadcast"}
# Connections are made, and windows open, in the first calls. Calls of many seconds are made less often, and not in rows.
TURNS = {"warm_ups": 2, "least": 3, "seconds": 60, "row": 6, "row_s": 14}
# The library measures a network on in as many jobs at most; a start that takes less does not measure.
MOST_MEASURINGS, MEASURED_S = 6, 1
LONGEST_S = 1500
# Debian's, which has torch.
PYTHON = "/usr/bin/python3"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testbed", nargs="?", type=pathlib.Path, default=ROOT / "testbed" / "examples" / "three-sites.json")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--congestion", default="cubic")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--trained", type=int, default=200)
    parser.add_argument("--in-order", action="store_true", help="ranks in the order of sites, on the same hosts")
    parser.add_argument("--only", default="", help="calls whose names fit it")
    options = parser.parse_args()
    build = options.build.resolve()
    out = (options.out or build / "torch").resolve()
    out.mkdir(parents=True, exist_ok=True)
    cache = out / f"cache-{options.mpi}"
    with Testbed(build, options.testbed, options.congestion) as place:
        hosts = round_robin(place.hosts, options.ranks)
        if options.in_order:
            hosts = [name for name in place.names if name in hosts]
        asked = {"cells": [cell for cell in CELLS if re.search(options.only, f"{cell[0]} {cells.size_name(cell[1])}")], "rounds": options.rounds, "trained": options.trained, **TURNS}
        measure(lambda: run(place, build, out, cache, hosts, options.mpi, asked | {"parts": []}), out / "report.json")
        parts = ["calls", "step"] if options.rounds else []
        timed = run(place, build, out, cache, hosts, options.mpi, asked | {"parts": parts}) if parts else {}
        jobs = range(2 if options.trained else 0)
        trained = [run(place, build, out, cache, hosts, options.mpi, asked | {"parts": ["training"]})["training"] for _ in jobs]
    (out / "results.json").write_text(json.dumps({"hosts": hosts, "timed": timed, "trained": trained}, indent=1))
    if timed:
        print(table(build, measured(cache, options.ranks), timed))
    return told(trained, options.trained)


def round_robin(hosts, ranks):
    """The first host of each site, then the second of each, and so on."""
    sites = {}
    for host in hosts:
        sites.setdefault(host["site"], []).append(host["name"])
    longest = max(map(len, sites.values()))
    turns = [members[turn] for turn in range(longest) for members in sites.values() if turn < len(members)]
    if len(turns) < ranks:
        sys.exit(f"torch_calls: {ranks} ranks, and {len(turns)} hosts")
    return turns[:ranks]


def measure(job, report):
    """Runs the job, which does nothing, until its start measures no more."""
    for _ in range(MOST_MEASURINGS):
        job()
        start = json.loads(report.read_text())["start_s"]
        print(f"the start of an empty job takes {start:.2f} s", file=sys.stderr, flush=True)
        if start < MEASURED_S:
            return


def run(place, build, out, cache, hosts, mpi, asked):
    """What `program.py` found on these hosts."""
    meeting, job, found = out / "meeting", out / "job.json", out / "found.json"
    meeting.write_bytes(bytes(8 * (2 + 2 * len(hosts))))
    found.unlink(missing_ok=True)
    job.write_text(json.dumps(asked | {"meeting": str(meeting), "out": str(found)}))
    settings = {
        "PYTHONPATH": build / "python", "PYTHONDONTWRITEBYTECODE": 1, "OMP_NUM_THREADS": 1, "GLOO_SOCKET_IFNAME": "tun0", "ESPALIER_CACHE": cache,
        "ESPALIER_REPORT": out / "report.json",
    }
    words = [f"{name}={value}" for name, value in settings.items()]
    with open(out / "log.txt", "a") as log:
        status = subprocess.run(
            [*place.launcher(mpi, options=("--hosts", ",".join(hosts))), "env", *words, PYTHON, "-W", "ignore", str(HERE / "program.py"), str(job)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(), timeout=LONGEST_S, check=False,
        ).returncode
    if status != 0 or not found.exists():
        sys.exit(f"torch_calls: the job ended with status {status}; see {out / 'log.txt'}")
    return json.loads(found.read_text())


def measured(cache, ranks):
    """The network that the job measured, and kept."""
    return max(cache.glob(f"*-{ranks}-*.json"), key=lambda path: path.stat().st_mtime)


def table(build, network, timed):
    lines = ["| call | Gloo | ours | times faster | bound | ours / bound |", "| --- |" + " --- |" * 5]
    for call, times in timed.get("calls", {}).items():
        what, size = call.rsplit(" ", 1)[0], int(call.rsplit(" ", 1)[1])
        seconds = {name: statistics.median(each) for name, each in times.items()}
        bound = networks.bound(build, network, cells.Cell(COLLECTIVES[what], size), None).get("seconds")
        lines.append(row(f"{what} {cells.size_name(size)}", seconds, bound))
    if "step" in timed:
        lines.append(row(f"DDP step, {timed['parameters']} parameters", {name: statistics.median(each) for name, each in timed["step"].items()}, None))
    return "\n".join(lines)


def row(name, seconds, bound):
    held = f"{1e3 * bound:.4g} | {seconds['espalier'] / bound:.2f}" if bound else " | "
    return f"| {name} | {1e3 * seconds['gloo']:.4g} | {1e3 * seconds['espalier']:.4g} | {seconds['gloo'] / seconds['espalier']:.2f} | {held} |"


def told(trained, steps):
    hashes = {digest for training in trained for digest in training["hashes"]}
    for training in trained:
        print(f"{steps} steps: {1e3 * training['seconds_a_step']:.4g} ms each, {len(set(training['hashes']))} sets of bits on {len(training['hashes'])} ranks")
    if len(hashes) > 1:
        print(f"torch_calls: {len(hashes)} sets of bits in all")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
