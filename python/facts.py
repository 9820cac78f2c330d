"""Tells CMake of the Python that runs this: where its headers are, how extensions are called, and where, below a prefix, it looks for
packages. Fails where it could not build or use one.

    python3 facts.py PREFIX
"""

import importlib.util
import pathlib
import sys
import sysconfig

include = sysconfig.get_path("include")
if not (pathlib.Path(include) / "Python.h").exists() or importlib.util.find_spec("numpy") is None:
    sys.exit(1)
# Debian looks into other folders than Python does by itself: one of all versions below /usr, and one of each version below /usr/local.
if "deb_system" not in sysconfig.get_scheme_names():
    folder = sysconfig.get_path("platlib", "posix_prefix", {"base": "", "platbase": ""})
elif sys.argv[1] == "/usr":
    folder = "lib/python3/dist-packages"
else:
    folder = f"lib/python{sysconfig.get_python_version()}/dist-packages"
print(include, sysconfig.get_config_var("EXT_SUFFIX"), folder.lstrip("/"), sep=";")
