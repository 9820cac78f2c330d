"""A net, and its training."""

import hashlib

import torch

BATCH = 4


def net():
    """A small convolutional net of two million parameters, for pictures of 3 x 16 x 16 in ten classes."""
    torch.manual_seed(1)
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(1024, 1900), nn.ReLU(), nn.Linear(1900, 10),
    )


class Training:
    """Steps of DistributedDataParallel on made-up data, other ones on each rank and in each step."""

    def __init__(self, group, rank):
        self.model = torch.nn.parallel.DistributedDataParallel(net(), process_group=group)
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.generator = torch.Generator().manual_seed(1000 + rank)

    def step(self):
        """The loss before it."""
        pictures = torch.randn((BATCH, 3, 16, 16), generator=self.generator)
        classes = torch.randint(0, 10, (BATCH,), generator=self.generator)
        self.optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.model(pictures), classes)
        loss.backward()
        self.optimiser.step()
        return loss.detach()

    def parameters(self):
        """SHA-256 of their bits."""
        digest = hashlib.sha256()
        for parameter in self.model.parameters():
            digest.update(parameter.detach().numpy().tobytes())
        return digest.hexdigest()
