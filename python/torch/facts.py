"""Tells CMake of the torch of the Python that runs this: its version, and where its libraries are. Fails where there is none."""

import pathlib

import torch
import torch.distributed

if not torch.distributed.is_available():
    raise SystemExit(1)
print(torch.__version__.split("+")[0], pathlib.Path(torch.__file__).parent / "lib", sep=";")
