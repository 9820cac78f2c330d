"""A backend of torch.distributed whose collectives are MPI's, by Espalier's plans::

    import torch.distributed
    import espalier.torch

    torch.distributed.init_process_group("espalier")

to be started by ``mpirun``, or, over MPICH, by ``torchrun``. Importing it initialises MPI, as mpi4py does, unless something has, and sets
``RANK``, ``WORLD_SIZE``, ``MASTER_ADDR``, ``MASTER_PORT`` and ``USE_LIBUV`` where they are unset. Tensors are the CPU's.
"""

import atexit
import datetime
import importlib
import inspect
import os
import pathlib
import socket
import sys
import time

import torch
import torch.distributed

from . import _torchrun

__all__: list[str] = []

_LIBRARIES = {"openmpi": "libmpi.so.", "mpich": "libmpich.so."}
_LAUNCHERS = {"openmpi": "OMPI_COMM_WORLD_SIZE", "mpich": "PMI_SIZE"}


def _flavour() -> str:
    """Which MPI this process is of: the one that it has loaded, that started it, or that there is."""
    mapped = pathlib.Path("/proc/self/maps").read_text()
    loaded = [name for name, library in _LIBRARIES.items() if f"/{library}" in mapped]
    launched = [name for name, variable in _LAUNCHERS.items() if variable in os.environ]
    built = [name for name in _LIBRARIES if list(pathlib.Path(__file__).parent.glob(f"_torch_{name}.*"))]
    if loaded and launched and loaded[0] not in launched:
        raise ImportError(f"espalier.torch: {loaded[0]} is loaded, and {launched[0]} has started this process")
    wanted = (loaded or launched or (["mpich"] if _torchrun.started() else built))[0]
    if _torchrun.started() and not launched and wanted != "mpich":
        raise ImportError(f"espalier.torch: {wanted} is loaded, and torchrun can start ranks of mpich alone")
    if wanted not in built:
        raise ImportError(f"espalier.torch: built for {' and '.join(built)}, and this process is of {wanted}")
    return wanted


def _load():
    module = importlib.import_module(f"espalier._torch_{_flavour()}")
    if torch.__version__.split("+")[0] != module.torch_version:
        raise ImportError(f"espalier.torch: built for torch {module.torch_version}, and this is {torch.__version__}")
    return module


def _meeting_point() -> None:
    """What torch's default, env://, reads: only what nobody has set."""
    rank, size = _mpi.rank(), _mpi.size()
    mine = ""
    if rank == 0:
        with socket.socket() as free:
            free.bind(("", 0))
            mine = f"{socket.gethostname()} {free.getsockname()[1]}"
    host, port = _mpi.tell(mine).split()
    if host == socket.gethostname():
        host = "127.0.0.1"
    for name, value in (("RANK", rank), ("WORLD_SIZE", size), ("MASTER_ADDR", host), ("MASTER_PORT", port)):
        os.environ.setdefault(name, str(value))


def _make_group(options, _):
    timeout = options.timeout
    if not isinstance(timeout, datetime.timedelta):
        timeout = datetime.timedelta(seconds=timeout)
    return _mpi.make_group(options.group_rank, options.group_size, options.global_ranks_in_group, timeout)


def _end() -> None:
    # Others wait in MPI for a rank that ends by an exception, or has a call that is not done.
    if hasattr(sys, "last_type") or not _mpi.end():
        sys.stdout.flush()
        sys.stderr.flush()
        time.sleep(0.2)  # MPICH's mpiexec may lose what was said just before
        _mpi.abort()


_mpi = _load()
if _torchrun.started() and not any(variable in os.environ for variable in _LAUNCHERS.values()):
    _torchrun.serve()
_mpi.begin()
atexit.register(_end)
_meeting_point()
# Debian's torch has no libuv, which newer ones would have their store use.
os.environ.setdefault("USE_LIBUV", "0")
_register = torch.distributed.Backend.register_backend
_devices = {"devices": "cpu"} if "devices" in inspect.signature(_register).parameters else {}
_register("espalier", _make_group, extended_api=True, **_devices)
