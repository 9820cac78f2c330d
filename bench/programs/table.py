"""The programs: how each is started, and what it finds."""

import gzip
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Debian's, which has mpi4py, PETSc, NEURON and torch.
PYTHON = "/usr/bin/python3"
EXAML = pathlib.Path("/usr/share/doc/examl/testData")


def conformance():
    """scripts/programs, which knows LAMMPS and HPCC, and how answers are compared."""
    loader = importlib.machinery.SourceFileLoader("conformance", str(ROOT / "scripts" / "programs"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("conformance", loader))
    sys.modules["conformance"] = module
    loader.exec_module(module)
    return module


others = conformance()
Answer, difference = others.Answer, others.difference


@dataclass
class Program:
    name: str
    command: list[str]
    answer: Callable
    """(folder, what it printed) -> Answer"""
    prepare: Callable = lambda folder: None
    """Puts its inputs into a folder, in which it runs."""
    tolerance: float = 0.0
    ranks: int = 16
    by_mpi: bool = True
    """False: what is preloaded does nothing for it; `settings` choose."""
    variables: dict = field(default_factory=dict)
    """{way: environment variables}"""

    def settings(self, way, build):
        return {"PYTHONPATH": build / "python", "PYTHONDONTWRITEBYTECODE": 1, **self.variables.get(way, {})}


def lines(*patterns):
    """Lines that fit are compared exactly, but for decimal numbers, within the tolerance."""

    def answer(_, said):
        found = Answer([], [])
        for line in said.splitlines():
            if any(re.search(pattern, line) for pattern in patterns):
                found.numbers += [float(number) for number in re.findall(r"-?\d+\.\d+(?:[eE][-+]?\d+)?", line)]
                found.exact.append(re.sub(r"-?\d+\.\d+(?:[eE][-+]?\d+)?", "#", line.strip()))
        if not found.exact:
            found.exact.append("no answer")
        return found

    return answer


def from_conformance(program):
    """A program of scripts/programs, whose log its answer is read from."""
    return dict(prepare=program.prepare, tolerance=program.tolerance, command=program.command, answer=lambda folder, _: program.answer(folder, None))


def examl(taxa):
    """The first of the 49 that its authors give, on a tree from which one after the other branches off."""

    def prepare(folder):
        head, *rows = gzip.decompress((EXAML / "49.gz").read_bytes()).decode().splitlines()
        rows = [row for row in rows if row.strip()][:taxa]
        (folder / "some").write_text("\n".join([f"{taxa} {head.split()[1]}", *rows, ""]))
        first, second, *others = (row.split()[0] for row in rows)
        rest = others.pop()
        while others:
            rest = f"({others.pop()},{rest})"
        (folder / "trees").write_text(f"({first},{second},{rest});\n")
        subprocess.run(["parse-examl", "-s", "some", "-m", "DNA", "-n", "some"], cwd=folder, stdout=subprocess.DEVNULL, check=True)

    return prepare


PROGRAMS = (
    Program("NumPy training, 520,000 parameters", [PYTHON, str(HERE / "train.py"), "16"], lines("^sets of bits", "^loss"), tolerance=1e-4),
    Program(
        "PyTorch DDP, 2,000,000 parameters", [PYTHON, "-W", "ignore", str(HERE / "ddp.py"), "12"], lines("^sets of bits", "^loss"), tolerance=1e-4,
        by_mpi=False, variables={"native": {"BACKEND": "gloo", "GLOO_SOCKET_IFNAME": "tun0"}, "ours": {"BACKEND": "espalier"}, "told": {"BACKEND": "espalier"}},
    ),
    Program(
        "PETSc pipelined conjugate gradient", [PYTHON, str(HERE / "pipecg.py"), "200"], lines("^reason", "^iterations"), tolerance=1e-6,
        variables={way: {"PETSC_DIR": "/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real"} for way in ("native", "ours", "left", "told")},
    ),
    Program("NEURON, a ring of 160 cells", [PYTHON, str(HERE / "neurons.py"), "160", "600"], lines("^spikes", "^times"), tolerance=1e-9),
    Program(
        "ExaML, 4 taxa", ["/usr/lib/examl/bin/examl-avx2", "-f", "e", "-t", "trees", "-m", "GAMMA", "-s", "some.binary", "-n", "out"],
        lines("^Likelihood"), examl(4), tolerance=1e-6,
    ),
    Program("HPCC, N = 200", **from_conformance(others.hpcc(200, 4, 4))),
    Program("LAMMPS melt", **from_conformance(others.lammps("melt", 16, 100, 1e-7))),
    Program("LAMMPS peptide", **from_conformance(others.lammps("peptide", 16, 30, 1e-4))),
)
