"""Results are those of the command line, in JSON."""

import json

import pytest

import espalier
from conftest import EXAMPLES, ROOT, complaint, run, said

WAYS = ("broadcast", "reduce", "allreduce", "scatter", "gather", "allgather", "alltoall", "scan")


def options_of(network, collective):
    """A size, where the network takes one; in the words of both."""
    if network.model == "sender":
        return {}, []
    return {"bytes": 65536}, ["--bytes", "64KiB"]


def collectives_of(network):
    if network.model == "sender":
        return ("broadcast", "reduce")
    return WAYS if len(network) < 30 else ("broadcast", "reduce", "scatter")


def same_facts(plan, document):
    """Properties and arrays say what the file says."""
    assert plan.makespan == document["makespan"] and plan.optimal == document["optimal"]
    assert plan.lower_bound == (document.get("lower_bound") or None)
    assert (plan.bound_scope, plan.ports) == (document["bound_scope"], document["ports"])
    assert (plan.root, list(plan.nodes)) == (document.get("root"), document["nodes"])
    for row, transfer in zip(plan.timeline, document["transfers"], strict=True):
        assert plan.nodes[row["sender"]] == transfer["from"] and plan.nodes[row["receiver"]] == transfer["to"]
        assert (row["start"], row["end"]) == (transfer["start"], transfer["end"])
        assert row["combine"] == (transfer["op"] == "combine")


def equal_plans(file):
    """What the command line plans, or refuses with the same line."""
    network = espalier.Network.read(file)
    planned = 0
    for collective in collectives_of(network):
        words, options = options_of(network, collective)
        try:
            plan = espalier.plan(network, collective, **words)
        except espalier.InputError as error:
            assert str(error) == complaint("plan", collective, file, *options)
            continue
        planned += 1
        there = said("plan", collective, file, *options)
        assert plan.to_dict() == there, collective
        same_facts(plan, there)
    assert planned >= 2


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_network_is_written_as_it_was_read(file):
    network = espalier.Network.read(file)
    assert network.to_dict() == said("convert", file)
    assert network.overview() == said("network", file)
    assert espalier.Network.from_json(network.to_json()) == network


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_plans_of_the_examples_are_those_of_the_command_line(file):
    equal_plans(file)


def test_a_plan_on_the_grid_of_the_paper_is_that_of_the_command_line():
    file = ROOT / "examples/table4/network.json"
    plan = espalier.plan(espalier.Network.read(file), "broadcast", "ecef-lat-max", bytes="1MiB")
    assert plan.to_dict() == said("plan", "broadcast", file, "--bytes", "1MiB", "--algorithm", "ecef-lat-max")


@pytest.mark.parametrize("seed", (1, 2, 3))
@pytest.mark.parametrize("kind", ("grid", "plogp", "gusto", "sender", "tiers"))
@pytest.mark.filterwarnings("ignore:.*--bytes does not change")
def test_plans_of_random_networks_are_those_of_the_command_line(random_networks, kind, seed):
    equal_plans(random_networks[kind, seed])


@pytest.mark.parametrize("kind", ("grid", "gusto", "sender", "tiers"))
def test_one_seed_makes_one_network_here_and_there(random_networks, kind):
    words = {
        "grid": {"clusters": 6, "nodes": 5},
        "gusto": {"nodes": 6, "asymmetric": True},
        "sender": {"nodes": 8, "classes": 3, "integer": True},
        "tiers": {"hosts": 7, "latencies": True, "bandwidth_factor": 125000},
    }[kind]
    made = espalier.generate(kind, seed=2, **words)
    assert made.to_dict() == json.loads(random_networks[kind, 2].read_text())


def test_generated_sizes_are_those_of_the_command_line(three):
    sizes = espalier.generate("sizes", network=three, pattern="uniform", seed=5)
    lines = run("generate", "sizes", "--nodes", 3, "--pattern", "uniform", "--seed", 5).stdout.splitlines()
    rows = [[int(cell or 0) for cell in line.split(",")[1:]] for line in lines[1:]]
    assert sizes.tolist() == rows


@pytest.mark.parametrize("to", ("pairwise", "sender", "links"))
def test_a_network_becomes_another_model_as_on_the_command_line(random_networks, to):
    file = random_networks["gusto", 1]
    words = {"bytes": "1MiB"} if to == "sender" else {}
    options = ["--bytes", "1MiB"] if to == "sender" else []
    if to == "links":
        words, options = {"cycle_time": 2}, ["--cycle-time", 2]
    assert espalier.Network.read(file).to(to, **words).to_dict() == said("convert", file, "--to", to, *options)


def test_a_table_of_latencies_becomes_the_network_of_the_command_line():
    file = ROOT / "examples/table4/latency_us.csv"
    assert espalier.convert(file, rtt=True).to_dict() == said("convert", file, "--rtt")


def test_a_partition_is_that_of_the_command_line():
    file = ROOT / "examples/table4/network.json"
    network = espalier.Network.read(file)
    for method in ("lowekamp", "closeness"):
        found = network.partition(tolerance="30%", method=method)
        assert found.to_dict() == said("partition", file, "--tolerance", 0.3, "--method", method)
        assert [found.nodes[i] for i in range(len(found.nodes)) if found.labels[i] == 0] == list(found.clusters[0])


def without_times(document):
    for row in document["results"]:
        del row["plan_s"]
    return document


def test_a_comparison_is_that_of_the_command_line(random_networks):
    file = random_networks["gusto", 1]
    found = espalier.compare(espalier.Network.read(file), "broadcast", bytes=4096, time_limit=5)
    there = said("compare", "broadcast", file, "--bytes", 4096, "--time-limit", 5)
    # A command says what it read, and for what.
    assert there.pop("network") == str(file)
    assert (there.pop("collective"), there.pop("bytes")) == ("broadcast", 4096)
    assert there.pop("problem") in there.pop("command")
    assert without_times(found.to_dict()) == without_times(there)
    assert [result.chosen for result in found.results] == [result.get("chosen") for result in there["results"]]
    assert found["auto"].chosen
    assert found[found.results[0].algorithm].makespan == found.results[0].makespan
    assert found.results[0].makespan == min(result.makespan for result in found.results)


def test_a_ring_is_that_of_the_command_line(random_networks, tmp_path):
    for file in (ROOT / "examples/ring-toy/network.json", random_networks["tiers", 1]):
        network = espalier.Network.read(file)
        words = ("ring", file, "--work", 100, "--exchange", 2, "--algorithm", "greedy", "--schedule", tmp_path / "s.json")
        ring = espalier.ring(network, 100, 2, algorithm="greedy")
        there = said(*words)
        # How near the bound comes depends on the time that it has.
        here = ring.to_dict()
        assert {**here, "lower_bound": 0, "optimal": 0} == {**there, "lower_bound": 0, "optimal": 0}
        assert ring.messages().to_dict() == json.loads((tmp_path / "s.json").read_text())
        assert ring.check() == pytest.approx(ring.step_time, rel=1e-9)
        ring.write(tmp_path / "ring.json")
        assert said("check", tmp_path / "ring.json", "--network", file)["valid"]
        assert espalier.Ring.read(tmp_path / "ring.json", network).hosts == ring.hosts


@pytest.mark.filterwarnings("ignore:.*--bytes does not change")
def test_a_plan_that_is_written_is_valid_there_with_the_same_makespan(random_networks, tmp_path):
    for (kind, seed), file in random_networks.items():
        if kind == "tiers":
            continue
        network = espalier.Network.read(file)
        words, _ = options_of(network, "broadcast")
        plan = espalier.plan(network, "broadcast", **words)
        plan.write(tmp_path / "plan.json")
        there = said("check", tmp_path / "plan.json", "--network", file)
        here = espalier.check(plan, network)
        assert here.valid and there["valid"]
        assert here.makespan == there["makespan"]
        assert here.stated_makespan == there["stated_makespan"] == plan.makespan


def test_a_certificate_holds_here_and_there(random_networks, tmp_path):
    file = random_networks["sender", 1]
    network = espalier.Network.read(file)
    plan = espalier.plan(network, "broadcast", "optimal")
    certificate = plan.certificate()
    found = espalier.check(plan, network, certificate)
    plan.write(tmp_path / "plan.json")
    (tmp_path / "proof.json").write_text(certificate)
    there = said("check", tmp_path / "plan.json", "--network", file, "--certificate", tmp_path / "proof.json")
    assert found.proven_optimal and there["optimal"]
    assert found.proven_lower_bound == there["proven_lower_bound"] == plan.makespan


def test_the_algorithms_are_those_of_the_command_line():
    assert espalier.algorithms() == said("algorithms")["algorithms"]
