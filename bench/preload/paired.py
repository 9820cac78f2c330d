"""What the scripts here share: two ways of running something, by turns, and how their times compare."""

import os
import random
import shutil
import statistics
import sys
from collections.abc import Callable

Pairs = list[tuple[float, float]]
# Between two hosts that are so near that no plan pays.
NETWORK = """{"format":"espalier-network","version":1,"model":"grid","clusters":[
 {"name":"here","nodes":["a"]},{"name":"there","nodes":["b"]}],
 "latency_s":[[0,1e-8],[1e-8,0]],"gap_s":[[0,1e-9],[1e-9,0]]}"""


def launcher(flavour: str, ranks: int) -> list[str]:
    """The words before a program; ends this one where there is no such MPI."""
    name = "mpirun.openmpi" if flavour == "openmpi" else "mpiexec.mpich"
    if shutil.which(name) is None:
        print(f"{sys.argv[0]}: no {flavour} here", file=sys.stderr)
        sys.exit(2)
    return [name, "-n", str(ranks)]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ESPALIER")}
    return dict(kept, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1")


def by_turns(run: Callable[[bool], object], count: int) -> list[tuple]:
    """(with, without) of `count` pairs; each of the two goes first in every other pair."""
    pairs = []
    for i in range(count):
        order = [True, False] if i % 2 else [False, True]
        found = {preload: run(preload) for preload in order}
        pairs.append((found[True], found[False]))
    return pairs


def ratio_of_medians(pairs: Pairs) -> float:
    return statistics.median(p[0] for p in pairs) / statistics.median(p[1] for p in pairs)


def interval(pairs: Pairs, draws: int = 2000) -> tuple[float, float]:
    """The 95% interval of the ratio of medians, by resampling the pairs."""
    generator = random.Random(1)
    ratios = sorted(ratio_of_medians(generator.choices(pairs, k=len(pairs))) for _ in range(draws))
    return ratios[int(0.025 * draws)], ratios[int(0.975 * draws)]
