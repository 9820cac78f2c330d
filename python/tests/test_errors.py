"""Bad input is one exception, whose text is the command line's."""

import numpy as np
import pytest

import espalier
from conftest import ROOT, complaint, refused

GRID = ROOT / "examples/table4/network.json"
SENDER = ROOT / "examples/liu-2000-figure-1/network.json"


def test_a_broken_file_is_named_with_its_field(tmp_path):
    broken = tmp_path / "broken.json"
    for text in ("", "{", '{"format":"espalier-network","version":1,"model":"sender","nodes":[]}',
                 GRID.read_text().replace('"latency_s"', '"latency"', 1)):
        broken.write_text(text)
        assert refused(espalier.InputError, espalier.Network.read, broken) == complaint("network", broken)
    missing = tmp_path / "missing.json"
    assert refused(espalier.InputError, espalier.Network.read, missing) == complaint("network", missing)
    assert refused(espalier.InputError, espalier.Plan.read, broken) == complaint("check", broken, "--network", GRID)


@pytest.mark.parametrize(
    "collective, words, options",
    (
        ("broadcast", {}, []),
        ("brodcast", {"bytes": 8}, ["--bytes", 8]),
        ("broadcast", {"bytes": 8, "root": "nobody"}, ["--bytes", 8, "--root", "nobody"]),
        ("broadcast", {"bytes": "8q"}, ["--bytes", "8q"]),
        ("broadcast", {"bytes": -1}, ["--bytes=-1"]),
        ("broadcast", {"bytes": 8, "algorithm": "magic"}, ["--bytes", 8, "--algorithm", "magic"]),
        ("broadcast", {"bytes": 8, "ports": 0}, ["--bytes", 8, "--ports", 0]),
        ("broadcast", {"bytes": 8, "time_limit": "soon"}, ["--bytes", 8, "--time-limit", "soon"]),
        ("broadcast", {"bytes": 8, "robust": "p100"}, ["--bytes", 8, "--robust", "p100"]),
        ("broadcast", {"bytes": 8, "critical": "a"}, ["--bytes", 8, "--critical", "a"]),
        ("allgather", {"bytes": 8, "root": "a"}, ["--bytes", 8, "--root", "a"]),
    ),
)
def test_a_bad_request_has_the_text_of_the_command_line(collective, words, options):
    network = espalier.Network.read(GRID)
    assert refused(espalier.InputError, espalier.plan, network, collective, **words) == complaint(
        "plan", collective, GRID, *options
    )


def test_a_sender_network_refuses_what_the_command_line_refuses():
    network = espalier.Network.read(SENDER)
    for words, options in (({"bytes": 8}, ["--bytes", 8]), ({"ranks": True}, ["--ranks"]), ({"robust": "p90"}, ["--robust", "p90"])):
        assert refused(espalier.InputError, espalier.plan, network, "broadcast", **words) == complaint(
            "plan", "broadcast", SENDER, *options
        )
    assert refused(espalier.InputError, network.to, "links") == complaint("convert", SENDER, "--to", "links")
    assert refused(espalier.InputError, network.partition) == complaint("partition", SENDER)
    assert refused(espalier.InputError, espalier.ring, network, 1, 1) == complaint("ring", SENDER, "--work", 1, "--exchange", 1)
    assert refused(espalier.InputError, espalier.generate, "grid", hosts=3) == complaint("generate", "grid", "--hosts", 3)
    assert refused(espalier.InputError, espalier.generate, "torus") == complaint("generate", "torus")
    assert refused(espalier.InputError, espalier.generate, "grid", clusters=0) == complaint("generate", "grid", "--clusters", 0)


def test_an_array_of_another_shape_is_named():
    square = np.ones((3, 3))
    assert "bandwidth_Bps: its shape is (2, 3)" in refused(espalier.InputError, espalier.Network.pairwise, square, np.ones((2, 3)))
    assert refused(espalier.InputError, espalier.Network.pairwise, square, square, nodes=["a"]) == "nodes: it has 1 names, and there are 3"
    assert "gap_s: its shape" in refused(espalier.InputError, espalier.Network.grid, square, np.ones((3, 3, 2)))
    assert "transmission_time" in refused(espalier.InputError, espalier.Network.sender, square)
    network = espalier.Network.pairwise(square * 1e-3, square * 1e6)
    assert refused(espalier.InputError, espalier.plan, network, "alltoall", sizes=np.ones((2, 2))) == (
        "sizes: it is 2 x 2, and the network has 3 nodes"
    )
    assert "whole number" in refused(espalier.InputError, espalier.plan, network, "alltoall", sizes=square / 2)
    assert "sizes" in refused(espalier.InputError, espalier.plan, network, "alltoall", sizes=[1, 2, 3])
    assert refused(TypeError, espalier.plan, network, "broadcast", size=3) == "no argument is called 'size'"
    assert "bytes" in refused(TypeError, espalier.plan, network, "broadcast", bytes=[3])
    assert "transmission_time" in refused(espalier.InputError, lambda: network.transmission_time)
    assert "startup_s" in refused(espalier.InputError, lambda: espalier.Network.read(GRID).startup_s)


def test_errors_are_of_the_kinds_that_python_expects():
    assert issubclass(espalier.InputError, ValueError) and issubclass(espalier.InputError, espalier.Error)
    assert issubclass(espalier.InvalidError, espalier.Error) and not issubclass(espalier.InvalidError, ValueError)
    assert "root" in refused(ValueError, espalier.plan, espalier.Network.read(SENDER), "broadcast", root="nobody")
    with pytest.raises(TypeError):
        espalier.Network()


def test_what_a_file_can_not_answer_for_is_a_warning():
    network = espalier.generate("grid", clusters=3, nodes=2)
    with pytest.warns(UserWarning, match="no cost in it depends on the size of a message"):
        espalier.plan(network, "broadcast", "ecef", bytes=8)
