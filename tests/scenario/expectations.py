"""What the fixture's author expects of the real loader, so that an agreement of two wrong answers is seen."""
import os
import re

from answer import Undefined, in_existing_folders
from fixture import Broken


def unmet(plan, real):
    """Yields one line for each expectation that the real loader does not meet."""
    for words in plan.expectations:
        verb, rest = words[0], words[1:]
        check = CHECKS.get(verb)
        if check is None:
            raise Broken(f"expect: what is '{verb}'?")
        try:
            seen = check(plan, real, *rest)
        except TypeError as wrong:
            raise Broken(f"expect {' '.join(words)}: {wrong}") from wrong
        if seen is not None:
            yield f"expected {' '.join(words)}, but the loader: {seen}"


def bound(plan):
    """The symbols whose bindings the fixture is about."""
    return sorted({words[1] for words in plan.expectations if words[0] == "binds"})


def starts(_, real):
    return None if real.started and real.late_error is None else real.error or real.late_error or real.stderr


def hangs(_, real):
    return None if real.hung else "comes to an end"


def error(_, real, text):
    return None if real.error == text else repr(real.error)


def error_says(_, real, text):
    return None if text in (real.error or "") else repr(real.error)


def fails_when_called(_, real, text):
    return None if real.started and real.late_error == text else f"started: {real.started}, {real.late_error!r}"


def warning(_, real, text):
    return None if text in real.stderr else repr(real.stderr)


def loads(plan, real, path, _for, name):
    found = [search.found for search in real.searches if search.name == name]
    return None if plan.made(path) in found else f"{name}: {found}"


def missing(_, real, name):
    found = [search.found for search in real.searches if search.name == name]
    return None if found and not any(found) else f"{name}: {found}"


def not_loaded(plan, real, path):
    if not os.path.exists(plan.made(path)):
        raise Broken(f"{path} does not exist, so that nothing can load it")
    return str(real.objects) if plan.made(path) in real.objects else None


def order(_, real, *files):
    # Up to glibc 2.33 libc.so.6 is a link to libc-2.33.so, and dlopen is in libdl.
    mapped = [re.sub(r"-2\.\d+\.so$", ".so.6", os.path.basename(path)) for path in real.objects[1:]]
    mapped = [file for file in mapped if not re.fullmatch(r"lib(c|dl)\.so(\.\d)?", file)]
    return None if mapped == list(files) else str(mapped)


def tries(plan, real, *words):
    *paths, _for, name = words
    looked = [[normal(plan.folder, path) for path in in_existing_folders(search.tried, name, plan)]
              for search in real.searches if search.name == name]
    return None if [normal(plan.scratch, path) for path in paths] in looked else str(looked)


def normal(folder, path):
    return os.path.normpath(os.path.join(folder, path))


def no_search(plan, real, _for, name, *by):
    made = [search for search in real.searches
            if search.name == name and (not by or search.requester == plan.made(by[1]))]
    return str(made) if made else None


def undefined(plan, real, symbol, _in, path):
    name, _, version = symbol.partition("@")
    wanted = Undefined(plan.made(path), name, version)
    return None if wanted in (real.undefined_now or ()) else str(real.undefined_now)


def undefined_lazily(plan, real, symbol, _in, path):
    name, _, version = symbol.partition("@")
    wanted = Undefined(plan.made(path), name, version)
    lazy = (real.undefined or set()) - (real.undefined_now or set())
    return None if wanted in lazy else str(lazy)


def binds(plan, real, symbol, _of, user, _to, definer):
    wanted = (plan.made(user), symbol, plan.made(definer))
    seen = [binding for binding in sorted(real.bindings or ()) if binding[1] == symbol]
    return None if wanted in seen else str(seen)


def dlopen(_, real, name, outcome, text=None):
    if outcome not in ("works", "fails"):
        raise Broken(f"expect dlopen: what is '{outcome}'?")
    said = [error for opened, error in real.dlopens if opened == name]
    return None if said and said[-1] == text else f"{said}"


CHECKS = {
    "starts": starts, "hangs": hangs, "error": error, "error-says": error_says, "warning": warning,
    "fails-when-called": fails_when_called, "loads": loads, "missing": missing, "not-loaded": not_loaded,
    "order": order, "tries": tries, "no-search": no_search, "undefined": undefined,
    "undefined-lazily": undefined_lazily, "binds": binds, "dlopen": dlopen,
}
