"""A small net, trained by DistributedDataParallel: the same parameters on all ranks, bit for bit, and those of serial training on
all data, but for rounding. The same bits where each rank has a part of the optimiser's state
(ZeroRedundancyOptimizer)."""

import sys

import espalier.torch  # noqa: F401: registers the backend
import torch
import torch.distributed as dist
from torch.distributed.optim import ZeroRedundancyOptimizer

STEPS, BATCH = 20, 12


def net():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Conv1d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(24, 2)).double()


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)


def sharded_sgd(parameters):
    return ZeroRedundancyOptimizer(parameters, torch.optim.SGD, lr=0.05, momentum=0.9)


def train(model, data, ranks, optimiser_of=sgd):
    """`data`: (steps, ranks, batch, 1, 8), of which this trains on `ranks`."""
    optimiser = optimiser_of(model.parameters())
    for step in data:
        batch = step[ranks].flatten(0, 1)
        wanted = torch.stack([batch.sum((1, 2)), batch.square().sum((1, 2))], dim=1)
        optimiser.zero_grad()
        torch.nn.functional.mse_loss(model(batch), wanted).backward()
        optimiser.step()
    return all_of(model)


def all_of(model):
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def main():
    dist.init_process_group("espalier")
    p, me = dist.get_world_size(), dist.get_rank()
    data = torch.randn((STEPS, p, BATCH, 1, 8), generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    # Small buckets, so that there are several.
    ours = train(torch.nn.parallel.DistributedDataParallel(net(), bucket_cap_mb=0.0001), data, [me])
    serial = train(net(), data, list(range(p)))
    every = [torch.empty_like(ours) for _ in range(p)]
    dist.all_gather(every, ours)
    if not all(torch.equal(each, ours) for each in every):
        sys.exit(f"rank {me}: parameters differ between ranks")
    if not torch.allclose(ours, serial, rtol=1e-9, atol=1e-12) or torch.equal(serial, all_of(net())):
        sys.exit(f"rank {me}: {(ours - serial).abs().max()} from serial training")
    sharded = train(torch.nn.parallel.DistributedDataParallel(net(), bucket_cap_mb=0.0001), data, [me], sharded_sgd)
    if not torch.equal(sharded, ours):
        sys.exit(f"rank {me}: {(sharded - ours).abs().max()} from training with all of the optimiser's state on each rank")
    print(f"rank {me} of {p}: trained")


if __name__ == "__main__":
    main()
