"""`espalier.mpi`, from a program under the preloaded library and from one that has none."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import espalier
import espalier.mpi
from conftest import ROOT, refused

LIBRARY = os.environ.get("ESPALIER_OPENMPI", "")
HOSTS = ("a-0", "b-0", "c-0", "b-1", "a-1")


@pytest.mark.skipif(not LIBRARY or not shutil.which("mpirun.openmpi"), reason="not built for Open MPI")
@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_a_program_hears_of_its_calls_and_steers_them(ranks, tmp_path):
    pytest.importorskip("mpi4py")
    ours = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMP_NUM_THREADS": "1",
        "ESPALIER_NETWORK": str(ROOT / "tests/mpi/bcast-network.json"),
        "ESPALIER_TEST_HOSTS": ",".join(HOSTS[:ranks]),
        "ESPALIER_CACHE": str(tmp_path),
    }
    result = subprocess.run(
        ["mpirun.openmpi", "--oversubscribe", "-mca", "btl", "self,vader", "-n", str(ranks), "env", f"LD_PRELOAD={LIBRARY}",
         sys.executable, "-m", "mpi4py", str(pathlib.Path(__file__).parent / "asks_its_run.py")],
        env=os.environ | ours, capture_output=True, text=True, timeout=200,
    )
    assert (result.returncode, result.stdout.count("heard all")) == (0, ranks), result.stdout + result.stderr


class NoCommunicator:
    def py2f(self):
        return 0


def test_without_the_library_one_line_says_so():
    text = "no library of this version of espalier is loaded under this program"
    assert refused(espalier.InputError, espalier.mpi.run) == text
    assert refused(espalier.InputError, espalier.mpi.run, NoCommunicator()) == text
    assert refused(espalier.InputError, espalier.mpi.network) == text
    assert refused(espalier.InputError, espalier.mpi.steer, NoCommunicator(), plan="never") == text
    some = NoCommunicator()
    assert refused(espalier.InputError, espalier.mpi.ask, some, "broadcast", bytes=8, op=some, datatype=some) == text
    assert refused(TypeError, espalier.mpi.ask, some, "broadcast", bytes=[], op=some, datatype=some) == (
        "bytes: a text or a number was expected"
    )
