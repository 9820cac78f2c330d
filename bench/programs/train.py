"""Data-parallel training with NumPy and mpi4py: an all-reduce of all gradients in each step.

    train.py STEPS

Prints a hash of the parameters, the same on all ranks, and the loss at the end.
"""

import hashlib
import sys

import numpy as np
from mpi4py import MPI

INPUTS, HIDDEN, CLASSES, BATCH = 256, 2000, 10, 16


def forward(weights, pictures):
    hidden = np.maximum(pictures @ weights[0], 0)
    scores = hidden @ weights[1]
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    return hidden, chances / chances.sum(axis=1, keepdims=True)


def main():
    steps = int(sys.argv[1])
    world = MPI.COMM_WORLD
    common, own = np.random.default_rng(1), np.random.default_rng(1000 + world.rank)
    parameters = (0.05 * common.standard_normal(INPUTS * HIDDEN + HIDDEN * CLASSES)).astype(np.float32)
    weights = np.split(parameters, [INPUTS * HIDDEN])
    weights = [weights[0].reshape(INPUTS, HIDDEN), weights[1].reshape(HIDDEN, CLASSES)]
    truth = common.standard_normal((INPUTS, CLASSES))
    gradients = np.empty_like(parameters)
    loss = 0.0
    for _ in range(steps):
        pictures = own.standard_normal((BATCH, INPUTS)).astype(np.float32)
        classes = (pictures @ truth).argmax(axis=1)
        hidden, chances = forward(weights, pictures)
        loss = -np.log(chances[np.arange(BATCH), classes]).mean()
        errors = chances
        errors[np.arange(BATCH), classes] -= 1
        errors /= BATCH * world.size
        back = (errors @ weights[1].T) * (hidden > 0)
        gradients[: INPUTS * HIDDEN] = (pictures.T @ back).ravel()
        gradients[INPUTS * HIDDEN:] = (hidden.T @ errors).ravel()
        world.Allreduce(MPI.IN_PLACE, gradients)
        parameters -= 0.1 * gradients
    hashes = world.gather(hashlib.sha256(parameters.tobytes()).hexdigest())
    losses = world.allreduce(float(loss)) / world.size
    if world.rank == 0:
        print(f"sets of bits {len(set(hashes))}")
        print(f"loss {losses:.6f}")


if __name__ == "__main__":
    main()
