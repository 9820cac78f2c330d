"""A small convolutional net, trained by DistributedDataParallel over the backend that BACKEND names: espalier, or gloo, started by Open MPI's mpirun.

    ddp.py STEPS

Prints in how many ways the parameters' bits came out on the ranks, and the sum of all ranks' last losses.
"""

import os
import pathlib
import sys

import torch
import torch.distributed as dist

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "torch"))
from training import Training  # noqa: E402


def main():
    torch.set_num_threads(1)
    backend = os.environ["BACKEND"]
    if backend == "espalier":
        import espalier.torch  # noqa: F401: registers the backend
    else:
        for name, value in (("RANK", os.environ["OMPI_COMM_WORLD_RANK"]), ("WORLD_SIZE", os.environ["OMPI_COMM_WORLD_SIZE"]),
                            ("MASTER_ADDR", os.environ["FIRST_HOST"]), ("MASTER_PORT", "29500")):
            os.environ[name] = value
    dist.init_process_group(backend)
    rank, ranks = dist.get_rank(), dist.get_world_size()
    training = Training(None, rank)
    for _ in range(int(sys.argv[1])):
        loss = training.step()
    hashes = [None] * ranks
    dist.all_gather_object(hashes, training.parameters())
    dist.all_reduce(loss)
    if rank == 0:
        print(f"sets of bits {len(set(hashes))}")
        print(f"loss {loss.item():.6f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
