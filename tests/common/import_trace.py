"""Imports a module and notes who asked for each compiled module, and for each library that ctypes opens.

    python -c "$(cat import_trace.py)" MODULE OUTPUT

It is given as text, so that this folder is not on the path of the import; and until the import is done it imports
nothing else that has files. OUTPUT gets a JSON object: file -> who asked for it, the last first, each as `file:line:
source` or, where compiled code imports, as `compiled module NAME`.
"""

import sys
from _frozen_importlib_external import ExtensionFileLoader

asked = {}
module, output = sys.argv[1:]
del sys.argv[1:]


def callers(frame):
    """All frames but those of Python's import machinery, of ctypes and of this file."""
    found = []
    while frame:
        code = frame.f_code
        loader = frame.f_locals.get("self")
        if code.co_name in ("exec_module", "create") and isinstance(loader, ExtensionFileLoader):
            found.append((loader.name, 0))
        elif not code.co_filename.startswith(("<frozen importlib", "<string>")) and "/ctypes/" not in code.co_filename:
            found.append((code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def create(self, spec, real=ExtensionFileLoader.create_module):
    asked.setdefault(self.path, callers(sys._getframe(1)))
    return real(self, spec)


def opened(event, words):
    if event == "ctypes.dlopen" and words[0] is not None:
        asked.setdefault(str(words[0]), callers(sys._getframe(1)))


def in_words(file, line):
    import linecache

    return f"{file}:{line}: {linecache.getline(file, line).strip()}" if line else f"compiled module {file}"


ExtensionFileLoader.create_module = create
sys.addaudithook(opened)
try:
    __import__(module)
finally:
    found, asked = asked, {}
    import json

    with open(output, "w", encoding="utf-8") as file:
        json.dump({path: [in_words(*frame) for frame in frames] for path, frames in found.items()}, file)
