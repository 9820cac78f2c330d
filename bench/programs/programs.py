#!/usr/bin/env python3
"""Other people's programs on emulated networks, as they are and with the library preloaded: the same answers, and how long they take.

    bench/programs/programs.py [--build build/release] [--networks three-sites,racks,regions] [--only PATTERN] [--rounds 2] [--limit 150] [--out FOLDER]

On each network ranks are laid on hosts round robin over sites. Empty jobs measure it first, as a user's first jobs would, until nothing is left to
measure; then each program runs in turns natively and with the library, and once more with the library, and with it leaving all to MPI, for reports that
tell how much of these runs is in collectives. Prints a table: medians of whole runs, from mpirun's start to its end. Exits with 3 where an answer is not the native one.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "bench" / "grid-tcp"), str(ROOT / "bench" / "torch")]

from places import Testbed, environment  # noqa: E402
from table import PROGRAMS, PYTHON, difference  # noqa: E402
from torch_calls import measure, round_robin  # noqa: E402

NETWORKS = {
    "three-sites": ROOT / "testbed" / "examples" / "three-sites.json",
    "racks": ROOT / "bench" / "zoo" / "networks" / "racks.json",
    "regions": ROOT / "bench" / "zoo" / "networks" / "regions.json",
}
# Ways of a run, and the library's settings in them.
WAYS = {"native": None, "ours": {"ESPALIER_REPORT": "summary"}, "left": {"ESPALIER_PLAN": "never"}, "told": {}}
# These say what is in collectives, and aren't timed: a report has bounds, which take their time.
TELLING = ("left", "told")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--only", default="", help="names of programs that fit it")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--limit", type=float, default=150, help="seconds of one run")
    options = parser.parse_args()
    out = (options.out or options.build / "programs").resolve()
    out.mkdir(parents=True, exist_ok=True)
    results = out / "results.json"
    found = json.loads(results.read_text()) if results.exists() else []
    print("| network | program | native s | ours s | times faster | in collectives: native | ours | answers |\n| --- | --- |" + " --- |" * 6, flush=True)
    wrong = False
    for name in options.networks.split(","):
        with Testbed(options.build.resolve(), NETWORKS[name], "cubic") as place:
            runs = Runs(place, options.build.resolve(), out, options.limit, name)
            measure(lambda: runs.run(EMPTY, "told"), runs.report)
            for program in PROGRAMS:
                if re.search(options.only, program.name):
                    one = compared(runs, program, options.rounds)
                    found.append({"network": name, "program": program.name} | one)
                    results.write_text(json.dumps(found, indent=1))
                    print(row(name, program, one), flush=True)
                    wrong = wrong or bool(one["difference"])
    return 3 if wrong else 0


class Runs:
    """Runs on one network, whose measurement and records they share."""

    def __init__(self, place, build, out, limit, network):
        self.place, self.build, self.out, self.limit, self.network = place, build, out, limit, network
        self.report = out / "report.json"
        self.cache = tempfile.TemporaryDirectory(prefix="cache-", dir=out)

    def run(self, program, way):
        """(seconds, the library's report or None, answer); seconds are None where it did not end in time."""
        with tempfile.TemporaryDirectory(prefix="run-", dir=self.out) as name:
            folder = pathlib.Path(name)
            program.prepare(folder)
            hosts = round_robin(self.place.hosts, program.ranks)
            log = self.out / (re.sub(r"\W+", "-", f"{self.network} {program.name} {way}") + ".txt")
            self.report.unlink(missing_ok=True)
            began = time.monotonic()
            status = self._launched(program, way, hosts, folder, log)
            seconds = time.monotonic() - began
            if status is None:
                return None, None, None
            if status != 0:
                sys.exit(f"programs: {program.name} ended with status {status}; see {log}")
            said = json.loads(self.report.read_text()) if self.report.exists() else None
            return seconds, said, program.answer(folder, log.read_text(errors="replace"))

    def _launched(self, program, way, hosts, folder, log):
        """The job's status; None where its time was over."""
        settings = {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1, "FIRST_HOST": hosts[0], **program.settings(way, self.build)}
        words = program.command
        if WAYS[way] is not None:
            settings |= {"ESPALIER_CACHE": self.cache.name, "ESPALIER_REPORT": self.report, **WAYS[way]}
            words = ["sh", "-c", 'LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD} exec "$@"', str(self.build / "libespalier-openmpi.so"), *words]
        launcher = self.place.launcher("openmpi", options=("--hosts", ",".join(hosts)))
        with open(log, "w") as file:
            job = subprocess.Popen(
                [*launcher, "env", "-C", str(folder), *(f"{key}={value}" for key, value in settings.items()), *words],
                stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment(), start_new_session=True,
            )
        try:
            return job.wait(self.limit)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGTERM)
            job.wait()
            return None


def compared(runs, program, rounds):
    seconds, reports, answers = {way: [] for way in WAYS}, {}, {}
    for turn in range(rounds):
        for way in WAYS:
            if way in TELLING and (turn > 0 or (way == "left" and not program.by_mpi)):
                continue
            took, reports[way], answer = runs.run(program, way)
            answers.setdefault(way, answer)
            seconds[way].append(took)
            if took is None:
                return {"seconds": seconds, "shares": {}, "difference": f"{way}: not done in {runs.limit:g} s"}
    shares = {way: share(reports[way]) for way in TELLING if reports.get(way)}
    return {"seconds": seconds, "shares": shares, "difference": difference(answers["native"], answers["ours"], program.tolerance)}


def share(report):
    """Of a run from MPI_Init to MPI_Finalize, what rank 0 was in collectives."""
    return sum(call["measured_s"]["sum"] for call in report["calls"] if "measured_s" in call) / report["elapsed_s"]


def row(network, program, one):
    if None in sum(one["seconds"].values(), []):
        return f"| {network} | {program.name} |  |  |  |  |  | {one['difference']} |"
    native, ours = (statistics.median(one["seconds"][way]) for way in ("native", "ours"))
    shares = " | ".join(f"{100 * one['shares'][way]:.0f}%" if way in one["shares"] else "" for way in TELLING)
    return f"| {network} | {program.name} | {native:.1f} | {ours:.1f} | {native / ours:.2f} | {shares} | {one['difference'] or 'same'} |"


class Empty:
    """A job that does nothing."""

    name, ranks, command = "empty", 16, [PYTHON, "-c", "from mpi4py import MPI"]

    def prepare(self, folder):
        pass

    def settings(self, *_):
        return {}

    def answer(self, *_):
        return None


EMPTY = Empty()

if __name__ == "__main__":
    sys.exit(main())
