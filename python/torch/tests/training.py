"""A small net, trained by DistributedDataParallel: the same parameters on all ranks, bit for bit, and those of serial training on
all data, but for rounding."""

import sys

import espalier.torch  # noqa: F401: registers the backend
import torch
import torch.distributed as dist

STEPS, BATCH = 20, 12


def net():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Conv1d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(24, 2)).double()


def train(model, data, ranks):
    """`data`: (steps, ranks, batch, 1, 8), of which this trains on `ranks`."""
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in data:
        batch = step[ranks].flatten(0, 1)
        wanted = torch.stack([batch.sum((1, 2)), batch.square().sum((1, 2))], dim=1)
        optimiser.zero_grad()
        torch.nn.functional.mse_loss(model(batch), wanted).backward()
        optimiser.step()
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
    if not torch.allclose(ours, serial, rtol=1e-9, atol=1e-12) or torch.equal(serial, torch.cat([w.detach().flatten() for w in net().parameters()])):
        sys.exit(f"rank {me}: {(ours - serial).abs().max()} from serial training")
    print(f"rank {me} of {p}: trained")


if __name__ == "__main__":
    main()
