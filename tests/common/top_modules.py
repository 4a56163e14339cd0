"""Which modules a package brings, told by the names of its files."""

import platform
import re
import sys

MODULE = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*)(?:\.py|(?:\.cpython-%d%d-%s-linux-gnu|\.abi3)?\.so)"
    % (*sys.version_info[:2], platform.machine())
)


def modules_of(names, prefix=""):
    """The top-level modules among these files; of a namespace package the modules in it."""
    names = list(names)
    found = {match[1] for match in map(MODULE.fullmatch, names) if match and not match[1].startswith("lib")}
    for folder in {name.partition("/")[0] for name in names if "/" in name}:
        inside = [name[len(folder) + 1:] for name in names if name.startswith(folder + "/")]
        if not folder.isidentifier() or not any(name.endswith((".py", ".so")) for name in inside):
            continue
        if any(name.startswith("__init__.") for name in inside):
            found.add(folder)
        else:
            found.update(modules_of(inside, folder + "."))
    return sorted(prefix + name for name in found if name != "__init__")
