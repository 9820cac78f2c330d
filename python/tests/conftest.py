"""What the tests share: the command line as an oracle, and networks to try."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import espalier

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*/network*.json"))


def run(*words):
    """The command line, whose binary is in ESPALIER_CLI."""
    return subprocess.run(
        [os.environ["ESPALIER_CLI"], *map(str, words)], capture_output=True, text=True, timeout=300
    )


def said(*words):
    """What the command line prints as JSON."""
    result = run(*words, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def complaint(*words):
    """The one line of the command line about bad input, without its name."""
    result = run(*words)
    assert result.returncode in (2, 3), (result.returncode, result.stderr)
    lines = [line for line in result.stderr.splitlines() if "warning:" not in line]
    assert len(lines) == 1, result.stderr
    return lines[0].removeprefix("espalier: ")


def refused(expected, call, *arguments, **words):
    """Whether `call` raises this kind of error; returns its text."""
    with pytest.raises(expected) as caught:
        call(*arguments, **words)
    return str(caught.value)


def random_plogp(seed):
    """Three clusters, the costs of messages inside which are known."""
    random = np.random.default_rng(seed)
    near, far = np.eye(3, dtype=bool), ~np.eye(3, dtype=bool)
    latency = near * random.uniform(1e-5, 1e-4, 3) + far * random.uniform(1e-3, 2e-2, (3, 3))
    gap = np.stack([latency / 10, latency / 2, latency * 20], axis=-1)
    return espalier.Network.grid(latency, gap, sizes=random.integers(1, 5, 3), gap_bytes=[1, 4096, 2**20])


@pytest.fixture(scope="session")
def random_networks(tmp_path_factory):
    """Files of random networks of each model, made by the command line."""
    folder = tmp_path_factory.mktemp("networks")
    made = {}
    for seed in range(1, 4):
        for kind, options in (
            ("grid", ["--clusters", 4 + seed, "--nodes", 5]),
            ("gusto", ["--nodes", 4 + seed, "--asymmetric"]),
            ("sender", ["--nodes", 6 + seed, "--classes", 3, "--integer"]),
            ("tiers", ["--hosts", 5 + seed, "--latencies", "--bandwidth-factor", 125000]),
        ):
            file = folder / f"{kind}-{seed}.json"
            result = run("generate", kind, *options, "--seed", seed, "-o", file)
            assert result.returncode == 0, result.stderr
            made[kind, seed] = file
        made["plogp", seed] = folder / f"plogp-{seed}.json"
        random_plogp(seed).write(made["plogp", seed])
    return made


@pytest.fixture
def three():
    """Three nodes, the third far away."""
    startup = [[0, 1e-4, 1e-2], [1e-4, 0, 1e-2], [1e-2, 1e-2, 0]]
    bandwidth = [[0, 1e9, 1e7], [1e9, 0, 1e7], [1e7, 1e7, 0]]
    return espalier.Network.pairwise(startup, bandwidth, nodes=["a", "b", "c"])
