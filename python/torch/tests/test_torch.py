"""`espalier.torch` under each MPI that it was built for, by mpirun and torchrun: what it moves, what it trains, what it refuses."""

import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).parent
NETWORK = HERE.parents[2] / "examples" / "table4" / "network.json"
FLAVOURS = os.environ["ESPALIER_FLAVOURS"].split(",")
HOSTS = ("c0-0", "c1-0", "c2-0", "c0-1", "c3-0")
OURS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMP_NUM_THREADS": "1",
    "ESPALIER_NETWORK": str(NETWORK),
    "ESPALIER_PLAN": "always",
}
# Under Python 3.11 torch 1.13 knows of what to do with outputs "1" alone.
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--redirects", "1", "--tee", "1", "--rdzv_backend", "c10d", "--rdzv_endpoint", "localhost:0"]


def ended(command, environment):
    """The job's output, and its status."""
    result = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=200, check=False)
    return result.stdout + result.stderr, result.returncode


def job(flavour, ranks, *words, **environment):
    """The same, of a program that mpirun starts."""
    launcher = {
        "openmpi": ["mpirun.openmpi", "--oversubscribe", "-mca", "btl", "self,vader", "-n", str(ranks)],
        "mpich": ["mpiexec.mpich", "-n", str(ranks)],
    }[flavour]
    ours = OURS | {"ESPALIER_TEST_HOSTS": ",".join(HOSTS[:ranks])}
    return ended([*launcher, sys.executable, "-W", "ignore", str(HERE / words[0]), *words[1:]], ours | environment)


@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_collectives_are_those_of_a_serial_reference(flavour, ranks, tmp_path):
    report = tmp_path / "report.json"
    said, status = job(flavour, ranks, "collectives.py", ESPALIER_REPORT=str(report))
    assert status == 0 and said.count("all as expected") == ranks, said
    planned = {call["collective"] for call in json.loads(report.read_text())["calls"] if call["algorithm"] != "native"}
    assert {"broadcast", "allreduce", "allgather", "gather", "scatter", "alltoall", "reduce", "reduce-scatter-block"} <= planned


@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_training_is_serial_training_and_alike_on_all_ranks(flavour, ranks):
    said, status = job(flavour, ranks, "training.py")
    assert status == 0 and said.count("trained") == ranks, said


@pytest.mark.skipif("mpich" not in FLAVOURS, reason="torchrun can start ranks of mpich alone")
@pytest.mark.parametrize("program, word", [("collectives.py", "all as expected"), ("training.py", "trained")])
def test_torchrun_starts_ranks_of_mpich(program, word, tmp_path):
    report = tmp_path / "report.json"
    said, status = ended(
        [*TORCHRUN, "--nproc_per_node", "3", str(HERE / program)], OURS | {"ESPALIER_TEST_HOSTS": ",".join(HOSTS[:3]), "ESPALIER_REPORT": str(report)}
    )
    assert status == 0 and said.count(word) == 3, said
    assert {call["algorithm"] for call in json.loads(report.read_text())["calls"]} - {"native"}


@pytest.mark.skipif(len(FLAVOURS) < 2, reason="one MPI alone")
def test_torchrun_and_open_mpi_are_refused():
    said, _ = ended([*TORCHRUN, "--nproc_per_node", "2", str(HERE / "mistakes.py"), "loaded", "mpich"], OURS)
    assert said.count("refused: espalier.torch: openmpi is loaded, and torchrun can start ranks of mpich alone") == 2, said


MISTAKES = {
    "sizes": "ranks differ in what they call: here it is all-reduce of",
    "absent": "all-reduce of 3 Float, sum: not done in 2000 ms",
    "future": "all-reduce of 3 Float, sum: not done in 2000 ms",
    "after": "this group ended when its time for barrier was over",
    "message": "RECV: not done in 2000 ms",
    "version": "built for torch",
    "ranks": "rank 0 of 7 is rank",
}


ASKED = {
    "device": "all-gather: the tensor is on meta; only the CPU's are served",
    "contiguous": "broadcast: the tensor is not contiguous",
    "sparse": "all-reduce: the tensor is sparse",
    "bits": "no bitwise exclusive or of Float",
    "average": "no average of Int",
    "lists": "all-gather: a tensor of each of the 2 ranks, not 3",
    "splits": "all-to-all: 3 rows are not what 2 ranks get by the splits",
}


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_what_cannot_be_done_is_refused_before_anything_is_sent(flavour):
    said, _ = job(flavour, 2, "mistakes.py", "asked")
    for name, line in ASKED.items():
        assert said.count(f"refused {name}: espalier: {line}") == 2, said


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_mistake_is_one_line(flavour, mistake):
    said, _ = job(flavour, 2, "mistakes.py", mistake)
    lines = [line for line in said.splitlines() if line.startswith("refused: espalier")]
    assert lines and all(MISTAKES[mistake] in line for line in lines), said


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_sizes_that_were_used_before_are_compared_where_torch_debugs(flavour):
    said, _ = job(flavour, 2, "mistakes.py", "known_sizes", TORCH_DISTRIBUTED_DEBUG="DETAIL")
    assert said.count("ranks differ in what they call") == 2, said


@pytest.mark.skipif(len(FLAVOURS) < 2, reason="one MPI alone")
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_another_mpi_is_refused(flavour):
    said, _ = job(flavour, 2, "mistakes.py", "loaded", flavour)
    assert f"is loaded, and {flavour} has started this process" in said


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_nobody_waits_for_a_rank_that_raised(flavour):
    said, status = job(flavour, 2, "mistakes.py", "uncaught")
    assert status != 0 and "SystemError: of the program" in said


@pytest.mark.parametrize("when, line", [("single", "MPI was initialised without MPI_THREAD_MULTIPLE"), ("finalised", "MPI is finalised already")])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_mpi_that_is_over_or_not_for_threads_is_refused(flavour, when, line):
    said, _ = job(flavour, 2, "mistakes.py", when, flavour)
    # Whoever ends first may end the others.
    assert f"refused: espalier: {line}" in said, said


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_job_ends_with_a_rank_that_is_killed_in_a_step(flavour):
    begin = time.monotonic()
    said, status = job(flavour, 3, "mistakes.py", "killed")
    assert status != 0 and "accepted" not in said, said
    # Starting takes some seconds; the time-out is 2.
    assert time.monotonic() - begin < 60
