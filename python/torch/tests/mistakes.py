"""One mistake, named on the command line: what is raised is printed, a line a rank."""

import datetime
import os
import signal
import sys
import time

LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}

if sys.argv[1] == "version":
    import torch

    torch.__version__ = "9.9.9"
elif sys.argv[1] == "ranks":
    os.environ["RANK"], os.environ["WORLD_SIZE"] = "0", "7"
elif sys.argv[1] == "loaded":
    import ctypes

    ctypes.CDLL(next(library for flavour, library in LIBRARIES.items() if flavour != sys.argv[2]))
elif sys.argv[1] in ("single", "finalised"):
    import ctypes

    mpi = ctypes.CDLL(LIBRARIES[sys.argv[2]], mode=ctypes.RTLD_GLOBAL)
    mpi.MPI_Init(None, None)
    if sys.argv[1] == "finalised":
        mpi.MPI_Finalize()

try:
    import espalier.torch  # noqa: F401: registers the backend
except (ImportError, RuntimeError) as error:
    print(f"refused: {error}", flush=True)
    os._exit(0)
import torch
import torch.distributed as dist

LIMIT = datetime.timedelta(seconds=2)


def group():
    dist.init_process_group("espalier", timeout=LIMIT)
    return dist.get_rank()


def sizes():
    dist.all_reduce(torch.ones(3 + group()))


def known_sizes():
    """Sizes that every rank has used before."""
    me = group()
    for size in (3, 4):
        dist.all_reduce(torch.ones(size))
    dist.all_reduce(torch.ones(3 + me % 2))


def absent():
    if group() == 0:
        time.sleep(4)
    else:
        dist.all_reduce(torch.ones(3))


def future():
    if group() == 0:
        time.sleep(4)
    else:
        dist.all_reduce(torch.ones(3), async_op=True).get_future().wait()


def after():
    if group() == 0:
        time.sleep(4)
        return
    try:
        dist.barrier()
    except RuntimeError:
        dist.all_reduce(torch.ones(3))


def message():
    if group() == 0:
        time.sleep(4)
    else:
        dist.recv(torch.ones(3), 0)


def uncaught():
    """Others wait for a rank that ends by an exception."""
    if group() == 0:
        raise SystemError("of the program")
    dist.all_reduce(torch.ones(3))


def killed():
    """In a step, after some that went well."""
    me = group()
    for step in range(5):
        if me == 0 and step == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        dist.all_reduce(torch.ones(3))


ASKED = {
    # Of other calls with tensors of this device torch says itself that it has none.
    "device": lambda: dist._all_gather_base(torch.ones(6, device="meta"), torch.ones(3, device="meta")),
    "contiguous": lambda: dist.broadcast(torch.ones(4, 4).t()[1:], 0),
    "sparse": lambda: dist.all_reduce(torch.eye(3).to_sparse().coalesce(), async_op=True),
    "bits": lambda: dist.all_reduce(torch.ones(3), dist.ReduceOp.BXOR),
    "average": lambda: dist.all_reduce(torch.ones(3, dtype=torch.int32), dist.ReduceOp.AVG),
    "lists": lambda: dist.all_gather([torch.ones(3), torch.ones(3), torch.ones(4)], torch.ones(3)),
    "splits": lambda: dist.all_to_all_single(torch.ones(3), torch.ones(4)),
}

if sys.argv[1] == "uncaught":
    uncaught()
try:
    if sys.argv[1] == "asked":
        group()
        for name, ask in ASKED.items():
            try:
                ask()
            except RuntimeError as error:
                print(f"refused {name}: {error}", flush=True)
    elif sys.argv[1] == "ranks":
        # What begins with init_process_group's own rendezvous is torch's business.
        from torch.distributed import HashStore

        dist.init_process_group("espalier", store=HashStore(), rank=0, world_size=7, timeout=LIMIT)
    else:
        globals()[sys.argv[1]]()
    print("accepted")
except (RuntimeError, ValueError) as error:
    print(f"refused: {error}", flush=True)
