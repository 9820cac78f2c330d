"""Runs programs on SimGrid's SMPI and reads what they say; shared by the benches and the demo."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE4 = ROOT / "examples" / "table4"
SIZES = (8, 65536, 1048576, 4194304)
SELECTORS = ("ompi", "mpich", "mvapich2", "impi")

# SMPI's default factors multiply latency and bandwidth by message size; neutral ones leave the
# platform's numbers as they are.
NEUTRAL = ("--cfg=smpi/lat-factor:0:1;1:1", "--cfg=smpi/bw-factor:0:1;1:1")
FACTORS = {
    "default": (),
    "neutral": NEUTRAL,
    # Nor do acknowledgements take their 5% of the links that the data come back on.
    "silent": (*NEUTRAL, "--cfg=network/crosstraffic:0"),
}


class Lab:
    """One platform with its hosts, under one setting of SMPI's factors."""

    def __init__(self, build, platform, hostfile, factors="default", ranks=None):
        self.build = pathlib.Path(build)
        self.platform = pathlib.Path(platform)
        self.hosts = pathlib.Path(hostfile).read_text().split()[:ranks]
        self.hostfile = pathlib.Path(hostfile)
        self.options = FACTORS[factors]

    def program(self, name):
        """The path of a program somewhere in the build folder."""
        found = sorted(p for p in self.build.glob(f"**/{name}") if p.is_file())
        if not found:
            sys.exit(f"{name} is not in {self.build}: was it built with SMPI?")
        return found[0]

    def run(self, program, *arguments, environment=None, options=(), timeout=600):
        """The standard output of `program` on all hosts; None where it fails."""
        command = ["smpirun", "-np", str(len(self.hosts)), "-platform", str(self.platform),
                   "-hostfile", str(self.hostfile), "--cfg=smpi/simulate-computation:no",
                   "--log=root.thresh:critical", *self.options, *options,
                   str(self.program(program)), *map(str, arguments)]
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ESPALIER")}
        try:
            done = subprocess.run(command, env=clean | (environment or {}), timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  check=False)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            sys.stderr.write(done.stderr)
            return None
        return done.stdout

    def measure(self, output, *options):
        """Measures the platform from all its ranks into a network file."""
        if self.run("espalier-measure-smpi", "-o", output, *options) is None:
            sys.exit(f"measuring {self.platform} failed")
        return json.loads(pathlib.Path(output).read_text())

    def native(self, selector, sizes=SIZES, roots=(0,)):
        """{(root, bytes): seconds} of a vendor's own broadcast; None where it does not complete."""
        out = self.run("broadcast_times_native_smpi", ",".join(map(str, sizes)),
                       ",".join(map(str, roots)),
                       options=(f"--cfg=smpi/coll-selector:{selector}",))
        return None if out is None else times_of(out)

    def best_native(self, sizes=SIZES, roots=(0,)):
        """({(root, bytes): least seconds}, {selector: its times}) over the selectors that complete."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            times = pool.map(lambda s: self.native(s, sizes, roots), SELECTORS)
            each = {s: t for s, t in zip(SELECTORS, times) if t is not None}
        if not each:
            sys.exit("no selector completes")
        best = {key: min(times[key] for times in each.values()) for key in next(iter(each.values()))}
        return best, each

    def planned(self, network, algorithm="auto", sizes=SIZES, roots=(0,), report=None):
        """{(root, bytes): (executed, predicted, segments, algorithm)} under the library, which is not
        to try MPI's own by turns."""
        report = pathlib.Path(report or self.build / "run-report.json")
        environment = {"ESPALIER_NETWORK": str(network), "ESPALIER_REPORT": str(report),
                       "ESPALIER_ALGORITHM": f"broadcast:{algorithm}", "ESPALIER_PLAN": "always"}
        out = self.run("broadcast_times_smpi", ",".join(map(str, sizes)),
                       ",".join(map(str, roots)), environment=environment)
        if out is None:
            sys.exit(f"broadcasting by {algorithm} failed")
        calls = {(c["root"], c["bytes"]): c for c in json.loads(report.read_text())["calls"]
                 if c["algorithm"] != "native" and c["communicator_size"] == len(self.hosts)}
        return {key: (seconds, calls[key]["predicted_s"], calls[key]["segments"],
                      calls[key]["algorithm"])
                for key, seconds in times_of(out).items() if key in calls}


def times_of(output):
    times = {}
    for line in output.splitlines():
        root, size, seconds, verdict = line.split()
        if verdict != "right":
            sys.exit(f"a broadcast of {size} bytes from rank {root} brought wrong bytes")
        times[int(root), int(size)] = float(seconds)
    return times


def grid_algorithms(build):
    """The names of the algorithms between clusters that broadcast, in the table's order."""
    out = subprocess.run([str(pathlib.Path(build) / "espalier"), "algorithms", "--json"],
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    return [a["name"] for a in json.loads(out)["algorithms"]
            if a["family"] == "grid" and "broadcast" in a["collectives"]]


def size_name(size):
    for unit, name in ((1048576, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} B"


def milliseconds(seconds):
    return f"{seconds * 1e3:.4g}"


def print_table(head, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[c]) for row in [head, *rows]) for c in range(len(head))]
    for row in [head, ["-" * w for w in widths], *rows]:
        print("  ".join(cell.ljust(w) if c == 0 else cell.rjust(w)
                        for c, (cell, w) in enumerate(zip(row, widths))).rstrip())
    sys.stdout.flush()
