"""Questions to cudald with a cache of their own."""

import shutil
import subprocess

TICK = 0.12  # s; a file that was changed just now is not known again


def entries_of(cache):
    """The files of a cache."""
    folder = cache / "cudald" / "facts-1"
    return sorted(folder.glob("[!.]*")) if folder.is_dir() else []


def is_import(entry):
    """Whether a file of a cache is an import that was followed, and not what was read of an archive."""
    # Behind six numbers of eight bytes stands the key.
    return entry.is_file() and entry.read_bytes()[48:55] == b"import\n"


class Asker:
    def __init__(self, cudald, folder):
        self.cudald = cudald
        self.folder = folder
        self.cache = folder / "cache"

    def words(self, *words):
        return [self.cudald, *map(str, words)]

    def environment(self, cache=None):
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": str(cache or self.cache)}

    def ask(self, *words, cache=None, cwd=None, variables=None):
        """Status, answer and complaints."""
        done = subprocess.run(self.words(*words), cwd=cwd or self.folder, capture_output=True, timeout=60,
                              env={**self.environment(cache), **(variables or {})})
        return done.returncode, done.stdout, done.stderr

    def entries(self):
        return entries_of(self.cache)

    def imports(self):
        return [entry for entry in self.entries() if is_import(entry)]

    def archives(self):
        return [entry for entry in self.entries() if not is_import(entry)]

    def clear(self):
        shutil.rmtree(self.cache, ignore_errors=True)
