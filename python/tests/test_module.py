"""The module as a whole: its stubs, its docstrings, its tutorial, threads and Ctrl-C."""

import ast
import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import pytest

import espalier
import espalier.mpi
from conftest import ROOT


def test_the_stubs_are_true():
    folder = pathlib.Path(espalier.__file__).parents[1]
    result = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "espalier", "--allowlist", str(ROOT / "python/tests/stubtest.txt")],
        capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(folder)}, cwd=folder.parent,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_typed_program_passes_and_a_wrong_one_does_not(tmp_path):
    folder = pathlib.Path(espalier.__file__).parents[1]

    def verdict(line):
        program = tmp_path / "program.py"
        program.write_text(f"import espalier\nnetwork = espalier.generate('gusto', nodes=4)\n{line}\n")
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)],
            capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(folder)},
        )

    fine = verdict("latest: float = espalier.plan(network, 'broadcast', bytes=8).timeline['end'].max()")
    assert fine.returncode == 0, fine.stdout
    wrong = verdict("latest: str = espalier.plan(network, 'broadcast', bites=8).makespan")
    assert "bites" in wrong.stdout and "float" in wrong.stdout


def stated_arguments(tree):
    """The names of the arguments of each function and method of the stubs, in their order."""
    for scope, prefix in [(tree, "")] + [(node, node.name + ".") for node in tree.body if isinstance(node, ast.ClassDef)]:
        for node in scope.body:
            overloaded = isinstance(node, ast.FunctionDef) and any(getattr(by, "id", "") == "overload" for by in node.decorator_list)
            is_property = isinstance(node, ast.FunctionDef) and any(getattr(by, "id", "") == "property" for by in node.decorator_list)
            if isinstance(node, ast.FunctionDef) and not (node.name.startswith("_") or overloaded or is_property):
                yield prefix + node.name, [argument.arg for argument in node.args.args + node.args.kwonlyargs]


def test_the_stubs_name_the_arguments_that_there_are():
    """mypy.stubtest does not know the arguments of what is not Python; pybind11 writes them into docstrings."""
    stubs = ast.parse((ROOT / "python/espalier/_espalier.pyi").read_text())
    seen = 0
    for name, arguments in stated_arguments(stubs):
        thing = espalier._espalier
        for part in name.split("."):
            thing = getattr(thing, part)
        line = thing.__doc__.strip().splitlines()[0]
        there = re.findall(r"(?:\(|, )(\w+): ", line.partition(" -> ")[0])
        if "**kwargs" in line:
            there = [argument for argument in there if argument != "kwargs"]
            arguments = arguments[: len(there)]
        assert arguments == there, line
        seen += 1
    assert seen > 30


def public_things():
    for name, thing in [(name, getattr(module, name)) for module in (espalier, espalier.mpi) for name in module.__all__]:
        if callable(thing):
            yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and not issubclass(thing, BaseException):
                    yield f"{name}.{member}", getattr(value, "fget", None) or getattr(thing, member)


@pytest.mark.parametrize("name, thing", public_things(), ids=lambda value: value if isinstance(value, str) else "")
def test_all_that_is_public_is_described(name, thing):
    # pybind11 writes the signature by itself; what follows is ours.
    text = (thing.__doc__ or "").strip()
    if text.startswith(name.split(".")[-1] + "("):
        text = text.partition("\n")[2]
    assert len(text.strip()) > 15, name


def test_the_tutorial_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    result = doctest.testfile(
        str(ROOT / "docs/python.md"), module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert result.attempted > 10 and result.failed == 0


def test_threads_that_plan_at_once_get_what_one_by_one_would():
    networks = [espalier.generate("gusto", nodes=8, seed=seed) for seed in range(6)]
    alone = [espalier.plan(network, "broadcast", "ecef", bytes=4096).to_json() for network in networks]
    found = [None] * len(networks)

    def work(index):
        for _ in range(5):
            found[index] = espalier.plan(networks[index], "broadcast", "ecef", bytes=4096).to_json()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(networks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


def test_others_go_on_while_one_plans():
    network = espalier.generate("gusto", nodes=40, seed=1)
    ticks = []

    def plan():
        espalier.plan(network, "broadcast", "search", bytes=2**20, time_limit=1)

    planning = threading.Thread(target=plan)
    planning.start()
    while planning.is_alive():
        ticks.append(time.monotonic())
        time.sleep(0.01)
    assert len(ticks) > 10


def test_ctrl_c_ends_the_waiting():
    program = (
        "import espalier, os, signal, threading, time\n"
        "network = espalier.generate('gusto', nodes=60, seed=1)\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "begin = time.monotonic()\n"
        "try:\n"
        "    espalier.plan(network, 'broadcast', 'search', bytes=2**20, time_limit=6)\n"
        "except KeyboardInterrupt:\n"
        "    print(time.monotonic() - begin)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout) < 5


def test_the_version_is_that_of_the_command_line():
    printed = subprocess.run([os.environ["ESPALIER_CLI"], "--version"], capture_output=True, text=True).stdout
    assert printed.strip() == f"espalier {espalier.__version__}"
