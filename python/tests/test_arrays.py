"""NumPy in and out: shapes, units, what is not known."""

import json
import pickle

import numpy as np
import pytest

import espalier
from conftest import refused


def test_a_pairwise_network_gives_back_its_arrays():
    random = np.random.default_rng(7)
    for nodes in (1, 2, 9):
        startup = random.uniform(1e-6, 1e-2, (nodes, nodes))
        bandwidth = random.uniform(1e6, 1e9, (nodes, nodes))
        np.fill_diagonal(startup, 0)
        np.fill_diagonal(bandwidth, 0)
        network = espalier.Network.pairwise(startup, bandwidth)
        np.testing.assert_array_equal(network.startup_s, startup)
        np.testing.assert_array_equal(network.bandwidth_Bps, bandwidth)
        again = espalier.Network.from_json(network.to_json())
        np.testing.assert_array_equal(again.startup_s, startup)
        assert len(network) == nodes and network.nodes == tuple(f"n{i}" for i in range(nodes))


def test_what_is_not_known_is_no_number():
    startup = np.array([[0, 1e-3], [np.nan, 0]])
    network = espalier.Network.pairwise(startup, [[0, 1e6], [1e6, 0]])
    np.testing.assert_array_equal(network.startup_s, startup)
    assert network.to_dict()["startup_s"][1][0] is None
    assert np.isnan(network.message_time(1000)[1, 0])
    assert network.message_time(1000)[0, 1] == pytest.approx(2e-3)


def test_any_order_and_type_of_an_array_is_read_by_its_rows():
    startup = np.arange(9, dtype=np.int32).reshape(3, 3)
    rates = np.full((3, 3), 1000)
    network = espalier.Network.pairwise(np.asfortranarray(startup), rates[::-1])
    assert network.startup_s[0, 2] == 2 and network.startup_s[2, 0] == 6


def test_a_sender_network_gives_back_its_times():
    times = np.array([3.0, 1.0, 2.5])
    network = espalier.Network.sender(times, nodes=["x", "y", "z"], time_unit="min")
    np.testing.assert_array_equal(network.transmission_time, times)
    assert network.time_unit == "min" and network.nodes == ("x", "y", "z")


def test_a_grid_costs_what_its_arrays_say():
    latency = np.array([[5e-6, 1e-2], [2e-2, 7e-6]])
    sizes = np.array([1, 1000])
    gap = np.zeros((2, 2, 2))
    gap[..., 0] = 1e-6
    gap[..., 1] = [[1e-5, 1e-3], [1e-3, 2e-5]]
    network = espalier.Network.grid(latency, gap, sizes=[2, 3], gap_bytes=sizes, clusters=["a", "b"])
    assert network.nodes == ("a-0", "a-1", "b-0", "b-1", "b-2")
    times = network.message_time(1000)
    assert times.shape == (5, 5)
    assert times[0, 1] == pytest.approx(5e-6 + 1e-5)
    assert times[0, 2] == pytest.approx(1e-2 + 1e-3)
    assert times[2, 0] == pytest.approx(2e-2 + 1e-3)
    assert times[3, 4] == pytest.approx(7e-6 + 2e-5)
    constant = espalier.Network.grid(latency, gap[..., 1])
    assert constant.nodes == ("c0-0", "c1-0")


def test_a_timeline_says_when_each_port_is_busy(three):
    plan = espalier.plan(three, "broadcast", "ecef", bytes=10**6)
    timeline = plan.timeline
    assert timeline.shape == (2,) and plan.nodes == ("a", "b", "c") and plan.root == "a"
    costs = three.message_time(10**6)
    for transfer in timeline:
        took = costs[transfer["sender"], transfer["receiver"]]
        assert transfer["end"] - transfer["start"] == pytest.approx(took)
        assert transfer["bytes"] == 10**6 and not transfer["combine"]
    assert timeline["end"].max() == plan.makespan == plan.completion.max()
    assert sorted(timeline["receiver"]) == [1, 2]
    reduction = espalier.plan(three, "reduce", "ecef", bytes=10**6).timeline
    assert reduction["combine"].all()


def test_values_do_not_change(three):
    plan = espalier.plan(three, "broadcast", bytes=1)
    for array in (three.startup_s, plan.timeline, plan.completion, three.partition().labels):
        with pytest.raises(ValueError):
            array[...] = array
    with pytest.raises(AttributeError):
        plan.makespan = 0


def test_sizes_and_demands_are_arrays(three):
    sizes = np.array([[0, 1000, 0], [0, 0, 10**6], [500, 0, 0]])
    plan = espalier.plan(three, "alltoall", "open-shop", sizes=sizes)
    sent = np.zeros((3, 3), dtype=int)
    for transfer in plan.timeline:
        sent[transfer["sender"], transfer["receiver"]] += transfer["bytes"]
    np.testing.assert_array_equal(sent, sizes)
    deadlines = np.full((3, 3), np.nan)
    deadlines[1, 2] = 0.2
    due = espalier.plan(three, "alltoall", sizes=sizes, deadlines=deadlines)
    assert due.timeline[due.timeline["receiver"] == 2]["end"].max() <= 0.2
    blocks = espalier.plan(three, "scatter", sizes=np.array([0, 10, 2000]))
    assert blocks.bytes == 2000
    refined = espalier.plan(three, "alltoall", bytes=1000, refine=espalier.plan(three, "alltoall", "greedy", bytes=1000))
    assert refined.algorithm.startswith("refine")


def test_bounds_hold(three):
    plan = espalier.plan(three, "broadcast", bytes=10**6)
    assert 0 < plan.any_lower_bound <= plan.makespan * (1 + 1e-9)
    assert plan.optimality_gap == pytest.approx(plan.makespan / plan.lower_bound - 1)
    best = espalier.plan(three, "broadcast", "optimal", bytes=10**6)
    assert best.optimal and best.lower_bound == pytest.approx(best.makespan)
    assert espalier.plan(three, "broadcast", bytes=1000, robust="p90").robust["percentile"] == 90


def test_ranks_lie_below_clusters():
    latency = np.array([[5e-6, 1e-2], [1e-2, 5e-6]])
    network = espalier.Network.grid(latency, latency / 10, sizes=[3, 2])
    over_clusters = espalier.plan(network, "broadcast", "ecef", bytes=1)
    over_ranks = espalier.plan(network, "broadcast", "ecef", bytes=1, ranks=True)
    assert over_clusters.nodes == ("c0", "c1") and len(over_clusters.timeline) == 1
    assert len(over_clusters.strategies) == len(over_clusters.local) == 2
    assert over_ranks.nodes == network.nodes and len(over_ranks.timeline) == 4


def test_a_network_is_pickled_and_hashed(three):
    again = pickle.loads(pickle.dumps(three))
    assert again == three and hash(again) == hash(three) and again.fingerprint == three.fingerprint
    other = espalier.Network.sender([1, 2])
    assert again != other and len({again, three, other}) == 2


def test_an_invalid_plan_is_found_out(three):
    plan = espalier.plan(three, "broadcast", "ecef", bytes=1000)
    document = plan.to_dict()
    late = document["transfers"][1]
    late["end"] = late["start"]
    found = espalier.check(json.dumps(document), three)
    assert not found and not found.valid and "transfer" in found.violation
    assert found.violation in refused(espalier.InvalidError, found.require)
    assert found.violation in refused(espalier.InvalidError, lambda: found.makespan)
    with pytest.warns(UserWarning, match="planned for another network"):
        startup = three.startup_s.copy()
        startup[2, 0] *= 2  # which the plan does not use
        other = espalier.Network.pairwise(startup, three.bandwidth_Bps, nodes=["a", "b", "c"])
        assert espalier.check(plan, other).makespan == plan.makespan
