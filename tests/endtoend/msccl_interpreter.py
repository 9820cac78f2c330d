#!/usr/bin/env python3
"""Performs a program for MSCCL (XML), step by step in a random order of its threads, and says whether each rank ends with
what the collective promises: an interpreter that knows the format's documentation and nothing of what wrote it.

    msccl_interpreter.py PROGRAM.xml [ROOT] [SEEDS]

A part is the set of (rank, offset in its input) that are added up in it, as a sorted tuple, so that what is added twice shows. A
channel from one rank to another is first in, first out, and has room for one message of its sender: whoever sends into a
full one waits."""
import random
import sys
import xml.etree.ElementTree as xml


class Rank:
    def __init__(self, gpu):
        sizes = {b: int(gpu.get(f"{b}_chunks")) for b in "ios"}
        me = int(gpu.get("id"))
        self.buffers = {b: [None] * sizes[b] for b in "ios"}
        self.buffers["i"] = [((me, k),) for k in range(sizes["i"])]
        self.blocks = []
        for block in gpu.findall("tb"):
            assert int(block.get("id")) == len(self.blocks), "blocks out of order"
            assert me not in (int(block.get("send")), int(block.get("recv"))), "a rank sends to itself"
            steps = block.findall("step")
            assert [int(s.get("s")) for s in steps] == list(range(len(steps))), "steps out of order"
            self.blocks.append((int(block.get("send")), int(block.get("recv")), [s.attrib for s in steps]))
        self.at = [0] * len(self.blocks)


def read(rank, step, which, count):
    buffer, offset = rank.buffers[step[which + "buf"]], int(step[which + "off"])
    assert 0 <= offset and offset + count <= len(buffer), f"outside the buffer: {step}"
    parts = buffer[offset:offset + count]
    return parts


def write(rank, step, parts):
    assert step["dstbuf"] != "i", "an input is written"
    read(rank, step, "dst", len(parts))
    offset = int(step["dstoff"])
    rank.buffers[step["dstbuf"]][offset:offset + len(parts)] = parts


def ready(ranks, me, b, channels):
    send, receive, steps = ranks[me].blocks[b]
    if ranks[me].at[b] == len(steps):
        return False
    step = steps[ranks[me].at[b]]
    waits = int(step["depid"])
    if waits >= 0:
        if ranks[me].at[waits] <= int(step["deps"]):
            return False
        awaited = ranks[me].blocks[waits][2][int(step["deps"])]
        assert awaited["hasdep"] == "1", "nobody was told to say when this step is over"
    if step["type"] == "s":
        return not channels.get((me, send))
    return step["type"] not in ("r", "rrc") or bool(channels.get((receive, me)))


def perform(ranks, me, b, channels):
    send, receive, steps = ranks[me].blocks[b]
    step = steps[ranks[me].at[b]]
    count = int(step["cnt"])
    if step["type"] == "s":
        parts = read(ranks[me], step, "src", count)
        assert None not in parts, f"rank {me} sends what it does not have: {step}"
        channels.setdefault((me, send), []).append(parts)
    elif step["type"] == "r":
        write(ranks[me], step, channels[receive, me].pop(0))
    elif step["type"] == "rrc":
        own = read(ranks[me], step, "src", count)
        write(ranks[me], step, [tuple(sorted(a + b)) for a, b in zip(own, channels[receive, me].pop(0), strict=True)])
    elif step["type"] == "cpy":
        write(ranks[me], step, read(ranks[me], step, "src", count))
    else:
        assert step["type"] == "nop", step["type"]
    ranks[me].at[b] += 1


def promised(kind, rank, ranks, root, inputs, outputs):
    every = range(ranks)
    if kind == "broadcast":
        return [((root, k),) for k in range(outputs)]
    if kind == "allreduce" or (kind == "reduce" and rank == root):
        return [tuple((r, k) for r in every) for k in range(outputs)]
    if kind == "allgather":
        return [((r, k),) for r in every for k in range(inputs)]
    if kind == "reduce_scatter":
        return [tuple((r, rank * outputs + k) for r in every) for k in range(outputs)]
    if kind == "alltoall":
        return [((r, rank * (inputs // ranks) + k),) for r in every for k in range(inputs // ranks)]
    return None


def main():
    root, seeds = (int(word) for word in (sys.argv[2:] + ["0", "20"][len(sys.argv) - 2:]))
    program = xml.parse(sys.argv[1]).getroot()
    kind, count = program.get("coll"), int(program.get("ngpus"))
    for seed in range(seeds):
        dice = random.Random(seed)
        ranks = [Rank(gpu) for gpu in program.findall("gpu")]
        assert len(ranks) == count
        channels = {}
        while True:
            can = [(r, b) for r in range(count) for b in range(len(ranks[r].blocks)) if ready(ranks, r, b, channels)]
            if not can:
                break
            perform(ranks, *dice.choice(can), channels)
        for r, rank in enumerate(ranks):
            assert all(at == len(steps) for at, (_, _, steps) in zip(rank.at, rank.blocks)), f"rank {r} waits for ever"
            inputs, outputs = len(rank.buffers["i"]), len(rank.buffers["o"])
            factor = {"allgather": (count, 1), "reduce_scatter": (1, count)}.get(kind, (1, 1))
            assert inputs * factor[0] == outputs * factor[1] == int(program.get("nchunksperloop")), "sizes disagree"
            wanted = promised(kind, r, count, root, inputs, outputs)
            assert wanted is None or rank.buffers["o"] == wanted, f"rank {r} ends with {rank.buffers['o']}, not {wanted}"
        assert not any(channels.values()), "a message was never received"
    print(f"{kind} of {count} ranks: right in {seeds} orders")


main()
