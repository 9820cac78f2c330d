"""Every collective against a serial reference, to be started by mpirun with any number of ranks. Values are integers, so that sums
are exact in whatever order: reference and result are the same, bit for bit."""

import datetime
import functools
import operator
import sys

import espalier.torch  # noqa: F401: registers the backend
import torch
import torch.distributed as dist

SIZES = (0, 1, 7, 4097)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
OPERATIONS = {
    dist.ReduceOp.SUM: operator.add,
    dist.ReduceOp.PRODUCT: operator.mul,
    dist.ReduceOp.MIN: torch.minimum,
    dist.ReduceOp.MAX: torch.maximum,
}
BITWISE = {
    dist.ReduceOp.BAND: torch.bitwise_and,
    dist.ReduceOp.BOR: torch.bitwise_or,
    dist.ReduceOp.BXOR: torch.bitwise_xor,
}


def values(rank, size, dtype, seed=0):
    """What a rank gives: the same on whoever asks. Sums of float16 lose bits unless they are done in float32."""
    generator = torch.Generator().manual_seed(1000 * rank + size + seed)
    if dtype == torch.bool:
        return torch.randint(0, 2, (size,), generator=generator).bool()
    # Small, since Open MPI adds int8 up to 127 and no further.
    low, high = (-2000, 2000) if dtype.is_floating_point else (0, 25)
    return torch.randint(low, high, (size,), generator=generator).to(dtype)


def wide(tensor):
    """float16 and bfloat16 as what they are added up as."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def small(rank, size, dtype):
    """Of which products are exact."""
    return (values(rank, size, torch.int64) % 3 - 1).abs().add(1).to(dtype)


def same(found, expected, what):
    if found.dtype != expected.dtype or not torch.equal(found, expected):
        sys.exit(f"rank {dist.get_rank()}: {what}: {found} is not {expected}")


def reductions():
    """(dtype, operation, what a rank gives, what all come to)"""
    for dtype in FLOATS + INTEGERS:
        for op, function in (OPERATIONS | ({} if dtype.is_floating_point else BITWISE)).items():
            give = small if op == dist.ReduceOp.PRODUCT else values
            yield dtype, op, give, function
    for op in OPERATIONS | BITWISE:
        truths = {dist.ReduceOp.SUM: operator.or_, dist.ReduceOp.MAX: operator.or_, dist.ReduceOp.BOR: operator.or_,
                  dist.ReduceOp.BXOR: operator.xor}
        yield torch.bool, op, values, truths.get(op, operator.and_)


def check_reductions(group, ranks, me):
    for dtype, op, give, function in reductions():
        for size in SIZES:
            what = f"{op} of {size} {dtype}"
            mine = [give(rank, size, dtype) for rank in ranks]
            total = functools.reduce(function, map(wide, mine)).to(dtype)
            tensor = mine[me].clone()
            dist.all_reduce(tensor, op, group=group)
            same(tensor, total, f"all-reduce, {what}")
            if size % 2:
                root = size % len(ranks)
                tensor = mine[me].clone()
                dist.reduce(tensor, ranks[root], op, group=group)
                if me == root:
                    same(tensor, total, f"reduce, {what}")
        size = 5
        blocks = [list(give(rank, size * len(ranks), dtype).split(size)) for rank in ranks]
        total = functools.reduce(function, (wide(given[me]) for given in blocks)).to(dtype)
        out = torch.empty(size, dtype=dtype)
        dist.reduce_scatter(out, blocks[me], op, group=group)
        same(out, total, f"reduce-scatter, {op} of {dtype}")
        out.zero_()
        dist._reduce_scatter_base(out, torch.cat(blocks[me]), op, group=group)
        same(out, total, f"reduce-scatter of one tensor, {op} of {dtype}")
    for dtype in FLOATS:
        tensor = values(ranks[me], 9, dtype)
        dist.all_reduce(tensor, dist.ReduceOp.AVG, group=group)
        total = functools.reduce(operator.add, (wide(values(rank, 9, dtype)) for rank in ranks))
        same(tensor, (total / len(ranks)).to(dtype), f"average of {dtype}")
    tensors = [values(ranks[me], size, torch.float32) for size in SIZES]
    dist.all_reduce_coalesced(tensors, group=group)
    for size, tensor in zip(SIZES, tensors):
        same(tensor, sum(values(rank, size, torch.float32) for rank in ranks), "joint all-reduce")


def check_moves(group, ranks, me):
    p = len(ranks)
    for dtype in (torch.bool, torch.bfloat16, torch.float32, torch.int64, torch.complex128):
        for size in SIZES:
            what = f"{size} {dtype}"
            all_of = [values(rank, size, dtype) for rank in ranks]
            root = size % p
            tensor = all_of[me].clone()
            dist.broadcast(tensor, ranks[root], group=group)
            same(tensor, all_of[root], f"broadcast of {what}")
            outs = [torch.empty(size, dtype=dtype) for _ in ranks]
            dist.all_gather(outs, all_of[me], group=group)
            for out, expected in zip(outs, all_of):
                same(out, expected, f"all-gather of {what}")
            if not dtype.is_complex:
                flat = torch.empty(size * p, dtype=dtype)
                dist._all_gather_base(flat, all_of[me], group=group)
                same(flat, torch.cat(all_of), f"all-gather of {what} into one")
                own = flat.clone().zero_()
                own[me * size:(me + 1) * size] = all_of[me]
                dist._all_gather_base(own, own[me * size:(me + 1) * size], group=group)
                same(own, torch.cat(all_of), f"all-gather of {what} in place")
                outs = [torch.empty(size, dtype=dtype) for _ in ranks] if me == root else None
                dist.gather(all_of[me], outs, ranks[root], group=group)
                for out, expected in zip(outs or [], all_of):
                    same(out, expected, f"gather of {what}")
                out = torch.empty(size, dtype=dtype)
                dist.scatter(out, all_of if me == root else None, ranks[root], group=group)
                same(out, all_of[me], f"scatter of {what}")
            check_exchanges(group, ranks, me, dtype, size)
    lists = [[torch.empty(3), torch.empty(2)] for _ in ranks]
    mine = [values(ranks[me], 3, torch.float32), values(ranks[me], 2, torch.float32)]
    dist.all_gather_coalesced(lists, mine, group=group)
    for rank, found in zip(ranks, lists):
        same(found[0], values(rank, 3, torch.float32), "joint all-gather")
        same(found[1], values(rank, 2, torch.float32), "joint all-gather")


def check_exchanges(group, ranks, me, dtype, size):
    p = len(ranks)

    def part(source, target, count):
        return values(ranks[source], count, dtype, seed=100 * target)

    even = torch.empty(size * p, dtype=dtype)
    dist.all_to_all_single(even, torch.cat([part(me, to, size) for to in range(p)]), group=group)
    same(even, torch.cat([part(source, me, size) for source in range(p)]), "all-to-all")

    def count(source, target):
        return (size * (source + 1) + target) % 11

    gets, gives = [count(source, me) for source in range(p)], [count(me, to) for to in range(p)]
    expected = [part(source, me, gets[source]) for source in range(p)]
    given = [part(me, to, gives[to]) for to in range(p)]
    uneven = torch.empty(sum(gets), dtype=dtype)
    dist.all_to_all_single(uneven, torch.cat(given), gets, gives, group=group)
    same(uneven, torch.cat(expected), "uneven all-to-all")
    outs = [torch.empty(each, dtype=dtype) for each in gets]
    dist.all_to_all(outs, given, group=group)
    for out, block in zip(outs, expected):
        same(out, block, "all-to-all of lists")


def check_messages(ranks, me):
    p = len(ranks)
    if p == 1:
        return
    for size in SIZES:
        # Each sends to the next, having posted its receive last.
        got = torch.empty(size)
        sent = dist.isend(values(me, size, torch.float32), (me + 1) % p, tag=size)
        dist.recv(got, (me - 1) % p, tag=size)
        sent.wait()
        same(got, values((me - 1) % p, size, torch.float32), "message")
    if me == 0:
        froms = set()
        for _ in range(p - 1):
            got = torch.empty(4)
            source = dist.recv(got)
            same(got, values(source, 4, torch.float32), "message of anybody")
            froms.add(source)
        if froms != set(range(1, p)):
            sys.exit(f"messages of {froms}")
    else:
        dist.send(values(me, 4, torch.float32), 0)


def check_work(ranks, me):
    """Many at once, in order, with futures and what follows on them."""
    tensors = [torch.full((3,), float(i)) for i in range(20)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    futures = [work.get_future().then(lambda future: future.value()[0].sum()) for work in works]
    for i, (work, future) in enumerate(zip(works, futures)):
        if not work.wait() or not work.is_completed() or future.wait() != 3.0 * i * len(ranks):
            sys.exit(f"future {i}: {future.wait()}")
    dist.barrier()
    objects = [None] * len(ranks)
    dist.all_gather_object(objects, {"rank": me})
    if objects != [{"rank": rank} for rank in ranks]:
        sys.exit(f"objects: {objects}")


def main():
    dist.init_process_group("espalier", timeout=datetime.timedelta(seconds=120))
    p, me = dist.get_world_size(), dist.get_rank()
    everyone = list(range(p))
    check_moves(None, everyone, me)
    check_reductions(None, everyone, me)
    check_messages(everyone, me)
    check_work(everyone, me)
    # A group in another order than MPI's, and two that overlap, used side by side.
    others = [rank for rank in everyone if rank != 0] or [0]
    groups = [dist.new_group(others), dist.new_group(everyone)]
    works = []
    tensors = [torch.ones(2), torch.ones(2)]
    for which in (0, 1) if me % 2 else (1, 0):
        if which == 1 or me in others:
            works.append(dist.all_reduce(tensors[which], group=groups[which], async_op=True))
    for work in works:
        work.wait()
    same(tensors[1], torch.full((2,), float(p)), "all-reduce of a second group")
    if me in others:
        same(tensors[0], torch.full((2,), float(len(others))), "all-reduce of some")
        check_moves(groups[0], others, others.index(me))
        dist.destroy_process_group(groups[0])
    dist.barrier()
    dist.destroy_process_group()
    print(f"rank {me} of {p}: all as expected")


if __name__ == "__main__":
    main()
