"""Espalier for Spack, built from the clone that this file is in:

    spack repo add packaging/spack
    spack install espalier ^mpich
"""

from pathlib import Path

from spack.package import *


class Espalier(CMakePackage):
    """Plans collective communication for networks that are not uniform, and runs the plans under unmodified MPI programs."""

    git = Path(__file__).resolve().parents[4].as_uri()
    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=True, description="Run and measure under the MPI that is chosen")
    variant("python", default=False, description="import espalier")
    variant("simgrid", default=False, description="Read SimGrid's platforms, run under SMPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("lemon@1.3.1:", type="build")
    depends_on("curl@7.87:")
    depends_on("fmt@9:")
    depends_on("nettle")
    depends_on("nlohmann-json@3.11:")
    depends_on("pugixml")
    depends_on("sqlite@3:")
    depends_on("mpi@3:", when="+mpi")
    depends_on("simgrid@3.32: +smpi", when="+simgrid")
    with when("+python"):
        extends("python")
        depends_on("python@3.9:", type=("build", "link", "run"))
        depends_on("py-numpy", type=("build", "run"))
        depends_on("py-pybind11", type="build")

    conflicts("%gcc@:11", msg="g++ 12 is the oldest that compiles it")

    generator("ninja")

    def cmake_args(self):
        arguments = [
            self.define("BUILD_TESTING", False),
            self.define("ESPALIER_UNITY", True),
            self.define_from_variant("ESPALIER_MPI", "mpi"),
        ]
        if self.spec.satisfies("+mpi"):
            arguments.append(self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc))
        # What the machine itself has is not meant.
        if self.spec.satisfies("+python"):
            arguments.append(self.define("ESPALIER_PYTHON", python.path))
        else:
            arguments.append(self.define("ESPALIER_PYBIND11", False))
        if self.spec.satisfies("~simgrid"):
            arguments += [self.define(name, False) for name in ("ESPALIER_MPICXX_SMPI", "ESPALIER_SIMGRID_LIBRARY")]
        return arguments
