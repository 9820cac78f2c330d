"""What one rank does: torch programs over each of two backends by turns, in the same processes. Started by `torch_calls.py`.

    program.py JOB.json

JOB.json: {"meeting": a file that all ranks map, "out": where rank 0 writes what it found, "parts": of "calls", "step" and "training" those to be
done, "cells": calls, [[what, bytes], …], "warm_ups": turns that aren't counted, "rounds": turns that are, or as many as "seconds" allow, at least "least";
"row": calls in a turn, or as many as "row_s" seconds allow; "trained": steps of the training, by ours alone}.
"""

import functools
import json
import mmap
import pathlib
import sys
import time

import espalier.torch  # noqa: F401: registers the backend
import numpy
import torch
import torch.distributed as dist
from training import Training, net


class Meeting:
    """Ranks agree on an instant of the clock that all hosts share, and tell what they took, through a file that all map: nothing of it goes
    over the network."""

    LEAD_S, LOOK_S = 0.02, 0.002

    def __init__(self, path, rank, ranks):
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        slots = numpy.frombuffer(self.memory, dtype=numpy.float64)
        self.start, self.arrived, self.took = slots[:2], slots[2:2 + ranks], slots[2 + ranks:2 + 2 * ranks]
        self.rank, self.turn = rank, 0

    def timed(self, call):
        """What `call` takes on the slowest rank from an instant on which all begin it, in seconds."""
        self._meet()
        if self.rank == 0:
            self.start[1] = time.monotonic() + self.LEAD_S
            self.start[0] = self.turn
        while self.start[0] < self.turn:
            time.sleep(self.LOOK_S)
        begin = self.start[1]
        time.sleep(max(0.0, begin - time.monotonic()))
        call()
        return self.told(time.monotonic() - begin)

    def told(self, number):
        """The largest of all ranks' numbers."""
        self.took[self.rank] = number
        self._meet()
        largest = float(self.took.max())
        self._meet()
        return largest

    def _meet(self):
        self.turn += 1
        self.arrived[self.rank] = self.turn
        while self.arrived.min() < self.turn:
            time.sleep(self.LOOK_S)


def take_turns(meeting, job, actions):
    """{backend: [seconds]} of `actions`, {backend: what is timed and what checks it}: rows of calls by each in turn. The first of a row finds connections
    that were idle while it was the others' turn, and isn't counted where it is not alone."""
    seconds = {name: [] for name in actions}
    row, began = 1, time.monotonic()
    for turn in range(job["warm_ups"] + job["rounds"]):
        if turn >= job["warm_ups"] + job["least"] and meeting.told(time.monotonic() - began) > job["seconds"]:
            break
        longest = 0.0
        for name, action in actions.items():
            took = [action(meeting) for _ in range(row)]
            longest = max(longest, *took)
            if turn >= job["warm_ups"]:
                seconds[name] += took[1:] or took
        row = max(1, min(job["row"], round(job["row_s"] / longest)))
    return seconds


def caller(what, size, group, rank, ranks):
    """What times one call, and checks what it brought. Values are small integers, so that sums are the same in any order."""
    mine = (torch.arange(size // 4) % 1024).float()
    tensor = torch.empty_like(mine)
    if what == "all-reduce":
        given, expected = mine + rank, mine * ranks + ranks * (ranks - 1) / 2
        call = functools.partial(dist.all_reduce, tensor, group=group)
    else:
        given, expected = mine if rank == 0 else torch.zeros_like(mine), mine
        call = functools.partial(dist.broadcast, tensor, 0, group=group)

    def action(meeting):
        tensor.copy_(given)
        took = meeting.timed(call)
        if not torch.equal(tensor, expected):
            sys.exit(f"rank {rank}: wrong values after {what} of {size} bytes")
        return took

    return action


def time_calls(meeting, job, groups, rank, ranks):
    """{cell: {backend: [seconds]}}"""
    return {
        f"{what} {size}": take_turns(meeting, job, {name: caller(what, size, group, rank, ranks) for name, group in groups.items()})
        for what, size in job["cells"]
    }


def time_steps(meeting, job, groups, rank):
    trainings = {name: Training(group, rank) for name, group in groups.items()}
    return take_turns(meeting, job, {name: lambda meeting, step=training.step: meeting.timed(step) for name, training in trainings.items()})


def train(job, group, rank):
    """Steps by ours alone: every rank's parameters at the end, and seconds a step."""
    training = Training(group, rank)
    begin = time.monotonic()
    for _ in range(job["trained"]):
        training.step()
    took = (time.monotonic() - begin) / job["trained"]
    hashes = [None] * dist.get_world_size()
    dist.all_gather_object(hashes, training.parameters())
    return {"hashes": hashes, "seconds_a_step": took}


def main():
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    torch.set_num_threads(1)
    dist.init_process_group("espalier")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    groups = {"gloo": dist.new_group(backend="gloo"), "espalier": dist.group.WORLD}
    meeting = Meeting(job["meeting"], rank, ranks)
    found = {"torch": torch.__version__, "parameters": sum(parameter.numel() for parameter in net().parameters())}
    parts = {
        "calls": lambda: time_calls(meeting, job, groups, rank, ranks),
        "step": lambda: time_steps(meeting, job, groups, rank),
        "training": lambda: train(job, dist.group.WORLD, rank),
    }
    for part in job["parts"]:
        found[part] = parts[part]()
    if rank == 0:
        pathlib.Path(job["out"]).write_text(json.dumps(found, indent=1))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
