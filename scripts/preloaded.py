"""What scripts here need that run other people's MPI programs with and without the library."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NETWORK = ROOT / "scripts/uneven-network.json"
FLAVOURS = ("openmpi", "mpich")
PLACEMENTS = ("contiguous", "round-robin", "shuffled", "one-cluster")
"""How ranks lie on the hosts of NETWORK; see `hosts`."""

# The hosts of NETWORK in the order of its clusters, some with several ranks.
SLOTS = ("north-a0 north-a0 north-a1 north-a2 north-a3 north-b0 north-b0 north-b1 "
         "south-0 south-0 south-1 south-2 south-3 south-4 east-0 east-0").split()

# More ranks than cores: those that wait have to give way. Open MPI has a setting for that; of
# MPICH over UCX, whoever polls in vain yields by this.
YIELDS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
unsigned ucp_worker_progress(void* worker) {
    static unsigned (*progress)(void*);
    if (!progress) progress = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned done = progress(worker);
    if (done == 0) sched_yield();
    return done;
}
"""

# A rank is one thread: those of a linear algebra library would wait for cores, too.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
ENVIRONMENT = {
    "openmpi": ONE_THREAD | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    },
    "mpich": ONE_THREAD,
}


def hosts(placement: str, ranks: int) -> list[str]:
    """The host of each rank. All clusters have ranks as soon as there are enough of them, but for
    `one-cluster`."""
    if placement == "one-cluster":
        return [f"south-{rank % 5}" for rank in range(ranks)]
    spread = [SLOTS[rank * len(SLOTS) // ranks % len(SLOTS)] for rank in range(ranks)]
    if ranks > len(SLOTS):
        spread = sorted((SLOTS[rank % len(SLOTS)] for rank in range(ranks)), key=SLOTS.index)
    if placement == "contiguous":
        return spread
    if placement == "shuffled":
        random.Random(ranks).shuffle(spread)
        return spread
    if placement == "round-robin":
        clusters: dict[str, list[str]] = {}
        for host in spread:
            clusters.setdefault(host.rstrip("0123456789"), []).append(host)
        turns = max(map(len, clusters.values()))
        return [members[turn] for turn in range(turns) for members in clusters.values()
                if turn < len(members)]
    raise ValueError(placement)


@dataclass
class Way:
    """How a program is run: natively, or with the library preloaded."""
    name: str  # native, always, auto
    placement: str = ""
    progress: str = "calls"

    @property
    def title(self) -> str:
        return f"{self.name}/{self.placement}" if self.placement else self.name

    def environment(self, ranks: int) -> dict[str, str]:
        if self.name == "native":
            return {}
        return {
            "ESPALIER_NETWORK": str(NETWORK),
            "ESPALIER_PLAN": self.name,
            "ESPALIER_PROGRESS": self.progress,
            "ESPALIER_TEST_HOSTS": ",".join(hosts(self.placement, ranks)),
        }


@dataclass
class Outcome:
    status: int | None  # none: it was stopped at its time limit
    out: str
    err: str
    seconds: float
    planned: dict[str, int] = field(default_factory=dict)
    """Calls that did not go to MPI, for each collective."""


class Mpi:
    """One MPI library, and how programs run under it."""

    def __init__(self, flavour: str, build: Path, cache: Path):
        self.flavour = flavour
        self.library = build / f"libespalier-{flavour}.so"
        self.launcher = shutil.which(f"mpirun.{flavour}") or shutil.which(f"mpiexec.{flavour}")
        self.compiler = shutil.which(f"mpicc.{flavour}")
        if not self.launcher or not self.compiler:
            raise SystemExit(f"{flavour}: its mpirun and mpicc are not installed")
        if not self.library.exists():
            raise SystemExit(f"{self.library}: not there; build it with scripts/build")
        self.yields = None
        if flavour == "mpich":
            self.yields = cache / "yields.so"
            source = cache / "yields.c"
            source.write_text(YIELDS, encoding="utf-8")
            subprocess.run(["gcc", "-O2", "-fPIC", "-shared", "-o", self.yields, source, "-ldl"],
                           check=True)

    def run(self, way: Way, ranks: int, command: list[str], limit: float, folder: Path,
            environment: dict[str, str] | None = None) -> Outcome:
        """Runs it in `folder` for at most `limit` seconds, and leaves none of its processes."""
        mark = f"ESPALIER_STARTED_BY={uuid.uuid4()}"
        preload = [str(self.library)] if way.name != "native" else []
        if self.yields:
            preload.append(str(self.yields))
        with tempfile.TemporaryDirectory(prefix="preloaded-") as scratch:
            report = Path(scratch, "run.json")
            variables = {name: value for name, value in os.environ.items()
                         if name != "LD_PRELOAD" and not name.startswith("ESPALIER")}
            variables |= ENVIRONMENT[self.flavour] | way.environment(ranks) | (environment or {})
            variables |= dict([mark.split("=")])
            if way.name != "native":
                variables |= {"ESPALIER_REPORT": str(report), "ESPALIER_CACHE": scratch}
            line = [self.launcher, "-n", str(ranks), "env", "LD_PRELOAD=" + ":".join(preload),
                    *command]
            out, err = Path(scratch, "out"), Path(scratch, "err")
            begin = time.monotonic()
            started.add(mark)
            with out.open("wb") as out_file, err.open("wb") as err_file:
                process = subprocess.Popen(line, cwd=folder, env=variables, stdout=out_file,
                                           stderr=err_file, stdin=subprocess.DEVNULL,
                                           start_new_session=True)
                try:
                    status = process.wait(limit)
                except subprocess.TimeoutExpired:
                    status = None
                seconds = time.monotonic() - begin
                end_processes(mark)
                started.discard(mark)
                process.wait()
            return Outcome(status, text_of(out), text_of(err), seconds, planned_calls(report))


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


started: set[str] = set()
"""Marks of the runs that are under way."""


def end_with_all_runs() -> None:
    """Makes a signal that ends this script end its runs, too."""
    def end(number: int, _frame: object) -> None:
        for mark in list(started):
            end_processes(mark)
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def end_processes(mark: str) -> None:
    """Ends all processes that have this line in their environment: first politely, so that the
    launcher removes its files."""
    for name, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0)):
        until = time.monotonic() + patience
        first = True
        while found := marked_processes(mark):
            if first or name == signal.SIGKILL:
                for process in found:
                    try:
                        os.kill(process, name)
                    except ProcessLookupError:
                        pass
            first = False
            if time.monotonic() > until:
                break
            time.sleep(0.05)


def marked_processes(mark: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                if (folder / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    found.append(int(folder.name))
        except OSError:
            pass
    return found


def planned_calls(report: Path) -> dict[str, int]:
    """How many calls of each collective a run's report says were not MPI's own."""
    try:
        document = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    planned: dict[str, int] = {}
    for entry in document.get("collectives", document.get("calls", [])):
        if entry.get("algorithm") not in (None, "native"):
            kind = entry.get("collective", "?")
            planned[kind] = planned.get(kind, 0) + int(entry.get("calls", 0))
    return planned


def complaints(outcome: Outcome) -> list[str]:
    return re.findall(r"^espalier: .*", outcome.err, re.MULTILINE)
