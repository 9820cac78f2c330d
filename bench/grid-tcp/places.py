"""Where jobs run: on the hosts of a testbed, or, to try the bench, all on this machine."""

import json
import os
import shutil
import subprocess
import sys


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ESPALIER")}
    return dict(kept, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")


class Testbed:
    """Up while it is entered; the keeper takes it down when our end of its command's input closes."""

    def __init__(self, build, file, congestion, sysctls=(), ranks_per_host=1):
        self.binary = str(build / "espalier-testbed")
        self.congestion, self.ranks_per_host = congestion, ranks_per_host
        options = [word for sysctl in sysctls for word in ("--sysctl", sysctl)]
        self.words = [self.binary, "run", str(file), "--congestion", congestion, *options, "--",
                      "sh", "-c", 'echo "$ESPALIER_TESTBED"; exec cat']

    def __enter__(self):
        self.keeper = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       text=True, env=environment())
        self.name = self.keeper.stdout.readline().strip()
        if not self.name:
            sys.exit(f"grid-tcp: the testbed does not come up (status {self.keeper.wait()})")
        found = subprocess.run([self.binary, "hosts", "--name", self.name, "--json"], check=True,
                               stdout=subprocess.PIPE, text=True, env=environment()).stdout
        self.hosts = json.loads(found)
        self.names = [host["name"] for host in self.hosts]
        return self

    def __exit__(self, *_):
        self.keeper.stdin.close()
        self.keeper.wait()

    def launcher(self, mpi, shuffle=None, options=()):
        order = ["--shuffled", str(shuffle)] if shuffle is not None else []
        if self.ranks_per_host > 1:
            order += ["--ranks-per-host", str(self.ranks_per_host)]
        return [self.binary, "mpirun", mpi, "--name", self.name, *order, *options, "--"]

    def settings(self):
        return {}


class Here:
    """Ranks of this machine that believe to be on hosts of their own."""

    congestion = "none"

    def __init__(self, ranks):
        self.names = [f"here-{rank}" for rank in range(ranks)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def launcher(self, mpi, shuffle=None, options=()):
        program = "mpirun.openmpi" if mpi == "openmpi" else "mpiexec.mpich"
        if shutil.which(program) is None:
            sys.exit(f"grid-tcp: no {program} here")
        return [program, "-n", str(len(self.names)), *options]

    def settings(self):
        return {"ESPALIER_TEST_HOSTS": ",".join(self.names)}
