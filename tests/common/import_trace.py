"""Imports a module and notes who asked for each compiled module, and for each library that ctypes opens.

    python -c "$(cat import_trace.py)" MODULE OUTPUT

It is given as text, so that this folder is not on the path of the import. OUTPUT gets a JSON object: file -> who asked
for it, the last first, each as `file:line: source` or, where compiled code imports, as `compiled module NAME`.
"""

import importlib.machinery
import json
import linecache
import sys

Loader = importlib.machinery.ExtensionFileLoader
asked = {}
module, output = sys.argv[1:]
del sys.argv[1:]


def callers(frame):
    """All frames but those of Python's import machinery and of this file."""
    while frame:
        code = frame.f_code
        loader = frame.f_locals.get("self")
        if code.co_name in ("exec_module", "create") and isinstance(loader, Loader):
            yield f"compiled module {loader.name}"
        elif not code.co_filename.startswith(("<frozen importlib", "<string>")) and "/ctypes/" not in code.co_filename:
            yield f"{code.co_filename}:{frame.f_lineno}: " + linecache.getline(code.co_filename, frame.f_lineno).strip()
        frame = frame.f_back


def create(self, spec, real=Loader.create_module):
    asked.setdefault(self.path, list(callers(sys._getframe(1))))
    return real(self, spec)


def opened(event, words):
    if event == "ctypes.dlopen" and words[0] is not None:
        asked.setdefault(str(words[0]), list(callers(sys._getframe(1))))


Loader.create_module = create
sys.addaudithook(opened)
try:
    __import__(module)
finally:
    with open(output, "w", encoding="utf-8") as file:
        json.dump(asked, file)
